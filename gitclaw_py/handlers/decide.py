"""Apply, reject and undo: decisions of people about numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gitclaw_py.core.decisions import to_apply, to_reject, to_undo
from gitclaw_py.core.selection import resolve
from gitclaw_py.core.state import Decision, State, Verb, applied_by, decided
from gitclaw_py.errors import UsageError
from gitclaw_py.handlers.context import Context
from gitclaw_py.handlers.landing import Landed, Order, Stuck, land, recovered


class NothingToDo(NamedTuple):
    """Nothing the command names is left to act on. ``skipped`` are parts left out, with the reason."""

    state: State
    skipped: tuple[tuple[str, str], ...] = ()


class Rejected(NamedTuple):
    """These parts were turned down."""

    state: State
    parts: tuple[str, ...]


def apply(context: Context, words: Sequence[str], order: Order) -> Landed | Stuck | NothingToDo:
    """Put the named parts on the branch as one commit, or none of them."""
    with context.store.lock():
        state = recovered(context)
        choice = to_apply(state, resolve(state, words))
        if not choice.parts:
            return NothingToDo(state, choice.skipped)
        order = order._replace(parts=choice.parts, skipped=choice.skipped)
        return land(context, state, _refuse_without_files(context, order))


def undo(context: Context, words: Sequence[str], order: Order) -> Landed | Stuck | NothingToDo:
    """Take back the last apply, or the named parts; their numbers are pending again."""
    with context.store.lock():
        state = recovered(context)
        choice = to_undo(state, resolve(state, words) if words else None)
        if not choice.parts:
            return NothingToDo(state)
        owners = applied_by(state)
        by = {state.decisions[owners[part]].branch for part in choice.parts} - {None}
        order = order._replace(parts=choice.parts, undo=True, commits=order.commits and bool(by))
        if order.branch is None and len(by) == 1:
            order = order._replace(branch=_unless_current(context, by.pop()))
        return land(context, state, _refuse_without_files(context, order))


def reject(context: Context, words: Sequence[str], reason: str | None) -> Rejected | NothingToDo:
    """Turn down the named parts, or everything that is pending. Needs no git."""
    with context.store.lock():
        state = recovered(context)
        choice = to_reject(state, resolve(state, words or ["all"]))
        if not choice.parts:
            return NothingToDo(state)
        after = decided(state, Decision(Verb.REJECT, choice.parts, context.actor, context.clock(), reason))
        context.store.save(after)
        return Rejected(after, choice.parts)


def _unless_current(context: Context, branch: str | None) -> str | None:
    return None if branch == context.repository.head().name else branch


def _refuse_without_files(context: Context, order: Order) -> Order:
    if order.commits or (context.checkout is not None and order.branch is None):
        return order
    raise UsageError(
        "NOT_A_REPOSITORY",
        "Nothing is checked out here that could be changed without a commit",
        "leave --no-commit out",
    )
