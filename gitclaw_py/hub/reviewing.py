"""What is done with reviews. Each function is one deed: the change, and the events of it."""

from collections.abc import Sequence
from typing import NamedTuple

from gitclaw_py.core.access import Level
from gitclaw_py.hub.anchors import Draft, Placed, place_all, place_one
from gitclaw_py.hub.bare import BareRepository
from gitclaw_py.hub.diff_lines import DiffFile, pull_diff
from gitclaw_py.hub.events import review_comment_event, review_event
from gitclaw_py.hub.refusals import RefusalError, UnprocessableError
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.reviews import PENDING, STATES, Review, ReviewComment, ReviewThread
from gitclaw_py.hub.threads import TOO_LONG, Pull, Thread, is_too_long
from gitclaw_py.hub.world import Doer, World

_OWN = {"APPROVE": "approve", "REQUEST_CHANGES": "request changes on"}


class Wanted(NamedTuple):
    """A review as it is asked for; without ``event`` it stays pending, without ``commit`` it is on the newest head."""

    body: str = ""
    event: str | None = None
    comments: Sequence[Draft] = ()
    commit: str | None = None


def post(world: World, repo: Repository, doer: Doer, number: int, wanted: Wanted) -> Review:
    """Post a review with all its comments, or nothing.

    Raises:
        RefusalError: a rule of GitHub's forbids it, or a comment is not on the diff.
    """
    with world.deed():
        thread, pull = repo.threads.pull(number)
        _check_open(repo, doer, thread)
        if repo.reviews.pending(number, doer.account) is not None:
            raise UnprocessableError(["User can only have one pending review per pull request"])
        commit = _commit(repo, pull, wanted.commit)
        placed = place_all(_diff(repo.git, pull, commit), wanted.comments, is_terse=repo.reviews.is_terse)
        _check_event(thread, doer, wanted.event, wanted.body, has_comments=bool(placed))
        state = STATES[wanted.event] if wanted.event else PENDING
        review = repo.reviews.open(number, doer.account, wanted.body, state, commit)
        comments = [_added(repo, review, one) for one in placed]
        if wanted.event:
            _tell(world, repo, doer, review, comments)
        return review


def _diff(git: BareRepository, pull: Pull, commit: str) -> dict[str, DiffFile]:
    return dict(pull_diff(git, pull.base_oid, commit))


def _check_open(repo: Repository, doer: Doer, thread: Thread) -> None:
    """Whoever may write may review a locked pull request too."""
    if thread.is_locked and repo.level(doer.account) < Level.WRITE:
        raise UnprocessableError(["lock prevents review"])


def _commit(repo: Repository, pull: Pull, asked: str | None) -> str:
    if asked is None:
        return pull.head_oid
    if not _is_part(repo, pull, asked):
        raise UnprocessableError(["commit_id is not part of the pull request"])
    return asked


def _is_part(repo: Repository, pull: Pull, commit: str) -> bool:
    return repo.git.kind(commit) == "commit" and repo.git.is_ancestor(commit, pull.head_oid)


def _check_event(thread: Thread, doer: Doer, event: str | None, body: str, *, has_comments: bool) -> None:
    if event in _OWN and doer.account.id == thread.author.id:
        raise UnprocessableError([f"Can not {_OWN[event]} your own pull request"])
    if event == "REQUEST_CHANGES" and not body.strip():
        # https://github.com/hubtty/hubtty/issues/67
        raise UnprocessableError(["You need to leave a comment indicating the requested changes."])
    if event == "COMMENT" and not body.strip() and not has_comments:
        raise UnprocessableError(["Review body can't be blank"])
    if is_too_long(body):
        raise UnprocessableError([f"Review {TOO_LONG}"])


def _added(repo: Repository, review: Review, placed: Placed) -> ReviewComment:
    return repo.reviews.add(review, placed.body, placed.anchor, (placed.hunk, placed.position))


def _tell(world: World, repo: Repository, doer: Doer, review: Review, comments: Sequence[ReviewComment]) -> None:
    repo.threads.touch(repo.threads.get(review.pull))
    review_event(world, repo, doer, review, "submitted")
    for comment in comments:
        review_comment_event(world, repo, doer, comment, "created")


def submit(world: World, repo: Repository, doer: Doer, review: Review, wanted: Wanted) -> Review:
    """Submit a pending review.

    Raises:
        RefusalError: it is submitted already, or a rule of GitHub's forbids it.
    """
    with world.deed():
        if review.state != PENDING:
            raise UnprocessableError(["Can not submit a review that is not pending"])
        if wanted.event is None:
            return repo.reviews.put(review._replace(body=wanted.body or review.body))
        comments, body = repo.reviews.comments_of(review), wanted.body or review.body
        thread = repo.threads.get(review.pull)
        _check_open(repo, doer, thread)
        _check_event(thread, doer, wanted.event, body, has_comments=bool(comments))
        done = review._replace(body=body, state=STATES[wanted.event], submitted_at=world.times.now())
        repo.reviews.put(done)
        _tell(world, repo, doer, done, comments)
        return done


