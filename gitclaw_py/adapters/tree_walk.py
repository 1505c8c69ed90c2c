"""A folder's files by what no edit leaves as it was, and the walk that finds those that changed.

It costs one ``lstat`` for each file. Links are never followed, and nothing that looks like a git directory is
entered. In a large folder a copy of this process walks through half of it meanwhile.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from operator import attrgetter
from typing import NamedTuple

from gitclaw_py.adapters.process_copy import Copy, can_copy
from gitclaw_py.core.paths import is_git_directory
from gitclaw_py.core.suggestions import folders
from gitclaw_py.core.visible import visible_path
from gitclaw_py.errors import RefusedError

Stamp = tuple[int, int, int, int, int]
MODE, SIZE, CTIME = 0, 1, 3
"""Where these stand in a stamp."""
_stamp: Callable[[os.stat_result], Stamp] = attrgetter("st_mode", "st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")
"""What no edit leaves as it was: at least the time of the last change, ``ctime``, is a new one."""
_LONGEST_PATH = 3_000
"""Bytes; the system's limit is 4,096 with what is before it. https://man7.org/linux/man-pages/man7/path_resolution.7.html"""
_WORTH_A_PROCESS = 2_000
"""Files; to copy this process takes as long as to look at 200 of them."""


class Seen(NamedTuple):
    """What a walk came by.

    ``changed`` are the files that are new or not as they were, ``gone`` the names of those that are not there,
    ``entered`` the folders it was in, ``met`` those it left to another.
    """

    changed: list[tuple[bytes, Stamp]]
    gone: list[bytes]
    entered: list[bytes]
    met: list[bytes]
    warnings: list[str]

    def add(self, other: Seen) -> None:
        """Take in what another walk came by, elsewhere."""
        self.changed.extend(other.changed)
        self.gone.extend(other.gone)
        self.entered.extend(other.entered)
        self.warnings.extend(other.warnings)


