"""What the verbs share: one call with its adapters, and how outcomes are told."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, assert_never

from gitclaw_py.adapters.directory_store import DirectoryStore
from gitclaw_py.adapters.git_checkout import GitCheckout
from gitclaw_py.adapters.git_repository import GitRepository, opened
from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.core import outcomes, render
from gitclaw_py.core.scripts import split_lines
from gitclaw_py.core.settings import DEFAULT, Settings
from gitclaw_py.core.suggestions import Suggestion
from gitclaw_py.handlers.context import Context
from gitclaw_py.handlers.decide import NothingToDo
from gitclaw_py.handlers.landing import Landed, Stuck
from gitclaw_py.ports import Session

_NAME = "suggestions.json"
CONFLICT = 6
"""The exit code when something does not fit."""


class Invocation(NamedTuple):
    """One call: the options, the command after ``--``, where it was given, and what it works with."""

    options: Namespace
    command: tuple[str, ...]
    environment: Mapping[str, str]
    terminal: Terminal
    directory: Path
    repository: GitRepository
    context: Context

    @property
    def settings(self) -> Settings:
        """What the configuration file says: the one given, or the first in ``.gitclaw/``, ``.github/`` and the top.

        Raises:
            ConfigError: ``CONFIG_INVALID``.
        """
        top = self.repository.directory
        places = (top / ".gitclaw" / _NAME, top / ".github" / _NAME, top / _NAME)
        given = Path(self.options.config) if self.options.config else None
        path = given or next((place for place in places if place.is_file()), None)
        if path is None:
            return DEFAULT
        from gitclaw_py import config

        return config.read(path)

    @property
    def as_json(self) -> bool:
        """Whether a program reads the result."""
        return bool(self.options.json)


@contextmanager
def invocation(
    options: Namespace, command: tuple[str, ...], environment: Mapping[str, str], terminal: Terminal, directory: Path
) -> Iterator[Invocation]:
    """The adapters for the repository that ``directory`` lies in."""
    with opened(directory, environment) as repository:
        head = repository.head()
        root = repository.common / "gitclaw" if repository.bare else repository.directory / ".gitclaw"
        store = DirectoryStore(root / "state", options.thread or (head.name if head.ref != "HEAD" else "detached"))
        checkout = None if repository.bare else GitCheckout(repository)
        actor = environment.get("USER") or environment.get("LOGNAME") or "unknown"
        context = Context(repository, checkout, store, lambda: int(time.time()), actor, terminal.warn)
        yield Invocation(options, command, environment, terminal, directory, repository, context)


def texts(session: Session) -> render.Texts:
    """Reads the lines of both sides of a suggestion; empty where git shows no text."""

    def read(s: Suggestion) -> tuple[Sequence[bytes], Sequence[bytes]]:
        old = session.text(s.old.oid) if s.old and s.removed + len(s.groups) else b""
        new = session.text(s.new.oid) if s.new and s.added and not s.groups else b""
        return split_lines(old), split_lines(new)

    return read


def outcome_document(outcome: Landed | Stuck | NothingToDo) -> dict[str, Any]:
    """How apply or undo ended, for a program."""
    match outcome:
        case Landed():
            return {
                "outcome": "partly applied" if outcome.left else "done",
                "branch": outcome.branch,
                "commit": outcome.commit,
                "parts": outcomes.findings_document([*outcome.findings, *outcome.left]),
                "skipped": [{"number": part, "reason": reason} for part, reason in outcome.skipped],
            }
        case Stuck():
            return {
                "outcome": "conflict",
                "code": "GIT_CONFLICT",
                "branch": outcome.branch,
                "where": outcome.where,
                "parts": outcomes.findings_document(outcome.findings),
            }
        case NothingToDo():
            return {
                "outcome": "nothing to do",
                "skipped": [{"number": part, "reason": reason} for part, reason in outcome.skipped],
            }
        case never:
            assert_never(never)
