"""One diff by several algorithms, all at once.

Each is a process of its own: between texts that repeat themselves one of them may take forever.
https://git-scm.com/docs/git-diff#Documentation/git-diff.txt---diff-algorithm
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path

from gitclaw_py.adapters.fast_import import FastImport
from gitclaw_py.adapters.git_process import Git, GitError
from gitclaw_py.core.alignment import (
    ALGORITHMS,
    Alignment,
    Comparison,
    Script,
    alignment,
    import_ahead,
    numbered,
    read_numbered,
)
from gitclaw_py.core.diffs import Entry

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
_PATIENCE_SECONDS = 5.0
"""How much longer a slow algorithm may take than the first one; histogram needs 25 s for 10,000 hunks in
400,000 lines, where myers needs 0.2 s."""
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.0002, 0.01
_KILLED = -9
_FOLDERS = count(1)
_NOBODY = b"nobody <nobody@localhost> 0 +0000"
_ALL_IN_ONE_FILE = ("-c", "fastimport.unpackLimit=1", "-c", "core.compression=0")
"""A file for each of some hundred texts takes ten times as long."""


def by_each(
    git: Git,
    algorithms: Sequence[str],
    options: Sequence[str],
    sides: Sequence[str],
    meanwhile: Callable[[], None] = lambda: None,
) -> dict[str, bytes]:
    """The differences of two trees by each algorithm; a slow one is left out once another is done.

    ``meanwhile`` is done while they run.
    """
    folder = git.sealed / f"diffs-{next(_FOLDERS)}"
    folder.mkdir()
    running = {}
    for algorithm in algorithms:
        arguments = ["git", "diff-tree", *options, *TEXT, f"--diff-algorithm={algorithm}", *sides]
        running[algorithm] = _started(git, arguments, folder / algorithm)
    meanwhile()
    _wait(running)
    for algorithm, process in running.items():
        if process.returncode not in (0, _KILLED):
            raise GitError(["diff-tree", algorithm], process.returncode, b"")
    return {name: (folder / name).read_bytes() for name, process in running.items() if not process.returncode}


def _started(git: Git, arguments: Sequence[str], out: Path) -> subprocess.Popen[bytes]:
    with out.open("wb") as file:
        return subprocess.Popen(
            arguments,
            cwd=git.sealed,
            env=git.plumbing_environment(),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.DEVNULL,
        )


def _wait(running: Mapping[str, subprocess.Popen[bytes]]) -> None:
    """Wait for all; for a slow one no longer than is reasonable after the first. Myers is never given up."""
    began = time.monotonic()
    limit: float | None = None
    while any(process.poll() is None for process in running.values()):
        if limit is None and any(process.poll() is not None for process in running.values()):
            limit = time.monotonic() + _PATIENCE_SECONDS
        if limit is not None and time.monotonic() > limit:
            for algorithm in running.keys() - {"myers"}:
                running[algorithm].kill()
        time.sleep(min(max((time.monotonic() - began) / 8, _SHORTEST_PAUSE), _LONGEST_PAUSE))


def compare(git: Git, comparisons: Sequence[Comparison]) -> dict[Comparison, Alignment]:
    """Answer all comparisons with one process for each algorithm, and one that stores their texts.

    They go with the sealed git directory: none of them gets into the repository.
    """
    if not comparisons:
        return {}
    apart = git._replace(objects=git.sealed / "objects")
    options = ("-r", "-p", "--text", "--no-renames")
    answers = by_each(apart, ALGORITHMS, options, _stored(apart, comparisons), meanwhile=import_ahead)
    scripts = read_numbered(answers)
    return {c: alignment(c, _only(scripts, number)) for number, c in enumerate(comparisons)}


def _stored(git: Git, comparisons: Sequence[Comparison]) -> list[str]:
    """The old and the new texts, as two commits with a file for each."""
    old, new = dict[str, bytes](), dict[str, bytes]()
    for number, comparison in enumerate(comparisons):
        for name, (before, after) in numbered(comparison).items():
            old[f"{number}{name}"], new[f"{number}{name}"] = before, after
    with FastImport(git, _ALL_IN_ONE_FILE) as fast_import:
        return [_commit(fast_import, texts) for texts in (old, new)]


def _commit(fast_import: FastImport, texts: Mapping[str, bytes]) -> str:
    files = {name.encode(): Entry("100644", name) for name in texts}
    return fast_import.commit(None, b"", files, texts, author=_NOBODY, committer=_NOBODY)


def _only(scripts: Mapping[str, Mapping[str, Script]], number: int) -> dict[str, dict[str, Script]]:
    """The scripts of one comparison, by its plain file names."""
    return {
        algorithm: {name: found[f"{number}{name}"] for name in "frcn" if f"{number}{name}" in found}
        for algorithm, found in scripts.items()
    }
