"""Fences that need no right of anyone: Landlock for files, TCP and signals, and a filter on making sockets.

https://docs.kernel.org/userspace-api/landlock.html , https://docs.kernel.org/userspace-api/seccomp_filter.html
"""

import ctypes
import os
import platform
import stat
import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gitclaw_py.adapters.kernel import system_call

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_UNDER_A_PATH, _TO_A_PORT = 1, 2
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_TRUNCATE, _DEVICES = 1 << 14, 1 << 15
_FILE_RIGHTS = (1 << 13, 1 << 13, 1 << 14, 1 << 15, 1 << 15)
"""Bits that exist up to versions 1, 2, 3, 4 and 5."""
_BIND, _CONNECT = 1, 2
_ABSTRACT_SOCKETS, _SIGNALS = 1, 2
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _DEVICES
_LEAST_FOR_TCP, _LEAST_FOR_SCOPES = 4, 6


class Fence(NamedTuple):
    """What may be read and run, what may be written, and the only ports of the network; None is any."""

    readable: Sequence[str]
    writable: Sequence[str]
    ports: Sequence[int] | None


def version() -> int:
    """The version of Landlock in this kernel.

    Raises:
        OSError: there is none.
    """
    return system_call(_CREATE_RULESET, None, 0, _VERSION)


def enclose(fence: Fence) -> None:
    """Keep this process and all its children inside, for ever; they can have no new privileges by then.

    Raises:
        OSError: the kernel knows too little of it.
    """
    found = version()
    if found < _LEAST_FOR_SCOPES:
        raise OSError(f"Landlock {_LEAST_FOR_SCOPES} is needed, for signals, and this kernel has {found}")
    rights = _rights(found)
    network = 0 if fence.ports is None else _BIND | _CONNECT
    attributes = struct.pack("QQQ", rights, network, _ABSTRACT_SOCKETS | _SIGNALS)
    ruleset = system_call(_CREATE_RULESET, attributes, len(attributes), 0)
    for place, allowed in _places(fence, rights):
        _allow(ruleset, place, allowed)
    for port in fence.ports or ():
        rule = struct.pack("QQ", _CONNECT, port)
        system_call(_ADD_RULE, ruleset, _TO_A_PORT, rule, 0)
    system_call(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _rights(found: int) -> int:
    last = _FILE_RIGHTS[min(found, len(_FILE_RIGHTS)) - 1]
    return (last << 1) - 1


def _places(fence: Fence, rights: int) -> Iterator[tuple[str, int]]:
    for place in fence.readable:
        yield place, _READ
    for place in fence.writable:
        yield place, rights & ~_DEVICES
    yield "/dev", _READ | _WRITE_FILE | (_TRUNCATE & rights)


def _allow(ruleset: int, place: str, allowed: int) -> None:
    try:
        folder = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(os.fstat(folder).st_mode):
        allowed &= _OF_FILES
    rule = struct.pack("<Qi", allowed, folder)
    system_call(_ADD_RULE, ruleset, _UNDER_A_PATH, rule, 0)
    os.close(folder)


_ARCHITECTURES = {"x86_64": (0xC000003E, 41, 425), "aarch64": (0xC00000B7, 198, 425)}
"""How the kernel calls them, and their numbers of ``socket`` and ``io_uring_setup``."""
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24
_LOAD, _EQUAL, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_ALLOW, _FORBID, _KILL = 0x7FFF0000, 0x00050000 | 13, 0x80000000
_OTHER_TABLE = 0x40000000
_SET_FILTER, _SECCOMP = 2, {"x86_64": 317, "aarch64": 277}
_INTERNET, _INTERNET_6, _STREAM, _KIND = 2, 10, 1, 0xF


def no_sockets(*, but_tcp: bool) -> None:
    """Let no socket be made from now on, or only those of TCP, which Landlock bounds; pairs of sockets still work.

    Raises:
        OSError: this machine is of another kind, or its kernel does not know filters.
    """
    machine = platform.machine()
    if machine not in _ARCHITECTURES:
        raise OSError(f"there is no filter of sockets for {machine}")
    steps = _filter(*_ARCHITECTURES[machine], but_tcp=but_tcp)
    program = b"".join(struct.pack("HBBI", *step) for step in steps)
    held = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(held))
    system_call(_SECCOMP[machine], _SET_FILTER - 1, 0, described)


def _filter(kernels: int, making: int, rings: int, *, but_tcp: bool) -> list[tuple[int, int, int, int]]:
    """The steps of the filter: what to do, how many steps to skip when it holds and when not, and a value."""
    tcp = [
        (_LOAD, 0, 0, _FIRST),
        (_EQUAL, 1, 0, _INTERNET),
        (_EQUAL, 0, 4, _INTERNET_6),
        (_LOAD, 0, 0, _SECOND),
        (_AND, 0, 0, _KIND),
        (_EQUAL, 0, 1, _STREAM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    allowed = tcp if but_tcp else []
    return [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, kernels),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _OTHER_TABLE),
        (_RETURN, 0, 0, _KILL),
        (_EQUAL, 2 + len(allowed), 0, rings),
        (_EQUAL, 1, 0, making),
        (_RETURN, 0, 0, _ALLOW),
        *allowed,
        (_RETURN, 0, 0, _FORBID),
    ]
