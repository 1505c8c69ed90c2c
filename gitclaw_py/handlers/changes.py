"""What ends a pull request's life, or keeps it going: merged, closed, brought up to date. Each is done at once.

Nothing of it is decided by us: the forge merges by the rules of the repository, from the head that was read.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitclaw_py.core.replies import changes
from gitclaw_py.core.thread import PullRequest
from gitclaw_py.errors import GitclawError, RefusedError
from gitclaw_py.handlers import in_review, pulls
from gitclaw_py.handlers.branches import issue_of
from gitclaw_py.handlers.carry import Said, Turn
from gitclaw_py.handlers.gather import Room
from gitclaw_py.handlers.guard import ACTIONS_BOT
from gitclaw_py.handlers.world import World
from gitclaw_py.ports.forge import Declined
from gitclaw_py.ports.values import Move

_NOTHING_NEW = "no new commits on the base branch"
_CONFLICT = "merge conflict"
_STANDING = {
    "blocked": "A rule of the repository is in the way: a review, a check or a signature is missing.",
    "behind": "The branch is not up to date with its base.",
    "draft": "It is a draft.",
    "unstable": "Checks have failed or still run.",
}
"""https://docs.github.com/en/graphql/reference/enums#mergestatestatus"""
_STEPS = {
    "dirty": ["resolve the conflicts on the branch", "`/gitclaw merge` again"],
    "behind": ["`/gitclaw update`", "then `/gitclaw merge` again"],
    "draft": ['"Ready for review" in the pull request', "then `/gitclaw merge` again"],
}


def carry_out(world: World, room: Room, turn: Turn, verb: str) -> Said:
    """Merge, close or update the pull request of the thread.

    Raises:
        RefusedError: the token may not.
        GitclawError: the forge does not answer.
    """
    pull = pulls.of_thread(world, room)
    if pull is None:
        return Said(changes.no_pull(turn.to, verb), ok=False)
    if unfit := _unfit(world, room, turn, pull, verb):
        return unfit
    match verb:
        case "merge":
            return _merged(world, room, turn, pull)
        case "update":
            return _updated(world, room, turn, pull)
        case _:
            world.forge.close_pull(pull.number)
            return Said(changes.closed(turn.to, pull, world.links))


def _unfit(world: World, room: Room, turn: Turn, pull: PullRequest, verb: str) -> Said | None:
    """What to say of a pull request with which that cannot be done, or that is not at the commit it was said about."""
    if pull.merged_as:
        return Said(changes.merged_before(turn.to, pull, world.links), ok=verb == "merge")
    if not pull.is_open:
        return Said(changes.not_open(turn.to, pull, verb), ok=False)
    if verb == "close" or world.pin in (None, pull.head_oid) or pull.number != room.thread.number:
        return None
    reasons = ["Someone pushed to it meanwhile, and nobody has asked for that."]
    steps = [f"look at the new commits, then `/gitclaw {verb}` again"]
    return Said(changes.declined(turn.to, pull, verb, reasons, steps), ok=False)


def _merged(world: World, room: Room, turn: Turn, pull: PullRequest) -> Said:
    method = room.settings.merge.strategy.value
    if reasons := _unfinished(world, room, pull):
        steps = ["settle that, then `/gitclaw merge` again"]
        return Said(changes.declined(turn.to, pull, "merge", reasons, steps), ok=False)
    answer = world.forge.merge(pull, method)
    if isinstance(answer, Declined):
        return _not_merged(world, turn, pull, answer)
    branch = _swept(world, room, pull)
    return Said(changes.merged(turn.to, pull, answer, world.links, method=method, branch=branch))


