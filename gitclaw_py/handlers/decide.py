"""Apply, reject and undo: decisions of people about numbers."""

from collections.abc import Sequence
from typing import NamedTuple

from gitclaw_py.core.decisions import to_apply, to_reject, to_undo
from gitclaw_py.core.selection import resolve
from gitclaw_py.core.state import Decision, State, Verb, applied_by, decided
from gitclaw_py.errors import UsageError
from gitclaw_py.handlers.context import Context
from gitclaw_py.handlers.landing import Landed, Order, Stuck, land, recovered, target


class NothingToDo(NamedTuple):
    """Nothing the command names is left to act on. ``skipped`` are parts left out, with the reason."""

    state: State
    skipped: tuple[tuple[str, str], ...] = ()


class Rejected(NamedTuple):
    """These parts were turned down, or with ``back`` are pending again after they had been."""

    state: State
    parts: tuple[str, ...]
    back: bool = False


def apply(context: Context, words: Sequence[str], order: Order) -> Landed | Stuck | NothingToDo:
    """Put the named parts on the branch as one commit, or none of them."""
    with context.locked():
        state = recovered(context)
        choice = to_apply(state, resolve(state, words), order.lacks)
        done = _done_there(context, state, order, choice.parts)
        skipped = (*choice.skipped, *((part, "it is applied already") for part in choice.parts if part in done))
        parts = tuple(part for part in choice.parts if part not in done)
        if not parts:
            return NothingToDo(state, skipped)
        order = order._replace(parts=parts, skipped=skipped)
        return land(context, state, _refuse_without_files(context, order))


def undo(context: Context, words: Sequence[str], order: Order) -> Landed | Stuck | Rejected | NothingToDo:
    """Take back the last apply, or what was decided about the named parts; their numbers are pending again."""
    with context.locked():
        state = recovered(context)
        choice = to_undo(state, resolve(state, words) if words else None, order.lacks)
        if not choice.parts:
            return NothingToDo(state)
        owners = applied_by(state)
        if not owners.keys() & set(choice.parts):
            return _noted(context, state, Verb.UNDO, choice.parts, None)
        branch = _one_place(state, owners, choice.parts)
        if order.branch is not None and order.branch != branch:
            _refuse_elsewhere(context, {state.decisions[owners[part]] for part in choice.parts}, order.branch)
        order = order._replace(parts=choice.parts, undo=True, commits=order.commits and branch is not None)
        if order.branch is None and branch is not None:
            order = order._replace(branch=_unless_current(context, branch))
        return land(context, state, _refuse_without_files(context, order))


def reject(context: Context, words: Sequence[str], reason: str | None) -> Rejected | NothingToDo:
    """Turn down the named parts, or everything that is pending. Needs no git."""
    with context.locked():
        state = recovered(context)
        choice = to_reject(state, resolve(state, words or ["all"]))
        if not choice.parts:
            return NothingToDo(state)
        return _noted(context, state, Verb.REJECT, choice.parts, reason)


def _noted(context: Context, state: State, verb: Verb, parts: tuple[str, ...], reason: str | None) -> Rejected:
    """Save a decision that needs no git."""
    after = decided(state, Decision(verb, parts, context.actor, context.clock(), reason))
    context.store.save(after)
    return Rejected(after, parts, back=verb is Verb.UNDO)


def _done_there(context: Context, state: State, order: Order, parts: Sequence[str]) -> set[str]:
    """The parts that we have applied where the order wants them, and that are there still.

    What a branch has lost since is applied once more; should it be there under another commit, it is found there.
    """
    owners = applied_by(state)
    by = {part: state.decisions[owners[part]] for part in parts if part in owners}
    if order.commits and by:
        head = target(context, order)
        by = {part: decision for part, decision in by.items() if decision.branch == head.name}
        kept = {d.commit: context.repository.contains(head.oid, d.commit) for d in set(by.values()) if d.commit}
        by = {part: decision for part, decision in by.items() if decision.commit is None or kept[decision.commit]}
    return set(by)


def _one_place(state: State, owners: dict[str, int], parts: Sequence[str]) -> str | None:
    """The branch that all the parts were applied on; None: only in the files.

    Raises:
        UsageError: ``USAGE``: they are in different places.
    """
    places = {part: state.decisions[owners[part]].branch for part in parts}
    if len(set(places.values())) > 1:
        told = ", ".join(
            f"{part} on {place}" if place else f"{part} in the files only" for part, place in places.items()
        )
        raise UsageError("USAGE", f"These were applied in different places: {told}", "take them back one by one")
    return next(iter(places.values()))


def _refuse_elsewhere(context: Context, applied: set[Decision], named: str) -> None:
    """Taking back where it never was would call it pending while the branch that has it keeps it.

    A branch that it was merged into will do, and so will any once the first one is gone.
    """
    ref = context.repository.branch(named).ref
    for decision in applied:
        if decision.branch is None or decision.commit is None:
            raise UsageError("USAGE", "It is in the files only, on no branch", "leave --branch out")
        has_it = context.repository.contains
        if has_it(f"refs/heads/{decision.branch}", decision.commit) and not has_it(ref, decision.commit):
            next_step = f"take it back there: leave --branch {named} out"
            raise UsageError("USAGE", f"It was applied on {decision.branch}, not on {named}", next_step)


def _unless_current(context: Context, branch: str) -> str | None:
    if branch == context.repository.head().name:
        return None
    if branch == "HEAD":
        next_step = "check that commit out, or name a branch with --branch"
        raise UsageError("USAGE", "It was applied on a detached HEAD, which is no longer checked out", next_step)
    return branch


def _refuse_without_files(context: Context, order: Order) -> Order:
    current = context.repository.head().name
    if order.commits or (context.checkout is not None and order.branch in (None, current)):
        return order
    what = f"{order.branch} is not what is checked out" if order.branch else "Nothing is checked out here"
    raise UsageError("USAGE", f"{what}, so there are no files to change without a commit", "leave --no-commit out")
