"""``python -m tests.bench.timed REPORT suggest …``: gitclaw with a stopwatch on the parts of a suggestion.

The report is a JSON object from the name of a part to its seconds, and ``peak_kib``, the most memory this
process, without those it starts, ever held.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import ParamSpec, TypeVar

from gitclaw_py.adapters.command_agent import CommandAgent
from gitclaw_py.adapters.directory_workspace import DirectoryWorkspace, DirectoryWorkspaces
from gitclaw_py.adapters.git_repository import GitRepository
from gitclaw_py.adapters.git_session import GitSession
from gitclaw_py.cli import main

_seconds: dict[str, float] = {}
_P = ParamSpec("_P")
_T = TypeVar("_T")


def _note(name: str, started: float) -> None:
    _seconds[name] = _seconds.get(name, 0.0) + time.perf_counter() - started


def _watched(name: str, function: Callable[_P, _T]) -> Callable[_P, _T]:
    def call(*arguments: _P.args, **options: _P.kwargs) -> _T:
        started = time.perf_counter()
        try:
            return function(*arguments, **options)
        finally:
            _note(name, started)

    return call


def _watched_context(function: Callable[_P, AbstractContextManager[_T]]) -> Callable[_P, AbstractContextManager[_T]]:
    @contextmanager
    def call(*arguments: _P.args, **options: _P.kwargs) -> Iterator[_T]:
        started = time.perf_counter()
        with function(*arguments, **options) as value:
            _note("make", started)
            yield value
            started = time.perf_counter()
        _note("remove", started)

    return call


def peak_kib() -> int:
    """Return the most memory this process ever held.

    ``ru_maxrss`` would count what its parent held when it forked.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


def _run(report: Path, arguments: list[str]) -> int:
    steps: tuple[tuple[type, str, str], ...] = (
        (CommandAgent, "run", "agent"),
        (DirectoryWorkspace, "changes", "read back"),
        (GitSession, "record", "record"),
        (GitRepository, "diff", "diff"),
    )
    for kind, method, name in steps:
        setattr(kind, method, _watched(name, getattr(kind, method)))
    export = "export"
    setattr(DirectoryWorkspaces, export, _watched_context(DirectoryWorkspaces.export))
    code = main(arguments)
    report.write_text(json.dumps({**_seconds, "peak_kib": peak_kib()}), encoding="ascii")
    return code


if __name__ == "__main__":
    os._exit(_run(Path(sys.argv[1]), sys.argv[2:]))  # as the console script does
