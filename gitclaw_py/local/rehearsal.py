"""A saved event, carried out on a GitHub of this machine: what would be said and committed, without network or token.

The thread of the event is made again there, in a copy of the repository one is in, and the bot handles it as it
would in Actions.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.core import payload as fields
from gitclaw_py.core.trigger import Trigger
from gitclaw_py.errors import InternalError
from gitclaw_py.hub.actions import ActionsRunner, Workflow
from gitclaw_py.hub.bare import BareRepository, RefMove
from gitclaw_py.hub.handle import RepositoryHandle
from gitclaw_py.hub.server import Hub
from gitclaw_py.local.transcript import lines

_PATIENCE = 3600.0


def rehearse(
    terminal: Terminal, trigger: Trigger, payload: bytes, source: tuple[Path, str] | None, passed: Mapping[str, str]
) -> int:
    """Play the event and print the threads and the commits.

    Args:
        terminal: where it is printed.
        trigger: the event.
        payload: the event as it was sent.
        source: the git directory and the commit of the repository to work on; None for an empty one.
        passed: the environment variables that the agent may need.

    Raises:
        InternalError: ``INTERNAL``: the run did not end well.
    """
    if not trigger.commands:
        terminal.say("There is nothing to rehearse: new commits ask for nothing, and this thread has no suggestions")
        return 0
    with tempfile.TemporaryDirectory(prefix="gitclaw-rehearsal-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        workflow = Workflow([sys.executable, "-m", "gitclaw_py", "run"], environment=passed, seconds=_PATIENCE)
        with Hub(folder / "hub") as hub:
            repository = hub.repository(
                trigger.repository, {"README.md": b"# A rehearsal\n"}, hub.account(trigger.actor.login)
            )
            if source is not None:
                _copy(repository, *source)
            number = _thread(hub, repository, trigger)
            # What was there before the event starts nothing.
            runner = ActionsRunner(hub, folder / "runs", workflow)
            try:
                return _played(
                    terminal, repository, runner, lambda: _happened(hub, repository, trigger, payload, number)
                )
            finally:
                runner.close()


def _played(terminal: Terminal, repository: RepositoryHandle, runner: ActionsRunner, happen: Callable[[], None]) -> int:
    default = repository.repository.default_branch
    before = repository.branch(default)
    happen()
    if not runner.wait(_PATIENCE) or any(run.exit_code for run in runner.runs):
        said = tuple(runner.runs[-1].output.split("\n")[-10:]) if runner.runs else ()
        raise InternalError("INTERNAL", "The rehearsal's run did not end well", "see what it said", said)
    for thread in list(repository.repository.threads):
        for comment in repository.comments(thread.number):
            terminal.say(terminal.paint("bold", f"{comment.author.login}:"))
            for line in lines(comment.body, terminal.paint):
                terminal.say(f"  {line}".rstrip())
    _tell_commits(terminal, repository, default, before)
    return 0


def _copy(repository: RepositoryHandle, directory: Path, commit: str) -> None:
    git = repository.repository.git
    git.fetch(BareRepository(directory), commit)
    git.move([RefMove(f"refs/heads/{repository.repository.default_branch}", None, commit)])


def _thread(hub: Hub, repository: RepositoryHandle, trigger: Trigger) -> int | None:
    """The thread as it was before the event; None where the event itself opens it."""
    if trigger.event == "issues.opened" or trigger.thread is None:
        return None
    thread = trigger.thread
    author = hub.account(thread.author.login or trigger.actor.login)
    return repository.open_issue(author, thread.title or f"Thread {thread.number}", thread.body)


def _happened(hub: Hub, repository: RepositoryHandle, trigger: Trigger, payload: bytes, number: int | None) -> None:
    """The event itself, of the same kind as it was and with the same text."""
    actor, document = hub.account(trigger.actor.login), fields.parsed(payload)
    if trigger.comment is not None and number is not None:
        repository.comment(actor, number, trigger.comment.body)
    elif trigger.event == "issues.labeled" and number is not None:
        repository.label(actor, number, fields.text(fields.child(document, "label"), "name"))
    elif trigger.event == "issues.opened" and trigger.thread is not None:
        repository.open_issue(actor, trigger.thread.title, trigger.thread.body)
    else:
        # A form's event has the same meaning as one that a program sends, and the hub has no forms.
        sent = document.get("inputs") or document.get("client_payload")
        values = dict(sent) if isinstance(sent, dict) else {}
        named = values if number is None else {**values, "issue": number}
        repository.dispatch(actor, fields.text(document, "action") or "gitclaw", named)


def _tell_commits(terminal: Terminal, repository: RepositoryHandle, branch: str, before: str | None) -> None:
    oid = repository.branch(branch)
    while oid and oid != before:
        commit = repository.repository.git.commit(oid)
        terminal.say(f"\n{branch} {oid[:10]} {commit.message}")
        oid = commit.parents[0] if commit.parents else None
