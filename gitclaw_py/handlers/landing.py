"""Bringing a selection onto a branch and into the files checked out from it: all of it or nothing.

Everything is planned before the first write. The branch moves by compare and swap, announced beforehand,
so that a crash between the branch and the files is repaired by the next command.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from gitclaw_py.core import messages
from gitclaw_py.core.alignment import Alignment, Comparison
from gitclaw_py.core.applying import PartFinding, Plan, Target, View, paths_of, plan, targets, texts_of
from gitclaw_py.core.decisions import require_allowed
from gitclaw_py.core.diffs import Entry
from gitclaw_py.core.placing import Verdict
from gitclaw_py.core.selection import compact
from gitclaw_py.core.state import Decision, State, Verb, applied_by, decided
from gitclaw_py.errors import GitclawError, InternalError
from gitclaw_py.handlers.context import Context
from gitclaw_py.ports.values import Head, Move, Seen

if TYPE_CHECKING:
    from gitclaw_py.ports.engine import Session


class Order(NamedTuple):
    """What to bring where. ``branch`` None is the current one; without ``commits`` only the files change.

    ``partial`` takes what fits, ``sure`` takes the places that the guards asked about. ``lacks`` is the access that
    sensitive changes need and the actor does not have.
    """

    parts: tuple[str, ...]
    undo: bool = False
    branch: str | None = None
    commits: bool = True
    partial: bool = False
    sure: bool = False
    credit: messages.Credit = messages.Credit()
    skipped: tuple[tuple[str, str], ...] = ()
    lacks: str = ""


class Landed(NamedTuple):
    """It is done. ``commit`` is None when the branch had everything already, or was not to change."""

    state: State
    branch: str
    commit: str | None
    findings: tuple[PartFinding, ...]
    left: tuple[PartFinding, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    kept: tuple[tuple[str, str], ...] = ()


class Stuck(NamedTuple):
    """Nothing was written. ``where`` is what does not take the selection: the branch, the index or the files."""

    state: State
    branch: str
    where: str
    findings: tuple[PartFinding, ...]
    chosen: tuple[str, ...]


class _Plans(NamedTuple):
    branch: Plan
    staged: Plan
    files: Plan
    seen: Seen | None
    kept: tuple[tuple[str, str], ...] = ()


def target(context: Context, order: Order) -> Head:
    """The branch that an order is for."""
    return context.repository.branch(order.branch) if order.branch else context.repository.head()


def land(context: Context, state: State, order: Order) -> Landed | Stuck:
    """Carry out an order, with the state locked by the caller.

    Raises:
        RefusedError: it names what nobody, or not this actor, may have us do, whoever has let it through.
    """
    require_allowed(state, order.parts, order.lacks)
    head = target(context, order)
    parts, left = list(order.parts), list[PartFinding]()
    with context.repository.open(head.oid, commits=order.commits) as session:
        while True:
            plans = _planned(context, state, session, head, order._replace(parts=tuple(parts)))
            where, unplaced = _unplaced(plans)
            if not unplaced:
                break
            left += unplaced
            bad = {finding.part for finding in unplaced}
            parts = [part for part in parts if part not in bad]
            if not order.partial or not parts:
                return Stuck(state, head.name, where, tuple(left), order.parts)
        message = messages.landing_message(state, parts, undo=order.undo, credit=order.credit)
        commit = None
        if plans.branch.writes:
            commit = session.commit(head.oid, message, plans.branch.writes, plans.branch.blobs)
    if commit:
        commit = context.repository.signed(commit, head.oid, message)
    after = decided(state, _decision(context, state, order, parts, commit, head, plans))
    _write(context, after, plans, Move(head.ref, head.oid, commit) if commit else None, message)
    findings = plans.branch.findings if order.commits else plans.files.findings
    return Landed(after, head.name, commit, tuple(findings), tuple(left), order.skipped, plans.kept)


def recovered(context: Context) -> State:
    """The state, after what a crash left unfinished was finished or dropped; locked by the caller."""
    state = context.store.load()
    found = context.store.announced()
    if found is None:
        return state
    decision, move = found
    if move is not None and not context.repository.contains(move.ref, move.new):
        context.note(messages.dropped(compact(state, decision.parts), move.ref))
        context.store.withdraw()
        return state
    _finish(context, state, decision, move)
    after = decided(state, decision)
    context.store.save(after)
    return after


def current(context: Context) -> State:
    """The state to show; what a crash left unfinished is finished first, if it can be."""
    if context.store.announced() is None:
        return context.store.load()
    with context.locked():
        try:
            return recovered(context)
        except InternalError as error:
            context.note(messages.unfinished(error.what))
            return context.store.load()


def _finish(context: Context, state: State, decision: Decision, move: Move | None) -> None:
    """Bring the files to where the branch already is; what a person changed meanwhile stays as it is.

    Where the commit is not in what is checked out now, the files are those of another branch, and right.
    """
    if context.checkout is None or (move is not None and not context.repository.contains("HEAD", move.new)):
        return
    here = context.repository.head()
    order = Order(decision.parts, undo=decision.verb is Verb.UNDO, commits=decision.branch is not None)
    head = Head(here.ref, move.old if move else here.oid)
    with context.repository.open(head.oid) as session:
        plans = _planned(context, state, session, head, order)
    _stage(context, plans)
    _write_files(context, plans)
    for finding in plans.files.unplaced:
        context.note(messages.left_by_crash(finding.path))


def _planned(context: Context, state: State, session: "Session", head: Head, order: Order) -> _Plans:
    """What to write where. Taking back leaves alone, in each place, what was there before it was applied."""
    on_branch, in_index, in_files = _there_before(state, order)
    everywhere = _targets(state, order)
    work = _without(everywhere, on_branch)
    paths = paths_of(everywhere)
    session.prefetch(paths)
    session.expect(texts_of(everywhere, session))
    branch = _settled(context, work, session) if order.commits else Plan()
    kept = [(part, messages.STAYS) for part in sorted(on_branch)]
    if context.checkout is None or head.ref != context.repository.head().ref:
        return _Plans(branch, Plan(), Plan(), None, tuple(kept))
    seen = context.checkout.look(session, head.oid, paths)
    staged = branch
    if order.commits and (seen.staged is not None or in_index != on_branch):
        staged = _settled(context, _without(everywhere, in_index), seen.staged or session)
    kept += [(part, messages.STAYS_IN_FILES) for part in sorted(in_files - on_branch)]
    files = _settled(context, _without(everywhere, in_files), seen.worktree)
    return _Plans(branch, staged, files, seen, tuple(kept))


def _targets(state: State, order: Order) -> list[Target]:
    return targets(state.suggestions, order.parts, applied_by(state), undo=order.undo, sure=order.sure)


def _without(work: list[Target], parts: set[str]) -> list[Target]:
    left = (target._replace(chosen=target.chosen - parts) for target in work)
    return [target for target in left if target.chosen]


def _there_before(state: State, order: Order) -> tuple[set[str], set[str], set[str]]:
    """Of what is taken back: what the branch, the index and the files had before it was applied."""
    if not order.undo:
        return set(), set(), set()
    owners = applied_by(state)
    by = {part: state.decisions[owners[part]] for part in order.parts if part in owners}
    on_branch = {part for part, decision in by.items() if part in decision.on_branch}
    in_index = {part for part, decision in by.items() if part in decision.in_index}
    in_files = {part for part, decision in by.items() if part in decision.in_files}
    return on_branch, on_branch | in_index, on_branch | in_files


def _settled(context: Context, work: list[Target], view: View) -> Plan:
    """The plan, after every comparison it needs has been made."""
    known: dict[Comparison, Alignment] = {}
    while True:
        result = plan(work, view, known)
        if isinstance(result, Plan):
            return result
        known.update(context.repository.compare(list(dict.fromkeys(result))))


def _unplaced(plans: _Plans) -> tuple[str, list[PartFinding]]:
    named = (("the branch", plans.branch), ("the index", plans.staged), ("your files", plans.files))
    return next(((where, found.unplaced) for where, found in named if found.unplaced), ("", []))


def _decision(
    context: Context, state: State, order: Order, parts: Sequence[str], commit: str | None, head: Head, plans: _Plans
) -> Decision:
    # What the branch had already is applied by the commit it is at.
    by, branch = (commit or head.oid, head.name) if order.commits else (None, None)
    verb = Verb.UNDO if order.undo else Verb.APPLY
    plain = Decision(verb, tuple(parts), context.actor, context.clock(), commit=by, branch=branch)
    if order.undo:
        return plain
    ours = {part: state.decisions[place].in_files for part, place in applied_by(state).items()}
    # In the files by our own hand, without a commit, is not there before.
    in_files = tuple(part for part in _already(plans.files) if part not in ours or part in ours[part])
    in_index = _already(plans.staged) if plans.seen is not None and plans.seen.staged is not None else ()
    return plain._replace(on_branch=_already(plans.branch), in_index=in_index, in_files=in_files)


def _already(plan: Plan) -> tuple[str, ...]:
    return tuple(finding.part for finding in plan.findings if finding.verdict is Verdict.ALREADY)


def _write(context: Context, after: State, plans: _Plans, move: Move | None, message: str) -> None:
    try:
        _stage(context, plans)
        context.store.announce(after.decisions[-1], move)
        if move:
            context.repository.move(move, "gitclaw: " + message.partition("\n")[0])
    except GitclawError:
        context.store.withdraw()
        if context.checkout is not None:
            context.checkout.unstage()
        raise
    try:
        _write_files(context, plans)
    except InternalError as error:
        raise messages.half_done(move.ref if move else None, error.what) from error
    context.store.save(after)


def _stage(context: Context, plans: _Plans) -> None:
    """Make the new files beside the old ones: whatever can fail about them fails before anything has changed."""
    if context.checkout is None or plans.seen is None:
        return
    ours = {**plans.staged.blobs, **plans.files.blobs}
    context.checkout.store(data for oid, data in ours.items() if oid not in plans.branch.blobs)
    context.checkout.stage(_visible(plans, plans.seen))


def _write_files(context: Context, plans: _Plans) -> None:
    if context.checkout is None or plans.seen is None:
        return
    if plans.staged.writes:
        context.checkout.write_index(plans.staged.writes, plans.seen)
    context.checkout.write_worktree(_visible(plans, plans.seen))


def _visible(plans: _Plans, seen: Seen) -> dict[bytes, Entry | None]:
    return {path: entry for path, entry in plans.files.writes.items() if path not in seen.hidden}
