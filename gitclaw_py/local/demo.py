"""The demonstration: a sample repository, the sample agent's like, and the verbs, each printed as it is run."""

from __future__ import annotations

import shlex
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from gitclaw_py.adapters.git_history import create, log
from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.core.render import safe
from gitclaw_py.errors import UsageError

_WHO = ("Demo", "demo@example.invalid")
_STEPS: tuple[tuple[str, Sequence[str]], ...] = (
    ("An agent changes files in a copy of the repository. Yours stay as they are.", ("suggest", "--", "AGENT")),
    ("Take the greeting and one of the two parts of the report.", ("apply", "1,3.1")),
    (
        "Turn the deletion down; the same change will not be proposed again.",
        ("reject", "2", "still used by the plugin"),
    ),
    ("What is left?", ("status",)),
    ("Second thoughts about suggestion 1 only.", ("undo", "1")),
    ("Take everything that is pending but the new file.", ("apply", "all", "except", "4")),
    ("And where it ended.", ("status",)),
)


Run = Callable[[Sequence[str], tuple[str, ...], Path], object]
"""Runs gitclaw with some words, the command after ``--`` apart, in a folder."""


def play(terminal: Terminal, run: Run, keep: Path | None) -> int:
    """Play it in a temporary repository, or in ``keep``, which must not exist yet.

    Raises:
        UsageError: ``USAGE``: ``keep`` exists.
    """
    if keep is not None and keep.exists():
        raise UsageError("USAGE", f"{keep} exists already", "name a folder that does not")
    with tempfile.TemporaryDirectory(prefix="gitclaw-demo-") as folder:
        place = keep or Path(folder) / "sample"
        create(place, _FILES, "A small project", _WHO)
        _play(terminal, run, place)
    if keep is not None:
        terminal.say(f"\nThe repository is in {keep}: try more of it there.")
    else:
        terminal.say("\nNow in a repository of yours: gitclaw suggest -- COMMAND, with any command that edits files.")
    return 0


def _play(terminal: Terminal, run: Run, place: Path) -> None:
    agent = [sys.executable, "-m", "gitclaw_py.local.scripted_agent"]
    for title, words in _STEPS:
        shown = shlex.join(word if word != "AGENT" else "agent" for word in words)
        terminal.say(terminal.paint("dim", f"\n# {title}") + terminal.paint("bold", f"\n$ gitclaw {shown}") + "\n")
        command = tuple(agent) if words[-1] == "AGENT" else ()
        run([word for word in words if word not in ("--", "AGENT")], command, place)
    terminal.say(
        terminal.paint("dim", "\n# The branch, newest first.") + terminal.paint("bold", "\n$ git log --oneline") + "\n"
    )
    for oid, subject in log(place, 10):
        terminal.say(f"{oid} {safe(subject)}")


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
