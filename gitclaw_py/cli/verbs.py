"""Each verb of a thread in a terminal: wires the adapters, calls the handler, says the outcome."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import assert_never

from gitclaw_py.adapters.git_place import Search
from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.cli.invocation import CONFLICT, Invocation, invocation, outcome_document
from gitclaw_py.core import outcomes
from gitclaw_py.core.messages import Credit
from gitclaw_py.core.number_words import with_reason
from gitclaw_py.core.paint import safe
from gitclaw_py.core.selection import resolve
from gitclaw_py.core.state import statuses
from gitclaw_py.core.suggestions import with_parts
from gitclaw_py.errors import ConfigError, UsageError
from gitclaw_py.handlers import decide
from gitclaw_py.handlers.landing import Landed, Order, Stuck, current


def run(options: Namespace, command: tuple[str, ...], terminal: Terminal, searching: Search) -> int:
    """Run a verb of a thread, in the repository that git was told to look for, and return the exit code."""
    with invocation(options, command, terminal, searching) as call:
        return VERBS[options.verb](call)


def _status(call: Invocation) -> int:
    state = current(call.context)
    if call.as_json:
        from gitclaw_py.core.status import document

        call.terminal.say_json(document(state))
    elif not state.suggestions:
        call.terminal.say(outcomes.nothing_to_do(state, call.other_threads()))
    else:
        call.terminal.say(f"Thread {safe(state.thread)}: {outcomes.progress_line(state)}\n")
        from gitclaw_py.core import render

        look = render.Look(call.terminal.paint, _shows_reasons(call), call.terminal.width)
        call.terminal.say(render.table(state, state.suggestions, look))
    return 0


def _shows_reasons(call: Invocation) -> bool:
    """What the configuration says; a broken one does not keep anyone from looking."""
    try:
        return call.settings.show_rationale
    except ConfigError as error:
        from gitclaw_py.core.settings import DEFAULT

        call.terminal.warn(f"{error.what}; {error.next_step}")
        return DEFAULT.show_rationale


def _show(call: Invocation) -> int:
    from gitclaw_py.core import render
    from gitclaw_py.core.status import document
    from gitclaw_py.handlers.texts import texts

    state = current(call.context)
    parts = resolve(state, call.options.numbers).parts
    chosen = with_parts(state.suggestions, parts)
    if call.as_json:
        wanted = {s.number for s in chosen}
        call.terminal.say_json([s for s in document(state)["suggestions"] if s["number"] in wanted])
        return 0
    with call.repository.open(state.proposal(chosen[0].proposal).commit) as session:
        look = render.Look(call.terminal.paint, _shows_reasons(call))
        how = render.Showing(look, state, statuses(state), parts, most=None)
        for s in chosen:
            call.terminal.say("\n".join(render.diffs(s, texts(session), how)) + "\n")
    return 0


def _apply(call: Invocation) -> int:
    return _told(call, decide.apply(call.context, call.options.numbers, _order(call)), undo=False)


def _undo(call: Invocation) -> int:
    return _told(call, decide.undo(call.context, call.options.numbers, _order(call)), undo=True)


def _order(call: Invocation) -> Order:
    options = call.options
    if options.message and options.no_commit:
        raise UsageError("USAGE", "--no-commit makes no commit for a message", "leave out one of the two")
    return Order(
        (),
        branch=options.branch,
        commits=not options.no_commit,
        partial=getattr(options, "partial", False),
        sure=options.sure,
        credit=Credit(options.message),
    )


Outcome = Landed | Stuck | decide.Rejected | decide.NothingToDo


def _told(call: Invocation, outcome: Outcome, *, undo: bool) -> int:
    code = CONFLICT if isinstance(outcome, Stuck) or (isinstance(outcome, Landed) and outcome.left) else 0
    if call.as_json:
        call.terminal.say_json(outcome_document(outcome, undo=undo))
    else:
        for line in _lines(call, outcome, undo=undo):
            (call.terminal.note if isinstance(outcome, Stuck) else call.terminal.say)(line)
    return code


def _lines(call: Invocation, outcome: Outcome, *, undo: bool) -> Iterator[str]:
    paint, state = call.terminal.paint, outcome.state
    match outcome:
        case Landed():
            commits = outcome.commit is not None or state.decisions[-1].commit is not None
            yield from outcomes.kept(outcome.kept)
            yield from outcomes.landed(
                state, outcome.branch, outcome.commit, outcome.findings, paint, undo=undo, commits=commits
            )
            yield from outcomes.left(state, outcome.left, paint)
            yield from outcomes.skipped(outcome.skipped)
        case Stuck():
            yield from outcomes.stuck(
                state, outcome.branch, outcome.where, outcome.findings, paint, undo=undo, chosen=outcome.chosen
            )
        case decide.Rejected():
            yield from outcomes.rejected(state, outcome.parts, back=outcome.back)
        case decide.NothingToDo():
            yield outcomes.nothing_to_do(state, call.other_threads())
            yield from outcomes.skipped(outcome.skipped)
        case never:
            assert_never(never)


def _reject(call: Invocation) -> int:
    words = call.options.words
    numbers, reason = with_reason(words)
    if words and not numbers:
        next_step = f'name numbers first, or say all: gitclaw reject all "{" ".join(words)}"'
        raise UsageError("USAGE", f"{words[0]} is no number of a suggestion", next_step)
    outcome = decide.reject(call.context, numbers, safe(reason) or None)
    return _told(call, outcome, undo=False)


def _suggest(call: Invocation) -> int:
    from gitclaw_py.cli.suggest import suggest

    return suggest(call)


VERBS: dict[str, Callable[[Invocation], int]] = {
    "suggest": _suggest,
    "status": _status,
    "show": _show,
    "apply": _apply,
    "reject": _reject,
    "undo": _undo,
}
"""The verbs that work in a repository, by name."""
