"""What a forge knows of a thread: accounts, comments, and pull requests."""

from typing import NamedTuple


class Account(NamedTuple):
    """Someone on the forge. The login can change hands, the id cannot."""

    login: str
    id: int
    is_bot: bool = False


class Comment(NamedTuple):
    """A comment of a thread; times are as the forge writes them, ISO 8601 in UTC.

    ``app`` is the id of the app that posted it in its author's name, 0 if that cannot be told, None for no app.
    """

    id: int
    author: Account
    body: str
    created_at: str
    updated_at: str
    url: str
    app: int | None = None

    @property
    def is_edited(self) -> bool:
        """Whether its text may be another than the one that was posted."""
        return self.updated_at != self.created_at


class PullRequest(NamedTuple):
    """A pull request. ``head_repository`` is ``owner/name``, None when the fork is gone.

    ``merged_as`` is the commit that has it, None unless it was merged. ``standing`` is the forge's word for what is
    in the way of a merge (``dirty``: it conflicts; ``blocked``, ``behind``, …), empty where it did not say.
    """

    number: int
    url: str
    is_open: bool
    head_repository: str | None
    head_branch: str
    head_oid: str
    base_branch: str
    is_draft: bool = False
    merged_as: str | None = None
    standing: str = ""


class Check(NamedTuple):
    """A check of a commit, and how it ended, in the forge's word; None while it runs."""

    name: str
    conclusion: str | None

    @property
    def has_passed(self) -> bool:
        """Whether it is no reason to wait."""
        return self.conclusion in ("success", "neutral", "skipped")


class Thread(NamedTuple):
    """An issue or a pull request that is talked in."""

    number: int
    title: str
    body: str
    author: Account
    created_at: str
    url: str
    is_pull_request: bool = False
    is_open: bool = True
    is_locked: bool = False
    labels: tuple[str, ...] = ()


class Inline(NamedTuple):
    """A review comment to be made on the lines ``start_line`` to ``line`` of a file, ``start_line`` None for one line.

    ``side`` is ``RIGHT``: the lines are counted in the file as the pull request's head has it.
    """

    path: str
    line: int
    start_line: int | None
    side: str
    body: str


class Review(NamedTuple):
    """A review; ``state`` is ``PENDING`` (seen by its author only), ``COMMENTED``, ``APPROVED``, … as the forge says.

    ``node`` is its name where several are minimised at once.
    """

    id: int
    node: str
    author: Account
    body: str
    state: str
    commit: str
    url: str


class ReviewComment(NamedTuple):
    """A comment of a review; ``thumbs_down`` is how many turned it down with a reaction.

    ``is_edited`` is whether its text may be another than the one that was posted.
    """

    id: int
    node: str
    author: Account
    body: str
    created_at: str
    url: str
    is_minimised: bool = False
    thumbs_down: int = 0
    is_edited: bool = False


class ReviewThread(NamedTuple):
    """A comment of a review with the replies to it; ``line`` is None once the line has changed.

    ``original_line`` is where it was. ``resolved_by`` is the login of whoever resolved it, an app's
    without its ``[bot]``, empty when nobody did.
    """

    id: str
    path: str
    line: int | None
    start_line: int | None
    original_line: int | None
    is_resolved: bool
    is_outdated: bool
    can_resolve: bool
    resolved_by: str
    comments: tuple[ReviewComment, ...]


class Reviewed(NamedTuple):
    """What reviews left in a pull request: the threads that are there, and the reviews themselves, both oldest first.

    A review stays when all its comments are deleted.
    """

    threads: tuple[ReviewThread, ...] = ()
    reviews: tuple[Review, ...] = ()
