"""The half of a run that needs an agent and may write nothing: it works, and hands over what came out of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gitclaw_py.core.bundle import KINDS, LINE, LINES, LONGEST, Bundle, Failure, Worked
from gitclaw_py.core.command_lines import needs_agent
from gitclaw_py.core.trigger import Ignored
from gitclaw_py.core.visible import visible_path
from gitclaw_py.errors import GitclawError
from gitclaw_py.handlers import gather, in_review, queue
from gitclaw_py.handlers.conversation import moved_on
from gitclaw_py.handlers.converse import entered
from gitclaw_py.handlers.gather import Room
from gitclaw_py.handlers.turns import Turns
from gitclaw_py.handlers.work import Finished
from gitclaw_py.handlers.world import World

_NO_WORD = re.compile(r"[^A-Za-z0-9._-]+")


def hand_over(world: World, event_name: str, payload: bytes) -> tuple[Bundle, bytes] | Ignored:
    """Run the agent for everything up to the event that waits for one.

    Nothing is said and nothing is pushed. What does not need an agent is for the job that publishes.

    Raises:
        GitclawError: the thread could not be read.
    """
    room = entered(world, event_name, payload)
    if isinstance(room, Ignored):
        return room
    comments = gather.listed(world, room)
    reviews = in_review.read(world, room).threads
    waiting = gather.waiting(world, room, comments, list(in_review.asked(world, room, reviews)))
    comments = gather.read_by_agents(world, room, waiting, comments)
    works: list[Worked] = []
    for asked in queue.up_to(room.trigger, waiting):
        if needs_agent(asked.commands):
            try:
                room = moved_on(world, room, asked)
                ended = Turns(world, room, asked, comments).worked()
            except GitclawError as error:
                # The publishing job meets it too, and says it; the next request is somebody else's.
                world.note(f"{error.code}: {error.what}")
                continue
            # What else went wrong here, the publishing job does not take; it finds that nothing was handed over.
            told = {key: one for key, one in ended.items() if isinstance(one, Finished) or one.code in KINDS}
            works += [_handed(world, key, one) for key, one in told.items()]
    return _bundled(world, room, tuple(works))


def _bundled(world: World, room: Room, works: tuple[Worked, ...]) -> tuple[Bundle, bytes]:
    agent = _NO_WORD.sub("-", room.settings.agent.name).strip("-._") or "none"
    handed = Bundle(world.run.removeprefix("run-"), room.thread.number, room.trigger.key, agent[:80], works)
    if not handed.refs:
        return handed, b""
    # What the forge has anyway does not come along.
    known = [oid for oid in (room.head, world.pin) if oid]
    return handed, world.remote.pack(handed.refs, known)


def _handed(world: World, key: str, one: Finished | GitclawError) -> Worked:
    """What the publishing job gets to know. Everyone who sees the run can read it."""
    if not isinstance(one, Finished):
        what = world.watch.line(one.what)[:LINE]
        return Worked(key, failure=Failure(one.code, what, one.next_step[:LINE], _lines(world, one.details)))
    ran, work = one.work.ran, one.work
    answer = _without_secrets(world, (ran.answer or b"")[:LONGEST] or None)
    reasons = ran.reasons if _without_secrets(world, ran.reasons) == ran.reasons else None
    told = [f"{visible_path(w.path)}: it adds a secret ({w.secret})" for w in work.withheld]
    warnings = _lines(world, [*told, *one.request.notes, *work.warnings])
    ended = Worked(key, work.base, work.commit, ran.exit_code, round(ran.seconds, 3), answer, None, warnings)
    stopped_by = _lines(world, [ran.failure.what]) if ran.failure else ()
    return ended._replace(
        reasons=reasons if len(reasons or b"") <= LONGEST else None,
        isolation=ran.isolation,
        network=ran.network,
        usage=ran.usage,
        trouble=(ran.failure.code, stopped_by[0]) if ran.failure and stopped_by else None,
    )


def _lines(world: World, lines: Iterable[str]) -> tuple[str, ...]:
    """Those without a secret in them, as many and as long as are taken."""
    kept = [line[:LINE] for line in lines if world.watch.in_text(line) is None]
    return tuple(kept[:LINES])


def _without_secrets(world: World, text: bytes | None) -> bytes | None:
    """The text, if there is no secret in it; the reply says that an answer was withheld."""
    hit = world.watch.first(text) if text else None
    return f"This is not shown: there is a secret in it ({hit}).".encode() if hit else text
