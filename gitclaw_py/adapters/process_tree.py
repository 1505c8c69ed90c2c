"""The processes that a command starts: how many they are, how much memory they hold, and the end of them all."""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from typing import NamedTuple

from gitclaw_py.errors import AgentError

_PATIENCE = 10.0
_PAUSE = 0.002
_ONE_AT_A_TIME = threading.Lock()
"""Orphans come to the whole process, and nobody can tell whose they were."""
_PARENT, _SESSION, _RESIDENT = 1, 3, 21
"""Places in ``/proc/PID/stat``, after the name. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html"""


class _Process(NamedTuple):
    parent: int
    session: int
    resident: int
    is_dead: bool


class Weight(NamedTuple):
    """How many processes there are, and how many bytes of memory they hold, those they share counted for each."""

    processes: int
    memory: int


@contextmanager
def adopting() -> Iterator[Callable[[], Weight]]:
    """Whatever is started meanwhile in a session of its own, and whatever that starts, is gone at the end.

    Orphans become our children, wherever they hide from their process group; on systems without that, they do not.
    What is yielded weighs it all. Within one process of ours, a second caller waits until the first one is done.

    Raises:
        AgentError: ``AGENT_FAILED``: processes that cannot be ended.
    """
    with _ONE_AT_A_TIME:
        before = frozenset(_children(_all(), os.getpid()))
        was = _adopts(1)
        try:
            yield lambda: _weight(before)
        finally:
            try:
                _end_all_but(before)
            finally:
                _adopts(was)


def end_group(group: int) -> None:
    """End a process group, if there is one still."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _adopts(value: int) -> int:
    """Whether orphans come to us, from now on; what held before."""
    if not sys.platform.startswith("linux"):
        return 0
    import ctypes

    from gitclaw_py.adapters.kernel import PR_GET_CHILD_SUBREAPER, PR_SET_CHILD_SUBREAPER, prctl

    was = ctypes.c_int()
    prctl(PR_GET_CHILD_SUBREAPER, ctypes.addressof(was))
    prctl(PR_SET_CHILD_SUBREAPER, value)
    return was.value


def _weight(before: AbstractSet[int]) -> Weight:
    found = _all()
    roots = _roots(found, before)
    alive = [found[pid] for pid in (*roots, *_descendants(found, roots)) if not found[pid].is_dead]
    page = os.sysconf("SC_PAGE_SIZE")
    return Weight(len(alive), sum(process.resident for process in alive) * page)


def _roots(found: dict[int, _Process], before: AbstractSet[int]) -> list[int]:
    """The agent's first process, and its orphans: nobody who once left our session comes back to it."""
    session = os.getsid(0)
    new = (pid for pid in _children(found, os.getpid()) if pid not in before)
    return [pid for pid in new if found[pid].session != session]


def _end_all_but(before: AbstractSet[int]) -> None:
    """End our new children and all that descend from them; they may be making more meanwhile."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        found = _all()
        roots = _roots(found, before)
        if not roots:
            return
        for pid in (*roots, *_descendants(found, roots)):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in roots:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        if time.monotonic() > deadline:
            raise AgentError(
                "AGENT_FAILED",
                "Processes of the agent could not be ended; nothing was proposed",
                "end them by hand, and see what it did before you run it again",
            )
        time.sleep(_PAUSE)


def _children(found: dict[int, _Process], parent: int) -> list[int]:
    return [pid for pid, process in found.items() if process.parent == parent]


def _descendants(found: dict[int, _Process], roots: Iterable[int]) -> list[int]:
    below: dict[int, list[int]] = {}
    for pid, process in found.items():
        below.setdefault(process.parent, []).append(pid)
    waiting, tree = list(roots), []
    while waiting:
        children = below.get(waiting.pop(), [])
        tree += children
        waiting += children
    return tree


def _all() -> dict[int, _Process]:
    """Every process that can be seen, by its id; none on systems without ``/proc``."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return {}
    return {int(name): process for name in names if name.isdigit() and (process := _process(name))}


def _process(name: str) -> _Process | None:
    try:
        with open(f"/proc/{name}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return _Process(int(fields[_PARENT]), int(fields[_SESSION]), int(fields[_RESIDENT]), fields[0] in (b"Z", b"X"))
