"""Letting the agent work on a thread's request, or on feedback to what it proposed before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gitclaw_py.core.command_lines import Refine, Run
from gitclaw_py.core.modes import Mode
from gitclaw_py.core.prompt import ending_of, prompt
from gitclaw_py.core.replies import proposals
from gitclaw_py.core.replies.wording import Run as Ending
from gitclaw_py.core.replies.wording import taken_back
from gitclaw_py.core.selection import resolve
from gitclaw_py.core.settings import AgentSettings, Network
from gitclaw_py.core.state import State, Status, open_parts
from gitclaw_py.core.thread import Comment
from gitclaw_py.errors import ConfigError, UsageError
from gitclaw_py.handlers import suggest
from gitclaw_py.handlers.carry import Receipt, Said, Turn, context_of, credit
from gitclaw_py.handlers.context import Context, World
from gitclaw_py.handlers.gather import Room
from gitclaw_py.handlers.landing import Landed, Order, land
from gitclaw_py.handlers.scratch import SCRATCH, ScratchStore
from gitclaw_py.handlers.suggest import Base, NothingProposed, Request, Suggested, Work
from gitclaw_py.handlers.texts import texts
from gitclaw_py.ports import Ran, Repository

Progress = Callable[[float, str], None]


class Job(NamedTuple):
    """What the agent is to do: the words of the request, and for feedback the numbers it is about.

    ``only_suggests``: whatever the mode, nothing is committed without a decision.
    """

    request: str
    refines: bool = False
    words: tuple[str, ...] = ()
    only_suggests: bool = False


class Finished(NamedTuple):
    """What a run left, so that it can be recorded again without running once more."""

    request: Request
    work: Work


def job_of(command: Run | Refine, state: State) -> Job:
    """A refinement names what it is about; a plain mention is one while something is pending.

    Raises:
        UsageError: ``USAGE``: nothing says what should be different.
    """
    match command:
        case Refine((), feedback) if not feedback.strip():
            raise UsageError(
                "USAGE", "/refine needs words: what should be different?", "write /refine 2 <what to change>"
            )
        case Refine(words, feedback):
            again = f"Make {', '.join(words)} again, on the files as they are now."
            return Job(feedback if feedback.strip() else again, refines=True, words=words)
        case Run(request, mentioned):
            return Job(request, refines=mentioned and bool(_pending(state, ())))


def ran(
    world: World,
    room: Room,
    turn: Turn,
    job: Job,
    comments: Sequence[Comment],
    progress: Progress,
    may_commit: Callable[[], bool],
) -> tuple[Said, Finished | None]:
    """Run the agent, record what it proposes in the clone, and say it.

    Where the mode commits, ``may_commit`` is asked after the agent has worked, which can be long.

    Raises:
        AgentError: ``AGENT_FAILED``, ``AGENT_TIMEOUT``: nothing was recorded.
        UsageError: the numbers do not exist, or nothing is pending to be refined.
        ConfigError: ``CONFIG_INVALID``: no agent is configured.
    """
    settings = room.settings.agent
    if not settings.name:
        raise ConfigError(
            "CONFIG_INVALID", "No agent is configured", 'set "agent": {"preset": "claude"} in suggestions.json'
        )
    state = room.store.load()
    world.remote.bring_all(room.target.ref)
    with world.remote.at(room.target.branch) as repository:
        context = context_of(world, room, repository, turn.asked.author)
        parts = _pending(state, job.words) if job.refines else ()
        if job.refines and not parts:
            raise UsageError(
                "ALREADY_DECIDED", "Nothing is pending that could be refined", "/gitclaw status shows what is"
            )
        start = _with_pending(world, context, state) if job.refines else None
        told = prompt(job.request, room.thread, comments, state, parts, ending=ending_of(settings.preset))
        agent = world.agent(settings, told.encode("utf-8", "replace"))
        request = _request(room, turn, job, start, parts)._replace(may_commit=may_commit)
        result = suggest.run(context, request, world.workspaces(repository), agent, progress)
        world.note(_log_line(settings, result.ran))
        said = _told(world, room, turn, result, repository)
    return said, _finished(request, result)


def _log_line(settings: AgentSettings, ran: Ran) -> str:
    return f"{settings.name} ran for {ran.seconds:.1f} s; isolation: {ran.isolation}, {ran.network}"


def again(world: World, room: Room, turn: Turn, finished: Finished) -> Said:
    """Record a finished run once more, on the state as it is now."""
    with world.remote.at(room.target.branch) as repository:
        context = context_of(world, room, repository, turn.asked.author)
        return _told(world, room, turn, suggest.record(context, finished.request, finished.work), repository)


def _pending(state: State, words: Sequence[str]) -> tuple[str, ...]:
    """What is pending and can be applied; of that, what these words name, if there are any."""
    pending = open_parts(state, Status.PENDING)
    if not words:
        return pending
    named = set(resolve(state, words).parts)
    return tuple(name for name in pending if name in named)


def _with_pending(world: World, context: Context, state: State) -> str | None:
    """The branch with all that is pending on it, in a commit that no branch of the forge will have."""
    head = context.repository.head()
    world.remote.start(SCRATCH, head.oid)
    order = Order(_pending(state, ()), branch=SCRATCH, partial=True)
    outcome = land(context._replace(store=ScratchStore(context.store)), state, order)
    return outcome.commit if isinstance(outcome, Landed) else None


def _request(room: Room, turn: Turn, job: Job, start: str | None, parts: Sequence[str]) -> Request:
    settings = room.settings
    # Only what can be pushed may be committed without a decision.
    commits = room.target.pushable and not job.only_suggests
    mode = settings.default_mode if commits else Mode.SUGGEST_ONLY
    replaces = tuple(parts) if job.words else ()
    return Request(
        (settings.agent.name, job.request),
        Base.COMMIT,
        mode,
        settings.risk_threshold,
        with_git=settings.agent.git,
        replaces=replaces,
        start=start,
        refines=job.refines,
        credit=credit(room, turn.asked.author),
        bounds=settings.limits.bounds,
    )


def _finished(request: Request, result: Suggested | NothingProposed) -> Finished | None:
    if isinstance(result, NothingProposed):
        return None
    return Finished(request, Work(result.proposal.base, result.proposal.commit, result.ran, result.warnings))


def _told(world: World, room: Room, turn: Turn, result: Suggested | NothingProposed, repository: Repository) -> Said:
    settings = room.settings
    open_network, name = settings.agent.network is Network.OPEN, settings.agent.name
    ending = Ending(name, result.ran.seconds, world.links.run, result.ran.usage, is_online=open_network)
    answer = result.ran.answer.decode("utf-8", "replace") if result.ran.answer else None
    if isinstance(result, NothingProposed):
        if result.repeated:
            numbers = ", ".join(map(str, result.repeated))
            answer = "\n\n".join(filter(None, [answer, f"The same changes are in this thread already, as {numbers}."]))
        bodies = proposals.answered(
            answer, re=turn.re, requester=turn.requester, run=ending, links=world.links, gone=result.taken_back
        )
        return Said(bodies, ok=not result.ran.exit_code)
    bodies = ()
    if result.conduct.shows or not isinstance(result.landed, Landed):
        with repository.open(result.proposal.commit) as session:
            bodies = proposals.proposal(
                result.state,
                result.proposal.number,
                texts(session),
                world.links,
                re=turn.re,
                requester=turn.requester,
                answer=answer,
                run=ending,
                warnings=result.warnings,
                repeated=result.repeated,
                conduct_note=f"{taken_back(result.taken_back)}." if result.taken_back else None,
                most=settings.max_suggestions_per_comment,
                show_rationale=settings.show_rationale,
            )
    receipt = Receipt(turn._replace(re=f"{turn.re}.c"), result.landed) if isinstance(result.landed, Landed) else None
    return Said(bodies, receipt=receipt)
