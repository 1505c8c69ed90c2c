"""Native suggestions: what is pending in a pull request's thread, as review comments with the forge's own button.

The thread has every suggestion already; this adds the buttons wherever they are exact. Nothing here fails a run.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gitclaw_py.core.alignment import Alignment, Comparison
from gitclaw_py.core.applying import targets
from gitclaw_py.core.commands import read_commands
from gitclaw_py.core.replies import proposals
from gitclaw_py.core.review import mark, telling
from gitclaw_py.core.review.plan import Comment, Plan, Rest
from gitclaw_py.core.review.planner import plan
from gitclaw_py.core.selection import resolve
from gitclaw_py.core.state import State, Status, applied_by, open_parts, statuses
from gitclaw_py.core.thread import Inline, PullRequest, Review, Reviewed, ReviewThread
from gitclaw_py.errors import ConflictError, GitclawError, RefusedError, UsageError
from gitclaw_py.handlers import gather, in_review, say
from gitclaw_py.handlers.gather import Room
from gitclaw_py.handlers.texts import texts
from gitclaw_py.handlers.world import World

MOST = 50
"""Comments in one review: what peers found to go through, https://docs.github.com/en/rest/using-the-rest-api"""
_PIECES = 4
"""How many parts a review is posted in, once the forge has refused it as a whole twice."""


class Shown(NamedTuple):
    """What is on the pull request now: ``threads`` are ours, with the mark that each carries; ``bot`` is our login.

    ``deleted`` are the fingerprints of comments that were posted and are gone: we delete none.
    """

    threads: tuple[tuple[ReviewThread, mark.Mark], ...]
    bot: str
    deleted: frozenset[str]

    def has(self, comment: Comment) -> bool:
        """Whether the change needs no comment: it has one that works, or people closed or deleted it."""
        return comment.fingerprint in self.deleted or any(
            found.fingerprint == comment.fingerprint
            and (self._is_turned_down(thread) or (_is_live(thread) and found.numbers == comment.numbers))
            for thread, found in self.threads
        )

    def _is_turned_down(self, thread: ReviewThread) -> bool:
        # GraphQL leaves the end of an app's login out.
        by_people = thread.resolved_by not in ("", self.bot, self.bot.removesuffix("[bot]"))
        return by_people or any(comment.thumbs_down for comment in thread.comments[:1])

    def done(self, wanted: Sequence[Comment]) -> list[ReviewThread]:
        """Open threads whose button is dead or whose change is no longer pending; not those that people talk in."""
        live = {(comment.fingerprint, comment.numbers) for comment in wanted}
        return [
            thread
            for thread, found in self.threads
            if not (thread.is_resolved or (thread.comments[0].is_minimised and not thread.can_resolve))
            and (thread.is_outdated or (found.fingerprint, found.numbers) not in live)
            and not self._is_talked_in(thread)
        ]

    def _is_talked_in(self, thread: ReviewThread) -> bool:
        """Whether people said something there that is more than a command."""
        return any(
            not comment.author.is_bot and comment.author.login != self.bot and not read_commands(comment.body)
            for comment in thread.comments[1:]
        )


def _is_live(thread: ReviewThread) -> bool:
    return not thread.is_resolved and not thread.is_outdated


def review(world: World, room: Room, re: str, found: Reviewed) -> list[str]:
    """Bring the pull request's review comments up to date; a line for the log for each thing that was done.

    ``found`` is what there was when the run began; nobody else adds any comment of ours.
    """
    if not _is_wanted(room) or room.pull is None:
        return []
    try:
        return list(_brought_up_to_date(world, room, room.pull, re, _shown(world, found), last=False))
    except GitclawError as error:
        world.note(f"{error.code}: {_in_full(error)}")
        return ["the review could not be posted; every number is in the thread and can be applied there"]


