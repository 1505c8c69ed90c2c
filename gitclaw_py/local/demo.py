"""The demonstration: a thread on a GitHub of this machine, played and printed, or left open to be tried by hand."""

import json
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from gitclaw_py.adapters.git_history import log
from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.core.paint import safe
from gitclaw_py.core.thread import Account
from gitclaw_py.errors import InternalError, UsageError
from gitclaw_py.hub.actions import ActionsRunner, Workflow
from gitclaw_py.hub.handle import RepositoryHandle
from gitclaw_py.hub.server import Hub
from gitclaw_py.local.transcript import lines

_NAME = "octo/sample"
_PATIENCE = 60.0
_STEPS: tuple[tuple[str, str], ...] = (
    ("Someone asks for it. An agent works on a copy; nothing is changed yet.", "/gitclaw tidy this up"),
    ("Take the greeting and one of the two parts of the report, as one commit.", "/apply 1,3.1"),
    ("Turn the deletion down. The agent is told, and does not bring it back.", "/reject 2 still used by the plugin"),
    ("Ask for another version of one suggestion. It gets a new number.", "/refine 4 test an empty name too"),
    ("Second thoughts about suggestion 1 only.", "/undo 1"),
    ("Take everything that is pending.", "/apply all"),
    ("Where it ended.", "/gitclaw status"),
)


class Stage(NamedTuple):
    """A hub with a repository, an issue in it, and the bot at work."""

    hub: Hub
    runner: ActionsRunner
    repository: RepositoryHandle
    person: Account
    issue: int

    def say(self, text: str) -> list[str]:
        """Comment, wait for the bot, and read what it answered.

        Raises:
            InternalError: ``INTERNAL``: it did not come to an end, or ended with an error.
        """
        before = len(self.repository.comments(self.issue))
        self.repository.comment(self.person, self.issue, text)
        if not self.runner.wait(_PATIENCE) or self.runner.runs[-1].exit_code:
            said = tuple(self.runner.runs[-1].output.split("\n")[-10:])
            raise InternalError("INTERNAL", "The demonstration's run did not end well", "report what it said", said)
        return [comment.body for comment in self.repository.comments(self.issue)[before + 1 :]]


def play(terminal: Terminal, keep: Path | None) -> int:
    """Play the thread in a temporary folder, or leave its repository in ``keep``, which must not exist yet.

    Raises:
        UsageError: ``USAGE``: ``keep`` exists.
    """
    if keep is not None and keep.exists():
        raise UsageError("USAGE", f"{keep} exists already", "name a folder that does not")
    with _folder(keep) as folder, staged(folder, scripted(), 0) as stage:
        terminal.say(terminal.paint("dim", f"# An issue in {_NAME}, on a GitHub that runs on this machine."))
        terminal.say(f"{_ISSUE[0]}\n  {_ISSUE[1]}")
        for title, text in _STEPS:
            terminal.say(
                terminal.paint("dim", f"\n# {title}") + terminal.paint("bold", f"\n{stage.person.login}: {text}")
            )
            for body in stage.say(text):
                for line in lines(body, terminal.paint):
                    terminal.say(f"  {line}".rstrip())
        _tell_log(terminal, stage.repository)
    if keep is not None:
        terminal.say(f"\nThe repository is {keep}/hub/{_NAME}.git: clone it to look around.")
    terminal.say("\nTry every command by hand: gitclaw demo --serve")
    terminal.say("In a repository of yours, without GitHub: gitclaw suggest -- COMMAND, with any that edits files.")
    return 0


def serve(terminal: Terminal, port: int, agent: Sequence[str]) -> int:
    """Leave the page of the thread open until it is interrupted; ``agent`` works there, or the scripted one."""
    with _folder(None) as folder, staged(folder, agent or scripted(), port) as stage:
        terminal.say(f"The thread is at {stage.hub.url}/{_NAME}/issues/{stage.issue}")
        terminal.say(
            f"Say {_STEPS[0][1]} there, then take what you want. Agent: {shlex.join(agent or ['the scripted one'])}."
        )
        terminal.say("Everything is in a temporary folder and goes with this program; stop it with Ctrl+C.")
        try:
            while True:
                time.sleep(1)
        except KeyboardInterrupt:
            return 0


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True)
        yield keep.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="gitclaw-demo-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def staged(folder: Path, agent: Sequence[str], port: int) -> Iterator[Stage]:
    """The sample repository on a hub, with the bot and ``agent`` at work; ``port`` 0 is any that is free."""
    # Who started the demonstration chose the agent, as for gitclaw suggest.
    settings = json.dumps({"agent": {"command": list(agent), "isolation": "none"}}, indent=2) + "\n"
    files = {name: text.encode() for name, text in {**_FILES, "suggestions.json": settings}.items()}
    clock: Callable[[], int] | None = None if not port else (lambda: int(time.time()))
    with Hub(folder / "hub", port=port, clock=clock) as hub:
        runner = ActionsRunner(hub, folder / "runs", Workflow([sys.executable, "-m", "gitclaw_py", "run"]))
        owner, person = hub.account("octo"), hub.account("mona")
        repository = hub.repository(_NAME, files, owner)
        repository.grant(person, "write")
        issue = repository.open_issue(person, *_ISSUE)
        runner.wait(_PATIENCE)
        try:
            yield Stage(hub, runner, repository, person, issue)
        finally:
            runner.close()


def scripted() -> list[str]:
    """The command of the scripted agent."""
    return [sys.executable, "-m", "gitclaw_py.local.scripted_agent"]


def _tell_log(terminal: Terminal, repository: RepositoryHandle) -> None:
    terminal.say(terminal.paint("dim", "\n# The branch, newest first."))
    for oid, subject in log(Path(repository.folder), 10):
        terminal.say(f"{oid} {safe(subject)}")


_ISSUE = ("The sample could be tidier", "The greeting and the report are a bit old-fashioned, and nothing is tested.")
_GREETING = '''\
"""Greets people."""


def greet(name):
    return "Hello " + name


def main():
    print(greet("world"))
'''
_REPORT = '''\
"""Makes the weekly report."""

import csv


def rows(path):
    with open(path) as file:
        return list(csv.reader(file))


def total(rows):
    result = 0
    for row in rows:
        result = result + int(row[1])
    return result


def report(path):
    found = rows(path)
    print("rows", len(found))
    print("total", total(found))
'''
_FILES = {
    "README.md": "# Sample\n\nA small project for trying things out.\n",
    "greeting.py": _GREETING,
    "report.py": _REPORT,
    "old_format.py": '"""The format of last year."""\n\nSEPARATOR = ";"\n',
}
