"""The handlers with real adapters, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gitclaw_py.adapters.directory_store import DirectoryStore
from gitclaw_py.adapters.directory_workspace import DirectoryWorkspaces
from gitclaw_py.adapters.git_checkout import GitCheckout
from gitclaw_py.adapters.git_repository import GitRepository, opened
from gitclaw_py.core.modes import Mode
from gitclaw_py.core.risk import Risk
from gitclaw_py.core.secrets import Watch
from gitclaw_py.handlers.context import Context
from gitclaw_py.handlers.suggest import Base, NothingProposed, Request, Suggested, run
from gitclaw_py.handlers.watched import Watched
from gitclaw_py.ports.engine import Ran
from tests.sandbox import Sandbox

NOW = 1_700_000_000


class ScriptedAgent:
    """An agent that is a function of the workspace's folder."""

    def __init__(self, change: Callable[[Path], object], reasons: bytes | None = None) -> None:
        self._change = change
        self._reasons = reasons

    def run(self, workspace: Path, folder: str, log: Path, progress: Callable[[float, str], None]) -> Ran:
        self._change(workspace / folder)
        log.write_bytes(b"scripted\n")
        progress(0.0, "done")
        return Ran(0, 0.0, self._reasons)


@contextmanager
def world(
    sandbox: Sandbox,
    *,
    store: Callable[[Path, str], DirectoryStore] = DirectoryStore,
    checkout: Callable[[GitRepository], GitCheckout] = GitCheckout,
    notes: list[str] | None = None,
) -> Iterator[Watched]:
    """A context for the repository of a sandbox."""
    with opened(sandbox.path, sandbox.environment) as repository:
        state = store(repository.directory / ".gitclaw" / "state", "main")
        files = None if repository.place.bare else checkout(repository)
        note = notes.append if notes is not None else lambda _: None
        yield Watched(Context(repository, files, state, lambda: NOW, "ada", note), Watch())


def propose(
    sandbox: Sandbox, change: Callable[[Path], object], *, base: Base = Base.COMMIT, mode: Mode = Mode.SUGGEST_ONLY
) -> Suggested | NothingProposed:
    """Run the scripted agent and record what it proposes."""
    with world(sandbox) as context:
        assert isinstance(context.repository, GitRepository)
        request = Request(("scripted",), base, mode, Risk.HIGH)
        workspaces = DirectoryWorkspaces(context.repository)
        return run(context, request, workspaces, ScriptedAgent(change), lambda _seconds, _line: None)
