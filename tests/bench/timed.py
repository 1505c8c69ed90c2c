"""``python -m tests.bench.timed REPORT suggest …``: gitclaw with a stopwatch on the parts of a suggestion.

The report is a JSON object from the name of a part to its seconds, and ``peak_kib``, the most memory this
process, without those it starts, ever held.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import ParamSpec, TypeVar

from gitclaw_py.adapters.git_export import Export
from gitclaw_py.cli import main

_seconds: dict[str, float] = {}
_began: list[float] = []
"""When git began to write the workspace, which is before anyone waits for it."""
_P = ParamSpec("_P")
_T = TypeVar("_T")
_STEPS = (
    ("command_agent", "CommandAgent", "run", "agent"),
    ("directory_workspace", "DirectoryWorkspace", "changes", "read back"),
    ("git_session", "GitSession", "record", "record"),
    ("git_repository", "GitRepository", "diff", "diff"),
)


def _watched(name: str, function: Callable[_P, _T], since: list[float] | None = None) -> Callable[_P, _T]:
    def call(*arguments: _P.args, **options: _P.kwargs) -> _T:
        started = since[0] if since else time.perf_counter()
        try:
            return function(*arguments, **options)
        finally:
            _seconds[name] = _seconds.get(name, 0.0) + time.perf_counter() - started

    return call


def peak_kib() -> int:
    """Return the most memory this process ever held.

    ``ru_maxrss`` would count what its parent held when it forked.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


def _watch() -> None:
    """Watch what comes after git has written the workspace; by now everything else is imported.

    It is not imported for this: what is loaded while git writes is to be loaded then.
    """
    for module, kind, method, name in _STEPS:
        owner = getattr(import_module(f"gitclaw_py.adapters.{module}"), kind)
        setattr(owner, method, _watched(name, getattr(owner, method)))
    made = import_module("gitclaw_py.adapters.directory_workspace").DirectoryWorkspace
    made.__init__ = _watched("make", made.__init__, _began)


def _run(report: Path, arguments: list[str]) -> int:
    begin, finished = Export.__enter__, Export.finished

    def entered(export: Export) -> Export:
        _began.append(time.perf_counter())
        return begin(export)

    def waited(export: Export) -> object:
        _watch()
        return finished(export)

    for name, function in (("__enter__", entered), ("finished", waited)):
        setattr(Export, name, function)
    removed = "__exit__"
    setattr(Export, removed, _watched("remove", Export.__exit__))
    code = main(arguments)
    import json  # not before: to load it takes time, and ours has it loaded while git writes

    report.write_text(json.dumps({**_seconds, "peak_kib": peak_kib()}), encoding="ascii")
    return code


if __name__ == "__main__":
    os._exit(_run(Path(sys.argv[1]), sys.argv[2:]))  # as the console script does
