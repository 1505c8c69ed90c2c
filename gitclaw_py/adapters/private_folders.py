"""Folders of our own in the place for temporary files: made so that only we may enter, and removed whole."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_TEMPORARY = "/tmp"  # noqa: S108 - the folder made in it is new, and ours alone


@contextmanager
def private_folder(environment: Mapping[str, str], name: str = "git") -> Iterator[Path]:
    """A new folder that only we may enter, for one use."""
    path = new_folder(environment, name)
    try:
        yield path
    finally:
        remove_folder(path)


def new_folder(environment: Mapping[str, str], name: str) -> Path:
    """A new folder that only we may enter.

    As ``tempfile`` makes them, whose import costs 10 ms of every command.
    """
    parent = next((environment[key] for key in ("TMPDIR", "TEMP", "TMP") if environment.get(key)), _TEMPORARY)
    while True:
        path = Path(parent, f"gitclaw-{name}-{os.getpid()}-{time.time_ns():x}")
        try:
            path.mkdir(mode=0o700)
        except FileExistsError:
            continue
        return path


def remove_folder(path: Path) -> None:
    """Remove a folder of ours and all that is in it, links but not what they lead to.

    As ``shutil.rmtree`` does, whose import costs 3 ms of every command.
    """
    if path.is_symlink():
        raise NotADirectoryError(path)
    to_the_end(_remove, path)


def to_the_end(remove: Callable[[Path], None], path: Path) -> None:
    """Remove something; who interrupts waits for that: nothing is left half removed."""
    try:
        remove(path)
    except KeyboardInterrupt:
        remove(path)
        raise


def _remove(path: Path) -> None:
    for folder, folders, files in os.walk(path, topdown=False):
        for name in files:
            os.unlink(os.path.join(folder, name))
        for place in (os.path.join(folder, name) for name in folders):
            os.unlink(place) if os.path.islink(place) else os.rmdir(place)
    if path.exists():
        path.rmdir()