def noticed(world: World, room: Room) -> list[str]:
    """Notices in the diff instead of comments, for what could not even be stored; lines for the log."""
    if not _is_wanted(room) or room.pull is None:
        return []
    try:
        planned = _planned(world, room, room.pull, room.store.load())
    except GitclawError as error:
        world.note(f"where the changes are in the diff could not be told: {_in_full(error)}")
        return []
    return list(telling.annotated(planned.comments, stored=False))


def _is_wanted(room: Room) -> bool:
    is_open = room.pull is not None and room.pull.is_open and not room.target.is_gone
    return is_open and room.settings.enable_pr_suggestions


def _in_full(error: GitclawError) -> str:
    return f"{error.what} ({'; '.join(error.details)})"


def _shown(world: World, found: Reviewed) -> Shown:
    """The threads that a comment of ours began, and which of our comments are gone."""
    threads = tuple(in_review.own(world, found.threads))
    bodies = [review.body for review in found.reviews if gather.own_marker(world, review)]
    posted = frozenset(change for body in bodies for change in mark.find_all(body))
    return Shown(threads, world.bot, posted - {its.fingerprint for _, its in threads})


def _brought_up_to_date(
    world: World, room: Room, pull: PullRequest, re: str, shown: Shown, *, last: bool
) -> Iterable[str]:
    planned = _planned(world, room, pull, room.store.load())
    new = [comment for comment in planned.comments if not shown.has(comment)]
    if new:
        try:
            count = _posted(world, room, pull, planned, new, re, last=last)
        except RefusedError as error:
            if error.code == "PERMISSION_DENIED":
                yield f"no review was posted: {_in_full(error)}; every number is in the thread and can be applied there"
                yield from telling.annotated(new, stored=True)
                world.publish(_in_summary(world, room, re, planned._replace(comments=tuple(new))))
                return
            if error.code != "INVALID_DIFF" or last:
                raise
            world.note(f"the review was refused as a whole, and is planned anew: {'; '.join(error.details)}")
            again = gather.room(world, room.trigger, room.thread, room.store)
            now = _shown(world, world.forge.reviewed(pull.number))
            yield from _brought_up_to_date(world, again, again.pull or pull, re, now, last=True)
            return
        yield f"review comments posted: {count}; changes that are in the thread only: {len(planned.fallbacks)}"
    elif planned.comments:
        yield f"review comments that are there already: {len(planned.comments)}"
    yield from close(world, shown.done(planned.comments))


def _in_summary(world: World, room: Room, re: str, planned: Plan) -> str:
    """The numbers of a plan as a table, and their diffs."""
    state = room.store.load()
    parts = {part for each in (planned.comments, planned.fallbacks) for one in each for part in one.parts}
    chosen = [s for s in state.suggestions if parts.intersection(s.parts)]
    with world.remote.at(room.target.branch) as repository, repository.open(room.head) as session:
        diffs = proposals.shown(state, chosen, texts(session), re=re, links=world.links, only=parts)
    return "\n\n".join([telling.by_numbers(planned), *diffs])


def _planned(world: World, room: Room, pull: PullRequest, state: State) -> Plan:
    """The plan for what is pending, against the pull request's head."""
    parts = open_parts(state, Status.PENDING)
    work = targets(state.suggestions, parts, applied_by(state), undo=False, sure=False)
    parted = world.forge.parted(pull.base_branch, room.head)
    world.remote.bring_commit(parted)
    world.remote.bring_changes(parted, room.head)
    gather.bring_parts(world, room, parts)
    with world.remote.at(room.target.branch) as repository, repository.open(room.head) as session:
        files = repository.shown(parted, room.head)
        known: dict[Comparison, Alignment] = {}
        while True:
            result = plan(work, session, files, known)
            if isinstance(result, Plan):
                return result
            known.update(repository.compare(result))


