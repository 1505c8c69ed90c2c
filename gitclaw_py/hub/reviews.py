"""The reviews of one repository's pull requests: values, and the book they are kept in."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gitclaw_py.core.thread import Account
from gitclaw_py.hub.refusals import invalid, not_found
from gitclaw_py.hub.threads import CONTENTS, Ids, Reaction

PENDING = "PENDING"
_THREAD = "PRRT_"
STATES = {"COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}
"""What an event makes of a review. https://docs.github.com/rest/pulls/reviews#create-a-review-for-a-pull-request"""


class Anchor(NamedTuple):
    """The lines a comment is on; ``line`` None is the whole file, ``start_line`` None a single line."""

    path: str
    line: int | None
    side: str = "RIGHT"
    start_line: int | None = None
    start_side: str | None = None


class Review(NamedTuple):
    """A review. ``state`` is ``PENDING`` until it is submitted."""

    id: int
    pull: int
    author: Account
    body: str
    state: str
    commit: str
    submitted_at: str | None

    @property
    def node_id(self) -> str:
        """Its name in GraphQL."""
        return f"PRR_{self.id}"


class ReviewComment(NamedTuple):
    """A comment of a review. ``anchor`` is where it was put in ``commit``, ``hunk`` and ``position`` the diff there.

    A reply names the thread's first comment in ``reply_to`` and shares its anchor.
    """

    id: int
    review: int
    pull: int
    author: Account
    body: str
    anchor: Anchor
    commit: str
    hunk: str
    position: int
    created_at: str
    updated_at: str
    reply_to: int | None = None
    reactions: tuple[Reaction, ...] = ()

    @property
    def thread(self) -> int:
        """The id of the first comment of its thread."""
        return self.reply_to or self.id

    @property
    def node_id(self) -> str:
        """Its name in GraphQL."""
        return f"PRRC_{self.id}"


class ReviewThread(NamedTuple):
    """A first comment and the replies to it."""

    comments: tuple[ReviewComment, ...]
    resolved_by: Account | None

    @property
    def id(self) -> str:
        """Its name in GraphQL."""
        return f"{_THREAD}{self.comments[0].thread}"


