"""A forge to which no secret of this process is ever written, whatever asked for it: the last door before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gitclaw_py.core.replies import marker
from gitclaw_py.core.replies.notices import withheld
from gitclaw_py.core.secrets import OWN, Watch
from gitclaw_py.core.thread import Comment, Inline, PullRequest, Review, ReviewComment, Thread
from gitclaw_py.errors import RefusedError
from gitclaw_py.ports.forge import Committed, Entries, Forge


class WatchedForge:
    """See ``ports.Forge``: another forge, behind a look at every text. What only reads goes straight through."""

    def __init__(self, forge: Forge, watch: Watch) -> None:
        self._forge = forge
        self._watch = watch

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the other one has
        return getattr(self._forge, name)

    def comment(self, thread: int, body: str, already: Callable[[Comment], bool]) -> Comment:
        """Post a comment, or in its place that it would have told a secret."""
        return self._forge.comment(thread, self._safe(body), already)

    def edit(self, comment: int, body: str) -> None:
        """Replace a comment's text."""
        self._forge.edit(comment, self._safe(body))

    def open_issue(self, title: str, body: str) -> Thread:
        """Open an issue."""
        return self._forge.open_issue(self._line(title), self._safe(body))

    def open_pull(self, branch: str, base: str, title: str, body: str, *, draft: bool) -> PullRequest:
        """Open a pull request."""
        return self._forge.open_pull(branch, base, self._line(title), self._safe(body), draft=draft)

    def review(
        self, pull: int, commit: str, body: str, comments: Sequence[Inline], already: Callable[[Review], bool]
    ) -> Review:
        """Post a review, without the comments that would tell a secret."""
        told = [comment for comment in comments if not self._tells(comment.body)]
        return self._forge.review(pull, commit, self._safe(body), told, already)

    def reply_in_review(self, pull: int, comment: int, body: str) -> ReviewComment:
        """Reply to the first comment of a review's thread."""
        return self._forge.reply_in_review(pull, comment, self._safe(body))

    def commit(self, entries: Entries) -> Committed:
        """Make a commit.

        Raises:
            RefusedError: ``SECRET_FOUND``: its message or a file in it holds a secret of ours.
        """
        if self._tells(entries.message) or any(map(self._watch.own, entries.blobs.values())):
            raise RefusedError("SECRET_FOUND", f"The commit would hold a {OWN}", "look at the run log of the agent")
        return self._forge.commit(entries)

    def _tells(self, text: str) -> bool:
        return self._watch.own(text.encode("utf-8", "replace"))

    def _safe(self, body: str) -> str:
        if not self._tells(body):
            return body
        mark = marker.find(body)
        (told,) = withheld([OWN], re=mark.answers if mark else "unknown", kind=mark.kind if mark else "notice")
        return told

    def _line(self, text: str) -> str:
        return "(withheld)" if self._tells(text) else text
