"""An agent's process while it runs: its words go to a file, up to a limit; it is stopped when it takes too much."""

import contextlib
import os
import select
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from gitclaw_py.adapters import process_tree
from gitclaw_py.core.settings import Usage
from gitclaw_py.errors import AgentError

MIB = 1 << 20
_TICK = 0.05
_CHUNK = 65_536
_PAUSE = 0.01
_BETWEEN_WEIGHINGS = 0.5


class Start(NamedTuple):
    """What is to be started, in which folder of the workspace; ``private`` is a folder for its own files."""

    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    workspace: Path
    private: Path


def no_folder(start: Start) -> AgentError:
    """What to say where the folder to work in is not among the files."""
    return AgentError(
        "AGENT_FAILED", f"The base has no folder {start.folder.name}", "commit it first, or start from another folder"
    )


class Running(NamedTuple):
    """An agent at work.

    ``output`` is where its words come out; ``end`` stops all of it and gives the exit code; ``how`` is what keeps it
    apart, in words. ``check`` raises when there is a reason to stop it, ``weigh`` tells how much there is of it.
    """

    process: subprocess.Popen[bytes]
    output: int
    end: Callable[[], int]
    how: str
    network: str
    check: Callable[[], None]
    weigh: Callable[[], process_tree.Weight]


class Bounds(NamedTuple):
    """How long it may take, in seconds, and what else it may use; only its output is limited without ``weighed``."""

    timeout: float
    limits: Usage
    weighed: bool


class Output:
    """The words of an agent on their way to the log; what is beyond the limit is dropped, and that is said."""

    def __init__(self, source: int, log: BinaryIO, most: int) -> None:
        self._source = source
        self._log = log
        self._left = most
        self._most = most
        os.set_blocking(source, False)

    def take(self) -> bool:
        """Pass on what is there; whether more may come."""
        try:
            data = os.read(self._source, _CHUNK)
        except BlockingIOError:
            return True
        if not self._left:
            # Who says that much is made to wait.
            time.sleep(_PAUSE)
        self._log.write(data[: self._left])
        self._log.flush()
        if self._left and len(data) >= self._left:
            self._log.write(b"\n[what it said after %d bytes is left out]\n" % self._most)
        self._left = max(0, self._left - len(data))
        return bool(data)

    def finish(self) -> None:
        """Take what is left of an agent that has ended, without waiting for anyone."""
        while self._left and select.select([self._source], [], [], 0)[0] and self.take():
            pass
        self._log.flush()


def watch(
    running: Running, output: Output, bounds: Bounds, started: float, tell: Callable[[float], None], name: str
) -> None:
    """Wait until the agent's first process has ended.

    Raises:
        AgentError: ``AGENT_TIMEOUT`` or ``AGENT_FAILED``: it took more than it may.
        BudgetError: ``BUDGET_EXCEEDED``: it used its model more than it may.
    """
    sources, open_end = _sources(running)
    weighed = started
    try:
        while running.process.poll() is None:
            ready = select.select(sources, [], [], _TICK)[0]
            if running.output in ready and not output.take():
                sources.remove(running.output)
            now = time.monotonic()
            running.check()
            tell(now - started)
            if now - started > bounds.timeout:
                raise _too_long(name, bounds.timeout)
            if bounds.weighed and now - weighed > _BETWEEN_WEIGHINGS:
                weighed = now
                _weigh(running.weigh(), bounds.limits, name)
    finally:
        if open_end is not None:
            os.close(open_end)


def _sources(running: Running) -> tuple[list[int], int | None]:
    """What to wait for: its words and, where the system can tell, its end."""
    with contextlib.suppress(AttributeError, OSError):
        end = os.pidfd_open(running.process.pid)
        return [running.output, end], end
    return [running.output], None


def _too_long(name: str, timeout: float) -> AgentError:
    return AgentError(
        "AGENT_TIMEOUT",
        f"{name} was stopped after {timeout:g} s; nothing was proposed",
        "give it longer with --timeout, or see what it did: {log}",
    )


def _weigh(found: process_tree.Weight, limits: Usage, name: str) -> None:
    if found.memory > limits.memory * MIB:
        raise _too_much(name, f"{limits.memory} MiB of memory", "memory")
    if found.processes > limits.processes:
        raise _too_much(name, f"{limits.processes} processes", "processes")


def _too_much(name: str, what: str, key: str) -> AgentError:
    return AgentError(
        "AGENT_FAILED",
        f"{name} used more than {what} and was stopped; nothing was proposed",
        f"see what it did; if it needs more, raise agent.limits.{key} in suggestions.json",
    )
