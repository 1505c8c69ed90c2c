"""The table of attacks: what each row is, and which tests are named by its number."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

TESTS = Path(__file__).parents[1]
_NAMED = re.compile(r"test_rows?((?:_\d\d)+)_")
_ADMITTED = re.compile(r"\| *(\d+) *\|")

ROWS: Mapping[int, str] = {
    1: "anybody's comment starts an agent",
    2: "an app is trusted because its name ends in [bot]",
    3: "text injected into the thread makes the agent leak secrets",
    4: "the agent reads the environment of its parent",
    5: "the agent becomes root with sudo and reads the runner's memory",
    6: "planted hooks and configuration run with our next git command",
    7: "planted filters and merge drivers run in spite of every flag",
    8: "a repository planted in a submodule's folder",
    9: "files that set variables and paths for later steps",
    10: "a fork's code is run with our rights",
    11: "new commits between the command and what it does",
    12: "a comment's text inside a workflow's script",
    13: "an action whose tag was moved",
    14: "what is shown is not what is applied",
    15: "somebody changes the stored state behind a number",
    16: "a change to workflows, owners or instructions for agents",
    17: "rights that were taken away between the proposal and its apply",
    18: "a pull request configures the agent",
    19: "an event that runs the pull request's own workflow",
    20: "the token lies in files that the agent can read",
    21: "a poisoned cache",
    22: "a poisoned bundle crosses into the job that may write",
    23: "a link leads reading or writing elsewhere",
    24: "a path that means another on some system",
    25: "a repository inside the repository hides what it holds",
    26: "holes of git itself with submodules and clones",
    27: "the same command delivered twice",
    28: "an old comment that is edited",
    29: "a person writes what only we write",
    30: "a command inside code, a quote or HTML",
    31: "we hear ourselves, or another bot, for ever",
    32: "an association taken for a permission",
    33: "the sender is not the author",
    34: "an app speaks as a maintainer",
    35: "a secret in a change, a comment, the state or the log",
    36: "the agent turns the search for secrets off",
    37: "a process that stays behind changes files while they are read",
    38: "data leave through the network",
    39: "data leave through the host that is allowed",
    40: "the repository's own tools run with our rights",
    41: "modules of the repository are imported by us",
    42: "the token is sent to another host",
    43: "the token is an argument that others can read",
    44: "options and refs slipped into GitPython",
    45: "GitPython runs planted hooks",
    46: "an option that writes files, in the place of a ref",
    47: "a dependency that is old or poisoned",
    48: "text that only the model sees",
    49: "characters that nobody sees, or that look like others",
    50: "agent text that closes its fence",
    51: "images and links in what the agent said",
    52: "mentions and references that reach strangers",
    53: "words in a commit's message that do something",
    54: "what strangers said before steers a later run",
    55: "somebody spends our money",
    56: "somebody spends our minutes",
    57: "a comment that takes for ever to read",
    58: "sizes that nobody can handle",
    59: "pipes, sockets, devices and hard links",
    60: "changes hidden from git",
    61: "attributes that change bytes",
    62: "a patch that two programs read differently",
    63: "output that commands the runner",
    64: "output that becomes an output or the summary",
    65: "two at once",
    66: "an account that was renamed, and its old name",
    67: "a locked thread, a deleted comment, another repository",
    68: "private code in public logs",
    69: "changes of a mode, a name's case or line ends that nobody sees",
    70: "a commit in the wrong name",
}


def rows_of(name: str) -> tuple[int, ...]:
    """The rows that a test says it is about: ``test_row_07_…``, ``test_rows_06_07_…``."""
    found = _NAMED.match(name)
    return tuple(int(number) for number in found[1].strip("_").split("_")) if found else ()


def rows_tested() -> dict[int, list[str]]:
    """The names of all tests that are about each row."""
    found: dict[int, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        for name in _functions(path):
            for row in rows_of(name):
                found[row].append(name)
    return found


def _functions(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_bytes())
    return (node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def admitted() -> set[int]:
    """The rows that ``SECURITY.md`` says do not apply, or are not for us to stop, each with its reason."""
    text = (TESTS.parent / "SECURITY.md").read_text(encoding="utf-8")
    return {int(found[1]) for line in text.split("\n") if (found := _ADMITTED.match(line))}
