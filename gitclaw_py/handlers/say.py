"""Saying things in the thread: replies, each once; reactions; and how a long run is getting on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gitclaw_py.core.replies import marker, notices
from gitclaw_py.core.replies.changes import To
from gitclaw_py.core.state import Reply
from gitclaw_py.core.thread import Comment, Review, Thread
from gitclaw_py.core.trigger import Trigger
from gitclaw_py.errors import GitclawError
from gitclaw_py.handlers.gather import Asked, Room, own_marker
from gitclaw_py.handlers.world import World


def say(world: World, room: Room, bodies: Sequence[str]) -> Comment | None:
    """Post these replies in order, each only if it is not there already. The last one is returned."""
    last = None
    for body in bodies:
        last = world.forge.comment(room.thread.number, body, already=same(world, body))
    if last and last.author.login not in ("", world.bot):
        world.note(f"set GITCLAW_BOT to {last.author.login}: our own comments are known by that login only")
    return last


def same(world: World, body: str) -> Callable[[Comment | Review], bool]:
    """Tells whether something in the thread is this reply already: ours, with the same marker."""
    wanted = marker.find(body)

    def already(said: Comment | Review) -> bool:
        return wanted is not None and own_marker(world, said) == wanted

    return already


def repair(world: World, room: Room, replies: Sequence[Reply], posted: set[tuple[str, int]]) -> int:
    """Post what an earlier run did not live to say; how many comments that were."""
    missing = []
    for reply in replies:
        for body in reply.bodies:
            found = marker.find(body)
            if found and (found.answers, found.part) not in posted:
                missing.append(body)
    say(world, room, missing)
    return len(missing)


def stopped(world: World, trigger: Trigger, thread: Thread, error: GitclawError) -> None:
    """Answer what was asked for by why it could not even be looked at, once; best effort."""
    (body,) = notices.failed(error, re=trigger.key, requester=trigger.actor.login, links=world.links)
    since = trigger.comment.created_at if trigger.comment else None
    try:
        if not any(map(same(world, body), world.forge.comments(thread.number, since))):
            world.forge.comment(thread.number, body, already=same(world, body))
    except GitclawError as silent:
        world.note(f"it could not be told in the thread: {silent.what}")


def react(world: World, room: Room, asked: Asked, content: str) -> None:
    """React to what was said; best effort. What was said in a review gets a reply there instead."""
    if asked.place is None:
        world.forge.react(room.thread.number, asked.comment.id if asked.comment else None, content)


def point(world: World, room: Room, asked: Asked, answer: Comment | None, *, ok: bool) -> None:
    """Tell in a review's thread where its command was answered; best effort."""
    if asked.place is None or answer is None:
        return
    try:
        body = notices.pointed(answer.body, answer.url, ok=ok)
        world.forge.reply_in_review(room.thread.number, asked.place.first, body)
    except GitclawError as error:
        world.note(f"it could not be told in the review: {error.what} ({'; '.join(error.details)})")


def settle(world: World, comments: Sequence[Comment], waiting: Sequence[Asked]) -> None:
    """Collapse the progress comments of runs that were cut off after what they worked on was done."""
    for key, left in _at_work(world, comments):
        if not any(_is_of(key, asked.key) for asked in waiting):
            result = next((c.url for c in comments if _is_result(world, c, key)), None)
            (body,) = notices.finished(key, None, result, world.links)
            try:
                world.forge.edit(left.id, body)
            except GitclawError as error:
                world.note(f"the progress could not be told: {error.what}")


def called_off(world: World, thread: int, since: str | None) -> None:
    """Collapse the progress comments of a thread in which nothing is at work; best effort."""
    try:
        settle(world, world.forge.comments(thread, since), [])
    except GitclawError as error:
        world.note(f"the progress could not be told: {error.what}")


def _is_of(key: str, asked: str) -> bool:
    """Whether something is said about what was asked, or about one of several commands in it."""
    return key == asked or key.startswith(f"{asked}.")


def _is_result(world: World, comment: Comment, key: str) -> bool:
    mark = own_marker(world, comment)
    return mark is not None and mark.kind != "progress" and mark.answers == key


def _at_work(world: World, comments: Sequence[Comment]) -> Iterator[tuple[str, Comment]]:
    """Our progress comments that still say that someone works, each with what it is about."""
    for comment in comments:
        mark = own_marker(world, comment)
        if mark and mark.kind == "progress" and comment.body.startswith(notices.WORKING):
            yield mark.answers, comment


class Progress:
    """The comment that tells how a long run is getting on: edited in place, and collapsed when it is done.

    One among ``comments`` that a run left which was cut off is used again. ``look`` is called whenever it was told,
    with the seconds so far, and may end the run.
    """

    def __init__(
        self, world: World, room: Room, to: To, comments: Sequence[Comment], look: Callable[[float], None]
    ) -> None:
        self._world = world
        self._room = room
        self._look = look
        self._re, self._requester = to
        self._comment = next((left.id for key, left in _at_work(world, comments) if key == to.re), None)
        self._next = world.pace.patience
        self._seconds = 0.0

    def __call__(self, seconds: float, line: str) -> None:
        """The agent has worked for so many seconds, and this is what it said last."""
        self._seconds = seconds
        if seconds < self._next:
            return
        self._next = seconds + self._world.pace.every
        now = notices.Step(done=False, words="now:", said=line) if line else notices.Step(False, "the agent is at work")
        steps = [notices.Step(done=True, words="read the thread"), now]
        (body,) = notices.progress(
            steps, re=self._re, requester=self._requester, seconds=seconds, links=self._world.links
        )
        self._write(body)
        self._look(seconds)

    def end(self, result: Comment | None, seconds: float | None = None) -> None:
        """Collapse it to one line with the way to the result; an agent of another job worked for so many seconds."""
        if self._comment is not None:
            took, url = self._seconds or seconds, result.url if result else None
            (body,) = notices.finished(self._re, took, url, self._world.links)
            self._write(body)

    def _write(self, body: str) -> None:
        """Progress is never worth failing for."""
        try:
            if self._comment is None:
                said = self._world.forge.comment(self._room.thread.number, body, already=lambda _: False)
                self._comment = said.id
            else:
                self._world.forge.edit(self._comment, body)
        except GitclawError as error:
            self._world.note(f"the progress could not be told: {error.what}")
