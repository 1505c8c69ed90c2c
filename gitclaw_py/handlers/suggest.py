"""Running an agent and turning what it changed into numbered suggestions."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from gitclaw_py.core import policy, risk
from gitclaw_py.core.bounds import ON_ONE_S_OWN, Bounds, require_few
from gitclaw_py.core.decisions import to_reject
from gitclaw_py.core.diffs import SameChange
from gitclaw_py.core.digests import prefer_fast
from gitclaw_py.core.messages import Credit, proposal_message
from gitclaw_py.core.modes import Conduct, Mode, conduct
from gitclaw_py.core.reasons import explained, read_reasons
from gitclaw_py.core.risk import Assessment, Risk, assess
from gitclaw_py.core.selection import compact, resolve
from gitclaw_py.core.state import Decision, Proposal, State, Status, Verb, decided, proposed, status_of, statuses
from gitclaw_py.core.suggestions import Suggestion, suggest
from gitclaw_py.errors import AgentError, BudgetError, ConflictError, UsageError
from gitclaw_py.handlers.apart import Parted, is_shut, parted
from gitclaw_py.handlers.context import Context
from gitclaw_py.handlers.decide import NothingToDo
from gitclaw_py.handlers.landing import Landed, Order, Stuck, land, recovered
from gitclaw_py.handlers.looking import Looked, Withheld, looked_into, secrets_in, suggested, without
from gitclaw_py.handlers.watched import Watched
from gitclaw_py.ports.engine import Agent, Ran, Session, Workspaces, nobody


class Base(Enum):
    """What the agent starts from, or, for the last, what is the proposal itself."""

    COMMIT = "commit"
    WORKING_TREE = "working tree"
    UNCOMMITTED = "uncommitted"


class Request(NamedTuple):
    """One run: the command, what it starts from, and how far it may go.

    ``at`` is the base where it is another commit than the branch is at. ``start`` is a commit on top of the base that
    the workspace shows: pending suggestions that are worked on. With ``refines`` the pending suggestions of the files
    that were changed on top of it are replaced by the new ones. ``may_commit`` is asked where the mode commits, when
    it is about to. With ``publishes`` the proposal leaves this machine: a file with a new secret is not recorded
    at all. ``notes`` are what the one who asked should know about what the agent was told. ``steering`` is the commit
    whose files steer the agent, where that is not the base.
    """

    command: tuple[str, ...]
    base: Base
    mode: Mode
    threshold: Risk
    folder: str = ""
    with_git: bool = False
    replaces: tuple[str, ...] = ()
    at: str | None = None
    start: str | None = None
    refines: bool = False
    credit: Credit = Credit()
    bounds: Bounds = ON_ONE_S_OWN
    may_commit: Callable[[], bool] = lambda: True
    publishes: bool = False
    notes: tuple[str, ...] = ()
    steering: str | None = None


class Work(NamedTuple):
    """What a run left behind: the commit of it on top of ``base``, and what is not in there since it is secret.

    ``plain`` are the ids of contents that were looked into when they were recorded, and have nothing in them.
    """

    base: str
    commit: str
    ran: Ran
    warnings: tuple[str, ...]
    withheld: tuple[Withheld, ...] = ()
    plain: frozenset[str] = frozenset()


class NothingProposed(NamedTuple):
    """The run changed nothing, or nothing that was not proposed before (``repeated``: those numbers).

    ``taken_back`` are parts that a refinement did away with.
    """

    ran: Ran
    warnings: tuple[str, ...]
    work: Work
    repeated: tuple[int, ...] = ()
    taken_back: tuple[str, ...] = ()


class Suggested(NamedTuple):
    """A new proposal, and what was done with it at once."""

    state: State
    proposal: Proposal
    suggestions: tuple[Suggestion, ...]
    assessment: Assessment
    conduct: Conduct
    ran: Ran
    warnings: tuple[str, ...]
    work: Work
    repeated: tuple[int, ...] = ()
    landed: Landed | Stuck | NothingToDo | None = None
    taken_back: tuple[str, ...] = ()


def run(
    context: Watched, request: Request, workspaces: Workspaces, agent: Agent, progress: Callable[[float, str], None]
) -> Suggested | NothingProposed:
    """Run the agent and record what it proposes.

    The person's files, index and branches stay as they are, unless the mode says to commit.

    Raises:
        AgentError: it changed nothing. ``AGENT_FAILED``: it failed; ``MODEL_UNAVAILABLE``: it said that it could not
            use its model, whatever it ended with.
        BudgetError: ``BUDGET_EXCEEDED``: it came to a limit of its own, and changed nothing.
    """
    # What can stop us does so before the agent works, not after.
    with context.store.lock():
        state = recovered(context)
    if request.replaces:
        resolve(state, request.replaces)
    message = proposal_message(len(state.proposals) + 1, request.command)
    # Where git began to write the workspace already, this costs nothing.
    prefer_fast()
    risk.get_ready()
    policy.get_ready()
    with _worked(context, request, message, workspaces, agent, progress) as (session, work), context.store.lock():
        result = _recorded(context, request, session, work)
    if isinstance(result, NothingProposed) and not result.repeated and request.command:
        _check(request.command[0], work.ran, context.store.log)
    return _by_its_mode(context, result, request)


def _check(name: str, ran: Ran, log: Path) -> None:
    """What an agent that changed nothing says of itself: the exit code alone is not to be trusted."""
    if ran.failure is not None:
        is_budget = ran.failure.code == "BUDGET_EXCEEDED"
        what = f"{name} changed nothing" if is_budget else f"{name} could not use its model and changed nothing"
        step = "raise its limit, or ask for less" if is_budget else "check the key and whether the service is up"
        said = (ran.failure.what, *(line for line in ran.said if line != ran.failure.what))
        raise (BudgetError if is_budget else AgentError)(
            ran.failure.code, what, f"{step}, then run gitclaw suggest again", said
        )
    if ran.exit_code:
        what = f"{name} ended with {ran.exit_code} and changed nothing"
        raise AgentError("AGENT_FAILED", what, f"all it said is in {log}", ran.said)


def record(context: Watched, request: Request, work: Work) -> Suggested | NothingProposed:
    """Record once more what a run left behind, where someone else was faster to change the state."""
    with context.repository.open(work.base) as session, context.store.lock():
        result = _recorded(context, request, session, work)
    return _by_its_mode(context, result, request)


@contextmanager
def _worked(
    context: Watched,
    request: Request,
    message: str,
    workspaces: Workspaces,
    agent: Agent,
    progress: Callable[[float, str], None],
) -> Iterator[tuple[Session, Work]]:
    repository = context.repository
    base, tree, warnings = _base(context, request)
    if tree is not None:
        commit = repository.record_tree(tree, base, message, context.clock())
        with repository.open(base) as session:
            yield session, Work(base, commit, Ran(0, 0.0, None), warnings)
        return
    start = request.start or base
    with ExitStack() as stack:
        with workspaces.export(start, with_git=request.with_git, steering=request.steering) as workspace:
            context.store.prepare()
            ran = agent.run(workspace.path, request.folder, context.store.log, progress)
            session = stack.enter_context(repository.open(start))
            # What leaves this machine is not recorded before it is known to have no new secret.
            looked = Looked(context.watch, nobody if request.publishes else session.store)
            change = workspace.changes(request.bounds, looked.take)
            withheld = tuple(secrets_in(context, session, change)) if request.publishes else ()
            safe = without(change, withheld)
            commit = session.record(start, message, safe, context.clock())
        yield session, Work(base, commit, ran, (*warnings, *change.warnings), withheld, frozenset(looked.plain))


def _base(context: Context, request: Request) -> tuple[str, str | None, tuple[str, ...]]:
    """The base commit; the proposed tree, if it is there already; warnings."""
    if request.at is not None:
        return request.at, None, ()
    head = context.repository.head()
    if request.base is Base.COMMIT:
        return head.oid, None, ()
    if context.checkout is None:
        raise UsageError(
            "NOT_A_REPOSITORY", "Nothing is checked out here", "leave --working-tree and --uncommitted out"
        )
    tree, warnings = context.checkout.snapshot()
    if request.base is Base.UNCOMMITTED:
        return head.oid, tree, warnings
    return (
        context.repository.record_tree(tree, head.oid, "gitclaw: the working tree\n", context.clock()),
        None,
        warnings,
    )


def _recorded(context: Watched, request: Request, session: Session, work: Work) -> Suggested | NothingProposed:
    state = recovered(context)
    diffs = context.repository.diff(work.base, work.commit)
    touched = _touched(context, request, work) if request.refines else set[bytes]()
    if request.refines:
        diffs = [diff for diff in diffs if touched.intersection((diff.path, diff.old_path))]
    replaced = _replaced(state, request, touched)
    known = _known(state, replaced)
    number = len(state.proposals) + 1
    require_few(sum(len(diff.spans) for diff in diffs), request.bounds)
    made = suggest(diffs, session.texts, state.next_number, number, known)
    found = list(looked_into(context, session, made, work.plain))
    found += suggested(work.withheld, state.next_number + len(found), number, known)
    repeated = tuple(sorted(known[diff.change] for diff in diffs if diff.change in known))
    here = {path for s in found for path in (s.path, s.old_path)}
    gone = tuple(part for part in replaced if request.refines and not _is_of(state, part, here))
    if not found:
        if gone:
            context.store.save(_taken_back(context, state, request, gone))
        return NothingProposed(work.ran, work.warnings, work, repeated, gone)
    found, warnings = _with_reasons(context, found, work, request.folder)
    if failure := work.ran.failure:
        warnings = (*warnings, f"what is left to do: {request.command[0]} could not go on ({failure.what})")
    again = [s for s in state.suggestions if s.number in repeated]
    assessment = assess([*again, *found])
    splits = request.publishes and any(map(is_shut, diffs))
    stored = _parted(context, request, session, work, found) if splits else Parted(work.commit)
    for commit in filter(None, stored):
        context.repository.keep(commit)
    proposal = _proposal(number, request, (work, stored), assessment, context.clock())
    after = proposed(state, proposal, found)
    if renewed := tuple(part for part in replaced if part not in gone):
        numbers = tuple(s.number for s in found)
        word = Decision(Verb.REPLACE, renewed, context.actor, context.clock(), replaced_by=numbers)
        after = decided(after, word)
    after = _taken_back(context, after, request, gone)
    context.store.save(after)
    how = conduct(request.mode, assessment.level, request.threshold)
    # What is not committed without a decision has to be seen, also where the rest is committed silently.
    how = how._replace(shows=how.shows or any(s.blocked or s.careful for s in found))
    return Suggested(
        after, proposal, tuple(found), assessment, how, work.ran, warnings, work, repeated, taken_back=gone
    )


def _parted(context: Context, request: Request, session: Session, work: Work, found: Sequence[Suggestion]) -> Parted:
    message = proposal_message(found[0].proposal, request.command)
    return parted(context, session, (request.start or work.base, work.commit), message, found)


def _replaced(state: State, request: Request, touched: set[bytes]) -> tuple[str, ...]:
    """The parts that the new suggestions take the place of: what is pending of the files that were worked on."""
    if not request.refines:
        return to_reject(state, resolve(state, request.replaces)).parts if request.replaces else ()
    found = statuses(state)
    again = (s for s in state.suggestions if touched.intersection((s.path, s.old_path)))
    return tuple(name for s in again for name in s.parts if found[name] is Status.PENDING)


def _touched(context: Context, request: Request, work: Work) -> set[bytes]:
    """The paths that a refinement changed on top of what was pending."""
    diffs = context.repository.diff(request.start or work.base, work.commit)
    return {path for diff in diffs for path in (diff.path, diff.old_path)}


def _is_of(state: State, part: str, paths: set[bytes]) -> bool:
    suggestion = state.suggestion(int(part.partition(".")[0]))
    return suggestion is not None and not paths.isdisjoint((suggestion.path, suggestion.old_path))


def _taken_back(context: Context, state: State, request: Request, gone: tuple[str, ...]) -> State:
    """The state after a refinement that left nothing of these: the agent took them back, not who asked."""
    if not gone:
        return state
    reason = "taken back when it was asked again"
    return decided(state, Decision(Verb.REJECT, gone, request.command[0], context.clock(), reason))


def _proposal(number: int, request: Request, made: tuple[Work, Parted], assessment: Assessment, at: int) -> Proposal:
    work, (commit, apart) = made
    code, level, score = work.ran.exit_code, assessment.level, assessment.score
    how = work.ran.isolation or None
    return Proposal(number, work.base, commit, at, request.command, code, request.mode, level, score, how, apart)


def _known(state: State, replaced: Sequence[str]) -> dict[SameChange, int]:
    """The changes that wait for a decision, and will go on waiting, and those that were turned down."""
    found = statuses(state)
    return {
        s.change: s.number
        for s in state.suggestions
        if status_of(s, found) in (Status.PENDING, Status.REJECTED) and not set(s.parts).intersection(replaced)
    }


def _with_reasons(
    context: Watched, found: list[Suggestion], work: Work, folder: str
) -> tuple[list[Suggestion], tuple[str, ...]]:
    if work.ran.reasons is None:
        return found, work.warnings
    if told := context.watch.first(work.ran.reasons):
        return found, (*work.warnings, f"the reasons were left out: there is a secret in them ({told.rule})")
    try:
        return explained(found, read_reasons(work.ran.reasons, folder)), work.warnings
    except ValueError as error:
        return found, (*work.warnings, f"the reasons could not be read: {error}")


def _by_its_mode(
    context: Context, result: Suggested | NothingProposed, request: Request
) -> Suggested | NothingProposed:
    """What was recorded, committed at once where the mode says so and who asked may do so now."""
    if isinstance(result, Suggested) and result.conduct.commits and request.may_commit():
        return _committed(context, result, request.credit)
    return result


def _committed(context: Context, result: Suggested, credit: Credit) -> Suggested:
    found = statuses(result.state)
    again = (s for s in result.state.suggestions if s.number in result.repeated)
    wanted = (name for s in (*again, *result.suggestions) if not (s.blocked or s.careful) for name in s.parts)
    parts = tuple(name for name in wanted if found[name] is Status.PENDING)
    with context.store.lock():
        state = recovered(context)
        try:
            landed = land(context, state, Order(parts, credit=credit)) if parts else NothingToDo(state)
        except ConflictError as error:
            if error.code != "STATE_CONFLICT":
                raise
            # The agent need not work again.
            next_step = f"the proposal is kept: gitclaw apply {compact(state, parts).replace(', ', ',')}"
            raise ConflictError(error.code, error.what, next_step, error.details, named=error.named) from error
    return result._replace(state=landed.state, landed=landed)
