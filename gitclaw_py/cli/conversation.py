"""The verb ``run``: handles an event of GitHub, as Actions hands it over.

Most events are not for us: only what is needed to see that is imported here.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gitclaw_py.adapters.job_summary import JobSummary
from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.core.trigger import Ignored, Trigger
from gitclaw_py.core.visible import visible
from gitclaw_py.errors import UsageError
from gitclaw_py.handlers import guard

if TYPE_CHECKING:
    from gitclaw_py.cli.outside import Outside
    from gitclaw_py.handlers.converse import Handled


def run(options: Namespace, environment: Mapping[str, str], terminal: Terminal, outside: Outside | None = None) -> int:
    """Handle one event.

    Raises:
        UsageError: ``USAGE``: the event or the repository is not given.
        GitclawError: nothing was done, and nothing could be said in the thread.
    """
    event_name, payload = _event(options, environment)
    # Decided before anything is made: most events are not for us.
    found = guard.possible(event_name, payload, _bot(environment))
    if not isinstance(found, Ignored):
        found = guard.elsewhere(found, environment.get("GITHUB_REPOSITORY_ID")) or found
    if not isinstance(found, Ignored) and _is_rehearsal(options, environment):
        return _rehearsed(found, payload, environment, terminal)
    if isinstance(found, Ignored):
        return _told(found, environment, terminal)
    from gitclaw_py.cli.outside import world
    from gitclaw_py.handlers.converse import converse

    with world(options.dry_run, environment, terminal, found, outside) as ports:
        return _told(converse(ports, event_name, payload), environment, terminal)


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
            return rehearse(terminal, trigger, payload, (repository.common, repository.head().oid), passed)
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


def _told(outcome: Handled | Ignored, environment: Mapping[str, str], terminal: Terminal) -> int:
    """Print what was done, and put it into the summary; an answer that could not be said is told as the error it is."""
    if isinstance(outcome, Ignored):
        lines = [f"Ignored: {outcome.reason}"]
    else:
        lines = [f"Thread {outcome.thread}", *outcome.lines] if outcome.lines else ["Nothing to do"]
    for line in lines:
        terminal.say(visible(line))
    from gitclaw_py.core.replies.markdown import code

    # Commands to the runner are for its log. The rest has words of others in it, and this is a page.
    told = [f"- {code(line)}\n" for line in lines if not line.startswith("::")]
    JobSummary(environment.get("GITHUB_STEP_SUMMARY")).add("### gitclaw\n\n" + "".join(told))
    if not isinstance(outcome, Ignored) and outcome.unsaid is not None:
        raise outcome.unsaid
    return 0
