"""The pull request of a branch that we made for an issue."""

from __future__ import annotations

from collections.abc import Sequence

from gitclaw_py.core.replies import notices
from gitclaw_py.core.state import Reply
from gitclaw_py.core.thread import PullRequest
from gitclaw_py.errors import GitclawError, RefusedError
from gitclaw_py.handlers import say
from gitclaw_py.handlers.carry import Said, promise
from gitclaw_py.handlers.context import World
from gitclaw_py.handlers.gather import Room


def is_missing(world: World, room: Room) -> bool:
    """Whether a pull request has to be opened once the branch has a commit."""
    if not room.target.ours:
        return False
    try:
        return world.forge.pull_of(room.target.branch) is None
    except GitclawError as error:
        world.note(f"it is not known whether there is a pull request: {error.what}")
        return True


def open_pull(world: World, room: Room, key: str, requester: str, why: str | None = None) -> Said:
    """Open it and say so, in answer to ``key``; a refusal leaves the branch and says how to go on by hand.

    ``why`` says why there is a branch of its own, where commits were to go to the default one.
    """
    branch, base = room.target.branch, room.trigger.default_branch
    re = promise(key)
    try:
        made = _opened(world, room)
    except GitclawError as error:
        refused = notices.pull_refused(error, re=re, requester=requester, branch=branch, base=base, links=world.links)
        return Said(refused, ok=False)
    bodies = notices.pull_opened(
        re=re, requester=requester, pull=made.number, url=made.url, branch=branch, base=base, why=why, links=world.links
    )
    return Said(bodies)


def _opened(world: World, room: Room) -> PullRequest:
    branch, base, number = room.target.branch, room.trigger.default_branch, room.thread.number
    title = room.thread.title or f"Suggestions of issue {number}"
    body = f"Suggestions that were taken in #{number}.\n\nRefs #{number}\n"
    try:
        return world.forge.open_pull(branch, base, title, body, draft=False)
    except GitclawError as error:
        found = world.forge.pull_of(branch) if error.code == "BRANCH_EXISTS" else None
        if found is None:
            raise
        return found


def make_up_for(world: World, room: Room, replies: Sequence[Reply], posted: set[tuple[str, int]]) -> list[str]:
    """Say and open what an earlier run did not live to; lines for the log. A token that may not goes on without."""
    try:
        missing = say.repair(world, room, replies, posted)
        lines = [f"posted {missing} replies that were missing"] if missing else []
        return [*lines, *_keep(world, room, replies, posted)]
    except RefusedError as error:
        world.note(f"replies that are missing could not be posted: {error.what} ({'; '.join(error.details)})")
        return []


def _keep(world: World, room: Room, replies: Sequence[Reply], posted: set[tuple[str, int]]) -> list[str]:
    """Open the pull request that a run promised and did not live to open or to tell of; what was done."""
    state = room.store.load()
    for reply in replies:
        key = reply.re.rpartition(".")[0]
        if not reply.bodies and reply.re == promise(key) and (reply.re, 1) not in posted and room.target.ours:
            actor = state.decisions[-1].actor if state.decisions else room.thread.author.login
            say.say(world, room, open_pull(world, room, key, actor).bodies)
            return ["opened the pull request that was missing"]
    return []
