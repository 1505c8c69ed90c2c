"""A saved event, carried out on a GitHub of this machine: what would be said and committed, without network or token.

The thread of the event is made again there, in a copy of the repository one is in, and the bot handles it as it
would in Actions.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.core.thread import Account, Thread
from gitclaw_py.core.trigger import Trigger
from gitclaw_py.errors import InternalError
from gitclaw_py.hub.actions import ActionsRunner, Workflow
from gitclaw_py.hub.bare import BareRepository, RefMove
from gitclaw_py.hub.handle import RepositoryHandle
from gitclaw_py.hub.server import Hub
from gitclaw_py.local.transcript import lines

_PATIENCE = 3600.0


def rehearse(terminal: Terminal, trigger: Trigger, source: tuple[Path, str] | None, passed: Mapping[str, str]) -> int:
    """Play the event and print the thread and the commits.

    Args:
        terminal: where it is printed.
        trigger: the event.
        source: the git directory and the commit of the repository to work on; None for an empty one.
        passed: the environment variables that the agent may need.

    Raises:
        InternalError: ``INTERNAL``: the run did not end well.
    """
    with tempfile.TemporaryDirectory(prefix="gitclaw-rehearsal-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        workflow = Workflow([sys.executable, "-m", "gitclaw_py", "run"], environment=passed, seconds=_PATIENCE)
        with Hub(folder / "hub") as hub:
            runner = ActionsRunner(hub, folder / "runs", workflow)
            try:
                return _played(terminal, trigger, hub, runner, source)
            finally:
                runner.close()


def _played(
    terminal: Terminal, trigger: Trigger, hub: Hub, runner: ActionsRunner, source: tuple[Path, str] | None
) -> int:
    actor = hub.account(trigger.actor.login)
    repository = hub.repository(trigger.repository, {"README.md": b"# A rehearsal\n"}, actor)
    default = repository.repository.default_branch
    if source is not None:
        _copy(repository, *source)
    before = repository.branch(default)
    number = _said(repository, actor, trigger)
    if not runner.wait(_PATIENCE) or any(run.exit_code for run in runner.runs):
        said = tuple(runner.runs[-1].output.split("\n")[-10:]) if runner.runs else ()
        raise InternalError("INTERNAL", "The rehearsal's run did not end well", "see what it said", said)
    for comment in repository.comments(number):
        terminal.say(terminal.paint("bold", f"{comment.author.login}:"))
        for line in lines(comment.body, terminal.paint):
            terminal.say(f"  {line}".rstrip())
    _tell_commits(terminal, repository, default, before)
    return 0


def _copy(repository: RepositoryHandle, directory: Path, commit: str) -> None:
    git = repository.repository.git
    git.fetch(BareRepository(directory), commit)
    git.move([RefMove(f"refs/heads/{repository.repository.default_branch}", None, commit)])


def _said(repository: RepositoryHandle, actor: Account, trigger: Trigger) -> int:
    """Open the thread and say there what the event says; the thread's number."""
    thread = trigger.thread or Thread(1, trigger.request[:80], "", actor, "", "")
    if trigger.comment is None:
        return repository.open_issue(actor, thread.title or "A request", f"/gitclaw\n\n{trigger.request}")
    number = repository.open_issue(actor, thread.title, thread.body)
    repository.comment(actor, number, trigger.comment.body)
    return number


def _tell_commits(terminal: Terminal, repository: RepositoryHandle, branch: str, before: str | None) -> None:
    oid = repository.branch(branch)
    while oid and oid != before:
        commit = repository.repository.git.commit(oid)
        terminal.say(f"\n{branch} {oid[:10]} {commit.message}")
        oid = commit.parents[0] if commit.parents else None
