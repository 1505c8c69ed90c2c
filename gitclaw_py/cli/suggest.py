"""The verb ``suggest``: runs a command on a copy of the repository and says what it proposes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gitclaw_py.adapters.command_agent import CommandAgent, passed
from gitclaw_py.adapters.directory_workspace import DirectoryWorkspaces
from gitclaw_py.cli.held import held, named
from gitclaw_py.cli.invocation import CONFLICT, Invocation, outcome_document
from gitclaw_py.core import outcomes, render, usage
from gitclaw_py.core.modes import Mode
from gitclaw_py.core.paint import safe
from gitclaw_py.core.presets import PRESETS, Preset, invocation
from gitclaw_py.core.secrets import Watch
from gitclaw_py.core.settings import AgentSettings, Isolation, Settings, of_preset
from gitclaw_py.core.state import statuses
from gitclaw_py.core.status import document
from gitclaw_py.core.visible import visible
from gitclaw_py.errors import UsageError
from gitclaw_py.handlers.landing import Landed, Stuck, current
from gitclaw_py.handlers.suggest import Base, NothingProposed, Request, Suggested, run
from gitclaw_py.handlers.texts import texts
from gitclaw_py.handlers.watched import Watched
from gitclaw_py.ports.engine import Agent, Ran

if TYPE_CHECKING:
    from gitclaw_py.adapters.isolation.box import Box


def suggest(call: Invocation) -> int:
    """Run the command, record the proposal, show it."""
    settings = call.settings
    request = _request(call, settings)
    agent, name = _agent(call, settings)
    watch = Watch((*held(call.environment), *named(call.environment, settings.agent)))
    workspaces = DirectoryWorkspaces(call.repository, call.searching.export)
    outcome = run(Watched(call.context, watch), request, workspaces, agent, call.terminal.progress(name))
    call.terminal.end_progress()
    for warning in outcome.warnings:
        call.terminal.warn(warning)
    if isinstance(outcome, NothingProposed):
        _say_nothing(call, outcome)
        return 0
    _say(call, outcome, settings)
    return CONFLICT if isinstance(outcome.landed, Stuck) else 0


def _agent(call: Invocation, settings: Settings) -> tuple[Agent, str]:
    """What works, and its name: what was typed, or an agent that is known by its name.

    It runs as the person would run it, unless it is to be kept apart.
    """
    timeout, preset = call.options.timeout, PRESETS.get(call.options.agent or "")
    if preset is None:
        name = os.path.basename(call.command[0]) if call.command else ""
        if not call.options.isolate:
            return CommandAgent(call.command, call.environment, timeout), name
        variables, box = _apart(call, settings.agent)
        return CommandAgent(call.command, variables, timeout, box=box), name
    from gitclaw_py.adapters.preset_agent import PresetAgent
    from gitclaw_py.core.prompt import alone

    task = alone(" ".join(call.options.request), preset.name).encode("utf-8", "surrogateescape")
    wanted = settings.agent if settings.agent.preset == preset.name else of_preset(preset.name)
    if call.options.isolate:
        from gitclaw_py.cli.agent import agent_of

        kept = wanted._replace(isolation=_isolation(wanted), timeout=timeout)
        return agent_of(call.environment, kept, task), preset.name
    # Here it is its user's own agent: with what they have set up for it, and with the rights that it asks them for.
    environment = {**call.environment, **preset.variables}
    command = CommandAgent(invocation(preset, wanted.arguments), environment, timeout, task)
    return PresetAgent(preset, command), preset.name


def _isolation(settings: AgentSettings) -> Isolation:
    return Isolation.AUTO if settings.isolation is Isolation.NONE else settings.isolation


def _apart(call: Invocation, settings: AgentSettings) -> tuple[dict[str, str], Box]:
    from gitclaw_py.adapters.isolation.box import Box

    box = Box(settings._replace(isolation=_isolation(settings)), call.environment)
    return passed(settings, call.environment), box


def _request(call: Invocation, settings: Settings) -> Request:
    options = call.options
    known = _known(options.agent, call) if options.agent else None
    if options.git and options.uncommitted:
        raise UsageError("USAGE", "--uncommitted runs no command that could need git", "leave out one of the two")
    if call.command and options.uncommitted:
        raise UsageError("USAGE", "--uncommitted runs no command", "leave out one of the two")
    if not call.command and not options.uncommitted and not known:
        next_step = "write one after two dashes, like gitclaw suggest -- ruff check --fix ."
        raise UsageError("USAGE", "No command was given", next_step)
    base = Base.UNCOMMITTED if options.uncommitted else Base.WORKING_TREE if options.working_tree else Base.COMMIT
    place = call.repository.place
    folder = "." if place.bare else os.path.relpath(call.searching.directory, place.top)
    mode = Mode(options.mode) if options.mode else settings.default_mode
    replaces = tuple(options.replaces.split()) if options.replaces else ()
    command = (known.name, " ".join(options.request)) if known else call.command
    with_git = options.git or bool(known and known.with_git)
    return Request(command, base, mode, settings.risk_threshold, folder, with_git, replaces)


def _known(name: str, call: Invocation) -> Preset:
    """The agent of that name, which a request was given to."""
    if name not in PRESETS:
        raise UsageError("USAGE", f"No agent is called {name}", f"the names are {', '.join(PRESETS)}")
    if call.command or call.options.uncommitted:
        raise UsageError("USAGE", "--agent runs an agent and no command", "leave out one of the two")
    if not call.options.request:
        raise UsageError(
            "USAGE", f"{name} was asked for nothing", f'say it: gitclaw suggest --agent {name} "what to do"'
        )
    return PRESETS[name]


def _say_nothing(call: Invocation, outcome: NothingProposed) -> None:
    if call.as_json:
        call.terminal.say_json(
            {
                "outcome": "nothing proposed",
                "repeated": list(outcome.repeated),
                "exit_code": outcome.ran.exit_code,
                "warnings": list(outcome.warnings),
                "answer": _answer(outcome.ran),
                "usage": usage.document(outcome.ran.usage),
            }
        )
    elif outcome.repeated:
        state = current(call.context)
        numbers = outcomes.repeated(state, outcome.repeated)
        call.terminal.say(f"Nothing new: the same changes are in this thread already, as {numbers}.")
        call.terminal.say(outcomes.next_steps(state, outcome.repeated))
    else:
        _say_answer(call, outcome.ran)
        what = call.options.agent or "The command"
        call.terminal.say("Nothing is uncommitted." if call.options.uncommitted else f"{what} changed nothing.")


def _say_answer(call: Invocation, ran: Ran) -> None:
    """What an agent that is known by its name has to say, and what it used."""
    if call.options.agent:
        if answer := _answer(ran):
            call.terminal.say("\n".join(map(visible, answer.split("\n"))) + "\n")
        call.terminal.note(f"{call.options.agent} · {ran.seconds:.0f} s · {usage.words(ran.usage)}")


def _answer(ran: Ran) -> str | None:
    return ran.answer.decode("utf-8", "replace").strip() if ran.answer else None


def _say(call: Invocation, outcome: Suggested, settings: Settings) -> None:
    if call.as_json:
        call.terminal.say_json(_document(outcome))
        return
    if outcome.ran.exit_code:
        call.terminal.warn(f"the command ended with {outcome.ran.exit_code}; what it said: {call.context.store.log}")
    _say_answer(call, outcome.ran)
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
        + f" on {safe(call.repository.head().name)}@{outcomes.short(outcome.proposal.base)}"
        + f" · risk {outcome.assessment.level}"
        + (f" ({safe(because)})\n" if because else "\n")
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
        "answer": _answer(outcome.ran),
        "usage": usage.document(outcome.ran.usage),
        **document(outcome.state),
    }
    if outcome.landed is not None:
        result["landed"] = outcome_document(outcome.landed, undo=False)
    return result
