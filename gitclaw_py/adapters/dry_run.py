"""Doing everything but writing: what would have been written is printed instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager

from gitclaw_py.core.access import Level
from gitclaw_py.core.bounds import Bounds
from gitclaw_py.core.diffs import Entry
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
from gitclaw_py.core.visible import visible
from gitclaw_py.ports.engine import Repository
from gitclaw_py.ports.forge import Committed, Declined, Entries, Forge, Remote
from gitclaw_py.ports.values import Move

_NEVER = "1970-01-01T00:00:00Z"
_MOST_LINES = 200


class DryForge:
    """See ``ports.Forge``: reads from another forge."""

    def __init__(self, forge: Forge, bot: str, say: Callable[[str], None]) -> None:
        self._forge = forge
        self._bot = Account(bot, 0, is_bot=True)
        self._say = say

    def level(self, account: Account) -> Level | None:
        """Asked for real."""
        return self._forge.level(account)

    def comments(self, thread: int, since: str | None) -> list[Comment]:
        """Read for real, except of an issue that would have been opened."""
        return self._forge.comments(thread, since) if thread else []

    def thread(self, number: int) -> Thread:
        """Read for real."""
        return self._forge.thread(number)

    def pull(self, number: int) -> PullRequest:
        """Read for real."""
        return self._forge.pull(number)

    def parted(self, base: str, head: str) -> str:
        """Asked for real."""
        return self._forge.parted(base, head)

    def pull_of(self, branch: str) -> PullRequest | None:
        """Read for real."""
        return self._forge.pull_of(branch)

    def comment(self, thread: int, body: str, already: Callable[[Comment], bool]) -> Comment:  # noqa: ARG002
        """Printed."""
        self._would(f"comment on {thread}", body)
        return Comment(0, self._bot, body, _NEVER, _NEVER, "")

    def edit(self, comment: int, body: str) -> None:
        """Printed."""
        self._would(f"edit comment {comment}", body)

    def react(self, thread: int, comment: int | None, content: str) -> None:
        """Printed."""
        self._would(f"react with {content} to {f'comment {comment}' if comment else thread}")

    def open_issue(self, title: str, body: str) -> Thread:
        """Printed."""
        self._would(f"open the issue {title!r}", body)
        return Thread(0, title, body, self._bot, _NEVER, "")

    def open_pull(self, branch: str, base: str, title: str, body: str, *, draft: bool) -> PullRequest:
        """Printed."""
        kind = "a draft pull request" if draft else "a pull request"
        self._would(f"open {kind} {title!r} from {branch} to {base}", body)
        return PullRequest(0, "", True, None, branch, "", base)

    def merge(self, pull: PullRequest, method: str) -> str | Declined:
        """Printed."""
        self._would(f"merge pull request {pull.number} at {pull.head_oid} by {method}")
        return pull.head_oid

    def close_pull(self, pull: int) -> None:
        """Printed."""
        self._would(f"close pull request {pull}")

    def update_branch(self, pull: PullRequest) -> Declined | None:
        """Printed."""
        self._would(f"merge {pull.base_branch} into {pull.head_branch}")
        return None

    def checks(self, commit: str) -> list[Check]:
        """Read for real."""
        return self._forge.checks(commit)

    def is_protected(self, branch: str) -> bool:
        """Asked for real."""
        return self._forge.is_protected(branch)

    def commit(self, entries: Entries) -> Committed:
        """Printed; the commit has no name, since it does not exist."""
        self._would(f"commit {len(entries.writes)} files through the API", entries.message)
        return Committed("0" * 40, verified=False, reason="not made")

    def move(self, moves: Sequence[Move]) -> None:
        """Printed."""
        for move in moves:
            self._would(f"move {move.ref} from {move.old} to {move.new}")

    def reviews(self, pull: int) -> list[Review]:
        """Read for real."""
        return self._forge.reviews(pull)

    def review(
        self,
        pull: int,
        commit: str,
        body: str,
        comments: Sequence[Inline],
        already: Callable[[Review], bool],  # noqa: ARG002
    ) -> Review:
        """Printed."""
        self._would(f"review pull request {pull} with {len(comments)} comments", body)
        for one in comments:
            lines = one.line if one.start_line is None else f"{one.start_line}-{one.line}"
            self._would(f"comment on {one.path}:{lines}", one.body)
        return Review(0, "", self._bot, body, "COMMENTED", commit, "")

    def drop_review(self, pull: int, review: int) -> None:
        """Printed."""
        self._would(f"delete the pending review {review} of pull request {pull}")

    def reviewed(self, pull: int) -> Reviewed:
        """Read for real."""
        return self._forge.reviewed(pull)

    def resolve(self, threads: Sequence[str]) -> int:
        """Printed."""
        self._would(f"resolve {len(threads)} review threads: {', '.join(threads)}")
        return len(threads)

    def minimise(self, nodes: Sequence[str]) -> int:
        """Printed."""
        self._would(f"hide {len(nodes)} comments as outdated: {', '.join(nodes)}")
        return len(nodes)

    def reply_in_review(self, pull: int, comment: int, body: str) -> ReviewComment:
        """Printed."""
        self._would(f"reply to the review comment {comment} of pull request {pull}", body)
        return ReviewComment(0, "", self._bot, body, _NEVER, "")

    def _would(self, what: str, body: str = "") -> None:
        indented = "".join(f"\n    {visible(line)}" for line in body.split("\n")) if body else ""
        self._say(f"Would {visible(what)}{indented}")


class DryRemote:
    """See ``ports.Remote``: pushes nothing."""

    def __init__(self, remote: Remote, say: Callable[[str], None]) -> None:
        self._remote = remote
        self._say = say
        self._has_printed = False

    def fetch(self, refs: Sequence[str], *, whole: bool = False) -> dict[str, str]:
        """Fetched for real, which forgets what was only printed."""
        if self._has_printed:
            self._say("What comes next does not know of this: it starts again from what is there")
            self._has_printed = False
        return self._remote.fetch(refs, whole=whole)

    def entries(self, commit: str, paths: Sequence[bytes]) -> dict[bytes, Entry]:
        """Read for real."""
        return self._remote.entries(commit, paths)

    def bring(self, oids: Iterable[str]) -> None:
        """Fetched for real."""
        self._remote.bring(oids)

    def bring_all(self, commit: str) -> None:
        """Fetched for real."""
        self._remote.bring_all(commit)

    def bring_commit(self, oid: str) -> None:
        """Fetched for real."""
        self._remote.bring_commit(oid)

    def bring_changes(self, old: str, new: str) -> None:
        """Fetched for real."""
        self._remote.bring_changes(old, new)

    def blob(self, oid: str) -> bytes:
        """Read for real."""
        return self._remote.blob(oid)

    def at(self, branch: str) -> AbstractContextManager[Repository]:
        """The clone is only here."""
        return self._remote.at(branch)

    def start(self, branch: str, commit: str) -> None:
        """The clone is only here."""
        self._remote.start(branch, commit)

    def patch(self, old: str, new: str) -> bytes:
        """Read for real."""
        return self._remote.patch(old, new)

    def moves(self, refs: Sequence[str]) -> list[Move]:
        """The clone is only here."""
        return self._remote.moves(refs)

    def pack(self, commits: Mapping[str, str], known: Sequence[str]) -> bytes:
        """Only read."""
        return self._remote.pack(commits, known)

    def unpack(self, data: bytes, commits: Mapping[str, str], known: Sequence[str]) -> None:
        """The clone is only here."""
        self._remote.unpack(data, commits, known)

    def vet(self, base: str, commit: str, bounds: Bounds) -> None:
        """The clone is only here."""
        self._remote.vet(base, commit, bounds)

    def tree(self, commit: str) -> str:
        """Read for real."""
        return self._remote.tree(commit)

    def parents(self, commit: str) -> list[str]:
        """Read for real."""
        return self._remote.parents(commit)

    def reset(self, refs: Sequence[str]) -> None:
        """The clone is only here."""
        self._remote.reset(refs)

    def commits(self, old: str, new: str) -> list[str]:
        """Read for real."""
        return self._remote.commits(old, new)

    def conflicts(self, parted: str, ours: str, theirs: str) -> list[bytes]:
        """Read for real."""
        return self._remote.conflicts(parted, ours, theirs)

    def made(self, parent: str, commit: str) -> Entries:
        """Read for real, and printed: the forge is about to be told."""
        self._has_printed = True
        self._show(parent, commit)
        return self._remote.made(parent, commit)

    def deliver(self, ref: str, commit: str) -> None:
        """Printed."""
        self._say(f"Would push {commit} to {ref}")

    def push(self, moves: Sequence[Move]) -> None:
        """Printed."""
        self._has_printed = self._has_printed or bool(moves)
        for move in moves:
            self._say(f"Would push {move.new} to {move.ref}, which is at {move.old}")
            if move.ref.startswith("refs/heads/") and move.old.strip("0"):
                self._show(move.old, move.new)

    def _show(self, old: str, new: str) -> None:
        text = self._remote.patch(old, new).decode("utf-8", "backslashreplace")
        self._say("\n".join(f"    {visible(line)}" for line in text.split("\n")[:_MOST_LINES]))
