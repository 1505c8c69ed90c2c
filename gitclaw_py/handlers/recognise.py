"""Seeing what people took of a pull request's suggestions without us: with the button, in a batch, or by hand.

Only the content counts: what the head has as it was proposed is applied, part by part.
"""

from __future__ import annotations

from gitclaw_py.core.placing import Verdict
from gitclaw_py.core.review import telling
from gitclaw_py.core.state import Decision, Reply, State, Status, Verb, answered, decided, open_parts
from gitclaw_py.core.thread import PullRequest
from gitclaw_py.errors import GitclawError
from gitclaw_py.handlers import gather, say
from gitclaw_py.handlers.carry import context_of
from gitclaw_py.handlers.gather import Room
from gitclaw_py.handlers.landing import Landed, Order, land
from gitclaw_py.handlers.scratch import SCRATCH, ScratchStore
from gitclaw_py.handlers.world import World


def recognise(world: World, room: Room) -> list[str]:
    """Record what the pull request's head has meanwhile, and say so; a line for the log. Nothing here fails a run."""
    state = room.store.load()
    if room.pull is None or room.target.is_gone or room.head in _known_heads(state):
        return []
    try:
        parts = _there(world, room, state)
        return _recorded(world, room, room.pull, state, parts) if parts else []
    except GitclawError as error:
        world.note(f"what people took themselves could not be recorded: {error.what} ({'; '.join(error.details)})")
        world.remote.reset(room.refs)
        room.store.forget()
        return []


def _known_heads(state: State) -> set[str]:
    """Commits that hold nothing that we do not know: where proposals began, and where decisions led."""
    return {p.base for p in state.proposals} | {d.commit for d in state.decisions if d.commit}


def _there(world: World, room: Room, state: State) -> tuple[str, ...]:
    """The pending parts that the head has already, found by the same ladder that applies them."""
    # What was turned down can be taken after all: its button works until its comment is closed.
    pending = open_parts(state, Status.PENDING, Status.REJECTED)
    if not pending:
        return ()
    gather.bring_parts(world, room, pending)
    world.remote.start(SCRATCH, room.head)
    with world.remote.at(room.target.branch) as repository:
        context = context_of(world, room, repository, room.trigger.actor)
        scratch = context.keeping(ScratchStore(context.store))
        outcome = land(scratch, state, Order(pending, branch=SCRATCH, partial=True))
    if not isinstance(outcome, Landed):
        return ()
    return tuple(finding.part for finding in outcome.findings if finding.verdict is Verdict.ALREADY)


def _recorded(world: World, room: Room, pull: PullRequest, state: State, parts: tuple[str, ...]) -> list[str]:
    # Only the event of a push says who pushed.
    who, key = None if room.trigger.commands else room.trigger.actor.login, f"head-{room.head[:12]}"
    word = Decision(Verb.APPLY, parts, who or "someone", world.clock(), commit=room.head, branch=room.target.branch)
    after = decided(state, word)
    bodies = telling.recognised(
        after, parts, re=key, who=who, commit=room.head, branch=pull.head_branch, links=world.links
    )
    # What was to be said before is in the thread: the run has looked.
    room.store.save(answered(after, Reply(key, bodies, room.told_in), None, None))
    world.remote.push(world.remote.moves(room.refs))
    say.say(world, room, bodies)
    return [f"{', '.join(parts)} were taken in the pull request itself"]