def _unfinished(world: World, room: Room, pull: PullRequest) -> list[str]:
    """What the settings want to be done before."""
    wanted, threads, left = room.settings.merge, 0, list[tuple[str, str]]()
    if wanted.resolved_threads:
        found = world.forge.reviewed(pull.number).threads
        ours = {thread.id for thread, _ in in_review.own(world, found)}
        threads = sum(not thread.is_resolved and thread.id not in ours for thread in found)
    if wanted.passed_checks:
        checks = world.forge.checks(pull.head_oid)
        left = [(check.name, check.conclusion or "still runs") for check in checks if not check.has_passed]
    return changes.unfinished(threads, left)


def _not_merged(world: World, turn: Turn, pull: PullRequest, answer: Declined) -> Said:
    if answer.has_moved:
        reasons = ["Someone pushed to it meanwhile, and nobody has asked to merge that."]
        steps = ["look at the new commits, then `/gitclaw merge` again"]
        return Said(changes.declined(turn.to, pull, "merge", reasons, steps, answer.words), ok=False)
    standing = world.forge.pull(pull.number).standing
    reasons = (
        [_conflict(world, pull)] if standing == "dirty" else [_STANDING.get(standing, "GitHub does not merge it.")]
    )
    steps = _STEPS.get(standing, ["settle what GitHub names", "`/gitclaw merge` again"])
    return Said(changes.declined(turn.to, pull, "merge", reasons, steps, answer.words), ok=False)


def _conflict(world: World, pull: PullRequest) -> str:
    """Which files conflict, as git sees it: the forge does not say."""
    try:
        paths = _conflicting(world, pull)
    except GitclawError as error:
        world.note(f"the files that conflict could not be found: {error.what}")
        paths = []
    return changes.conflicting(paths, pull.base_branch, pull.head_branch)


def _conflicting(world: World, pull: PullRequest) -> Sequence[bytes]:
    base = f"refs/heads/{pull.base_branch}"
    tip = world.remote.fetch([base]).get(base)
    if tip is None:
        return []
    return world.remote.conflicts(world.forge.parted(tip, pull.head_oid), tip, pull.head_oid)


def _swept(world: World, room: Room, pull: PullRequest) -> str:
    """What became of the branch: ours is deleted, if it still is what was merged and no rule protects it."""
    if issue_of(pull.head_branch) is None or pull.head_repository != room.trigger.repository:
        return "Its branch is kept."
    try:
        if world.forge.is_protected(pull.head_branch):
            return "Its branch is kept: it is protected."
        world.forge.move([Move(f"refs/heads/{pull.head_branch}", pull.head_oid, "0" * len(pull.head_oid))])
    except GitclawError as error:
        world.note(f"the branch {pull.head_branch} could not be deleted: {error.what}")
        return "Its branch was not deleted by this run: it moved, is gone already, or the token may not."
    return "Its branch, which was made for this, is deleted."


def _updated(world: World, room: Room, turn: Turn, pull: PullRequest) -> Said:
    try:
        answer = world.forge.update_branch(pull)
    except RefusedError as error:
        if error.code == "PERMISSION_DENIED" and pull.head_repository != room.trigger.repository:
            what = "The branch is in a fork, which the token of this run may not push to"
            step = 'press "Update branch" in the pull request'
            raise RefusedError("FORK_READ_ONLY", what, step, error.details) from error
        raise
    if answer is None:
        now = world.forge.pull(pull.number).head_oid
        head = now if now != pull.head_oid else None
        return Said(changes.updated(turn.to, pull, head, world.links, notes=world.bot == ACTIONS_BOT))
    words = answer.words.lower()
    if _NOTHING_NEW in words:
        return Said(changes.up_to_date(turn.to, pull))
    if _CONFLICT in words:
        reasons, steps = [_conflict(world, pull)], ["merge by hand and push", "`/refine` then makes suggestions anew"]
    elif answer.has_moved:
        reasons, steps = ["Someone pushed to it meanwhile."], ["`/gitclaw update` again"]
    else:
        reasons, steps = ["GitHub does not update it."], ["settle what GitHub names", "`/gitclaw update` again"]
    return Said(changes.declined(turn.to, pull, "update", reasons, steps, answer.words), ok=False)
