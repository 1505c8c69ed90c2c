"""The branch that a thread's commits go to, and the one that we make for an issue."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from gitclaw_py.core.command_lines import Change, Command, Help, Misplaced, Reject, Show, Status, Unknown
from gitclaw_py.core.state import State, Verb
from gitclaw_py.core.thread import PullRequest
from gitclaw_py.errors import ConflictError, GitclawError
from gitclaw_py.handlers.world import World

_OURS = re.compile(r"gitclaw/issue-([1-9][0-9]{0,9})")


class Target(NamedTuple):
    """The branch that suggestions go to.

    ``ours`` is one that we make, ``is_new`` where it has nothing of ours on the forge yet: it is not there, or all of
    it was merged. ``pull`` is its latest pull request, where that was asked for. ``pushable`` is not the branch of a
    fork, nor one that ``is_gone``.
    """

    branch: str
    pushable: bool = True
    ours: bool = False
    is_new: bool = False
    is_gone: bool = False
    pull: PullRequest | None = None

    @property
    def ref(self) -> str:
        """Its full name."""
        return f"refs/heads/{self.branch}"


def own_branch(thread: str) -> str:
    """The branch that we make for an issue."""
    return f"gitclaw/issue-{thread}"


def issue_of(branch: str) -> int | None:
    """The number of the issue that we made a branch for; None where it is not one of ours."""
    found = _OURS.fullmatch(branch)
    return int(found[1]) if found else None


def uses_ours(state: State) -> bool:
    """Whether the last commit of the thread went to a branch of our own: the next one follows it."""
    last = next((d for d in reversed(state.decisions) if d.verb is Verb.APPLY), None)
    return last is not None and last.branch == own_branch(state.thread)


def ours(world: World, state: State, head: str, commands: Sequence[Command]) -> Target:
    """The branch of our own, begun at ``head`` where it is not there, or where it is left over from a merge."""
    mine = Target(own_branch(state.thread), ours=True)
    tip = world.remote.fetch([mine.ref]).get(mine.ref)
    if tip is not None and any(map(_may_commit, commands)):
        mine = mine._replace(pull=_pull_of(world, mine.branch))
    if tip is None or (mine.pull and mine.pull.merged_as and mine.pull.head_oid == tip):
        world.remote.start(mine.branch, head)
        return mine._replace(is_new=True)
    return mine


def _may_commit(command: Command) -> bool:
    is_quiet = isinstance(command, Reject | Status | Help | Show | Unknown | Misplaced)
    return not is_quiet and not (isinstance(command, Change) and command.verb == "cancel")


def _pull_of(world: World, branch: str) -> PullRequest | None:
    try:
        return world.forge.pull_of(branch)
    except GitclawError as error:
        world.note(f"it is not known whether there is a pull request: {error.what}")
        return None


def of_pull(world: World, repository: str, pull: PullRequest, head: str, *, is_gone: bool) -> Target:
    """The branch of a pull request; one that cannot be pushed to has another name here."""
    if pull.head_repository == repository and not is_gone:
        return Target(pull.head_branch)
    world.remote.start(f"pull-{pull.number}", head)
    return Target(f"pull-{pull.number}", pushable=False, is_gone=is_gone)


def gone(branch: str) -> ConflictError:
    """``UNKNOWN_REF``: the branch that something is about is not there any more."""
    return ConflictError(
        "UNKNOWN_REF", f"The branch {branch} does not exist", "restore it, or say it in another thread"
    )


def needs_branch(command: Command) -> bool:
    """Whether a command is about the branch itself, and not only about what is remembered."""
    if isinstance(command, Change):
        return command.verb not in ("close", "cancel", "merge")
    return not isinstance(command, Reject | Status | Help | Show | Unknown | Misplaced)
