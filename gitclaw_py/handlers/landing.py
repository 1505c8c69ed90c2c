"""Bringing a selection onto a branch and into the files checked out from it: all of it or nothing.

Everything is planned before the first write. The branch moves by compare and swap, announced beforehand,
so that a crash between the branch and the files is repaired by the next command.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gitclaw_py.core import messages
from gitclaw_py.core.alignment import Alignment, Comparison
from gitclaw_py.core.applying import PartFinding, Plan, Target, View, paths_of, plan, targets
from gitclaw_py.core.state import Decision, State, Status, Verb, decided, statuses
from gitclaw_py.errors import InternalError
from gitclaw_py.handlers.context import Context
from gitclaw_py.ports import Head, Move, Seen, Session


class Order(NamedTuple):
    """What to bring where. ``branch`` None is the current one; without ``commits`` only the files change.

    ``partial`` takes what fits, ``sure`` takes the places that the guards asked about.
    """

    parts: tuple[str, ...]
    undo: bool = False
    branch: str | None = None
    commits: bool = True
    partial: bool = False
    sure: bool = False
    subject: str | None = None
    skipped: tuple[tuple[str, str], ...] = ()


class Landed(NamedTuple):
    """It is done. ``commit`` is None when the branch had everything already, or was not to change."""

    state: State
    branch: str
    commit: str | None
    findings: tuple[PartFinding, ...]
    left: tuple[PartFinding, ...]
    skipped: tuple[tuple[str, str], ...] = ()


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


def land(context: Context, state: State, order: Order) -> Landed | Stuck:
    """Carry out an order, with the state locked by the caller."""
    head = context.repository.branch(order.branch) if order.branch else context.repository.head()
    parts, left = list(order.parts), list[PartFinding]()
    with context.repository.open(head.oid) as session:
        while True:
            work = _targets(state, parts, undo=order.undo, sure=order.sure)
            plans = _planned(context, session, head, work, commits=order.commits)
            where, unplaced = _unplaced(plans)
            if not unplaced:
                break
            left += unplaced
            bad = {finding.part for finding in unplaced}
            parts = [part for part in parts if part not in bad]
            if not order.partial or not parts:
                return Stuck(state, head.name, where, tuple(left), order.parts)
        message = messages.landing_message(state, parts, undo=order.undo, subject=order.subject)
        commit = None
        if plans.branch.writes:
            commit = session.commit(head.oid, message, plans.branch.writes, plans.branch.blobs)
    if commit:
        commit = context.repository.signed(commit, head.oid, message)
    after = _decided(context, state, order, parts, commit, head)
    _write(context, after, plans, Move(head.ref, head.oid, commit) if commit else None, message)
    findings = plans.branch.findings if order.commits else plans.files.findings
    return Landed(after, head.name, commit, tuple(findings), tuple(left), order.skipped)


def recovered(context: Context) -> State:
    """The state, after what a crash left unfinished was finished or dropped; locked by the caller."""
    state = context.store.load()
    found = context.store.announced()
    if found is None:
        return state
    decision, move = found
    if not context.repository.contains(move.ref, move.new):
        context.store.withdraw()
        return state
    _finish(context, state, decision, move)
    after = decided(state, decision)
    context.store.save(after)
    return after


def current(context: Context) -> State:
    """The state to show; what a crash left unfinished is finished first."""
    if context.store.announced() is None:
        return context.store.load()
    with context.store.lock():
        return recovered(context)


def _finish(context: Context, state: State, decision: Decision, move: Move) -> None:
    """Bring the files to where the branch already is; what a person changed meanwhile stays as it is."""
    head = context.repository.head()
    if context.checkout is None or head.ref != move.ref:
        return
    work = _targets(state, decision.parts, undo=decision.verb is Verb.UNDO, sure=False)
    with context.repository.open(move.old) as session:
        plans = _planned(context, session, Head(move.ref, move.old), work, commits=True)
    _write_files(context, plans)
    for finding in plans.files.unplaced:
        context.note(messages.left_by_crash(finding.path))


def _targets(state: State, parts: Sequence[str], *, undo: bool, sure: bool) -> list[Target]:
    applied = [part for part, status in statuses(state).items() if status is Status.APPLIED]
    return targets(state.suggestions, parts, applied, undo=undo, sure=sure)


def _planned(context: Context, session: Session, head: Head, work: list[Target], *, commits: bool) -> _Plans:
    paths = paths_of(work)
    session.prefetch(paths)
    branch = _settled(context, work, session) if commits else Plan()
    if context.checkout is None or head.ref != context.repository.head().ref:
        return _Plans(branch, Plan(), Plan(), None)
    seen = context.checkout.look(session, head.oid, paths)
    staged = branch
    if seen.staged is not None and commits:
        staged = _settled(context, work, seen.staged)
    return _Plans(branch, staged, _settled(context, work, seen.worktree), seen)


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


def _decided(
    context: Context, state: State, order: Order, parts: Sequence[str], commit: str | None, head: Head
) -> State:
    # What the branch had already is applied by the commit it is at; None says: only in the files.
    by = (commit or head.oid) if order.commits else None
    verb = Verb.UNDO if order.undo else Verb.APPLY
    branch = head.name if order.commits else None
    return decided(state, Decision(verb, tuple(parts), context.actor, context.clock(), commit=by, branch=branch))


def _write(context: Context, after: State, plans: _Plans, move: Move | None, message: str) -> None:
    if move:
        context.store.announce(after.decisions[-1], move)
        context.repository.move(move, "gitclaw: " + message.partition("\n")[0])
    try:
        _write_files(context, plans)
    except InternalError as error:
        if move is None:
            raise
        raise messages.half_done(move.ref, error.what) from error
    context.store.save(after)


def _write_files(context: Context, plans: _Plans) -> None:
    if context.checkout is None or plans.seen is None:
        return
    ours = {**plans.staged.blobs, **plans.files.blobs}
    context.checkout.store(data for oid, data in ours.items() if oid not in plans.branch.blobs)
    if plans.staged.writes:
        context.checkout.write_index(plans.staged.writes, plans.seen.hidden)
    visible = {p: entry for p, entry in plans.files.writes.items() if p not in plans.seen.hidden}
    if visible:
        context.checkout.write_worktree(visible)
