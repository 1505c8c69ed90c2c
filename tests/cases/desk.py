"""The verbs as handlers in this process, with the real adapters: what the command line does, minus the start-up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gitclaw_py.adapters.directory_store import DirectoryStore
from gitclaw_py.adapters.directory_workspace import DirectoryWorkspaces
from gitclaw_py.adapters.git_checkout import GitCheckout
from gitclaw_py.adapters.git_repository import GitRepository, opened
from gitclaw_py.core.modes import Mode
from gitclaw_py.core.risk import Risk
from gitclaw_py.core.secrets import Watch
from gitclaw_py.core.state import State
from gitclaw_py.handlers import decide
from gitclaw_py.handlers.context import Context
from gitclaw_py.handlers.landing import Landed, Order, Stuck
from gitclaw_py.handlers.suggest import Base, NothingProposed, Request, Suggested, run
from gitclaw_py.handlers.watched import Watched
from gitclaw_py.ports.engine import Ran
from tests.cases.case import Step
from tests.cases.oracle import Files, files_in
from tests.sandbox import Sandbox

Outcome = Landed | Stuck | decide.Rejected | decide.NothingToDo


@dataclass
class Hand:
    """An agent that takes one step, and remembers what the workspace looked like then."""

    step: Step
    left: Files = field(default_factory=dict)

    def run(self, workspace: Path, _folder: str, _log: Path, _progress: Callable[[float, str], None]) -> Ran:
        self.step(Sandbox(workspace))
        self.left = files_in(workspace)
        return Ran(0, 0.0, None)


def _do_nothing(_: Sandbox) -> None:
    pass


def _now() -> int:
    return 1_700_000_100


def _unexpected(text: str) -> None:
    """What a command says on the side after a crash; nothing crashes here."""
    raise AssertionError(text)


def _say_nothing(_seconds: float, _line: str) -> None:
    pass


@dataclass(frozen=True)
class Desk:
    """Someone who works on a thread of a repository."""

    sandbox: Sandbox
    thread: str = "main"

    @contextmanager
    def context(self) -> Iterator[tuple[Watched, GitRepository]]:
        """What a handler works with, as the repository is now."""
        with opened(self.sandbox.path, self.sandbox.environment) as repository:
            context = Context(repository, GitCheckout(repository), self.store, _now, "ada", _unexpected)
            yield Watched(context, Watch()), repository

    @property
    def store(self) -> DirectoryStore:
        return DirectoryStore(self.sandbox.path / ".gitclaw/state", self.thread)

    @property
    def state(self) -> State:
        return self.store.load()

    def suggest(self, agent: Hand | None = None) -> Suggested | NothingProposed:
        """Run the agent, or propose what is in the working tree."""
        base = Base.COMMIT if agent else Base.UNCOMMITTED
        request = Request(("hand",), base, Mode.SUGGEST_ONLY, Risk.HIGH)
        with self.context() as (context, repository):
            hand = agent or Hand(_do_nothing)
            return run(context, request, DirectoryWorkspaces(repository), hand, _say_nothing)

    def apply(self, *words: str, branch: str | None = None) -> Outcome:
        with self.context() as (context, _):
            return decide.apply(context, words, Order((), branch=branch))

    def undo(self, *words: str, branch: str | None = None) -> Outcome:
        with self.context() as (context, _):
            return decide.undo(context, words, Order((), branch=branch))

    def on_thread(self, thread: str) -> Desk:
        """The same proposal in a thread of its own, where nothing was decided."""
        other = Desk(self.sandbox, thread)
        other.store.save(self.state)
        return other
