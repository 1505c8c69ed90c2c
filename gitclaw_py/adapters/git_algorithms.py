"""One diff by several algorithms, all at once.

Each is a process of its own: between texts that repeat themselves one of them may take forever.
https://git-scm.com/docs/git-diff#Documentation/git-diff.txt---diff-algorithm
"""

from __future__ import annotations

import math
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Self

from gitclaw_py.adapters.git_process import Git, GitError

# Every setting that could change a byte of the answer is named. https://git-scm.com/docs/git-diff-tree
TEXT = (
    "-U0",
    "--inter-hunk-context=0",
    "--indent-heuristic",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--ws-error-highlight=none",
    "--submodule=short",
)
PATIENCE_SECONDS = 5.0
"""How much longer a slow algorithm may take than the first one; histogram needs 25 s for 10,000 hunks in
400,000 lines, where myers needs 0.2 s."""
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.0002, 0.01
_KILLED = -9
_FOLDERS = count(1)
_BY_PATH = "by path"


def by_each(
    git: Git,
    algorithms: Sequence[str],
    options: Sequence[str],
    sides: Sequence[str],
    meanwhile: Callable[[], None] = lambda: None,
    patience: float = PATIENCE_SECONDS,
) -> dict[str, bytes]:
    """The differences of two trees by each algorithm; a slow one is left out once another is done.

    ``meanwhile`` is done while they run; ``patience`` is in seconds.
    """
    arguments = {name: [*options, *TEXT, f"--diff-algorithm={name}", *sides] for name in algorithms}
    with _Diffs(git, arguments) as diffs:
        meanwhile()
        diffs.wait(any)
        if not diffs.wait(all, patience):
            diffs.give_up(but_for="myers")
        diffs.wait(all)
        return diffs.answers()


def by_path(
    git: Git,
    options: Sequence[str],
    sides: Sequence[str],
    meanwhile: Callable[[], None] = lambda: None,
    patience: float = PATIENCE_SECONDS,
) -> bytes | None:
    """The differences of two trees, each file by the algorithm that attributes name; None where it takes too long.

    Only for a git that heeds them, see ``Place.algorithms_by_path``.
    """
    with _Diffs(git, {_BY_PATH: [*options, *TEXT, *sides]}) as diffs:
        meanwhile()
        if not diffs.wait(all, patience):
            diffs.give_up()
        return diffs.answers().get(_BY_PATH)


class _Diffs:
    """``git diff-tree`` with each of the ``arguments``, at the same time. Use it as a context manager."""

    def __init__(self, git: Git, arguments: Mapping[str, Sequence[str]]) -> None:
        self._folder = git.sealed / f"diffs-{next(_FOLDERS)}"
        self._folder.mkdir()
        self._began = time.monotonic()
        self._running = {name: self._started(git, name, words) for name, words in arguments.items()}

    def _started(self, git: Git, name: str, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
        with (self._folder / name).open("wb") as file:
            return subprocess.Popen(
                ["git", "diff-tree", *arguments],
                cwd=git.sealed,
                env=git.plumbing_environment(),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.DEVNULL,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.give_up()

    def wait(self, enough: Callable[[Iterable[bool]], bool], seconds: float = math.inf) -> bool:
        """Wait until ``enough`` (any or all) have ended, and say whether they did in that time."""
        limit = time.monotonic() + seconds
        while not enough(process.poll() is not None for process in self._running.values()):
            now = time.monotonic()
            if now > limit:
                return False
            time.sleep(min(max((now - self._began) / 8, _SHORTEST_PAUSE), _LONGEST_PAUSE))
        return True

    def give_up(self, but_for: str = "") -> None:
        """End those that still run, but for one."""
        for name, process in self._running.items():
            if name != but_for and process.poll() is None:
                process.kill()
                process.wait()

    def answers(self) -> dict[str, bytes]:
        """What those said that were not given up."""
        for name, process in self._running.items():
            if process.returncode not in (0, _KILLED):
                raise GitError(["diff-tree", name], process.returncode, b"")
        return {name: (self._folder / name).read_bytes() for name, p in self._running.items() if not p.returncode}