class Reviews:
    """The book of one repository. Values go in and out; what is kept is replaced, never changed.

    Attributes:
        is_terse: whether a wrong anchor is told in GitHub's newer words.
        resolving_needs: the permission that an app needs to resolve a thread. GitHub does not say;
            https://github.com/github/gh-aw/issues/35726 found this one.
        hidden: why comments and reviews were minimised, by their names in GraphQL.
    """

    def __init__(self, ids: Ids, now: Callable[[], str]) -> None:
        self._ids = ids
        self._now = now
        self._reviews: dict[int, Review] = {}
        self._comments: dict[int, ReviewComment] = {}
        self._resolved: dict[int, Account] = {}
        self.is_terse = False
        self.resolving_needs = "contents"
        self.hidden: dict[str, str] = {}

    def of(self, pull: int, viewer: Account | None) -> list[Review]:
        """The reviews of a pull request that the viewer may see, oldest first; nobody sees another's pending one."""
        return [one for one in tuple(self._reviews.values()) if one.pull == pull and _is_seen(one, viewer)]

    def pending(self, pull: int, author: Account) -> Review | None:
        """The author's review that is not submitted yet."""
        return next((one for one in self.of(pull, author) if one.state == PENDING), None)

    def get(self, pull: int, identity: int, viewer: Account | None) -> Review:
        """One review.

        Raises:
            RefusalError: there is none of that id, or the viewer may not see it.
        """
        found = next((one for one in self.of(pull, viewer) if one.id == identity), None)
        if found is None:
            raise not_found()
        return found

    def open(self, pull: int, author: Account, body: str, state: str, commit: str) -> Review:
        """A new review."""
        submitted = None if state == PENDING else self._now()
        return self.put(Review(next(self._ids.reviews), pull, author, body, state, commit, submitted))

    def put(self, review: Review) -> Review:
        """Keep a review as it is now."""
        self._reviews[review.id] = review
        return review

    def drop(self, review: Review) -> None:
        """Remove a review and its comments."""
        for comment in self.comments_of(review):
            del self._comments[comment.id]
        del self._reviews[review.id]

    def add(
        self, review: Review, body: str, anchor: Anchor, place: tuple[str, int], reply_to: int | None = None
    ) -> ReviewComment:
        """A new comment of a review; ``place`` are the hunk and the position it was put at."""
        now = self._now()
        identity = next(self._ids.review_comments)
        comment = ReviewComment(
            identity, review.id, review.pull, review.author, body, anchor, review.commit, *place, now, now, reply_to
        )
        return self.put_comment(comment)

    def put_comment(self, comment: ReviewComment) -> ReviewComment:
        """Keep a comment as it is now."""
        self._comments[comment.id] = comment
        return comment

    def edit(self, comment: ReviewComment, body: str) -> ReviewComment:
        """Replace a comment's text."""
        return self.put_comment(comment._replace(body=body, updated_at=self._now()))

    def remove(self, comment: ReviewComment) -> None:
        """Remove a comment. Its replies stay: the oldest of them is the thread's first one now."""
        del self._comments[comment.id]
        if not comment.reply_to:
            rest = [one for one in self._comments.values() if one.reply_to == comment.id]
            for one in rest:
                self._comments[one.id] = one._replace(reply_to=None if one is rest[0] else rest[0].id)
        if not self.comments_of(self._reviews[comment.review]) and not self._reviews[comment.review].body:
            del self._reviews[comment.review]

    def comments(self, pull: int, viewer: Account | None) -> list[ReviewComment]:
        """The comments of a pull request's reviews that the viewer may see, oldest first."""
        return [one for one in self._all() if one.pull == pull and self._is_seen(one, viewer)]

    def comments_of(self, review: Review) -> list[ReviewComment]:
        """The comments of a review."""
        return [one for one in self._all() if one.review == review.id]

    def get_comment(self, identity: int, viewer: Account | None) -> ReviewComment:
        """One comment.

        Raises:
            RefusalError: there is none of that id, or the viewer may not see it.
        """
        comment = self._comments.get(identity)
        if comment is None or not self._is_seen(comment, viewer):
            raise not_found()
        return comment

    def _all(self) -> Sequence[ReviewComment]:
        return tuple(self._comments.values())

    def threads(self, pull: int, viewer: Account | None) -> list[ReviewThread]:
        """The threads of a pull request, oldest first."""
        grouped: dict[int, list[ReviewComment]] = {}
        for comment in self.comments(pull, viewer):
            grouped.setdefault(comment.thread, []).append(comment)
        return [ReviewThread(tuple(group), self._resolved.get(thread)) for thread, group in grouped.items()]

    def thread(self, node_id: str, viewer: Account | None) -> ReviewThread | None:
        """The thread of that name in GraphQL."""
        number = node_id.removeprefix(_THREAD)
        first = int(number) if number.isascii() and number.isdigit() else 0
        comments = tuple(one for one in self._all() if one.thread == first and self._is_seen(one, viewer))
        return ReviewThread(comments, self._resolved.get(first)) if comments else None

    def _is_seen(self, comment: ReviewComment, viewer: Account | None) -> bool:
        return _is_seen(self._reviews[comment.review], viewer)

    def thread_of(self, comment: ReviewComment, viewer: Account | None) -> ReviewThread:
        """The thread a comment is in.

        Raises:
            RefusalError: the viewer may not see it.
        """
        found = self.thread(f"{_THREAD}{comment.thread}", viewer)
        if found is None:
            raise not_found()
        return found

    def is_resolved(self, comment: ReviewComment) -> bool:
        """Whether the thread a comment is in is resolved."""
        return comment.thread in self._resolved

    def resolve(self, thread: ReviewThread, by: Account | None) -> ReviewThread:
        """Mark a thread as resolved by someone, or with None as not resolved."""
        first = thread.comments[0].thread
        if by is None:
            self._resolved.pop(first, None)
        else:
            self._resolved[first] = by
        return thread._replace(resolved_by=by)

    def react(self, comment: ReviewComment, account: Account, content: str) -> tuple[Reaction, bool]:
        """The account's reaction, and whether it is new.

        Raises:
            RefusalError: there is no such reaction.
        """
        if content not in CONTENTS:
            raise invalid("Reaction", "content", "invalid")
        for reaction in comment.reactions:
            if (reaction.account.id, reaction.content) == (account.id, content):
                return reaction, False
        reaction = Reaction(next(self._ids.reactions), account, content, self._now())
        self.put_comment(comment._replace(reactions=(*comment.reactions, reaction)))
        return reaction, True

    def unreact(self, comment: ReviewComment, identity: int) -> None:
        """Take a reaction back.

        Raises:
            RefusalError: there is none of that id.
        """
        rest = tuple(reaction for reaction in comment.reactions if reaction.id != identity)
        if rest == comment.reactions:
            raise not_found()
        self.put_comment(comment._replace(reactions=rest))


def _is_seen(review: Review, viewer: Account | None) -> bool:
    return review.state != PENDING or (viewer is not None and review.author.id == viewer.id)
