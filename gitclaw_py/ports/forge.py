"""What a conversation needs: the forge, its git repository, and the state of a thread there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gitclaw_py.ports.engine import Repository, Store
from gitclaw_py.ports.values import Move

if TYPE_CHECKING:
    # Only named here: a command in a terminal loads nothing of the forge's.
    from gitclaw_py.core.access import Level
    from gitclaw_py.core.bounds import Bounds
    from gitclaw_py.core.diffs import Entry
    from gitclaw_py.core.policy import Rules
    from gitclaw_py.core.thread import (
        Account,
        Check,
        Comment,
        Inline,
        PullRequest,
        Review,
        ReviewComment,
        Reviewed,
        Thread,
    )


class ThreadStore(Store, Protocol):
    """Keeps the state of a thread of the forge, on a ref of its own."""

    ref: str

    @property
    def rules(self) -> Rules:
        """What the repository says of paths."""

    @rules.setter
    def rules(self, rules: Rules) -> None:
        """It says something else than was known."""

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

    def pack(self, commits: Mapping[str, str], known: Sequence[str]) -> bytes:
        """A git bundle of these commits under these names, without what the ``known`` ones reach."""

    def unpack(self, data: bytes, commits: Mapping[str, str], known: Sequence[str]) -> None:
        """Take in the commits of a git bundle that a stranger made on top of commits that are ``known``.

        Raises:
            InternalError: ``INTERNAL``: it holds other commits, or git finds fault with them.
        """

    def vet(self, base: str, commit: str, bounds: Bounds) -> None:
        """Look at what a stranger's commit changes on top of ``base``, and bring what it has from there.

        Raises:
            InternalError: ``INTERNAL``: it has what no agent can leave, or refers to what is not there.
            RefusedError: ``TOO_LARGE``: it changes more than the ``bounds`` allow.
        """

    def tree(self, commit: str) -> str:
        """The id of a commit's tree."""

    def parents(self, commit: str) -> list[str]:
        """The ids of a commit's parents, as it names them."""

    def reset(self, refs: Sequence[str]) -> None:
        """Drop what happened to those refs here since they were fetched."""

    def commits(self, old: str, new: str) -> list[str]:
        """The commits from ``old``, which is left out, to ``new``, oldest first."""

    def conflicts(self, parted: str, ours: str, theirs: str) -> list[bytes]:
        """The files that two commits changed, since they parted, in ways that do not go together."""

    def made(self, parent: str, commit: str) -> Entries:
        """What a commit changes on top of ``parent``, to be made again where its contents are."""


class Entries(NamedTuple):
    """A commit to make through the forge's API: on top of ``parent``, these entries with the bytes of new blobs.

    ``tree`` is that of the parent, where it is known; otherwise the forge has to be asked.
    """

    parent: str
    message: str
    writes: Mapping[bytes, Entry | None]
    blobs: Mapping[str, bytes]
    tree: str = ""


class Committed(NamedTuple):
    """A commit made through the API, and what the forge says of its signature: yes, no and why."""

    oid: str
    verified: bool
    reason: str


class Declined(NamedTuple):
    """The forge did not do what was asked, for a reason that people can do something about, in its own words.

    ``has_moved``: the branch is no longer at the commit that was meant.
    """

    words: str
    has_moved: bool = False


class Forge(Protocol):
    """The hosting service, for one repository. Every call is a counted number of requests."""

    def level(self, account: Account) -> Level | None:
        """What the account may do here, asked now, by its id; ``NONE`` when that cannot be told. One request.

        None for a bot, where the forge has permissions for people only.
        """

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
        """The open pull request from a branch of this repository, else the latest one. One request."""

    def open_pull(self, branch: str, base: str, title: str, body: str, *, draft: bool) -> PullRequest:
        """Open a pull request. One request.

        Raises:
            RefusedError: ``PERMISSION_DENIED``: the repository does not let the token open any.
        """

    def merge(self, pull: PullRequest, method: str) -> str | Declined:
        """Merge a pull request, if its head still is where it was read; the commit that has it. One request."""

    def close_pull(self, pull: int) -> None:
        """Close a pull request without merging it. One request."""

    def update_branch(self, pull: PullRequest) -> Declined | None:
        """Have the base merged into the branch of a pull request, if that still is where it was read. One request.

        The forge does it after it has answered.
        """

    def checks(self, commit: str) -> list[Check]:
        """The checks and statuses of a commit. Two requests, and one more per 100 of each."""

    def is_protected(self, branch: str) -> bool:
        """Whether rules protect a branch; not, where it is gone. One request."""

    def commit(self, entries: Entries) -> Committed:
        """Make a commit through the API, on no ref: a request for each new blob, and two more."""

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
