"""What the agent sees of this machine's files: all of them read-only, none of anyone's own, and its workspace.

Works in a mount namespace of its own, as root. Nothing is copied and no owner changes: the workspace is shown as the
agent's through an id-mapped mount, and what the agent writes there is the bot's on the disk.
https://man7.org/linux/man-pages/man2/mount_setattr.2.html
"""

import os
import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gitclaw_py.adapters.kernel import call, system_call

_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_HERE = -100
_EMPTY_PATH, _RECURSIVE, _CLONE, _CLOEXEC, _MOVE_EMPTY = 0x1000, 0x8000, 1, 0o2000000, 4
_READ_ONLY, _NO_SETUID, _NO_DEVICES, _MAPPED = 1, 2, 4, 0x100000
_PRIVATE = (1 << 18) | (1 << 14)
_NEW_USERS = 0x10000000


class Identity(NamedTuple):
    """A user and a group, by number."""

    uid: int
    gid: int


class View(NamedTuple):
    """What is shown: ``hidden`` folders are empty, ``scratch`` ones too but can be written to.

    ``readable`` and ``writable`` folders are there nevertheless. ``files`` are shown in the place of others.
    """

    hidden: Sequence[str]
    scratch: Sequence[str]
    readable: Sequence[str]
    writable: Sequence[str]
    files: Mapping[str, str]
    scratch_bytes: int


def show(view: View, owner: Identity, agent: Identity) -> None:
    """Arrange the files of this mount namespace.

    Raises:
        OSError: the kernel does not allow it, or cannot map owners on that filesystem.
    """
    call("mount", b"none", b"/", None, _PRIVATE, None)
    with_owner = _mapping(owner, agent)
    kept = [(place, _taken(place, _READ_ONLY | _NO_SETUID | _NO_DEVICES)) for place in view.readable]
    kept += [(place, _taken(place, _NO_SETUID | _NO_DEVICES, with_owner)) for place in view.writable]
    kept += [(place, _taken(source, _READ_ONLY | _NO_SETUID)) for place, source in view.files.items()]
    os.close(with_owner)
    _set("/", _READ_ONLY | _NO_SETUID, recursive=True)
    for place in view.scratch:
        _empty(place, f"mode=1777,size={view.scratch_bytes}")
    hidden = [place for place in view.hidden if os.path.isdir(place)]
    for place in hidden:
        _empty(place, "mode=755,size=1m")
    for place, tree in kept:
        if place not in view.files:
            os.makedirs(place, 0o755, exist_ok=True)
        system_call(_MOVE_MOUNT, tree, b"", _HERE, os.fsencode(place), _MOVE_EMPTY)
        os.close(tree)
    for place in hidden:
        _set(place, _READ_ONLY | _NO_SETUID | _NO_DEVICES)


def _empty(place: str, options: str) -> None:
    nosuid_nodev = 6
    call("mount", b"tmpfs", os.fsencode(place), b"tmpfs", nosuid_nodev, options.encode())


def _taken(place: str, attributes: int, mapping: int | None = None) -> int:
    """A folder or file as a mount that is attached nowhere yet."""
    recursive = _RECURSIVE if mapping is None else 0
    tree = system_call(_OPEN_TREE, _HERE, os.fsencode(place), _CLONE | _CLOEXEC | recursive)
    mapped = 0 if mapping is None else _MAPPED
    packed = struct.pack("QQQQ", attributes | mapped, 0, 0, mapping or 0)
    system_call(_MOUNT_SETATTR, tree, b"", _EMPTY_PATH | recursive, packed, len(packed))
    return tree


def _set(place: str, attributes: int, *, recursive: bool = False) -> None:
    packed = struct.pack("QQQQ", attributes, 0, 0, 0)
    system_call(_MOUNT_SETATTR, _HERE, os.fsencode(place), _RECURSIVE if recursive else 0, packed, len(packed))


def _mapping(owner: Identity, agent: Identity) -> int:
    """A user namespace that shows what is the owner's on the disk as the agent's."""
    ready, made = os.pipe()
    wait, release = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(release)
        _hold(made, wait)
    os.close(made)
    os.close(wait)
    try:
        if not os.read(ready, 1):
            raise OSError("a user namespace cannot be made")
        for name, inside, outside in (("uid_map", owner.uid, agent.uid), ("gid_map", owner.gid, agent.gid)):
            with open(f"/proc/{child}/{name}", "w", encoding="ascii") as file:
                file.write(f"{inside} {outside} 1")
        return os.open(f"/proc/{child}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(release)
        os.close(ready)
        os.waitpid(child, 0)


def _hold(made: int, wait: int) -> None:
    try:
        call("unshare", _NEW_USERS)
        os.write(made, b".")
        os.close(made)
        os.read(wait, 1)
    finally:
        os._exit(0)
