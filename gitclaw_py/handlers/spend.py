"""Counting a run before it begins, where all threads of the repository count.

A ref of its own rather than the state of the thread: limits of an account and of a repository hold across threads.
And a push of its own rather than the one of the result: it is counted what was started, also when it fails, and
threads do not wait for each other with what they decided. It costs two requests for each start of an agent.
"""

from __future__ import annotations

from gitclaw_py.core.budget import Allowance, Spent, spend
from gitclaw_py.errors import GitclawError
from gitclaw_py.handlers.gather import Asked, Room
from gitclaw_py.handlers.world import World

_TRIES = 30
"""Of those who count at once one is always through, so this is how many may start in the same moment."""


def count(world: World, room: Room, asked: Asked, *, fetched: bool, worked: bool = False) -> None:
    """Count one run for who asked, and remember that on the forge; ``fetched`` is whether the count is here already.

    One that has ``worked`` is counted in any case: refusing it gives nothing back.

    Raises:
        BudgetError: ``BUDGET_EXCEEDED``.
        GitclawError: it could not be counted, and so must not begin; where the token may only read, it may.
    """
    allowed = room.settings.limits.runs
    if allowed.is_endless:
        return
    if world.hands_over:
        # It may not write. The job that publishes counts it, whatever came out of it.
        _spend(world, room, asked, allowed)
        return
    ref = world.ledger.ref
    for left in reversed(range(_TRIES)):
        if not fetched:
            world.remote.fetch([ref])
        _spend(world, room, asked, Allowance(None, None, None) if worked else allowed)
        try:
            world.remote.push(world.remote.moves([ref]))
        except GitclawError as error:
            world.remote.reset([ref])
            if error.code == "PERMISSION_DENIED":
                # Whoever gave it such a token wants to see what would be proposed; nobody else can bring that about.
                world.note(f"the run is not counted: {error.what}")
                return
            if not left or error.code not in ("STATE_CONFLICT", "FORGE_UNAVAILABLE"):
                raise
            fetched = False
        else:
            return


def _spend(world: World, room: Room, asked: Asked, allowed: Allowance) -> None:
    one = Spent(world.clock(), asked.author.id, room.thread.number)
    world.ledger.save(spend(world.ledger.load(), one, allowed))
