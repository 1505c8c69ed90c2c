"""Commits that go from one job to another as a git bundle, and are taken in as a stranger's.

https://git-scm.com/docs/gitformat-bundle
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from gitclaw_py.adapters.git_process import GitError, run
from gitclaw_py.core import bundle
from gitclaw_py.core.bounds import Bounds, Measured

_SIGNATURE = b"# v2 git bundle"
_LINE = re.compile(rb"(-?)([0-9a-f]{40})(?: (.*))?")
_LONGEST_HEADER = 64 * 1024
_FILES = ("100644", "100755", "120000")
_ABSENT = "000000"


def pack(directory: Path, environment: Mapping[str, str], commits: Mapping[str, str], known: Collection[str]) -> bytes:
    """A bundle of commits under names, without what the ``known`` ones reach."""
    lines = "".join(f"update {ref} {oid}\n" for ref, oid in commits.items())
    run(["update-ref", "--stdin"], directory, environment, stdin=lines.encode())
    # Whoever takes it in may not have the old contents that a delta would be against.
    plain = ["-c", "pack.window=0", "-c", "pack.depth=0"]
    without = [f"^{oid}" for oid in sorted(known)]
    return run([*plain, "bundle", "create", "--quiet", "-", *commits, *without], directory, environment)


def needed(data: bytes, commits: Mapping[str, str], known: Collection[str]) -> set[str]:
    """The commits that have to be there before a bundle of ``commits`` can be taken in; only of the ``known`` ones.

    Raises:
        InternalError: ``INTERNAL``: it is another bundle, or needs other commits.
    """
    refs, wanted, _ = _header(data)
    if refs != dict(commits):
        raise bundle.refused("its commits are not the ones it names")
    if not wanted <= set(known):
        raise bundle.refused("it builds on commits that no agent was given")
    return wanted


def unpack(directory: Path, environment: Mapping[str, str], data: bytes) -> None:
    """Take the objects of a bundle into the repository.

    Everything is checked aside, in a quarantine that sees the repository's objects, before it becomes a part of it.
    That objects are there which the new ones refer to is for whoever reads the commits: of a clone without the
    contents of files, ``index-pack --strict`` would say that all of them are missing.
    https://git-scm.com/docs/git-index-pack#Documentation/git-index-pack.txt---fsck-objects

    Raises:
        InternalError: ``INTERNAL``: git finds its objects faulty.
    """
    with tempfile.TemporaryDirectory(prefix="gitclaw-quarantine-") as folder:
        packs = Path(folder) / "pack"
        packs.mkdir()
        aside = {
            **environment,
            "GIT_OBJECT_DIRECTORY": folder,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(directory / "objects"),
        }
        check = ["index-pack", "--stdin", "--fsck-objects", f"--max-input-size={bundle.MOST_OF_COMMITS}"]
        try:
            run(check, directory, aside, stdin=data[_header(data)[2] :])
        except GitError as error:
            raise bundle.refused(f"git finds fault with it: {error.what}") from error
        # The index comes last: with it git begins to see the pack.
        for name in sorted(os.listdir(packs), key=lambda name: name.endswith(".idx")):
            shutil.move(packs / name, directory / "objects/pack" / name)


def vetted(
    git: Callable[..., bytes], missing_of: Callable[[Sequence[str]], list[str]], base: str, commit: str, bounds: Bounds
) -> set[str]:
    """The contents before and after of what a commit changes, once it is known to be what an agent can leave.

    ``git`` runs a command, ``missing_of`` tells which contents are not there.

    Raises:
        InternalError: ``INTERNAL``: it has something else than files and links, or contents that are nowhere.
        RefusedError: ``TOO_LARGE``: it is more than the ``bounds`` allow.
    """
    old, new = _sides(git("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", base, commit))
    missing = set(missing_of(sorted(set(new.values()))))
    there = git("ls-tree", "-r", "-z", "--format=%(objectname)", base).decode().split("\0")
    if not missing <= set(there):
        raise bundle.refused("it refers to contents that did not come along")
    asked = "".join(f"{oid}\n" for oid in set(new.values()) - missing).encode()
    answer = git("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=asked).decode()
    sizes = {oid: int(size) for oid, size in (line.split(" ") for line in answer.splitlines())}
    measured = Measured(bounds)
    for path, oid in new.items():
        # Contents that are the base's are as large as they may be.
        measured.add(path, sizes.get(oid, 0))
    return old | set(new.values())


def header(commit: bytes, name: str) -> list[str]:
    """The values of a field of a raw commit."""
    lines = commit.partition(b"\n\n")[0].decode("utf-8", "replace").split("\n")
    return [line.removeprefix(f"{name} ") for line in lines if line.startswith(f"{name} ")]


def _sides(raw: bytes) -> tuple[set[str], dict[bytes, str]]:
    """The contents before, and those after by their paths, of the raw differences between two commits.

    Raises:
        InternalError: ``INTERNAL``: something is neither a file nor a symbolic link afterwards.
    """
    old, new = set[str](), dict[bytes, str]()
    fields = raw.split(b"\0")
    for head, path in zip(fields[:-1:2], fields[1::2], strict=True):
        old_mode, mode, old_oid, oid, _ = head.decode("ascii").removeprefix(":").split(" ")
        if mode not in _FILES and mode != _ABSENT:
            raise bundle.refused(f"it has something of mode {mode}, which no agent can leave")
        if old_mode in _FILES:
            old.add(old_oid)
        if mode in _FILES:
            new[path] = oid
    return old, new


def _header(data: bytes) -> tuple[dict[str, str], set[str], int]:
    """The refs, the commits that have to be there, and where the pack begins."""
    end = data.find(b"\n\n", 0, _LONGEST_HEADER)
    first, *lines = data[: max(end, 0)].split(b"\n")
    if end < 0 or first != _SIGNATURE:
        raise bundle.refused("its commits are no git bundle")
    refs: dict[str, str] = {}
    needed: set[str] = set()
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is None:
            raise bundle.refused("its commits are no git bundle")
        oid, name = found[2].decode(), (found[3] or b"").decode("utf-8", "replace")
        if found[1]:
            needed.add(oid)
        elif refs.setdefault(name, oid) != oid:
            raise bundle.refused("its commits have one name twice")
    return refs, needed, end + 2