class Stamps:
    """The files in the folder ``top``, as they are now.

    ``files`` are the names of about those that there are, ``submodules`` the folders that are left out.
    """

    def __init__(self, top: bytes, files: Iterable[bytes], submodules: Container[bytes]) -> None:
        self._top = top
        self._submodules = submodules
        self._share = half(Counter(name.rpartition(b"/")[0] for name in files))
        # By folder and by name in it, so that the walk puts no path together for a file that is as it was; hashed, for
        # memory. Whoever made an edit with the same hash, which takes design, would have hidden it from nobody but us.
        self._stamps: dict[bytes, dict[bytes, int]] = {}
        self.latest = 0
        """When the last of them was changed, in nanoseconds since 1970."""
        for name, found in self.compared().changed:
            folder, _, own = name.rpartition(b"/")
            self._stamps.setdefault(folder, {})[own] = hash(found)
            self.latest = max(self.latest, found[CTIME])

    def __iter__(self) -> Iterator[bytes]:
        return (os.path.join(folder, name) for folder, known in self._stamps.items() for name in known)

    def compared(self) -> Seen:
        """What is not as it was.

        Raises:
            RefusedError: ``TOO_LARGE``: there is a path that is too long to be written back.
        """
        seen = self._by_two() if self._share and can_copy() else self._walk([b""])
        for folder in self._stamps.keys() - seen.entered:
            seen.gone.extend(os.path.join(folder, name) for name in self._stamps[folder])
        return seen

    def _by_two(self) -> Seen:
        with Copy(self._share_walked) as copy:
            seen = self._walk([b""], self._share)
            told = copy.told()
        roots = sorted(seen.met)
        theirs = Seen(*told) if told else None
        # They go by names: where a folder is not ours, or came or went meanwhile, or they failed, it is all done here.
        if theirs is None or sorted(theirs.met) != roots:
            theirs = self._walk(roots)
        seen.add(theirs)
        return seen

    def _share_walked(self) -> Seen:
        roots = [folder for folder in self._share if self._is_there(folder)]
        return self._walk(roots.copy(), may_change=False)._replace(met=roots)

    def _is_there(self, folder: bytes) -> bool:
        """Whether no link is on the way to it: what is beyond one is not ours to look at."""
        with suppress(FileNotFoundError, NotADirectoryError):
            return all(stat.S_ISDIR(os.lstat(self._top + b"/" + way).st_mode) for way in (*folders(folder), folder))
        return False

    def _walk(self, stack: list[bytes], left: Container[bytes] = (), *, may_change: bool = True) -> Seen:
        """Walk through these folders and all below, but not those that are ``left`` to another."""
        seen = Seen([], [], [], [], [])
        while stack:
            folder = stack.pop()
            for name in self._entered(folder, seen, may_change=may_change):
                (seen.met if name in left else stack).append(name)
        return seen

    def _entered(self, folder: bytes, seen: Seen, *, may_change: bool) -> list[bytes]:
        """See what is in a folder; the folders in it that are ours.

        The loop runs for every file there is: what is as it was must cost nothing beside asking for it.
        """
        seen.entered.append(folder)
        items = self._items(folder, seen.warnings.append, may_change=may_change)
        known = self._stamps.get(folder, {})
        above = folder + b"/" if folder else b""
        below = []
        same = 0
        for item in items:
            found = item.stat(follow_symlinks=False)
            if known.get(item.name) == hash(_stamp(found)):
                same += 1
            elif not is_git_directory(item.name):
                name = above + item.name
                if stat.S_ISDIR(found.st_mode):
                    if self._is_ours(name):
                        below.append(name)
                elif stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode):
                    seen.changed.append((name, _stamp(found)))
                else:
                    seen.warnings.append(f"{visible_path(name)} is neither a file nor a folder and was left out")
        if same < len(known):
            seen.gone.extend(above + name for name in known.keys() - _files(items))
        return below

    def _items(self, folder: bytes, warn: Callable[[str], None], *, may_change: bool) -> list[os.DirEntry[bytes]]:
        """What is in a folder; nothing where it is a repository of its own, made here."""
        items = _listed(self._top + b"/" + folder, may_change=may_change)
        if folder and any(item.name == b".git" for item in items):
            warn(f"{visible_path(folder)}/ is a repository of its own and was left out")
            return []
        return items

    def _is_ours(self, name: bytes) -> bool:
        """Not a submodule of the base."""
        if len(name) > _LONGEST_PATH:
            raise _too_long()
        return name not in self._submodules


def half(sizes: Mapping[bytes, int]) -> frozenset[bytes]:
    """Folders that have about half of all files in and below them; none where so few are not worth a process.

    ``sizes`` are how many files are in each, without those below.
    """
    below = Counter[bytes]()
    for folder, size in sizes.items():
        for above in (*folders(folder), folder):
            below[above] += size
    del below[b""]  # not a part
    total = sum(sizes.values())
    left = total // 2 if total >= _WORTH_A_PROCESS else 0
    taken = set[bytes]()
    for folder, size in sorted(below.items(), key=lambda item: (-item[1], item[0])):
        if size <= left and taken.isdisjoint(folders(folder)):
            taken.add(folder)
            left -= size
    return frozenset(taken)


def _files(items: Iterable[os.DirEntry[bytes]]) -> set[bytes]:
    return {item.name for item in items if item.is_symlink() or item.is_file(follow_symlinks=False)}


def _listed(folder: bytes, *, may_change: bool) -> list[os.DirEntry[bytes]]:
    try:
        with os.scandir(folder) as items:
            return list(items)
    except PermissionError:
        if not may_change:
            raise
        os.chmod(folder, stat.S_IRWXU)  # the agent took our right to look; the folder is still ours
        with os.scandir(folder) as items:
            return list(items)


def _too_long() -> RefusedError:
    what = f"The agent made a path of more than {_LONGEST_PATH:,} bytes; nothing was proposed"
    return RefusedError("TOO_LARGE", what, "see what it did before you run it again")
