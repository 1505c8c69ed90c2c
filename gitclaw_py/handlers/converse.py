"""Carrying a thread forward: from an event of the forge to what is said about it.

Everything is decided on a clone and pushed together. Who loses the race decides again; what could not be said is
said by the next run.
"""

from typing import NamedTuple

from gitclaw_py.core.command_lines import needs_agent
from gitclaw_py.core.replies import notices
from gitclaw_py.core.replies.summary import Step
from gitclaw_py.core.settings import DEFAULT
from gitclaw_py.core.thread import Thread
from gitclaw_py.core.trigger import Ignored, Trigger
from gitclaw_py.errors import GitclawError
from gitclaw_py.handlers import gather, guard, in_review, pulls, queue, recognise, review, say
from gitclaw_py.handlers.conversation import Conversation, moved_on
from gitclaw_py.handlers.gather import Asked, Room
from gitclaw_py.handlers.world import World


class Handled(NamedTuple):
    """What was carried out: the commands, what else happened in a line each, and where the last answer is.

    ``unsaid`` is why an answer could not be said: the token may not, and the summary of the run has it.
    """

    thread: Thread
    steps: tuple[Step, ...]
    lines: tuple[str, ...]
    reply: str = ""
    unsaid: GitclawError | None = None

    @property
    def exit_code(self) -> int:
        """What a program ends with that did this: the first that was not carried out tells."""
        return next((step.code for step in self.steps if step.code), 0)


def converse(world: World, event_name: str, payload: bytes) -> Handled | Ignored:
    """Handle an event, and whatever else waits in its thread, in order.

    Raises:
        GitclawError: the thread could not be read, so that nothing was done and nothing said.
    """
    try:
        room = entered(world, event_name, payload)
    except GitclawError:
        _called_off(world, event_name, payload)
        raise
    if isinstance(room, Ignored):
        _called_off(world, event_name, payload)
        return room
    return _carried_forward(world, room)


def _called_off(world: World, event_name: str, payload: bytes) -> None:
    """Collapse what the gate told of an agent at work, where nothing comes of it; best effort.

    The gate knows of the configuration only what the caller of the workflow repeats.
    """
    trigger = guard.possible(event_name, payload, world.bot)
    if world.handed is None or isinstance(trigger, Ignored) or trigger.thread is None:
        return
    if needs_agent(trigger.commands):
        say.called_off(world, trigger.thread.number, trigger.comment.created_at if trigger.comment else None)


def entered(world: World, event_name: str, payload: bytes) -> Room | Ignored:
    """The thread of an event with all that belongs to it.

    Raises:
        GitclawError: it could not be read, which was said in it where it is certain that we are meant.
    """
    trigger = guard.possible(event_name, payload, world.bot)
    if isinstance(trigger, Ignored):
        return trigger
    if trigger.thread is None:
        settings = gather.settings_alone(world, trigger)
        strict = guard.wanted(event_name, payload, world.bot, settings)
        if isinstance(strict, Ignored):
            return strict
        trigger = strict
    thread = _thread(world, trigger)
    try:
        room = gather.room(world, trigger, thread, world.store(thread.number))
    except GitclawError as error:
        # Without the configuration it is not known whether a mention or a bot means us.
        certain = guard.wanted(event_name, payload, world.bot, DEFAULT)
        if not isinstance(certain, Ignored):
            say.stopped(world, _keyed(world, certain), thread, error)
        raise
    strict = guard.wanted(event_name, payload, world.bot, room.settings)
    if isinstance(strict, Ignored):
        return strict
    return room._replace(trigger=_keyed(world, strict))


def _keyed(world: World, trigger: Trigger) -> Trigger:
    """A request that is no comment and brings no key of its own is known by the run it started."""
    return trigger if trigger.comment or trigger.run_key else trigger._replace(run_key=world.run)


def _carried_forward(world: World, room: Room) -> Handled:
    comments = gather.listed(world, room)
    here = [reply for reply in room.store.load().conversation.replies if reply.thread == room.told_in]
    posted = gather.posted(world, comments)
    lines = pulls.make_up_for(world, room, here, posted)
    lines += recognise.recognise(world, room)
    reviews, pushed = in_review.read(world, room), not room.trigger.commands
    waiting = gather.waiting(world, room, comments, list(in_review.asked(world, room, reviews.threads)))
    comments = gather.read_by_agents(world, room, waiting, comments)
    say.settle(world, comments, waiting)
    waiting = queue.for_here(world, room.trigger, waiting)
    steps: list[Step] = []
    reply, stopped = "", 0
    for number, asked in enumerate(waiting):
        if asked.only_cancels and asked.comment and asked.comment.id <= stopped:
            continue
        if number or asked.commands != room.trigger.commands:
            room = moved_on(world, room, asked)
        conversation = Conversation(world, room, asked, comments, stopped)
        reply = conversation.carried_out() or reply
        steps += conversation.steps
        lines += conversation.lines
        room, stopped = conversation.room, conversation.stopped
        if conversation.unsaid is not None:
            return Handled(room.thread, tuple(steps), tuple(lines), reply, conversation.unsaid)
        if conversation.proposed or conversation.took_back:
            now = _at_head(world, room, asked)
            # What this run has posted or taken back is not in what was read.
            found = in_review.read(world, now) if number or conversation.took_back else reviews
            lines += review.review(world, now, asked.key, found)
    if pushed:
        lines += review.review(world, room, f"head-{room.head[:12]}", reviews)
    elif reviews.threads:
        lines += review.settle(world, room, reviews)
    elif not waiting:
        world.note("Nothing waits in this thread: it was handled before, edited, or is gone")
    return Handled(room.thread, tuple(steps), tuple(lines), reply)


def _thread(world: World, trigger: Trigger) -> Thread:
    """The thread of the event; a request that names none gets an issue of its own."""
    if trigger.thread is None:
        key = trigger.run_key or world.run
        return world.forge.open_issue(*notices.asked_elsewhere(trigger.request, who=trigger.actor.login, key=key))
    return trigger.thread if trigger.knows_thread else world.forge.thread(trigger.thread.number)


def _at_head(world: World, room: Room, asked: Asked) -> Room:
    """The room with the head that its branch has now: a mode may have committed at once."""
    decisions = room.store.load().decisions
    moved = decisions and decisions[-1].commit not in (None, room.head)
    return moved_on(world, room, asked) if room.pull and moved else room
