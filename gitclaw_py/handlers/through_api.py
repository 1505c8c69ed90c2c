"""Commits made through the forge's API, which signs them where git cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gitclaw_py.core.state import State
from gitclaw_py.handlers.carry import Said, bodies_of, remembered
from gitclaw_py.handlers.gather import Asked, Room
from gitclaw_py.handlers.world import World
from gitclaw_py.ports.forge import Committed
from gitclaw_py.ports.values import Move

_AHEAD = "refs/gitclaw/ahead/"


def through_api(world: World, room: Room, asked: Asked, said: Sequence[Said], *, opens: bool) -> Sequence[Said]:
    """Make the commits of the branch again through the API, and move branch and state in one mutation.

    Contents go ahead in a push to a ref of their own, so that the API only has to name them, however many there are.
    The state's commit is git's: it keeps the proposals among its parents, which the API cannot see.
    """
    before = {move.ref: move for move in world.remote.moves(room.refs)}
    branch = before[room.target.ref]
    ahead = f"{_AHEAD}{room.thread.number}"
    world.remote.deliver(ahead, branch.new)
    # A branch of our own that is new, or begins anew after a merge, starts where the default one was.
    anew = room.target.is_new
    made = _commits(world, room.head if anew else branch.old, branch.new)
    told = [_with_forge(one, made) for one in said]
    bodies = bodies_of(world, room, asked, told)
    state = _with_commits(room.store.load(), made)
    room.store.save(remembered(state, room, asked, bodies, opens=opens))
    stored = next(move for move in world.remote.moves(room.refs) if move.ref == room.store.ref)
    world.remote.deliver(ahead, stored.new)
    done = Move(ahead, stored.new, "0" * len(stored.new))
    world.forge.move([branch._replace(new=made[branch.new].oid, begins_anew=anew), stored, done])
    world.remote.reset(room.refs)
    return told


def _commits(world: World, old: str, new: str) -> dict[str, Committed]:
    """Every commit between the two, oldest first, made through the API."""
    made: dict[str, Committed] = {}
    parent = old
    for oid in world.remote.commits(old, new):
        entries = world.remote.made(parent, oid)
        above = made[parent].oid if parent in made else parent
        made[oid] = world.forge.commit(entries._replace(parent=above))
        parent = oid
    return made


def _with_commits(state: State, made: Mapping[str, Committed]) -> State:
    """The decisions name the commits by the ids that the forge gave them."""
    named = {oid: committed.oid for oid, committed in made.items()}
    decisions = (d._replace(commit=named.get(d.commit, d.commit)) if d.commit else d for d in state.decisions)
    return state._replace(decisions=tuple(decisions))


def _with_forge(said: Said, made: Mapping[str, Committed]) -> Said:
    """The receipt with the id that the forge gave, and what it says of the signature."""
    receipt = said.receipt
    committed = made.get(receipt.outcome.commit or "") if receipt else None
    if receipt is None or committed is None:
        return said
    outcome = receipt.outcome._replace(commit=committed.oid)
    return said._replace(receipt=receipt._replace(outcome=outcome, verified=committed.verified))
