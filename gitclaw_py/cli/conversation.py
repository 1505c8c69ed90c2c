"""The verbs ``run``, ``work`` and ``publish``: handle an event of GitHub, as Actions hands it over.

``run`` does all of it; ``work`` only lets the agent work, and hands over what came out of it; ``publish`` does the
rest.

Most events are not for us: only what is needed to see that is imported here.
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.cli.held import held
from gitclaw_py.core.secrets import Watch
from gitclaw_py.core.trigger import Ignored, Trigger, elsewhere
from gitclaw_py.core.visible import harmless, visible
from gitclaw_py.errors import ConflictError, GitclawError, RefusedError, UsageError
from gitclaw_py.handlers import guard

if TYPE_CHECKING:
    from gitclaw_py.adapters.actions import Actions
    from gitclaw_py.cli.outside import Outside, Part
    from gitclaw_py.core.bundle import Bundle
    from gitclaw_py.core.replies.summary import Step
    from gitclaw_py.handlers.converse import Handled
    from gitclaw_py.handlers.world import World


_OID = re.compile(r"[0-9a-f]{40}")
_MOST_REMARKS = 5
ANSWERED = frozenset((UsageError.exit_code, RefusedError.exit_code, ConflictError.exit_code))
"""Exit codes of what was answered in the thread and is nobody's fault: such a job is green."""


def run(options: Namespace, environment: Mapping[str, str], terminal: Terminal, outside: Outside | None = None) -> int:
    """Handle one event.

    Raises:
        UsageError: ``USAGE``: the event or the repository is not given.
        GitclawError: nothing was done, and nothing could be said in the thread.
    """
    event_name, payload = _event(options, environment)
    # Decided before anything is made: most events are not for us.
    found = _possible(event_name, payload, environment)
    if not isinstance(found, Ignored) and _is_rehearsal(options, environment):
        return _rehearsed(found, payload, environment, terminal)
    if isinstance(found, Ignored):
        return _told(found, environment, terminal)
    from gitclaw_py.cli.outside import Part

    with _world(Part(options.dry_run), environment, terminal, found, outside) as ports:
        from gitclaw_py.handlers.converse import converse

        return _told(converse(ports, event_name, payload), environment, terminal, watch=ports.watch)


@contextmanager
def _world(
    part: Part, environment: Mapping[str, str], terminal: Terminal, found: Trigger, outside: Outside | None
) -> Iterator[World]:
    """The ports of a run, for as long as it lasts. They take long to import: git begins before, and works meanwhile.

    Raises:
        UsageError: ``USAGE``: there is no token.
    """
    from gitclaw_py.cli.outside import Outside, connected

    with connected(environment, found) as connection:
        from gitclaw_py.cli.wiring import ports

        with ports(part, environment, terminal, found, outside or Outside(), connection) as world:
            yield world


def _possible(event_name: str, payload: bytes, environment: Mapping[str, str]) -> Trigger | Ignored:
    """The event, if it is one of this repository."""
    found = guard.possible(event_name, payload, _bot(environment))
    if isinstance(found, Ignored):
        return found
    return elsewhere(found, environment.get("GITHUB_REPOSITORY_ID")) or found


def work(options: Namespace, environment: Mapping[str, str], terminal: Terminal, outside: Outside | None = None) -> int:
    """Let the agent work on an event, without the power to write, and leave what it did in a folder.

    Raises:
        UsageError: ``USAGE``: the event or the repository is not given.
        GitclawError: the thread could not be read.
    """
    event_name, payload = _event(options, environment)
    found = _possible(event_name, payload, environment)
    if isinstance(found, Ignored):
        return _told(found, environment, terminal)
    from gitclaw_py.adapters import bundle_files
    from gitclaw_py.cli.outside import Part
    from gitclaw_py.handlers.hand_over import hand_over

    part = Part(is_mute=True, pin=_pin(options))
    with _world(part, environment, terminal, found, outside) as ports:
        handed = hand_over(ports, event_name, payload)
        if isinstance(handed, Ignored):
            return _told(handed, environment, terminal)
        bundle_files.write(Path(options.out), *handed)
        log = ports.store(0).log
        said = log.read_text(encoding="utf-8", errors="replace").split("\n") if log.exists() else []
    return _worked(handed[0], environment, terminal, said, ports.watch)


