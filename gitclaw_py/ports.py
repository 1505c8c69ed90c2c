"""What the handlers need from the world, one protocol each; adapters make them real."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gitclaw_py.core.applying import View

if TYPE_CHECKING:
    # Only named here: a command in a terminal loads nothing of the forge's.
    from gitclaw_py.core.alignment import Alignment, Comparison
    from gitclaw_py.core.diffs import Entry, FileDiff
    from gitclaw_py.core.review.pull_diff import PullFile
    from gitclaw_py.core.state import Decision, State
    from gitclaw_py.core.thread import (
        Account,
        Comment,
        Inline,
        Level,
        PullRequest,
        Review,
        ReviewComment,
        Reviewed,
        Thread,
    )


class Head(NamedTuple):
    """Where the repository is: the full name of the ref that a commit moves, and the commit it is at."""

    ref: str
    oid: str

    @property
    def name(self) -> str:
        """The short name of the branch; ``HEAD`` when none is checked out."""
        return self.ref.removeprefix("refs/heads/")


class Move(NamedTuple):
    """One ref with its old and its new commit; it happens only if the ref still is at ``old``."""

    ref: str
    old: str
    new: str


class TreeChange(NamedTuple):
    """What an agent left in its workspace: the entries that may differ from the base, and the new blobs."""

    writes: Mapping[bytes, Entry | None]
    blobs: Mapping[str, bytes]
    warnings: tuple[str, ...] = ()


class Session(View, Protocol):
    """Reads the tree of one commit, and writes commits on top of it."""

    def commit(
        self, parent: str, message: str, writes: Mapping[bytes, Entry | None], blobs: Mapping[str, bytes]
    ) -> str:
        """Write a commit of these changes by the person, on top of ``parent``; no ref moves. Returns its id."""

    def record(self, parent: str, message: str, change: TreeChange, at: int) -> str:
        """Write a commit of what an agent did, in our name, and make it visible to others."""

    def texts(self, oids: Iterable[str]) -> Iterator[bytes]:
        """The contents of blobs, in order, without waiting for each."""

    def prefetch(self, paths: Sequence[bytes]) -> None:
        """Look all these paths up at once."""


class Repository(Protocol):
    """A git repository: its objects and refs. Never its index or working tree."""

    object_format: str
    directory: Path

    def head(self) -> Head:
        """Where it is now."""

    def branch(self, name: str) -> Head:
        """Where the branch of that short name is."""

    def open(self, commit: str) -> AbstractContextManager[Session]:
        """Read the tree of ``commit``."""

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


class Seen(NamedTuple):
    """The index (None when it has just what the commit has) and the working tree, as git would store it.

    ``hidden`` are tracked files that a sparse checkout keeps out of the working tree, ``marks`` those that
    git was told not to look at, by the option that tells it.
    """

    staged: View | None
    worktree: View
    hidden: frozenset[bytes]
    marks: Mapping[str, Sequence[bytes]]


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
    ``answer`` is what it has to say to the person who asked, in words.
    """

    exit_code: int
    seconds: float
    reasons: bytes | None
    said: tuple[str, ...] = ()
    answer: bytes | None = None


class Workspace(Protocol):
    """An isolated copy of a commit's files that an agent may change."""

    path: Path

    def changes(self) -> TreeChange:
        """What differs from the base now."""


class Workspaces(Protocol):
    """Makes workspaces."""

    def export(self, commit: str, *, with_git: bool) -> AbstractContextManager[Workspace]:
        """A workspace with the files of ``commit``; it is gone afterwards."""


class Agent(Protocol):
    """What turns a workspace into a changed workspace."""

    def run(self, workspace: Path, folder: str, log: Path, progress: Callable[[float, str], None]) -> Ran:
        """Do the work in ``folder`` of the workspace; ``progress`` hears the seconds so far and the last line said."""


class Store(Protocol):
    """Keeps the state of one thread."""

    log: Path

    def prepare(self) -> None:
        """Make the place for the state and the log, out of sight of git."""

    def lock(self) -> AbstractContextManager[None]:
        """Keep others from changing the state meanwhile."""

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


class ThreadStore(Store, Protocol):
    """Keeps the state of a thread of the forge, on a ref of its own."""

    ref: str

    def forget(self) -> None:
        """Read the state anew next time."""