def drop(world: World, repo: Repository, review: Review) -> None:
    """Delete a pending review.

    Raises:
        RefusalError: it is submitted.
    """
    with world.deed():
        if review.state != PENDING:
            raise UnprocessableError(["Can not delete a non-pending pull request review"])
        repo.reviews.drop(review)


def dismiss(world: World, repo: Repository, doer: Doer, review: Review, message: str) -> Review:
    """Let an approval or a request for changes no longer count.

    Raises:
        RefusalError: it is neither.
    """
    with world.deed():
        if review.state not in {"APPROVED", "CHANGES_REQUESTED"}:
            raise UnprocessableError([f"Can not dismiss a {review.state.lower()} pull request review"])
        done = repo.reviews.put(review._replace(state="DISMISSED"))
        said = f"{doer.account.login} dismissed the review of {review.author.login}: {message}"
        repo.threads.touch(repo.threads.get(review.pull), said)
        review_event(world, repo, doer, done, "dismissed")
        return done


def edit_review(world: World, repo: Repository, doer: Doer, review: Review, body: str) -> Review:
    """Replace a review's summary."""
    with world.deed():
        done = repo.reviews.put(review._replace(body=body))
        if review.state != PENDING:
            review_event(world, repo, doer, done, "edited")
        return done


def comment(world: World, repo: Repository, doer: Doer, number: int, draft: Draft, commit: str) -> ReviewComment:
    """Put a single comment on the diff; it is a review of its own.

    Raises:
        RefusalError: it is not on the diff, or a rule of GitHub's forbids it.
    """
    with world.deed():
        thread, pull = repo.threads.pull(number)
        _check_talk(repo, doer, thread)
        _check_nothing_pending(repo, doer, number)
        if not _is_part(repo, pull, commit):
            raise _invalid("commit_id", "commit_id is not part of the pull request")
        placed = place_one(_diff(repo.git, pull, commit), draft)
        review = repo.reviews.open(number, doer.account, "", "COMMENTED", commit)
        written = _added(repo, review, placed)
        _tell(world, repo, doer, review, [written])
        return written


def _check_talk(repo: Repository, doer: Doer, thread: Thread) -> None:
    if thread.is_locked and not doer.account.is_bot and repo.level(doer.account) < Level.WRITE:
        raise RefusalError(403, "Unable to create comment because issue is locked.")


def _check_nothing_pending(repo: Repository, doer: Doer, number: int) -> None:
    if repo.reviews.pending(number, doer.account) is not None:
        message = "user_id can only have one pending review per pull request"
        error = {"resource": "PullRequestReview", "code": "custom", "field": "user_id", "message": message}
        raise RefusalError(422, "Validation Failed", [error])


def reply(world: World, repo: Repository, doer: Doer, to: ReviewComment, body: str) -> ReviewComment:
    """Reply in a thread.

    Raises:
        RefusalError: ``to`` is a reply itself, says nothing, or the conversation is locked.
    """
    with world.deed():
        _check_talk(repo, doer, repo.threads.get(to.pull))
        if to.reply_to is not None:
            raise _invalid("in_reply_to", "in_reply_to is a reply itself")
        if not body.strip():
            raise _invalid("body", "body can't be blank")
        if is_too_long(body):
            raise _invalid("body", TOO_LONG)
        review = repo.reviews.open(to.pull, doer.account, "", "COMMENTED", to.commit)
        written = repo.reviews.add(review, body, to.anchor, (to.hunk, to.position), to.id)
        _tell(world, repo, doer, review, [written])
        return written


def _invalid(field: str, message: str) -> RefusalError:
    error = {"resource": "PullRequestReviewComment", "code": "custom", "field": field, "message": message}
    return RefusalError(422, "Validation Failed", [error])


def edit(world: World, repo: Repository, doer: Doer, written: ReviewComment, body: str) -> ReviewComment:
    """Replace a comment's text.

    Raises:
        RefusalError: it is blank or too long.
    """
    with world.deed():
        if not body.strip() or is_too_long(body):
            raise _invalid("body", TOO_LONG if body.strip() else "body can't be blank")
        done = repo.reviews.edit(written, body)
        review_comment_event(world, repo, doer, done, "edited")
        return done


def delete(world: World, repo: Repository, doer: Doer, written: ReviewComment) -> None:
    """Remove a comment."""
    with world.deed():
        review_comment_event(world, repo, doer, written, "deleted")
        repo.reviews.remove(written)


def resolve(world: World, repo: Repository, doer: Doer, thread: ReviewThread, *, on: bool = True) -> ReviewThread:
    """Resolve a thread, or take that back."""
    with world.deed():
        return repo.reviews.resolve(thread, doer.account if on else None)
