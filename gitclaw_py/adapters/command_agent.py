"""An agent that is a command: any program that changes files in the folder it is started in."""

from __future__ import annotations

import os
import stat
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from gitclaw_py.adapters import process_tree
from gitclaw_py.adapters.agent_process import MIB, Bounds, Output, Running, Start, no_folder, watch
from gitclaw_py.adapters.private_folders import new_folder
from gitclaw_py.adapters.tree_removal import remove_tree
from gitclaw_py.core.settings import AgentSettings
from gitclaw_py.core.visible import visible_bytes
from gitclaw_py.errors import AgentError
from gitclaw_py.ports.engine import Ran

if TYPE_CHECKING:
    from gitclaw_py.adapters.isolation.box import Box

_MOST_READ = 1_000_000
"""Bytes of a file that are read; more is neither a reason nor an answer."""
_REASONS, _PROMPT, _ANSWER = "reasons.json", "prompt.md", "answer.md"
_PASSED = ("PATH", "HOME", "LANG", "LANGUAGE", "TMPDIR", "TERM", "TZ")
_TAIL = 400
_LINES = 5
_MOST_SAID = 20_000


def passed(settings: AgentSettings, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables an agent gets: a few that every program needs, and those that the configuration names."""
    names = (*_PASSED, *settings.environment)
    return {name: environment[name] for name in names if name in environment}


class CommandAgent(NamedTuple):
    """See ``ports.Agent``. ``timeout`` in seconds.

    The command gets the caller's environment without git's own variables, so that nothing it starts is led
    to the real repository, and ``GITCLAW_REASONS``, the path of a file it may leave its reasons in. With a
    ``prompt`` it also gets ``GITCLAW_PROMPT``, a file with its task, and ``GITCLAW_ANSWER``, a file for its words.
    Without a ``box`` its own user runs it, in a process group, as what was typed.
    """

    command: Sequence[str]
    environment: Mapping[str, str]
    timeout: float
    prompt: bytes | None = None
    box: Box | None = None

    def run(self, workspace: Path, folder: str, log: Path, progress: Callable[[float, str], None]) -> Ran:
        """Run the command to its end; none of its processes outlives it.

        Raises:
            AgentError: ``AGENT_FAILED``: it cannot be started, cannot be kept apart, or took more than it may;
                ``AGENT_TIMEOUT``: it was stopped.
            BudgetError: ``BUDGET_EXCEEDED``.
        """
        with _private_folder(self.environment) as private:
            workspace = Path(os.path.realpath(workspace))
            if self.prompt is not None:
                (private / _PROMPT).write_bytes(self.prompt)
            started = time.monotonic()
            start = Start(
                self.command,
                self._variables(workspace / folder, workspace, private),
                workspace / folder,
                workspace,
                private,
            )
            with log.open("ab") as output:
                began, ended, code, running = self._worked(start, output, log, progress)
            seconds = time.monotonic() - started
            said = _said(log, began, ended)
            answer = _read(private / _ANSWER) or said if self.prompt is not None else None
            return Ran(
                code, seconds, _read(private / _REASONS), _last_lines(said), answer, running.how, running.network
            )

    def _worked(
        self, start: Start, output: BinaryIO, log: Path, progress: Callable[[float, str], None]
    ) -> tuple[int, int, int, Running]:
        """Where in the log its words begin and end, its exit code, and how it was kept apart."""
        settings = self.box.settings if self.box else AgentSettings()
        bounds = Bounds(self.timeout, settings.limits, weighed=self.box is not None)
        began_at = time.monotonic()
        with self.box.started(start) if self.box else _as_typed(start) as running:
            output.write(
                time.strftime("== %Y-%m-%d %H:%M:%S ").encode()
                + f"[isolation: {running.how}, {running.network}]\n$ ".encode()
                + " ".join(self.command).encode("utf-8", "surrogateescape")
                + b"\n"
            )
            output.flush()
            began = output.tell()
            words = Output(running.output, output, settings.limits.output * MIB)
            try:
                watch(running, words, bounds, began_at, lambda seconds: progress(seconds, _last_line(log)), self._name)
            except AgentError as error:
                error.next_step = error.next_step.replace("{log}", str(log))
                raise
            code = running.end()
            words.finish()
            ended = output.seek(0, os.SEEK_END)
            output.write(b"[exit %d]\n" % code)
        return began, ended, code, running

    @property
    def _name(self) -> str:
        return self.command[0]

    def _variables(self, folder: Path, workspace: Path, private: Path) -> dict[str, str]:
        inherited = {name: value for name, value in self.environment.items() if not name.startswith("GIT_")}
        own = {
            "GITCLAW_REASONS": str(private / _REASONS),
            "GIT_CEILING_DIRECTORIES": str(workspace.parent),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PWD": str(folder),
        }
        if self.prompt is not None:
            own |= {"GITCLAW_PROMPT": str(private / _PROMPT), "GITCLAW_ANSWER": str(private / _ANSWER)}
        return {**inherited, **own}


@contextmanager
def _private_folder(environment: Mapping[str, str]) -> Iterator[Path]:
    """A folder for the agent's own files. What it makes of it is removed without following any link."""
    folder = Path(os.path.realpath(new_folder(environment, "private")))
    try:
        yield folder
    finally:
        remove_tree(folder)


@contextmanager
def _as_typed(start: Start) -> Iterator[Running]:
    """The command with its own user's powers; the workspace and the end of its processes are its only bounds."""
    source, output = os.pipe()
    try:
        with process_tree.adopting() as weigh:
            process = _popen(start, output)
            try:
                yield Running(process, source, lambda: _end(process), "none", "network: open", lambda: None, weigh)
            finally:
                _end(process)
    finally:
        os.close(source)


def _popen(start: Start, output: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(start.command),
            cwd=start.folder,
            env=dict(start.environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        name = start.command[0]
        if isinstance(error, FileNotFoundError) and not start.folder.is_dir():
            raise no_folder(start) from error
        raise AgentError("AGENT_FAILED", f"{name} cannot be started: {error.strerror}", _how_to_start(name)) from error
    finally:
        os.close(output)


def _how_to_start(name: str) -> str:
    if " " in name:
        return "write the command without quotes around it: gitclaw suggest -- COMMAND ARGUMENTS"
    if "/" in name:
        return "it runs in a copy of the commit's files: commit it, use --working-tree, or give its absolute path"
    return f"check that it is installed: command -v {name}"


def _end(process: subprocess.Popen[bytes]) -> int:
    """Leave nothing of the process group running: the tree is read next."""
    process_tree.end_group(process.pid)
    return process.wait()


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
