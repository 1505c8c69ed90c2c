"""Giving up every power for good: what ``setpriv`` and ``prlimit`` do, in the process that becomes the agent.

As ``setpriv --reuid --regid --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all``
and ``prlimit --nproc --nofile --fsize --data --core=0``; done here, the place of a failure is known exactly.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import struct
from collections.abc import Mapping

from gitclaw_py.adapters.isolation.mounts import Identity
from gitclaw_py.adapters.kernel import (
    PR_CAP_AMBIENT,
    PR_CAP_AMBIENT_CLEAR_ALL,
    PR_CAPBSET_DROP,
    PR_CAPBSET_READ,
    PR_SET_NO_NEW_PRIVS,
    call,
    prctl,
)

_MOST_CAPABILITIES = 64
_VERSION_3 = 0x20080522
_LIMITS = {
    "processes": resource.RLIMIT_NPROC,
    "files": resource.RLIMIT_NOFILE,
    "file_size": resource.RLIMIT_FSIZE,
    "data": resource.RLIMIT_DATA,
}


def limit(limits: Mapping[str, int]) -> None:
    """Set the limits, by name, and leave no core dumps; one that is lower already stays."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name, value in limits.items():
        hard = resource.getrlimit(_LIMITS[name])[1]
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(_LIMITS[name], (most, most))


def become(who: Identity | None) -> None:
    """Become that user for good, or stay who we are, without any capability and without a way to get one.

    Raises:
        OSError: the kernel does not allow it.
    """
    if who is not None:
        os.setgroups([])
        _drop_bounding()
        os.setresgid(who.gid, who.gid, who.gid)
        os.setresuid(who.uid, who.uid, who.uid)
    else:
        # Only who has the capability to may empty the set.
        with contextlib.suppress(PermissionError):
            _drop_bounding()
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    header = struct.pack("Ii", _VERSION_3, 0)
    call("capset", ctypes.c_char_p(header), ctypes.c_char_p(bytes(24)))
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def _drop_bounding() -> None:
    for capability in range(_MOST_CAPABILITIES):
        try:
            present = prctl(PR_CAPBSET_READ, capability)
        except OSError:
            return
        if present:
            prctl(PR_CAPBSET_DROP, capability)
