"""The verb ``suggest``: runs a command on a copy of the repository and says what it proposes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from gitclaw_py.adapters.command_agent import CommandAgent, passed
from gitclaw_py.adapters.directory_workspace import DirectoryWorkspaces
from gitclaw_py.cli.invocation import CONFLICT, Invocation, outcome_document
from gitclaw_py.core import outcomes, render
from gitclaw_py.core.modes import Mode
from gitclaw_py.core.settings import AgentSettings, Isolation, Settings
from gitclaw_py.core.state import statuses
from gitclaw_py.core.status import document
from gitclaw_py.errors import UsageError
from gitclaw_py.handlers.landing import Landed, Stuck, current
from gitclaw_py.handlers.suggest import Base, NothingProposed, Request, Suggested, run
from gitclaw_py.handlers.texts import texts


def suggest(call: Invocation) -> int:
    """Run the command, record the proposal, show it."""
    settings = call.settings
    request = _request(call, settings)
    agent = _agent(call, settings.agent)
    name = os.path.basename(call.command[0]) if call.command else ""
    outcome = run(call.context, request, DirectoryWorkspaces(call.repository), agent, call.terminal.progress(name))
    call.terminal.end_progress()
    for warning in outcome.warnings:
        call.terminal.warn(warning)
    if isinstance(outcome, NothingProposed):
        _say_nothing(call, outcome)
        return 0
    _say(call, outcome, settings)
    return CONFLICT if isinstance(outcome.landed, Stuck) else 0


def _agent(call: Invocation, settings: AgentSettings) -> CommandAgent:
    """What was typed runs as the person would run it, unless it is to be kept apart."""
    timeout = call.options.timeout
    if not call.options.isolate:
        return CommandAgent(call.command, call.environment, timeout)
    from gitclaw_py.adapters.isolation.box import Box

    wanted = Isolation.AUTO if settings.isolation is Isolation.NONE else settings.isolation
    box = Box(settings._replace(isolation=wanted), call.environment)
    return CommandAgent(call.command, passed(settings, call.environment), timeout, box=box)


def _request(call: Invocation, settings: Settings) -> Request:
    options = call.options
    if options.git and options.uncommitted:
        raise UsageError("USAGE", "--uncommitted runs no command that could need git", "leave out one of the two")
    if call.command and options.uncommitted:
        raise UsageError("USAGE", "--uncommitted runs no command", "leave out one of the two")
    if not call.command and not options.uncommitted:
        next_step = "write one after two dashes, like gitclaw suggest -- ruff check --fix ."
        raise UsageError("USAGE", "No command was given", next_step)
    base = Base.UNCOMMITTED if options.uncommitted else Base.WORKING_TREE if options.working_tree else Base.COMMIT
    folder = os.path.relpath(call.directory, call.repository.directory) if not call.repository.bare else "."
    mode = Mode(options.mode) if options.mode else settings.default_mode
    replaces = tuple(options.replaces.split()) if options.replaces else ()
    return Request(call.command, base, mode, settings.risk_threshold, folder, options.git, replaces)


def _say_nothing(call: Invocation, outcome: NothingProposed) -> None:
    if call.as_json:
        call.terminal.say_json(
            {
                "outcome": "nothing proposed",
                "repeated": list(outcome.repeated),
                "exit_code": outcome.ran.exit_code,
                "warnings": list(outcome.warnings),
            }
        )
    elif outcome.repeated:
        state = current(call.context)
        numbers = outcomes.repeated(state, outcome.repeated)
        call.terminal.say(f"Nothing new: the same changes are in this thread already, as {numbers}.")
        call.terminal.say(f"Next: gitclaw apply {','.join(map(str, outcome.repeated))}")
    else:
        call.terminal.say("Nothing is uncommitted." if call.options.uncommitted else "The command changed nothing.")


def _say(call: Invocation, outcome: Suggested, settings: Settings) -> None:
    if call.as_json:
        call.terminal.say_json(_document(outcome))
        return
    if outcome.ran.exit_code:
        call.terminal.warn(f"the command ended with {outcome.ran.exit_code}; what it said: {call.context.store.log}")
    if outcome.conduct.shows:
        for line in _shown(call, outcome, settings):
            call.terminal.say(line)
    for line in _committed(call, outcome):
        call.terminal.say(line)


def _shown(call: Invocation, outcome: Suggested, settings: Settings) -> Iterator[str]:
    paint, state = call.terminal.paint, outcome.state
    count = len(outcome.suggestions)
    because = ", ".join(outcome.assessment.because)
    yield (
        paint("bold", f"Proposal P{outcome.proposal.number}: {count} suggestion{'s' if count > 1 else ''}")
        + f" on {render.safe(call.repository.head().name)}@{outcomes.short(outcome.proposal.base)}"
        + f" · risk {outcome.assessment.level}"
        + (f" ({render.safe(because)})\n" if because else "\n")
    )
    look = render.Look(paint, settings.show_rationale, call.terminal.width)
    yield render.table(state, outcome.suggestions, look) + "\n"
    most = settings.max_suggestions_per_comment
    with call.repository.open(outcome.proposal.commit) as session:
        how = render.Showing(look, state, statuses(state))
        for s in outcome.suggestions[:most]:
            yield "\n".join(render.diffs(s, texts(session), how)) + "\n"
    if count > most:
        yield f"… and {count - most} more; see one with gitclaw show {outcome.suggestions[most].number}\n"
    if outcome.repeated:
        yield f"Proposed again, and in this thread already: {outcomes.repeated(state, outcome.repeated)}.\n"
    if outcome.landed is None:
        yield outcomes.next_steps(state, [s.number for s in outcome.suggestions])


def _committed(call: Invocation, outcome: Suggested) -> Iterator[str]:
    paint, landed = call.terminal.paint, outcome.landed
    if isinstance(landed, Landed):
        if not outcome.conduct.shows:
            look = render.Look(paint, call.settings.show_rationale, call.terminal.width)
            yield render.table(landed.state, outcome.suggestions, look)
        yield from outcomes.landed(
            landed.state, landed.branch, landed.commit, landed.findings, paint, undo=False, commits=True
        )
        yield "Take it back with: gitclaw undo"
    elif isinstance(landed, Stuck):
        yield from outcomes.stuck(
            landed.state, landed.branch, landed.where, landed.findings, paint, undo=False, chosen=landed.chosen
        )


def _document(outcome: Suggested) -> dict[str, Any]:
    result = {
        "outcome": "suggested",
        "proposal": outcome.proposal.number,
        "numbers": [s.number for s in outcome.suggestions],
        "repeated": list(outcome.repeated),
        "risk": {
            "level": outcome.assessment.level,
            "score": outcome.assessment.score,
            "because": list(outcome.assessment.because),
        },
        "exit_code": outcome.ran.exit_code,
        "warnings": list(outcome.warnings),
        **document(outcome.state),
    }
    if outcome.landed is not None:
        result["landed"] = outcome_document(outcome.landed, undo=False)
    return result
