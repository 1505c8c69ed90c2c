"""What the verbs share: one call with its adapters, and how outcomes are told."""

import os
import pwd
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, assert_never

from gitclaw_py.adapters.directory_store import DirectoryStore
from gitclaw_py.adapters.git_place import Search
from gitclaw_py.adapters.git_repository import GitRepository, found
from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.core import outcomes
from gitclaw_py.core.policy import Rules
from gitclaw_py.handlers.context import Context
from gitclaw_py.handlers.decide import NothingToDo, Rejected
from gitclaw_py.handlers.landing import Landed, Stuck

if TYPE_CHECKING:
    from gitclaw_py.adapters.git_checkout import GitCheckout
    from gitclaw_py.core.settings import Settings

_NAME = "suggestions.json"
CONFLICT = 6
"""The exit code when something does not fit."""


class Invocation(NamedTuple):
    """One call: the options, the command after ``--``, where it was given, and what it works with."""

    options: Namespace
    command: tuple[str, ...]
    terminal: Terminal
    searching: Search
    repository: GitRepository
    store: DirectoryStore
    context: Context

    @property
    def environment(self) -> Mapping[str, str]:
        """The caller's."""
        return self.searching.environment

    @property
    def settings(self) -> "Settings":
        """What the configuration file says: the one given, or the first in ``.gitclaw/``, ``.github/`` and the top.

        Raises:
            ConfigError: ``CONFIG_INVALID``.
        """
        path = _configuration(self.options, self.repository.directory)
        if path is None:
            from gitclaw_py.core.settings import DEFAULT

            return DEFAULT
        from gitclaw_py import config

        return config.read(path)

    def other_threads(self) -> list[str]:
        """The names of the threads of this repository that have a state, but this one."""
        return [name for name in self.store.threads() if name != self.store.thread]

    @property
    def as_json(self) -> bool:
        """Whether a program reads the result."""
        return bool(self.options.json)


def _configuration(options: Namespace, top: Path) -> Path | None:
    places = (top / ".gitclaw" / _NAME, top / ".github" / _NAME, top / _NAME)
    given = Path(name) if (name := getattr(options, "config", None)) else None
    return given or next((place for place in places if place.is_file()), None)


def _rules(options: Namespace, top: Path) -> Rules:
    """What the configuration says of paths; where it says nothing of them, it need not be checked for any verb."""
    path = _configuration(options, top)
    try:
        says = path is not None and b'"paths"' in path.read_bytes()
    except OSError:
        return Rules()
    if path is None or not says:
        return Rules()
    from gitclaw_py import config

    return config.read(path).paths


@contextmanager
def invocation(
    options: Namespace, command: tuple[str, ...], terminal: Terminal, searching: Search
) -> Iterator[Invocation]:
    """The adapters for the repository that git was told to look for."""
    environment = searching.environment
    with found(searching) as repository:
        head = repository.head()
        root = repository.place.common / "gitclaw" if repository.place.bare else repository.directory / ".gitclaw"
        thread = options.thread or (head.name if head.ref != "HEAD" else "detached")
        store = DirectoryStore(root / "state", thread, _rules(options, repository.directory))
        checkout = None if repository.place.bare else _checkout(repository)
        actor = environment.get("USER") or environment.get("LOGNAME") or pwd.getpwuid(os.getuid()).pw_name
        _tell_of_another(environment.get("GIT_DIR"), searching, repository, terminal)
        context = Context(repository, checkout, store, lambda: int(time.time()), actor, terminal.warn)
        yield Invocation(options, command, terminal, searching, repository, store, context)


def _tell_of_another(named: str | None, searching: Search, repository: GitRepository, terminal: Terminal) -> None:
    """Hooks of git run with this variable, which names their own repository: another one is not meant here."""
    if named:
        meant, found = os.path.join(searching.directory, named), repository.place.git_directory
        if os.path.realpath(meant) != os.path.realpath(found):
            terminal.warn(f"GIT_DIR is not followed: this is about {repository.directory}")


def _checkout(repository: GitRepository) -> "GitCheckout":
    from gitclaw_py.adapters.git_checkout import GitCheckout

    return GitCheckout(repository)


def outcome_document(outcome: Landed | Stuck | Rejected | NothingToDo, *, undo: bool) -> dict[str, Any]:
    """How apply, undo or reject ended, for a program."""
    match outcome:
        case Landed():
            return {
                "outcome": "partly applied" if outcome.left else "done",
                "branch": outcome.branch,
                "commit": outcome.commit,
                "parts": outcomes.findings_document([*outcome.findings, *outcome.left], undo=undo),
                "skipped": _with_reasons(outcome.skipped),
                "kept": _with_reasons(outcome.kept),
            }
        case Stuck():
            return {
                "outcome": "conflict",
                "code": "GIT_CONFLICT",
                "branch": outcome.branch,
                "where": outcome.where,
                "commit": None,
                "parts": outcomes.findings_document(outcome.findings, undo=undo),
                "skipped": [],
                "kept": [],
            }
        case Rejected():
            return {"outcome": "pending again" if outcome.back else "rejected", "parts": list(outcome.parts)}
        case NothingToDo():
            return {
                "outcome": "nothing to do",
                "branch": None,
                "commit": None,
                "parts": [],
                "skipped": _with_reasons(outcome.skipped),
                "kept": [],
            }
        case never:
            assert_never(never)


def _with_reasons(parts: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"number": part, "reason": reason} for part, reason in parts]