def publish(
    options: Namespace, environment: Mapping[str, str], terminal: Terminal, outside: Outside | None = None
) -> int:
    """Carry out an event without running an agent: what one did in another job is taken from a folder.

    Raises:
        UsageError: ``USAGE``: the event or the repository is not given.
        GitclawError: nothing was done, and nothing could be said in the thread.
    """
    event_name, payload = _event(options, environment)
    found = _possible(event_name, payload, environment)
    if isinstance(found, Ignored):
        return _told(found, environment, terminal)
    from gitclaw_py.adapters import bundle_files
    from gitclaw_py.cli.outside import Part
    from gitclaw_py.core.bundle import not_here

    taken: list[tuple[Bundle, bytes]] = []

    def handed() -> tuple[Bundle, bytes] | None:
        if not options.bundle:
            raise not_here()
        run = environment.get("GITHUB_RUN_ID", "0")
        if not taken:
            found = bundle_files.read(Path(options.bundle), run=run)
            taken.extend([found] if found else [])
        return taken[0] if taken else None

    part = Part(pin=_pin(options), handed=handed)
    with _world(part, environment, terminal, found, outside) as ports:
        from gitclaw_py.handlers.converse import converse

        outcome = converse(ports, event_name, payload)
    return _told(outcome, environment, terminal, taken[0][0] if taken else None, ports.watch)


def stopped(error: GitclawError, environment: Mapping[str, str], terminal: Terminal) -> None:
    """Tell the runner why nothing was done."""
    from gitclaw_py.core.replies import summary

    actions = _actions(environment, terminal)
    actions.error(visible(f"{error.code}: {error.what}. {error.next_step}"))
    actions.summary(summary.stopped(error))
    actions.output(result="stopped")


def _pin(options: Namespace) -> str | None:
    """The commit that the gate decided on.

    Raises:
        UsageError: ``USAGE``: it is no commit's full id.
    """
    if options.head and not _OID.fullmatch(options.head):
        raise UsageError("USAGE", f"{visible(options.head)} is no commit", "give --head all 40 characters of its id")
    return options.head or None


def _bot(environment: Mapping[str, str]) -> str:
    return environment.get("GITCLAW_BOT", guard.ACTIONS_BOT)


def _is_rehearsal(options: Namespace, environment: Mapping[str, str]) -> bool:
    """Asked for, or the only thing that can be done: nobody is here whose token could be used."""
    return options.rehearse or not (environment.get("GITHUB_TOKEN") or environment.get("GITHUB_ACTIONS"))


def _rehearsed(trigger: Trigger, payload: bytes, environment: Mapping[str, str], terminal: Terminal) -> int:
    from gitclaw_py.adapters.git_repository import opened
    from gitclaw_py.local.rehearsal import rehearse

    terminal.note("A rehearsal on this machine: nothing of this reaches GitHub.")
    passed = {name: value for name, value in environment.items() if not name.startswith(("GIT", "ACTIONS_", "RUNNER_"))}
    try:
        with opened(Path.cwd(), environment) as repository:
            return rehearse(terminal, trigger, payload, (repository.place.common, repository.head().oid), passed)
    except UsageError as error:
        if error.code != "NOT_A_REPOSITORY":
            raise
        return rehearse(terminal, trigger, payload, None, passed)


