"""What a run leaves whose token may only read: all of it in the summary of the run, and notices in the diff."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitclaw_py.core.replies import fitting, notices
from gitclaw_py.errors import GitclawError
from gitclaw_py.handlers import review
from gitclaw_py.handlers.carry import Said
from gitclaw_py.handlers.gather import Room
from gitclaw_py.handlers.work import Finished
from gitclaw_py.handlers.world import World


def publish(
    world: World, room: Room, error: GitclawError, said: Iterable[Said], works: Iterable[Finished]
) -> list[str]:
    """Put what was proposed into the summary, while it is still on the clone; lines for the log.

    What landed there is no news: it is on no branch of the forge.
    """
    patches = [world.remote.patch(work.work.base, work.work.commit) for work in works]
    world.publish(notices.unstored(error, [body for one in said for body in one.bodies], patches))
    return ["what was proposed is in the summary of this run only", *review.noticed(world, room)]


def told(world: World, said: Said) -> Said:
    """What is said about the failure, with where the result is."""
    bodies: Sequence[str] = said.bodies
    return said._replace(bodies=(*bodies[:-1], fitting.with_more(bodies[-1], notices.in_summary(world.links))))
