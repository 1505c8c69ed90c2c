"""Bringing what was done on the clone to the forge: branch and state in one step, or neither."""

from __future__ import annotations

from collections.abc import Sequence

from gitclaw_py.core.settings import Via
from gitclaw_py.handlers.carry import Said, bodies_of, remembered
from gitclaw_py.handlers.gather import Asked, Room
from gitclaw_py.handlers.through_api import through_api
from gitclaw_py.handlers.world import World


def write(world: World, room: Room, asked: Asked, said: Sequence[Said], *, opens: bool = False) -> Sequence[Said]:
    """Remember that ``asked`` was handled and what is to be said, and move all refs together.

    With ``opens`` it is also remembered that a pull request is to be opened next. Returns what is to be said, with
    what the forge answered in it.

    Raises:
        ConflictError: ``STATE_CONFLICT``: someone was faster.
        RefusedError: ``BRANCH_PROTECTED``, ``PERMISSION_DENIED``.
    """
    if room.settings.commit.via is Via.API and has_commit(world, room):
        return through_api(world, room, asked, said, opens=opens)
    bodies = bodies_of(world, room, asked, said)
    room.store.save(remembered(room.store.load(), room, asked, bodies, opens=opens))
    world.remote.push(world.remote.moves(room.refs))
    return said


def has_commit(world: World, room: Room) -> bool:
    """Whether the branch was moved on the clone."""
    return any(move.ref == room.target.ref for move in world.remote.moves(room.refs))


def changed(world: World, room: Room) -> bool:
    """Whether there is anything to be brought to the forge."""
    return bool(world.remote.moves(room.refs))
