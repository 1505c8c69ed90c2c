"""Whom an agent hears: of a thread it is shown what people wrote who may write, before it was asked, and never edited.

What strangers wrote is told as well only where the one who asked said so, since it is there to steer the agent.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gitclaw_py.core.access import Level
from gitclaw_py.core.thread import Account, Comment
from gitclaw_py.handlers import guard
from gitclaw_py.handlers.carry import Turn
from gitclaw_py.handlers.gather import Room
from gitclaw_py.handlers.world import World

INCLUDE = "--include-thread"
"""The word at the beginning of a request that lets the agent read what everyone wrote."""
_MOST_ASKED = 10
"""How many people's access is looked up for one run; those beyond are not heard."""


class Heard(NamedTuple):
    """The comments that the agent reads, whether it reads what began the thread, and how much it does not."""

    comments: tuple[Comment, ...]
    body: bool
    left_out: int


def heard(world: World, room: Room, turn: Turn, comments: Sequence[Comment], *, everyone: bool, body: bool) -> Heard:
    """What the agent may read of a thread. With ``body`` its first text is the task, and read whoever wrote it."""
    levels = _Levels(world, room, turn)
    asked = turn.asked.comment
    before = [c for c in comments if asked is None or c.id < asked.id]
    kept = tuple(c for c in before if not c.is_edited and (everyone or levels.may_write(c.author)))
    # Our own progress is told elsewhere; what is edited is not what people answered.
    strangers = len([c for c in before if c not in kept and c.author.login != world.bot])
    reads = everyone or body or not room.thread.body.strip() or levels.may_write(room.thread.author)
    return Heard(kept, reads, strangers + (not reads))


class _Levels:
    """What people may do, each asked once, up to a number of them."""

    def __init__(self, world: World, room: Room, turn: Turn) -> None:
        self._world = world
        self._room = room
        self._known: dict[int, Level] = {turn.asked.author.id: turn.level}
        self._left = _MOST_ASKED

    def may_write(self, account: Account) -> bool:
        if account.login == self._world.bot:
            return True
        if account.id not in self._known:
            if not self._left:
                return False
            self._left -= 1
            self._known[account.id] = guard.level(self._world, self._room.settings, account)
        return self._known[account.id] >= Level.WRITE


def told(left_out: int, hidden: int) -> Iterator[str]:
    """What the one who asked should know about it."""
    if left_out:
        texts = "text" if left_out == 1 else "texts"
        yield (
            f"{left_out} {texts} of the thread, edited or by people who may not write: not shown to the agent;"
            f" /gitclaw {INCLUDE} includes strangers"
        )
    if hidden:
        yield f"{hidden} hidden item{'s' if hidden > 1 else ''} removed from what the agent was shown"