class Remote(Protocol):
    """The forge's git repository, through a temporary clone that holds only what was asked for."""

    def fetch(self, refs: Sequence[str], *, whole: bool = False) -> dict[str, str]:
        """Bring the commits at ``refs``; the answer has those that exist. With ``whole``, the files too."""

    def entries(self, commit: str, paths: Sequence[bytes]) -> dict[bytes, Entry]:
        """What a commit has at the paths of files; nothing where it has none."""

    def bring(self, oids: Iterable[str]) -> None:
        """Bring those blobs that are not here yet, in one batch."""

    def bring_all(self, commit: str) -> None:
        """Bring every blob of a commit."""

    def bring_commit(self, oid: str) -> None:
        """Bring a commit by its id, without the contents of its files."""

    def bring_changes(self, old: str, new: str) -> None:
        """Bring both sides of every file that differs between two commits."""

    def blob(self, oid: str) -> bytes:
        """The content of a blob that is here."""

    def at(self, branch: str) -> AbstractContextManager[Repository]:
        """The clone as a repository, with ``branch`` as its current one."""

    def start(self, branch: str, commit: str) -> None:
        """Make a branch here, which the forge does not have yet."""

    def patch(self, old: str, new: str) -> bytes:
        """What ``git apply`` needs to get from one commit to the other."""

    def moves(self, refs: Sequence[str]) -> list[Move]:
        """What happened to those refs here since they were fetched."""

    def push(self, moves: Sequence[Move]) -> None:
        """Move all the refs on the forge, or none of them.

        Raises:
            ConflictError: ``STATE_CONFLICT``: one of them is no longer where it was fetched.
            RefusedError: ``BRANCH_PROTECTED``: a rule forbids it; ``PERMISSION_DENIED``: the token may not.
        """

    def deliver(self, ref: str, commit: str) -> None:
        """Bring a commit and what it needs to the forge, on a ref of ours, wherever that was.

        Raises:
            RefusedError: ``PERMISSION_DENIED``: the token may not push.
        """

    def reset(self, refs: Sequence[str]) -> None:
        """Drop what happened to those refs here since they were fetched."""

    def commits(self, old: str, new: str) -> list[str]:
        """The commits from ``old``, which is left out, to ``new``, oldest first."""

    def made(self, parent: str, commit: str) -> Entries:
        """What a commit changes on top of ``parent``, to be made again where its contents are."""


class Entries(NamedTuple):
    """A commit to make through the forge's API: on top of ``parent``, these entries with the bytes of new blobs."""

    parent: str
    message: str
    writes: Mapping[bytes, Entry | None]
    blobs: Mapping[str, bytes]


class Committed(NamedTuple):
    """A commit made through the API, and what the forge says of its signature: yes, no and why."""

    oid: str
    verified: bool
    reason: str


class Forge(Protocol):
    """The hosting service, for one repository. Every call is a counted number of requests."""

    def level(self, account: Account) -> Level:
        """What the account may do here, asked now, by its id; ``NONE`` when that cannot be told. One request."""

    def comments(self, thread: int, since: str | None) -> list[Comment]:
        """The comments of a thread that changed at or after a time (ISO 8601), oldest first. One request per 100."""

    def thread(self, number: int) -> Thread:
        """One issue or pull request. One request."""

    def comment(self, thread: int, body: str, already: Callable[[Comment], bool]) -> Comment:
        """Post a comment; one that is ``already`` there after a failure is taken for it. One request."""

    def edit(self, comment: int, body: str) -> None:
        """Replace a comment's text. One request."""

    def react(self, thread: int, comment: int | None, content: str) -> None:
        """React to a comment, or to the thread's own text; best effort, never raises. One request."""

    def open_issue(self, title: str, body: str) -> Thread:
        """Open an issue. One request."""

    def pull(self, number: int) -> PullRequest:
        """One pull request. One request."""

    def parted(self, base: str, head: str) -> str:
        """The commit where two revisions parted: their merge base. One request."""

    def pull_of(self, branch: str) -> PullRequest | None:
        """The open pull request from a branch of this repository. One request."""

    def open_pull(self, branch: str, base: str, title: str, body: str, *, draft: bool) -> PullRequest:
        """Open a pull request. One request.

        Raises:
            RefusedError: ``PERMISSION_DENIED``: the repository does not let the token open any.
        """

    def commit(self, entries: Entries) -> Committed:
        """Make a commit through the API, on no ref: a request for each new blob, and three more."""

    def move(self, moves: Sequence[Move]) -> None:
        """Move all refs or none. One request, and one more for the first time.

        Raises:
            ConflictError: ``STATE_CONFLICT``: one of them is no longer where it was.
            RefusedError: ``BRANCH_PROTECTED``: a rule forbids it.
        """

    def reviews(self, pull: int) -> list[Review]:
        """The reviews of a pull request, oldest first. One request per 100."""

    def review(
        self, pull: int, commit: str, body: str, comments: Sequence[Inline], already: Callable[[Review], bool]
    ) -> Review:
        """Post a review with all its comments or nothing; one ``already`` there after a failure is taken for it.

        One request. It approves nothing and asks for no changes.

        Raises:
            RefusedError: ``INVALID_DIFF``: a comment is on a line that the diff does not have now, or in a file that
                it does not touch; ``PERMISSION_DENIED``: the token may not, or the thread is locked.
            ConflictError: ``STATE_CONFLICT``: there is a pending review of our own, to be dropped first.
        """

    def drop_review(self, pull: int, review: int) -> None:
        """Delete a pending review of our own; one that is gone is well. One request."""

    def reviewed(self, pull: int) -> Reviewed:
        """The threads of a pull request, each with at most 100 comments, and its last 100 reviews.

        One request per 100 threads.
        """

    def resolve(self, threads: Sequence[str]) -> int:
        """Resolve threads by their ids; how many could be. One request per 20."""

    def minimise(self, nodes: Sequence[str]) -> int:
        """Hide comments or reviews as outdated, by their node ids; how many could be. One request per 20."""

    def reply_in_review(self, pull: int, comment: int, body: str) -> ReviewComment:
        """Reply to the first comment of a review's thread. One request."""
