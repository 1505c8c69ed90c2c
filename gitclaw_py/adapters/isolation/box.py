"""Starting an agent in the strongest isolation that works here."""

import json
import os
import secrets
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from gitclaw_py.adapters import process_tree
from gitclaw_py.adapters.agent_process import MIB, Running, Start, no_folder
from gitclaw_py.adapters.isolation import inside, recipes
from gitclaw_py.adapters.isolation.mounts import View
from gitclaw_py.adapters.isolation.recipes import AGENT, Recipe
from gitclaw_py.adapters.model_door import Door, door, variables
from gitclaw_py.core.settings import AgentSettings, Isolation, Network
from gitclaw_py.errors import AgentError, InternalError

_TOP = str(Path(__file__).resolve().parents[3])
_OUTER = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
_PLACES = ("HOME", "RUNNER_TEMP", "RUNNER_WORKSPACE", "GITHUB_WORKSPACE", "GITHUB_EVENT_PATH", "TMPDIR")
"""Variables that name places of the bot, or files in them."""
_PORT = 8080
_OPEN_FILES = 4096
_SCRATCH = 512 * MIB
_PATIENCE = 30.0
_MOST_SAID = 4_000
_WORDS = {
    Network.OFF: "no network",
    Network.PROXY: "network: its model only",
    Network.OPEN: "network: open",
}


class _Tried(NamedTuple):
    """A recipe that was tried: its processes, where their words come out, and where they tell how it is going.

    ``heard`` is what they told so far.
    """

    process: subprocess.Popen[bytes]
    output: int
    told: int
    heard: bytearray


