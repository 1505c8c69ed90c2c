"""The few calls of Linux that Python has no function for.

The numbers of system calls from 424 on are the same on every architecture.
https://github.com/torvalds/linux/blob/master/scripts/syscall.tbl
"""

from __future__ import annotations

import ctypes
import os
from functools import cache

PR_SET_PDEATHSIG, PR_CAPBSET_READ, PR_CAPBSET_DROP = 1, 23, 24
PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER = 36, 37
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 38, 47, 4
"""https://man7.org/linux/man-pages/man2/prctl.2.html"""


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: object) -> int:
    """Call a function of the C library that answers with -1 when it fails.

    Raises:
        OSError: it failed.
    """
    found = int(getattr(_libc(), name)(*arguments))
    if found < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return found


def system_call(number: int, *arguments: object) -> int:
    """Make a system call by its number.

    Raises:
        OSError: it failed.
    """
    return call("syscall", ctypes.c_long(number), *arguments)


def prctl(option: int, *arguments: int) -> int:
    """https://man7.org/linux/man-pages/man2/prctl.2.html .

    Raises:
        OSError: it failed.
    """
    padded = [*arguments, 0, 0, 0, 0][:4]
    return call("prctl", option, *(ctypes.c_ulong(value) for value in padded))