def _posted(
    world: World, room: Room, pull: PullRequest, planned: Plan, new: Sequence[Comment], re: str, *, last: bool
) -> int:
    """Post what fits into one review; how many comments that were. The ``last`` time, what goes of it in pieces."""
    chosen, rest = new[:MOST], Rest(planned.fallbacks, tuple(new[MOST:]))
    post = _Post(world, room, pull, re)
    try:
        post(chosen, rest)
    except RefusedError as error:
        if error.code != "INVALID_DIFF" or not last:
            raise
        world.note(f"the review was refused as a whole again: {'; '.join(error.details)}")
        return _salvaged(world, post, chosen, rest)
    return len(chosen)


class _Post(NamedTuple):
    world: World
    room: Room
    pull: PullRequest
    re: str

    def __call__(self, comments: Sequence[Comment], rest: Rest, piece: int = 1) -> Review:
        """Post these comments as one review, after dropping a pending one that an earlier run left."""
        inline = [_inline(comment) for comment in comments]
        body = telling.review(comments, rest, re=self.re, part=piece, links=self.world.links)
        already = say.same(self.world, body)
        try:
            return self.world.forge.review(self.pull.number, self.room.head, body, inline, already)
        except ConflictError:
            self._drop_pending()
            return self.world.forge.review(self.pull.number, self.room.head, body, inline, already)

    def _drop_pending(self) -> None:
        for found in self.world.forge.reviews(self.pull.number):
            # One without our mark is a person's, who has the same account and has not sent it yet.
            if found.state == "PENDING" and gather.own_marker(self.world, found):
                self.world.forge.drop_review(self.pull.number, found.id)


def _salvaged(world: World, post: _Post, comments: Sequence[Comment], rest: Rest) -> int:
    """Post in pieces, so that one refused place does not take the others with it.

    What has no button is told once: with the next piece that goes through, at last in a review without comments.
    """
    size = -(-len(comments) // _PIECES)
    pieces = [comments[start : start + size] for start in range(0, len(comments), size)]
    posted = 0
    for piece, some in enumerate([*pieces, ()], 1):
        if not some and rest == Rest():
            break
        try:
            post(some, rest, piece)
        except RefusedError as error:
            world.note(f"{len(some)} review comments were refused: {'; '.join(error.details)}")
            rest = rest._replace(refused=(*rest.refused, *some))
        else:
            posted, rest = posted + len(some), Rest()
    return posted


def _inline(comment: Comment) -> Inline:
    return Inline(comment.path.decode(), comment.line, comment.start_line, comment.side, comment.body)


def close(world: World, done: Sequence[ReviewThread]) -> Iterable[str]:
    """Resolve threads, or hide what may not be resolved; a line for the log if there were any."""
    if not done:
        return
    may = [thread.id for thread in done if thread.can_resolve]
    closed = world.forge.resolve(may)
    # Which of them were not resolved, if any was not, is not told.
    left = [thread for thread in done if not thread.can_resolve] if closed == len(may) else done
    hidden = world.forge.minimise([thread.comments[0].node for thread in left if not thread.comments[0].is_minimised])
    yield f"review comments closed that are done with: {min(closed + hidden, len(done))}"


def settle(world: World, room: Room, found: Reviewed) -> list[str]:
    """Close the threads of numbers that were turned down or replaced; applied ones the new commit has outdated."""
    state = room.store.load()
    shown = _shown(world, found)
    over = {thread.id for thread, its in shown.threads if _are_over(state, its.numbers)}
    try:
        return list(close(world, [thread for thread in shown.done(()) if thread.id in over]))
    except GitclawError as error:
        world.note(f"review comments could not be closed: {error.what}")
        return []


def _are_over(state: State, numbers: Sequence[str]) -> bool:
    """Whether all of them were turned down or replaced; not where one is unknown, because the state was begun anew."""
    try:
        parts = resolve(state, numbers).parts
    except UsageError:
        return False
    found = statuses(state)
    return all(found[part] in (Status.REJECTED, Status.REPLACED) for part in parts)
