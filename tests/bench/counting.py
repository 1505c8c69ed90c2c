"""Counts, which are the same on every machine: the git processes of a run, and the modules it imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.sandbox import Sandbox, git_that

HEAVY = frozenset({"github", "git", "httpx", "requests", "pydantic", "ssl", "unidiff", "rich"})
"""Modules that no everyday command may import; each takes longer than all else it does."""
CONSOLE = [sys.executable, "-c", "from gitclaw_py.cli import command; command()"]
"""What the installed console script does."""
WORKSPACE = frozenset({"read-tree", "ls-files", "check-ignore"})
"""The git commands that make and read a workspace."""
RECORDING = frozenset({"fast-import", "update-ref"})
"""The git commands that write a proposal's objects."""

_NOTED = r"""tab=$(printf '\t')
line=$(IFS=$tab; printf '%s' "$*")
printf '%s\n' "$line" >> '{log}'"""
_MODULES = """
import sys
from gitclaw_py.cli import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


class GitLog:
    """A ``git`` to be first on the search path that notes every call and hands it on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._log = folder / "log"
        git_that(folder, _NOTED.format(log=self._log))

    def commands(self, sandbox: Sandbox, *arguments: str, codes: tuple[int, ...] = (0,)) -> list[str]:
        """The git commands of one run of gitclaw, by name, in the order in which they started."""
        self._log.write_bytes(b"")
        path = f"{self._folder}:{sandbox.environment['PATH']}"
        ended = sandbox.gitclaw(*arguments, code=None, PATH=path)
        assert ended.code in codes, ended
        return [_name(line.split("\t")) for line in self._log.read_text().splitlines()]


def _name(words: list[str]) -> str:
    while words[0] == "-c":
        words = words[2:]
    return words[0]


def modules(sandbox: Sandbox, *arguments: str) -> set[str]:
    """The modules that a run of gitclaw has imported when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", _MODULES, *arguments],
        cwd=sandbox.path,
        env=sandbox.environment,
        capture_output=True,
        check=True,
    )
    return set(done.stderr.decode().splitlines()[-1].split())
