"""Publishing what an agent did in another job: nothing of it is believed that can be looked at."""

from __future__ import annotations

from collections.abc import Callable

from gitclaw_py.core import bundle
from gitclaw_py.core.bundle import Bundle, Worked
from gitclaw_py.core.messages import proposal_message
from gitclaw_py.core.printed import Failure
from gitclaw_py.handlers import suggest, work
from gitclaw_py.handlers.carry import Turn, context_of
from gitclaw_py.handlers.gather import Room
from gitclaw_py.handlers.looking import secrets_in, without
from gitclaw_py.handlers.suggest import Work
from gitclaw_py.handlers.work import Done, Job
from gitclaw_py.handlers.world import World
from gitclaw_py.ports.engine import Ran
from gitclaw_py.ports.values import TreeChange


def received(world: World, room: Room, turn: Turn, job: Job, may_commit: Callable[[], bool]) -> Done:
    """Record what the agent's job handed over for one command, and say it.

    The commit is made anew, in our name and on top of the base that is found here; of the one that was handed over
    only the contents of files, their paths and modes count.

    Raises:
        AgentError: the agent failed, or nothing was handed over.
        BudgetError: ``BUDGET_EXCEEDED``: it came to a limit.
        InternalError: ``INTERNAL``: what was handed over is not what this run's agent job hands over.
        UsageError: the numbers do not exist, or nothing is pending to be refined.
        ConfigError: ``CONFIG_INVALID``: no agent is configured.
    """
    work.has_agent(room)
    worked = _unpacked(world, room, turn)
    if worked.failure is not None:
        raise worked.failure.error
    with world.remote.at(room.target.branch) as repository:
        base = _base(world, room, worked, repository.head().oid)
        context = context_of(world, room, repository, turn.asked.author)
        request, _ = work.requested(world, room, turn, job, (context, base))
        request = request._replace(may_commit=may_commit)
        start = request.start or base
        _is_on_top(world, worked, start)
        world.remote.vet(start, worked.commit, request.bounds)
        number = len(room.store.load().proposals) + 1
        message = proposal_message(number, request.command)
        change = TreeChange(world.remote.made(start, worked.commit).writes, {})
        with repository.open(start) as session:
            # The other job looked for the secrets that it holds; these are others.
            withheld = tuple(secrets_in(context, session, change))
            commit = session.record(start, message, without(change, withheld), world.clock())
        result = suggest.record(context, request, Work(base, commit, _ran(worked), worked.warnings, withheld))
        return work.done(world, room, turn, request, result, repository)


def _ran(worked: Worked) -> Ran:
    trouble = Failure(*worked.trouble) if worked.trouble else None
    what = (worked.isolation, worked.network, worked.usage, trouble)
    return Ran(worked.exit_code, worked.seconds, worked.reasons, (), worked.answer, *what)


def _unpacked(world: World, room: Room, turn: Turn) -> Worked:
    """What was handed over for this command, with its commits taken in."""
    found = world.handed() if world.handed else None
    if found is None:
        raise bundle.lost()
    handed, commits = found
    _is_ours(room, handed)
    worked = handed.of(turn.re)
    if worked is None:
        raise bundle.lost()
    if worked.commit:
        known = [room.head, *filter(None, [world.pin]), *(one.base for one in handed.works if one.base)]
        world.remote.unpack(commits, handed.refs, known)
    return worked


def _is_ours(room: Room, handed: Bundle) -> None:
    """That it is about what this run was started for."""
    # The agent's job could not open the issue that a dispatch without one gets.
    thread = room.thread.number if room.trigger.thread else 0
    if (handed.thread, handed.asked) != (thread, room.trigger.key):
        raise bundle.refused("it is about another request")


def _base(world: World, room: Room, worked: Worked, head: str) -> str:
    """The commit that the agent started from: the one that was decided on, or an earlier one of the branch."""
    if worked.base == head or world.remote.tree(worked.base) == world.remote.tree(head):
        # Where an earlier command of the comment committed, there and here, the same files have two names.
        return head
    if room.pull is not None and world.pin is not None:
        if worked.base != world.pin:
            raise bundle.refused("it started from another commit than the one that was decided on")
        return world.pin
    if world.forge.parted(worked.base, head) != worked.base:
        raise bundle.refused("it started from a commit that is not of this branch")
    return worked.base


def _is_on_top(world: World, worked: Worked, start: str) -> None:
    """That the commit was made on the files that we would have given to the agent."""
    parents = world.remote.parents(worked.commit)
    if len(parents) != 1 or world.remote.tree(parents[0]) != world.remote.tree(start):
        raise bundle.refused("it was made on other files than an agent gets now")
