"""Letting the agent work on a thread's request, or on feedback to what it proposed before."""

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
from gitclaw_py.errors import AgentError, ConfigError, UsageError
from gitclaw_py.handlers import audience, gather, suggest
from gitclaw_py.handlers.audience import INCLUDE
from gitclaw_py.handlers.carry import Receipt, Said, Turn, context_of, credit
from gitclaw_py.handlers.gather import Room
from gitclaw_py.handlers.landing import Landed, Order, land
from gitclaw_py.handlers.scratch import SCRATCH, ScratchStore
from gitclaw_py.handlers.suggest import Base, NothingProposed, Request, Suggested, Work
from gitclaw_py.handlers.texts import texts
from gitclaw_py.handlers.watched import Watched
from gitclaw_py.handlers.world import World
from gitclaw_py.ports.engine import Ran, Repository

Progress = Callable[[float, str], None]


class Job(NamedTuple):
    """What the agent is to do: the words of the request, and for feedback the numbers it is about.

    ``only_suggests``: whatever the mode, nothing is committed without a decision. With ``everyone`` it reads what
    anybody wrote in the thread.
    """

    request: str
    refines: bool = False
    words: tuple[str, ...] = ()
    only_suggests: bool = False
    everyone: bool = False


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
            first, _, rest = request.strip().partition(" ") if INCLUDE in request else ("", "", "")
            everyone = first.strip() == INCLUDE
            asked = rest.strip() if everyone else request
            return Job(asked, refines=mentioned and bool(_pending(state, ())), everyone=everyone)


class Done(NamedTuple):
    """A run that ended: what is to be said, what it left, and whether that became suggestions."""

    said: Said
    finished: Finished
    proposed: bool


def ran(
    world: World,
    room: Room,
    turn: Turn,
    job: Job,
    comments: Sequence[Comment],
    progress: Progress,
    may_commit: Callable[[], bool],
) -> Done:
    """Run the agent, record what it proposes in the clone, and say it.

    Where the mode commits, ``may_commit`` is asked after the agent has worked, which can be long.

    Raises:
        AgentError: ``AGENT_FAILED``, ``AGENT_TIMEOUT``: nothing was recorded.
        UsageError: the numbers do not exist, or nothing is pending to be refined.
        ConfigError: ``CONFIG_INVALID``: no agent is configured.
    """
    has_agent(room)
    state = room.store.load()
    pin = world.pin if room.pull is not None and not _is_moved(world, room) else None
    if pin is not None and pin != room.head:
        world.remote.bring_commit(pin)
    world.remote.bring_all(pin or room.target.ref)
    if room.target.branch != room.trigger.default_branch:
        world.remote.bring_all(f"refs/heads/{room.trigger.default_branch}")
    with world.remote.at(room.target.branch) as repository:
        context = context_of(world, room, repository, turn.asked.author)
        request, parts = requested(world, room, turn, job, (context, pin or repository.head().oid))
        known = audience.heard(world, room, turn, comments, everyone=job.everyone, body=not job.request.strip())
        ending = ending_of(room.settings.agent.preset)
        told = prompt(job.request, room.thread, known.comments, state, parts, ending=ending, with_body=known.body)
        agent = world.agent(room.settings.agent, told.text.encode("utf-8", "replace"))
        notes = tuple(audience.told(known.left_out, told.hidden))
        steering = repository.branch(room.trigger.default_branch).oid
        request = request._replace(may_commit=may_commit, notes=notes, steering=steering)
        result = suggest.run(context, request, world.workspaces(repository), agent, progress)
        world.note(_log_line(room.settings.agent, result.ran))
        return done(world, room, turn, request, result, repository)


def has_agent(room: Room) -> None:
    """Whether there is one at all.

    Raises:
        ConfigError: ``CONFIG_INVALID``: there is none.
    """
    if not room.settings.agent.name:
        raise ConfigError(
            "CONFIG_INVALID", "No agent is configured", 'set "agent": {"preset": "claude"} in suggestions.json'
        )