def _event(options: Namespace, environment: Mapping[str, str]) -> tuple[str, bytes]:
    path = options.event or environment.get("GITHUB_EVENT_PATH")
    if not path:
        raise UsageError("USAGE", "No event was given", "name its file with --event, or run in GitHub Actions")
    name = options.event_name or environment.get("GITHUB_EVENT_NAME") or Path(path).name.partition(".")[0]
    try:
        return name, Path(path).read_bytes()
    except OSError as error:
        raise UsageError("USAGE", f"{path} cannot be read: {error.strerror}", "check the path of the event") from error


def _told(
    outcome: Handled | Ignored,
    environment: Mapping[str, str],
    terminal: Terminal,
    handed: Bundle | None = None,
    watch: Watch | None = None,
) -> int:
    from gitclaw_py.core.replies import summary

    actions = _actions(environment, terminal)
    if isinstance(outcome, Ignored):
        terminal.say(harmless(f"Ignored: {outcome.reason}"))
        actions.summary(summary.ignored(outcome.reason))
        actions.output(result="ignored")
        return 0
    watch = watch or Watch(held(environment))
    outcome = outcome._replace(
        steps=tuple(step._replace(command=watch.line(step.command)) for step in outcome.steps),
        lines=tuple(watch.line(line) for line in outcome.lines),
    )
    commands = [f"{step.who}: {step.command}: {'done' if step.ok else 'not done'}" for step in outcome.steps]
    if not commands and not outcome.lines:
        terminal.say("Nothing to do")
    for line in [f"Thread {outcome.thread.number}", *commands, *outcome.lines] if commands or outcome.lines else []:
        # Remarks on lines of files are for the runner.
        (terminal.command if line.startswith("::notice ") else terminal.say)(visible(line))
    links = (("Thread", outcome.thread.url), ("Answer", outcome.reply), ("Log", _log(environment)))
    told = [line for line in outcome.lines if not line.startswith("::")]
    actions.summary(summary.handled(outcome.steps, told, links, summary.agent_of(handed) if handed else None))
    if outcome.unsaid is not None:
        raise outcome.unsaid
    return _ended(outcome.steps, actions)


def _worked(
    handed: Bundle, environment: Mapping[str, str], terminal: Terminal, log: Sequence[str], watch: Watch
) -> int:
    """What the agent did, for the log and the summary. The job after this one tells the thread, failures too."""
    from gitclaw_py.core.replies import summary

    actions = _actions(environment, terminal)
    for worked in handed.works:
        failed = worked.failure
        said = f"{failed.code}: {failed.what}" if failed else f"left {worked.commit}, ended with {worked.exit_code}"
        terminal.say(visible(watch.line(f"Request {worked.re}: {said}")))
    if any(worked.failure or worked.exit_code for worked in handed.works) or environment.get("RUNNER_DEBUG") == "1":
        actions.said("What the agent printed", [watch.line(line) for line in log])
    actions.summary(summary.worked(handed))
    actions.output(result="failed" if any(worked.failure for worked in handed.works) else "done")
    return 0


def _ended(steps: Sequence[Step], actions: Actions) -> int:
    """The exit code, with the reason for it where people see it first."""
    wrong = [step for step in steps if step.code]
    result = "done" if not wrong else "failed" if len(wrong) == len(steps) else "partly"
    actions.output(result=result)
    for step in wrong[:_MOST_REMARKS]:
        # Whoever was refused has got an answer; the job is red only where someone has to look after it.
        remark = actions.error if step.code not in ANSWERED else actions.warning
        remark(f"{visible(step.command)} by {visible(step.who)} was not carried out; the answer is in the thread")
    return wrong[0].code if wrong else 0


def _log(environment: Mapping[str, str]) -> str:
    from gitclaw_py.core.replies.links import run_log

    server, repository, run = (environment.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY", "RUN_ID"))
    return (server and repository and run_log(server, repository, run)) or ""


def _actions(environment: Mapping[str, str], terminal: Terminal) -> Actions:
    from gitclaw_py.adapters.actions import Actions

    return Actions(environment, terminal.command, terminal.say)
