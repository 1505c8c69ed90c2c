"""What a recipe promises, looked at from the inside by the very process that becomes the agent."""

import os
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gitclaw_py.adapters.isolation.mounts import Identity

_NOWHERE = ("192.0.2.1", 9)
"""An address that belongs to nobody. https://www.rfc-editor.org/rfc/rfc5737"""
_SECONDS = 2.0


class Bait(NamedTuple):
    """What the bot laid out: its process, a file and a folder of its own, and an open port of its loopback."""

    process: int
    file: str
    folder: str
    port: int


def broken(promises: Sequence[str], who: Identity, bait: Bait, writable: Sequence[str]) -> list[str]:
    """Which of the promises do not hold for this process, in words."""
    checks: dict[str, Callable[[], Iterator[str]]] = {
        "user": lambda: _user(who),
        "powers": _powers,
        "bounds": _bounds,
        "bot": lambda: _bot(bait),
        "files": lambda: _files(bait),
        "network": lambda: _network(bait),
    }
    found = [problem for promise in promises for problem in checks[promise]()]
    found += [f"it cannot write to {place}" for place in writable if not os.access(place, os.W_OK)]
    return found


def _status() -> Mapping[str, str]:
    with open("/proc/self/status", encoding="utf-8") as file:
        pairs = (line.split(":", 1) for line in file)
        return {name: value.strip() for name, value in pairs}


def _user(who: Identity) -> Iterator[str]:
    if set(os.getresuid()) != {who.uid} or set(os.getresgid()) != {who.gid}:
        yield f"it is user {os.getuid()}, not {who.uid}"
    if set(os.getgroups()) - {who.gid}:
        yield "it has more groups"


def _powers() -> Iterator[str]:
    status = _status()
    for name in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
        if int(status[name], 16):
            yield f"it has capabilities ({name} {status[name]})"
    if status["NoNewPrivs"] != "1":
        yield "it may gain privileges"


def _bounds() -> Iterator[str]:
    bound = _status()["CapBnd"]
    if int(bound, 16):
        yield f"it could have capabilities (CapBnd {bound})"


def _bot(bait: Bait) -> Iterator[str]:
    if _can_open(f"/proc/{bait.process}/environ", os.O_RDONLY):
        yield "the bot's environment can be read"


def _files(bait: Bait) -> Iterator[str]:
    if _can_open(bait.file, os.O_RDONLY):
        yield "the bot's files can be read"
    if _can_open(bait.file, os.O_WRONLY | os.O_APPEND):
        yield "the bot's files can be written"
    try:
        os.mkdir(os.path.join(bait.folder, "made"))
    except OSError:
        return
    yield "the bot's folders can be written"


def _can_open(path: str, flags: int) -> bool:
    try:
        os.close(os.open(path, flags))
    except OSError:
        return False
    return True


def _network(bait: Bait) -> Iterator[str]:
    if _reaches(socket.SOCK_DGRAM, _NOWHERE):
        yield "there is a way to the network"
    if _reaches(socket.SOCK_STREAM, ("127.0.0.1", bait.port)):
        yield "this machine's own ports can be reached"


def _reaches(kind: socket.SocketKind, address: tuple[str, int]) -> bool:
    try:
        with socket.socket(socket.AF_INET, kind) as trying:
            trying.settimeout(_SECONDS)
            trying.connect(address)
    except OSError:
        return False
    return True