def requested(
    world: World, room: Room, turn: Turn, job: Job, where: tuple[Watched, str]
) -> tuple[Request, Sequence[str]]:
    """The run to be made, or made elsewhere, on a base, and the pending parts that it is about.

    Raises:
        UsageError: the numbers do not exist, or nothing is pending to be refined.
    """
    context, base = where
    state = room.store.load()
    parts = _pending(state, job.words) if job.refines else ()
    if job.refines and not parts:
        raise UsageError("ALREADY_DECIDED", "Nothing is pending that could be refined", "/gitclaw status shows what is")
    if job.refines:
        gather.bring_parts(world, room._replace(head=base), _pending(state, ()))
    start = _with_pending(world, context, state, base) if job.refines else None
    return _request(room, turn, job, base, start, parts), parts


def done(
    world: World, room: Room, turn: Turn, request: Request, result: Suggested | NothingProposed, repository: Repository
) -> Done:
    """A run that was recorded, with what is to be said about it."""
    finished = Finished(request, result.work)
    return Done(_told(world, room, turn, (request, result), repository), finished, isinstance(result, Suggested))


def _is_moved(world: World, room: Room) -> bool:
    """Whether an earlier command of the same comment committed something, on this clone."""
    return any(move.ref == room.target.ref for move in world.remote.moves([room.target.ref]))


def _log_line(settings: AgentSettings, ran: Ran) -> str:
    return f"{settings.name} ran for {ran.seconds:.1f} s; isolation: {ran.isolation}, {ran.network}"


def again(world: World, room: Room, turn: Turn, finished: Finished) -> Said:
    """Record a finished run once more, on the state as it is now."""
    with world.remote.at(room.target.branch) as repository:
        context = context_of(world, room, repository, turn.asked.author)
        made = suggest.record(context, finished.request, finished.work)
        return _told(world, room, turn, (finished.request, made), repository)


def _pending(state: State, words: Sequence[str]) -> tuple[str, ...]:
    """What is pending and can be applied; of that, what these words name, if there are any."""
    pending = open_parts(state, Status.PENDING)
    if not words:
        return pending
    named = set(resolve(state, words).parts)
    return tuple(name for name in pending if name in named)


def _with_pending(world: World, context: Watched, state: State, base: str) -> str | None:
    """The base with all that is pending on it, in a commit that no branch of the forge will have."""
    world.remote.start(SCRATCH, base)
    order = Order(_pending(state, ()), branch=SCRATCH, partial=True)
    outcome = land(context.keeping(ScratchStore(context.store)), state, order)
    return outcome.commit if isinstance(outcome, Landed) else None


def _request(room: Room, turn: Turn, job: Job, base: str, start: str | None, parts: Sequence[str]) -> Request:
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
        at=base,
        start=start,
        refines=job.refines,
        credit=credit(room, turn.asked.author),
        bounds=settings.limits.bounds,
        publishes=True,
    )


def _told(
    world: World,
    room: Room,
    turn: Turn,
    done: tuple[Request, Suggested | NothingProposed],
    repository: Repository,
) -> Said:
    request, result = done
    settings = room.settings
    ending, answer = _ending(world, settings.agent, result.ran), _answer(world, result.ran)
    if isinstance(result, NothingProposed):
        bodies = proposals.answered(
            answer,
            re=turn.re,
            requester=turn.requester,
            run=ending,
            links=world.links,
            gone=result.taken_back,
            repeated=result.repeated,
            notes=request.notes,
            warnings=result.warnings,
        )
        failed = result.ran.exit_code
        return Said(bodies, ok=not failed, exit_code=AgentError.exit_code if failed else 0)
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
                notes=request.notes,
                repeated=result.repeated,
                conduct_note=f"{taken_back(result.taken_back)}." if result.taken_back else None,
                most=settings.max_suggestions_per_comment,
                show_rationale=settings.show_rationale,
            )
    receipt = Receipt(turn._replace(re=f"{turn.re}.c"), result.landed) if isinstance(result.landed, Landed) else None
    return Said(bodies, receipt=receipt)


def _ending(world: World, agent: AgentSettings, ran: Ran) -> Ending:
    return Ending(agent.name, ran.seconds, world.links.run, ran.usage, is_online=agent.network is Network.OPEN)


def _answer(world: World, ran: Ran) -> str | None:
    """What it has to say, or that there is a secret in it."""
    answer = ran.answer.decode("utf-8", "replace") if ran.answer else None
    if answer and (hit := world.watch.in_text(answer)):
        return f"The agent's answer is not shown: there is a secret in it ({hit})."
    return answer
