"""The two files of a bundle in a folder: written by the job that runs an agent, read by the one that publishes."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from gitclaw_py.core import bundle
from gitclaw_py.core.bundle import Bundle


def write(folder: Path, handed: Bundle, commits: bytes) -> None:
    """Leave a bundle in a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / bundle.NAME).write_bytes(bundle.dump(handed))
    if commits:
        (folder / bundle.COMMITS).write_bytes(commits)


def read(folder: Path, *, run: str) -> tuple[Bundle, bytes] | None:
    """The bundle of a run and its commits; None where there is none.

    Raises:
        InternalError: ``INTERNAL``: it is not what this run's agent job writes.
    """
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return None
    if not names:
        return None
    if not set(names) <= {bundle.NAME, bundle.COMMITS}:
        raise bundle.refused("there are other files than it consists of")
    handed = bundle.load(_read(folder / bundle.NAME, bundle.MOST), run=run)
    commits = _read(folder / bundle.COMMITS, bundle.MOST_OF_COMMITS) if handed.refs else b""
    return handed, commits


def _read(path: Path, most: int) -> bytes:
    """A file that is a plain one and no larger than that: no link to what only we may read, no pipe."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_size > most:
                raise bundle.refused(f"{path.name} is no plain file of up to {most} bytes")
            return file.read(most + 1)
    except OSError as error:
        raise bundle.refused(f"{path.name} cannot be read: {error.strerror}") from error
