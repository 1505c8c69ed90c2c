"""The first process of a recipe: makes the surroundings, keeps what was promised, and becomes the agent.

Started by ``box`` with one line of JSON on its standard input, which stays open for as long as the bot lives. What
happens is told on standard error, a line each:

    ready               the promises hold; the agent starts now
    broken WHAT         a promise does not hold, or something is missing; nothing of the agent ran
    failed NUMBER       the agent's program could not be started, with the system's reason
    exit CODE           how the agent ended; negative for a signal

With ``watched`` it stays the agent's parent and the first process of a PID namespace: when it ends, all end.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import struct
from typing import Any

from gitclaw_py.adapters.isolation import fences, mounts, privileges, relay
from gitclaw_py.adapters.isolation.mounts import Identity, View
from gitclaw_py.adapters.isolation.promises import Bait, broken
from gitclaw_py.adapters.kernel import PR_SET_PDEATHSIG, prctl

_GONE = 137
_SET_FLAGS, _GET_FLAGS, _UP = 0x8914, 0x8913, 1

Order = dict[str, Any]
"""What ``box.order`` writes."""


def main() -> None:
    """Read the order, and carry it out."""
    told = fcntl.fcntl(2, fcntl.F_DUPFD_CLOEXEC, 10)
    try:
        order = json.loads(_line(0))
        server = _surroundings(order)
        if order["watched"]:
            os._exit(_watch(order, server, told))
        # Systems that are not Linux have no such thing, and no isolation but none.
        with contextlib.suppress(AttributeError):
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        _become_the_agent(order, told)
    except (OSError, ValueError) as error:
        _tell(told, f"broken {error}")
        os._exit(1)


def _line(descriptor: int) -> bytes:
    """One line; nothing follows it but the end."""
    found = b""
    while not found.endswith(b"\n"):
        data = os.read(descriptor, 65_536)
        if not data:
            raise OSError("whoever started it is gone")
        found += data
    return found


def _tell(told: int, text: str) -> None:
    with contextlib.suppress(OSError):
        os.write(told, text.replace("\n", " ").encode("utf-8", "backslashreplace") + b"\n")


def _surroundings(order: Order) -> socket.socket | None:
    """What is made before any power is given up; the relay's open port, where there is one."""
    # The agent is the first to go when memory runs out.
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("500")
    os.umask(0o022)
    steps = order["steps"]
    if "loopback" in steps:
        _raise_loopback()
    if "mounts" in steps:
        mounts.show(View(**order["view"]), Identity(*order["owner"]), Identity(*order["agent"]))
    return relay.listening(order["port"]) if "relay" in steps else None


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        request = struct.pack("16sH14x", b"lo", 0)
        (flags,) = struct.unpack_from("H", fcntl.ioctl(asking, _GET_FLAGS, request), 16)
        fcntl.ioctl(asking, _SET_FLAGS, struct.pack("16sH14x", b"lo", flags | _UP))


def _watch(order: Order, server: socket.socket | None, told: int) -> int:
    """Start the agent, and end with it, or when the bot is gone."""
    woken, wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    if server is not None:
        _start_relay(order, server, told)
    agent = os.fork()
    if agent == 0:
        _reset_signals()
        try:
            _become_the_agent(order, told)
        except BaseException as error:  # noqa: BLE001 - the copy of this process must not go on as if it were us
            _tell(told, f"broken {error}")
        os._exit(1)
    while True:
        ready, _, _ = select.select([0, woken], [], [])
        if 0 in ready and not os.read(0, 1):
            return _GONE
        if woken in ready:
            os.read(woken, 512)
            code = _reaped(agent)
            if code is not None:
                _tell(told, f"exit {code}")
                return abs(code) & 0xFF


def _reaped(agent: int) -> int | None:
    """Bury all who died; the agent's exit code if it is among them."""
    code = None
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == agent:
                code = os.waitstatus_to_exitcode(status)
    return code


def _reset_signals() -> None:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def _start_relay(order: Order, server: socket.socket, told: int) -> None:
    if os.fork():
        server.close()
        return
    try:
        _reset_signals()
        os.close(told)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        privileges.become(_who(order))
        relay.serve(server, order["socket"])
    finally:
        os._exit(1)


def _who(order: Order) -> Identity | None:
    return Identity(*order["agent"]) if "user" in order["steps"] else None


def _become_the_agent(order: Order, told: int) -> None:
    """Give up everything, see that it is given up, and start the agent's program in our place."""
    with contextlib.suppress(PermissionError):
        os.setsid()
    steps = order["steps"]
    privileges.limit(order["limits"])
    if "power" not in steps:
        privileges.become(_who(order))
    if "fences" in steps:
        fences.enclose(fences.Fence(order["view"]["readable"], order["view"]["writable"], order["ports"]))
    if "sockets" in steps:
        fences.no_sockets(but_tcp=bool(order["ports"]))
    problems = broken(order["promises"], Identity(*order["agent"]), Bait(**order["bait"]), order["view"]["writable"])
    if problems:
        _tell(told, f"broken {'; '.join(problems)}")
        os._exit(1)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    _tell(told, "ready")
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(1, 2)
        os.chdir(order["folder"])
        os.execvpe(order["command"][0], order["command"], order["environment"])  # noqa: S606 - no shell is wanted
    except (OSError, ValueError) as error:
        _tell(told, f"failed {getattr(error, 'errno', None) or 0}")
        os._exit(127)


def bootstrap(top: str) -> list[str]:
    """The arguments of a Python that runs ``main``, whose package lies in ``top``: deaf to its surroundings."""
    code = f"import sys; sys.path.append({top!r}); from {__name__} import main; main()"
    return ["-I", "-S", "-B", "-c", code]
