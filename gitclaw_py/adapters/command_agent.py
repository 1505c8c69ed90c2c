"""An agent that is a command: any program that changes files in the folder it is started in."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gitclaw_py.core.visible import visible_bytes
from gitclaw_py.errors import AgentError
from gitclaw_py.ports import Ran

_TICK = 0.05
_MOST_READ = 1_000_000
"""Bytes of a file that are read; more is neither a reason nor an answer."""
_REASONS, _PROMPT, _ANSWER = "reasons.json", "prompt.md", "answer.md"
_TAIL = 400
_LINES = 5
_MOST_SAID = 20_000


class CommandAgent(NamedTuple):
    """See ``ports.Agent``. ``timeout`` in seconds.

    The command gets the caller's environment without git's own variables, so that nothing it starts is led
    to the real repository, and ``GITCLAW_REASONS``, the path of a file it may leave its reasons in. With a
    ``prompt`` it also gets ``GITCLAW_PROMPT``, a file with its task, and ``GITCLAW_ANSWER``, a file for its words.
    """

    command: Sequence[str]
    environment: Mapping[str, str]
    timeout: float
    prompt: bytes | None = None

    def run(self, workspace: Path, folder: str, log: Path, progress: Callable[[float, str], None]) -> Ran:
        """Run the command to its end, in a process group that does not outlive it.

        Raises:
            AgentError: ``AGENT_FAILED``: it cannot be started; ``AGENT_TIMEOUT``: it was stopped.
        """
        with tempfile.TemporaryDirectory(prefix="gitclaw-reasons-") as folder_for_it:
            private = Path(folder_for_it)
            if self.prompt is not None:
                (private / _PROMPT).write_bytes(self.prompt)
            started = time.monotonic()
            with log.open("ab") as output:
                output.write(
                    time.strftime("== %Y-%m-%d %H:%M:%S\n$ ").encode()
                    + " ".join(self.command).encode("utf-8", "surrogateescape")
                    + b"\n"
                )
                output.flush()
                began = output.tell()
                process = self._started(workspace / folder, workspace, private, output.fileno())
                try:
                    code = self._waited(process, started, log, progress)
                finally:
                    _end(process)
                ended = output.seek(0, os.SEEK_END)
                output.write(b"[exit %d]\n" % code)
            seconds = time.monotonic() - started
            said = _said(log, began, ended)
            answer = _read(private / _ANSWER) or said if self.prompt is not None else None
            return Ran(code, seconds, _read(private / _REASONS), _last_lines(said), answer)

    def _started(self, folder: Path, workspace: Path, private: Path, output: int) -> subprocess.Popen[bytes]:
        inherited = {name: value for name, value in self.environment.items() if not name.startswith("GIT_")}
        own = {
            "GITCLAW_REASONS": str(private / _REASONS),
            "GIT_CEILING_DIRECTORIES": str(workspace.parent),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PWD": str(folder),
        }
        if self.prompt is not None:
            own |= {"GITCLAW_PROMPT": str(private / _PROMPT), "GITCLAW_ANSWER": str(private / _ANSWER)}
        try:
            return subprocess.Popen(
                list(self.command),
                cwd=folder,
                env={**inherited, **own},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            name = self.command[0]
            if isinstance(error, FileNotFoundError) and not folder.is_dir():
                raise AgentError(
                    "AGENT_FAILED",
                    f"The base has no folder {folder.name}",
                    "commit it first, or start from another folder",
                ) from error
            raise AgentError(
                "AGENT_FAILED", f"{name} cannot be started: {error.strerror}", _how_to_start(name)
            ) from error

    def _waited(
        self, process: subprocess.Popen[bytes], started: float, log: Path, progress: Callable[[float, str], None]
    ) -> int:
        while True:
            try:
                return process.wait(_TICK)
            except subprocess.TimeoutExpired:
                seconds = time.monotonic() - started
                progress(seconds, _last_line(log))
                if seconds > self.timeout:
                    raise AgentError(
                        "AGENT_TIMEOUT",
                        f"{self.command[0]} was stopped after {self.timeout:g} s; nothing was proposed",
                        f"give it longer with --timeout, or see what it did: {log}",
                    ) from None


def _how_to_start(name: str) -> str:
    if " " in name:
        return "write the command without quotes around it: gitclaw suggest -- COMMAND ARGUMENTS"
    if "/" in name:
        return "it runs in a copy of the commit's files: commit it, use --working-tree, or give its absolute path"
    return f"check that it is installed: command -v {name}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Leave nothing of the process group running: the tree is read next."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _last_line(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
        lines = [line for line in file.read().replace(b"\r", b"\n").split(b"\n") if line.strip()]
    return visible_bytes(lines[-1]) if lines else ""


def _last_lines(said: bytes) -> tuple[str, ...]:
    lines = said[-_TAIL * _LINES :].replace(b"\r", b"\n").split(b"\n")
    return tuple([visible_bytes(line) for line in lines if line.strip()][-_LINES:])


def _said(log: Path, began: int, ended: int) -> bytes:
    """What the command printed, which is between these places of the log; the end of it, when it is long."""
    start = max(began, ended - _MOST_SAID)
    with log.open("rb") as file:
        file.seek(start)
        return file.read(ended - start)


def _read(path: Path) -> bytes | None:
    """What the command left in a file of ours; None where it made something else of the file.

    The command owns the folder. A link could lead to what only we may read, such as our environment, and a pipe
    would never end.
    """
    try:
        with open(path, "rb", opener=_opened_itself) as file:
            found = os.fstat(file.fileno())
            return file.read(_MOST_READ) if stat.S_ISREG(found.st_mode) and found.st_nlink == 1 else None
    except OSError:
        return None


def _opened_itself(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