class Box:
    """Starts agents as the configuration says; ``environment`` is the bot's own.

    ``ways`` are the recipes to try, in order; by default those that the configuration asks for.
    """

    def __init__(
        self, settings: AgentSettings, environment: Mapping[str, str], ways: Sequence[Recipe] | None = None
    ) -> None:
        self.settings = settings
        self._environment = environment
        self._ways = recipes.tried(settings.isolation) if ways is None else ways

    @contextmanager
    def started(self, start: Start) -> Iterator[Running]:
        """The agent at work; afterwards nothing of it is left running.

        Raises:
            AgentError: ``AGENT_FAILED``: nothing here keeps it apart as it was asked for, or it cannot be started.
            ConfigError: ``CONFIG_INVALID``: the model's key is not there.
        """
        if not start.folder.is_dir():
            raise no_folder(start)
        problems: list[str] = []
        with ExitStack() as stack:
            own = Path(os.path.realpath(stack.enter_context(tempfile.TemporaryDirectory(prefix="gitclaw-bot-"))))
            bait = stack.enter_context(_bait(own))
            for recipe in self._ways:
                with ExitStack() as attempt:
                    found = self._tried(attempt, recipe, start, own, bait)
                    if isinstance(found, Running):
                        yield found
                        return
                    problems.append(f"{recipe.name}: {found}")
        raise _nothing_works(problems)

    def _tried(
        self, stack: ExitStack, recipe: Recipe, start: Start, own: Path, bait: Mapping[str, Any]
    ) -> Running | str:
        network = self.settings.network
        way = stack.enter_context(
            door(self.settings.model, self._environment, own, relayed=_is_relayed(recipe, network))
        )
        view = self._view(start, own, way)
        here = recipes.Surroundings(network, view, recipes.packages(_TOP), self._environment.get("PATH", os.defpath))
        weigh = stack.enter_context(process_tree.adopting())
        order = self._order(recipe, start, view, way, bait)
        tried = _launched([*recipe.start(here), *_python()], order)
        if isinstance(tried, str):
            return tried
        stack.callback(_close, tried)
        stack.callback(_stop, tried, watched=recipe.watched)
        told = _first_line(tried)
        if told != "ready":
            return told.removeprefix("broken ")
        return Running(
            tried.process,
            tried.output,
            lambda: self._end(tried, recipe, start),
            str(recipe.name),
            _WORDS[network] if recipe.name is not Isolation.NONE else "network: as gitclaw has it",
            way.check,
            weigh,
        )

    def _view(self, start: Start, own: Path, way: Door) -> View:
        files = {}
        for name, text in _accounts(start.private / "home").items():
            place = own / name
            place.write_text(text, encoding="utf-8")
            place.chmod(0o644)
            files[f"/etc/{name}"] = str(place)
        readable = [os.path.realpath(os.path.expanduser(place)) for place in self.settings.readable]
        if self.settings.network is Network.OPEN:
            readable.append(recipes.RESOLVER)
        if way.socket is not None:
            readable.append(str(way.socket.parent))
        return View(
            self._hidden(),
            [place for place in recipes.SCRATCH if os.path.isdir(place)],
            [place for place in readable if os.path.exists(place)],
            [str(start.workspace), str(start.private)],
            files,
            _SCRATCH,
        )

    def _hidden(self) -> list[str]:
        """The folders of people, and those the bot works in; none of what the system is made of."""
        named = [self._environment[name] for name in _PLACES if self._environment.get(name)]
        places = [os.path.realpath(place) for place in (*named, tempfile.gettempdir(), os.getcwd())]
        found = [*recipes.HIDDEN]
        for place in sorted(place if os.path.isdir(place) else os.path.dirname(place) for place in places):
            inside_others = any(_is_in(place, other) for other in (*found, *recipes.SCRATCH))
            if not inside_others and not any(_is_in(other, place) for other in recipes.SYSTEM):
                found.append(place)
        return found

    def _order(self, recipe: Recipe, start: Start, view: View, way: Door, bait: Mapping[str, Any]) -> dict[str, Any]:
        settings = self.settings
        fenced = "fences" in recipe.steps(settings.network)
        port = _PORT if way.socket is not None else way.port
        ports = None if settings.network is Network.OPEN else [way.port] if way.port else []
        if fenced:
            view = view._replace(readable=[*view.readable, *recipes.SYSTEM])
        return {
            "watched": recipe.watched,
            "steps": list(recipe.steps(settings.network)),
            "promises": recipes.promises(recipe, settings.network),
            "owner": [os.getuid(), os.getgid()],
            "agent": list(AGENT if recipe.watched else (os.getuid(), os.getgid())),
            "view": view._asdict(),
            "bait": dict(bait),
            "limits": self._limits(recipe),
            "ports": ports,
            "port": port or _PORT,
            "socket": str(way.socket) if way.socket else None,
            "folder": str(start.folder),
            "command": list(start.command),
            "environment": {**self._variables(recipe, start), **variables(settings.model, port, way.word)},
        }

    def _limits(self, recipe: Recipe) -> dict[str, int]:
        limits = self.settings.limits
        found = {"files": _OPEN_FILES, "file_size": limits.file_size * MIB, "data": limits.memory * MIB}
        # The kernel counts all processes of a user: with the bot's own user, others would count.
        return {**found, "processes": limits.processes} if "user" in recipe.steps(Network.OFF) else found

    def _variables(self, recipe: Recipe, start: Start) -> dict[str, str]:
        given = dict(start.environment)
        if recipe.name is Isolation.NONE:
            return given
        given.pop("TMPDIR", None)
        own = {"HOME": str(start.private / "home"), "USER": "gitclaw-agent", "LOGNAME": "gitclaw-agent"}
        if "fences" in recipe.steps(self.settings.network):
            own["TMPDIR"] = str(start.private / "tmp")
        for name in ("home", "tmp"):
            (start.private / name).mkdir(exist_ok=True)
        return {**given, **own}

    def _end(self, tried: _Tried, recipe: Recipe, start: Start) -> int:
        code = _stop(tried, watched=recipe.watched)
        for line in _lines(tried):
            word, _, value = line.partition(" ")
            if word == "failed" and value.isdigit():
                raise self._not_started(start, int(value))
            if word == "exit" and value.removeprefix("-").isdigit():
                code = int(value)
        return code

    def _not_started(self, start: Start, number: int) -> AgentError:
        name = start.command[0]
        apart = "" if self.settings.isolation is Isolation.NONE else " where it is kept apart"
        what = f"{name} cannot be started{apart}: {os.strerror(number)}"
        found = shutil.which(name, path=start.environment.get("PATH"))
        hidden = found and any(_is_in(os.path.realpath(found), place) for place in self._hidden())
        if found and hidden:
            return AgentError(
                "AGENT_FAILED",
                what,
                f"it is {found}, which is hidden from agents: install it in /opt, or name its folder in agent.readable",
            )
        return AgentError("AGENT_FAILED", what, f"check that it is installed for everyone: command -v {name}")


