"""The pull request of a branch that we made for an issue."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from gitclaw_py.core.command_lines import Apply
from gitclaw_py.core.replies import changes, notices
from gitclaw_py.core.replies.pull_text import TEMPLATES, pull_text
from gitclaw_py.core.selection import compact
from gitclaw_py.core.state import Reply, Status, applied_by, open_parts
from gitclaw_py.core.thread import PullRequest
from gitclaw_py.errors import GitclawError, RefusedError, UsageError
from gitclaw_py.handlers import gather, say
from gitclaw_py.handlers.branches import own_branch
from gitclaw_py.handlers.carry import Said, Turn, promise
from gitclaw_py.handlers.gather import Room
from gitclaw_py.handlers.world import World

_NUMBERS = re.compile(r"[0-9][0-9a-z.,-]*")


class Offer(NamedTuple):
    """How a pull request is to be opened.

    ``request`` are words of who asked for it, ``why`` says why there is one, where a commit was asked for.
    """

    is_draft: bool = False
    request: str = ""
    why: str | None = None


def wanted(text: str) -> tuple[Apply, Offer]:
    """What ``/gitclaw pr`` was told: numbers to put into it, ``draft``, and below the line words for its text."""
    line, _, below = text.partition("\n")
    words = line.lower().replace("#", "").split()
    if not all(word == "draft" or _NUMBERS.fullmatch(word) for word in words):
        words, below = [], text
    named = tuple(word for word in words if word != "draft")
    return Apply(named or ("all",)), Offer("draft" in words, below.strip())


def is_missing(world: World, room: Room) -> bool:
    """Whether a pull request has to be opened once the branch has a commit."""
    if not room.target.ours:
        return False
    found = room.target.pull
    try:
        # A branch that is not there, or begins anew, is in none.
        if found is None and not room.target.is_new:
            found = world.forge.pull_of(room.target.branch)
    except GitclawError as error:
        world.note(f"it is not known whether there is a pull request: {error.what}")
    return found is None or not found.is_open


def has_something(room: Room) -> bool:
    """Whether the branch of our own has anything that was applied there and is not merged."""
    state = room.store.load()
    owners = {state.decisions[place].branch for place in applied_by(state).values()}
    return room.target.ours and not room.target.is_new and room.target.branch in owners


def is_there(room: Room, turn: Turn) -> Said | None:
    """What to say where the pull request is open already."""
    pull, state = room.target.pull, room.store.load()
    if pull is None or not pull.is_open:
        return None
    pending = open_parts(state, Status.PENDING)
    return Said(changes.open_already(turn.to, pull, pending=compact(state, pending) if pending else ""))


def open_pull(world: World, room: Room, key: str, requester: str, offer: Offer) -> Said:
    """Open it and say so, marked with ``key``; a refusal leaves the branch and says how to go on by hand."""
    branch, base = room.target.branch, room.trigger.default_branch
    try:
        made = _opened(world, room, offer)
    except GitclawError as error:
        refused = notices.pull_refused(error, re=key, requester=requester, branch=branch, base=base, links=world.links)
        return Said(refused, ok=False, exit_code=error.exit_code)
    bodies = notices.pull_opened(
        re=key,
        requester=requester,
        pull=made.number,
        url=made.url,
        branch=branch,
        base=base,
        draft=made.is_draft,
        why=offer.why,
        links=world.links,
    )
    return Said(bodies)


def _opened(world: World, room: Room, offer: Offer) -> PullRequest:
    branch, base, number = room.target.branch, room.trigger.default_branch, room.thread.number
    title = room.thread.title or f"Suggestions of issue {number}"
    template = _template(world, room)
    body = pull_text(room.store.load(), branch, number, template=template, request=offer.request)
    try:
        return world.forge.open_pull(branch, base, title, body, draft=offer.is_draft)
    except GitclawError as error:
        found = world.forge.pull_of(branch) if error.code == "BRANCH_EXISTS" else None
        if found is None or not found.is_open:
            raise
        return found


def _template(world: World, room: Room) -> str | None:
    """The repository's own form for a pull request, from its default branch."""
    try:
        there = world.remote.entries(f"refs/heads/{room.trigger.default_branch}", TEMPLATES)
        oid = next((there[path].oid for path in TEMPLATES if path in there and there[path].is_regular), None)
        if oid is None:
            return None
        world.remote.bring([oid])
        return world.remote.blob(oid).decode("utf-8", "replace")
    except GitclawError as error:
        world.note(f"the template of pull requests could not be read: {error.what}")
        return None


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
            say.say(world, room, open_pull(world, room, reply.re, actor, Offer()).bodies)
            return ["opened the pull request that was missing"]
    return []


def of_thread(world: World, room: Room) -> PullRequest | None:
    """The pull request that a thread is, or that was opened for it last."""
    return room.pull or room.target.pull or world.forge.pull_of(own_branch(room.store.load().thread))


def go_to_ours(world: World, room: Room, apply: Apply, *, has_commit: bool) -> Room:
    """The room of an issue on the branch of our own.

    Raises:
        UsageError: ``USAGE``: an earlier command of the comment goes to another branch.
    """
    if has_commit and not room.target.ours:
        what = f"The command before goes to {room.target.branch}, and a pull request has a branch of its own"
        raise UsageError("USAGE", what, "give the commands in comments of their own")
    return gather.on_another_branch(world, room, apply, own_branch(room.store.load().thread))
