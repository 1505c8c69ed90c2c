"""What would keep us from writing into a person's files and index, found before anything is written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from gitclaw_py.core.visible import visible_path
from gitclaw_py.errors import ConflictError

_LOCK = re.compile(rb"Unable to create '([^\n]+\.lock)': File exists")
"""What git says where another command has locked a file, or one that was killed left its lock behind.
https://github.com/git/git/blob/master/lockfile.c"""


def require_index(git_directory: Path) -> None:
    """See that git could write the index.

    Raises:
        ConflictError: ``STATE_CONFLICT``: another command has locked it.
    """
    lock = git_directory / "index.lock"
    if os.path.lexists(lock):
        raise locked(os.fsencode(lock))


def require_writable(top: Path, paths: Iterable[bytes]) -> None:
    """See that files at these paths could be made or removed.

    Raises:
        ConflictError: ``STATE_CONFLICT``: a folder takes no files.
    """
    places = {os.path.dirname(os.path.join(os.fsencode(top), path)) for path in paths}
    for folder in set(map(_nearest, places)):
        if not os.access(folder, os.W_OK | os.X_OK):
            name = visible_path(folder)
            next_step = "see to its permissions, then give the command again"
            raise ConflictError("STATE_CONFLICT", f"The folder {name} cannot be written to", next_step, named=(name,))


def _nearest(folder: bytes) -> bytes:
    """The folder, or where it is missing the one that the first missing folder on the way to it would be in."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return folder


def lock_in(stderr: bytes) -> ConflictError | None:
    """The error for a lock that git ran into; None where it says nothing of one."""
    found = _LOCK.search(stderr)
    return locked(found[1]) if found else None


def locked(lock: bytes) -> ConflictError:
    """The error for a lock file that is there."""
    name = visible_path(lock)
    next_step = "wait for it, or if there is none remove that file; then give the command again"
    return ConflictError(
        "STATE_CONFLICT", f"{name} is there: a git command is at work, or one was killed", next_step, named=(name,)
    )
