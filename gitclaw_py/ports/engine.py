"""What the engine needs: a repository, its files, a workspace, an agent, a place for the state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gitclaw_py.core.applying import View
from gitclaw_py.core.bounds import ON_ONE_S_OWN, Bounds
from gitclaw_py.core.usage import UNKNOWN, Usage
from gitclaw_py.ports.values import Head, Move, Seen, TreeChange

if TYPE_CHECKING:
    from gitclaw_py.core.alignment import Alignment, Comparison
    from gitclaw_py.core.diffs import Entry, FileDiff
    from gitclaw_py.core.policy import Rules
    from gitclaw_py.core.printed import Failure
    from gitclaw_py.core.review.pull_diff import PullFile
    from gitclaw_py.core.state import Decision, State


class Session(View, Protocol):
    """Reads the tree of one commit, and writes commits on top of it."""

    def commit(
        self, parent: str, message: str, writes: Mapping[bytes, Entry | None], blobs: Mapping[str, bytes]
    ) -> str:
        """Write a commit of these changes by the person, on top of ``parent``; no ref moves. Returns its id."""

    def store(self, oid: str, data: bytes) -> None:
        """Write a blob ahead of the commit that has it."""

    def record(self, parent: str | None, message: str, change: TreeChange, at: int) -> str:
        """Write a commit of what an agent did, in our name, and make it visible to others.

        Without a parent it has nothing but these files.
        """

    def texts(self, oids: Iterable[str]) -> Iterator[bytes]:
        """The contents of blobs, in order, without waiting for each."""

    def prefetch(self, paths: Sequence[bytes]) -> None:
        """Look all these paths up at once."""

    def expect(self, oids: Iterable[str]) -> None:
        """These blobs are likely to be read, in this order."""


class Repository(Protocol):
    """A git repository: its objects and refs. Never its index or working tree."""

    object_format: str
    directory: Path

    def head(self) -> Head:
        """Where it was when it was last looked at."""

    def look_again(self) -> None:
        """See where it is now."""

    def branch(self, name: str) -> Head:
        """Where the branch of that short name is."""

    def open(self, commit: str, *, commits: bool = False) -> AbstractContextManager[Session]:
        """Read the tree of ``commit``; ``commits`` where a commit by the person is likely to follow."""

    def diff(self, old: str, new: str) -> list[FileDiff]:
        """The changes between two commits or trees, each file by the algorithm that needs the fewest lines."""

    def shown(self, parted: str, head: str) -> list[PullFile]:
        """What a pull request of ``head`` shows that left its base at ``parted``."""

    def compare(self, comparisons: Sequence[Comparison]) -> dict[Comparison, Alignment]:
        """Answer all comparisons, in a number of processes that does not depend on how many there are."""

    def record_tree(self, tree: str, parent: str, message: str, at: int) -> str:
        """Write a commit of a whole tree, in our name; no ref moves. Returns its id."""

    def signed(self, commit: str, parent: str, message: str) -> str:
        """The same commit with the person's signature, when their configuration asks for one."""

    def keep(self, commit: str) -> None:
        """Keep a commit and all it reaches from being collected."""

    def move(self, move: Move, message: str) -> None:
        """Move a ref, or raise ``ConflictError`` when it is no longer at the old commit."""

    def contains(self, ref: str, commit: str) -> bool:
        """Whether ``commit`` is in the history of ``ref``."""


class Checkout(Protocol):
    """A person's index and working tree."""

    def snapshot(self) -> tuple[str, tuple[str, ...]]:
        """The tree id of the working tree as it is, and warnings about what is not in it."""

    def look(self, session: Session, tip: str, paths: Sequence[bytes]) -> Seen:
        """The index and the working tree at ``paths``, where ``tip`` is checked out."""

    def write_index(self, writes: Mapping[bytes, Entry | None], seen: Seen) -> None:
        """Put entries into the index, with the marks they had."""

    def stage(self, writes: Mapping[bytes, Entry | None]) -> None:
        """Make the files, as git would check them out, beside the working tree."""

    def unstage(self) -> None:
        """Remove what was staged."""

    def write_worktree(self, writes: Mapping[bytes, Entry | None]) -> None:
        """Put what was staged into the working tree, each file in one step."""

    def store(self, blobs: Iterable[bytes]) -> None:
        """Write blobs that only the index or the working tree will hold."""


class Ran(NamedTuple):
    """How an agent ended.

    ``seconds`` of wall time; ``exit_code`` is negative for a signal; ``said`` are the last lines of its output;
    ``answer`` is what it has to say to the person who asked, in words. ``isolation`` and ``network`` tell what kept it
    apart, and what it reached; ``usage`` what it used of its model, ``failure`` why it could not go on.
    """

    exit_code: int
    seconds: float
    reasons: bytes | None
    said: tuple[str, ...] = ()
    answer: bytes | None = None
    isolation: str = ""
    network: str = ""
    usage: Usage = UNKNOWN
    failure: Failure | None = None


Taken = Callable[[str, bytes], None]
"""What is done with a content of that id."""


def nobody(_oid: str, _data: bytes) -> None:
    """Nobody wants to see it."""


class Workspace(Protocol):
    """An isolated copy of a commit's files that an agent may change."""

    path: Path

    def changes(self, bounds: Bounds = ON_ONE_S_OWN, taken: Taken = nobody) -> TreeChange:
        """What differs from the base now; ``taken`` gets each new content, with its id, when it is read.

        Raises:
            RefusedError: ``TOO_LARGE``: it is more than the bounds allow; nothing of it was read.
        """


class Workspaces(Protocol):
    """Makes workspaces."""

    def export(self, commit: str, *, with_git: bool, steering: str | None = None) -> AbstractContextManager[Workspace]:
        """A workspace with the files of ``commit``; it is gone afterwards.

        What steers agents (``core.policy.steers``) is as in the commit ``steering``, where one is given.
        """


class Agent(Protocol):
    """What turns a workspace into a changed workspace."""

    def run(self, workspace: Path, folder: str, log: Path, progress: Callable[[float, str], None]) -> Ran:
        """Do the work in ``folder`` of the workspace; ``progress`` hears the seconds so far and the last line said."""


class Store(Protocol):
    """Keeps the state of one thread.

    ``rules`` are what the repository says of paths: by them every suggestion of a state that is loaded is judged anew.
    """

    log: Path

    @property
    def rules(self) -> Rules:
        """What the repository says of paths."""

    def prepare(self) -> None:
        """Make the place for the state and the log, out of sight of git."""

    def lock(self) -> AbstractContextManager[bool]:
        """Keep others from changing the state meanwhile; True where one of them had to be waited for."""

    def load(self) -> State:
        """The state as it is now; an empty one for a new thread."""

    def save(self, state: State) -> None:
        """Replace the state, whole or not at all."""

    def announce(self, decision: Decision, move: Move | None) -> None:
        """Remember that ``decision`` is taken once ``move`` has happened, in case we do not live to save it."""

    def announced(self) -> tuple[Decision, Move | None] | None:
        """What was announced and neither saved nor withdrawn."""

    def withdraw(self) -> None:
        """Forget what was announced."""


Clock = Callable[[], int]
"""The time in seconds since 1970 (UTC)."""