def _is_relayed(recipe: Recipe, network: Network) -> bool:
    return "relay" in recipe.steps(network)


def _is_in(place: str, folder: str) -> bool:
    return place == folder or place.startswith(folder.rstrip("/") + "/")


def _python() -> list[str]:
    return [os.path.realpath(sys.executable), *inside.bootstrap(_TOP)]


def _accounts(home: Path) -> dict[str, str]:
    """The users and groups that the agent sees."""
    shell = "/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh"
    users = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    groups = "root:x:0:\nnogroup:x:65534:\n"
    return {
        "passwd": f"{users}gitclaw-agent:x:{AGENT.uid}:{AGENT.gid}::{home}:{shell}\n",
        "group": f"{groups}gitclaw-agent:x:{AGENT.gid}:\n",
    }


@contextmanager
def _bait(own: Path) -> Iterator[dict[str, Any]]:
    """What nothing inside may reach: a file and a folder of ours, and an open port."""
    folder = own / "bait"
    folder.mkdir()
    file = folder / "token"
    file.write_text(secrets.token_hex(8), encoding="ascii")
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield {
            "process": os.getpid(),
            "file": str(file),
            "folder": str(folder),
            "port": server.getsockname()[1],
        }


def _launched(command: Sequence[str], order: Mapping[str, Any]) -> _Tried | str:
    """Start it; the reason in words where that is not possible."""
    from_agent, output = os.pipe()
    from_inside, told = os.pipe()
    try:
        process = subprocess.Popen(
            command,
            cwd="/",
            env=_OUTER,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=told,
            start_new_session=True,
            bufsize=0,
        )
    except OSError as error:
        os.close(from_agent)
        os.close(from_inside)
        return f"{command[0]}: {error.strerror}"
    finally:
        os.close(output)
        os.close(told)
    tried = _Tried(process, from_agent, from_inside, bytearray())
    with suppress(BrokenPipeError):
        _life_line(tried).write(json.dumps(order).encode() + b"\n")
    return tried


def _life_line(tried: _Tried) -> IO[bytes]:
    """What is open for as long as the agent may live."""
    if tried.process.stdin is None:
        raise InternalError("INTERNAL", "a process was started without an input", "please report this")
    return tried.process.stdin


def _first_line(tried: _Tried) -> str:
    """What it says first, or why nothing of the kind came."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        if not select.select([tried.told], [], [], 0.1)[0]:
            continue
        data = os.read(tried.told, _MOST_SAID)
        tried.heard.extend(data)
        found = [line for line in _heard(tried)[:-1] if line == "ready" or line.startswith("broken ")]
        if found:
            return found[0]
        if not data or len(tried.heard) > _MOST_SAID:
            break
    return " ".join(" ".join(_heard(tried)).split())[:300] or "it did not start"


def _heard(tried: _Tried) -> list[str]:
    return tried.heard.decode("utf-8", "replace").split("\n")


def _lines(tried: _Tried) -> list[str]:
    """All that it told, until its end."""
    os.set_blocking(tried.told, False)
    with suppress(BlockingIOError):
        tried.heard.extend(os.read(tried.told, _MOST_SAID))
    return _heard(tried)


def _stop(tried: _Tried, *, watched: bool) -> int:
    """End all of it: what watches over it ends when our end of its life line is closed."""
    process = tried.process
    with suppress(BrokenPipeError):
        _life_line(tried).close()
    if watched:
        with suppress(subprocess.TimeoutExpired):
            return process.wait(_PATIENCE)
    process_tree.end_group(process.pid)
    with suppress(PermissionError):
        process.kill()
    try:
        return process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        what = "The agent's processes could not be ended; nothing was proposed"
        raise AgentError("AGENT_FAILED", what, "end them by hand before you run it again") from None


def _close(tried: _Tried) -> None:
    for descriptor in (tried.output, tried.told):
        os.close(descriptor)


def _nothing_works(problems: Sequence[str]) -> AgentError:
    return AgentError(
        "AGENT_FAILED",
        "The agent was not started: nothing here keeps it apart from this machine",
        'give gitclaw root or passwordless sudo, or install bubblewrap; or set "agent": {"isolation": "none"} if it may'
        " do all that gitclaw may",
        tuple(problems),
    )
