"""What must be, found without the code under test: trees, files and diffs read by other means."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from gitclaw_py.core.scripts import splice, split_lines
from gitclaw_py.core.suggestions import Suggestion
from tests.cases.case import FILE, GITLINK, LINK, NOTHING, PROGRAM, Expected
from tests.sandbox import Sandbox

Tree = dict[bytes, tuple[str, str]]
"""Mode and object id by path."""
Files = dict[bytes, tuple[str, bytes]]
"""Mode and content, or target of a link, by path."""
Change = tuple[bytes, tuple[str, str], tuple[str, str]]
"""Path, and mode and object id before and after, both empty where nothing is."""
_NONE = (NOTHING, NOTHING)


def ids_of(sandbox: Sandbox, *names: str) -> list[str]:
    """The ids of objects, by any names git knows for them."""
    return sandbox.text("rev-parse", *names).split()


def tree_of(sandbox: Sandbox, revision: str) -> Tree:
    """All files in the tree of a commit."""
    tree = {}
    for line in sandbox.git("ls-tree", "-r", "-z", "--full-tree", revision).split(b"\0")[:-1]:
        meta, _, path = line.partition(b"\t")
        mode, _, oid = meta.decode().split(" ")
        tree[path] = (mode, oid)
    return tree


def files_in(top: Path) -> Files:
    """All files and links in a folder, but for git's and gitclaw's own and those of repositories inside."""
    files: Files = {}
    root = os.fsencode(top)
    for folder, names, plain in os.walk(root):
        if folder != root and b".git" in (*names, *plain):
            names.clear()
            continue
        links = [name for name in names if os.path.islink(os.path.join(folder, name))]
        names[:] = [name for name in names if name not in (b".git", b".gitclaw")]
        for name in (*plain, *links):
            place = os.path.join(folder, name)
            mode = os.lstat(place).st_mode
            if stat.S_ISLNK(mode):
                files[os.path.relpath(place, root)] = (LINK, os.readlink(place))
            elif stat.S_ISREG(mode):
                content = Path(os.fsdecode(place)).read_bytes()
                files[os.path.relpath(place, root)] = (PROGRAM if mode & stat.S_IXUSR else FILE, content)
    return files


def blob_name(data: bytes, algorithm: str) -> str:
    """The object id of a blob."""
    return hashlib.new(algorithm, b"blob %d\0%s" % (len(data), data)).hexdigest()


def expected_tree(base: Tree, files: Files, expected: Expected, gitlinks: Mapping[bytes, str], algorithm: str) -> Tree:
    """The tree that has to be proposed for these files."""
    tree: Tree = {path: entry for path, entry in base.items() if path in expected.unseen or entry[0] == GITLINK}
    for row in expected.rows:
        if row.old == GITLINK:
            del tree[row.path]
    for path, (mode, data) in files.items():
        if path not in expected.unseen:
            tree[path] = (mode, blob_name(expected.stored.get(path, data), algorithm))
    tree.update({row.path: (GITLINK, gitlinks[row.path]) for row in expected.rows if row.new == GITLINK})
    return tree


def raw_changes(sandbox: Sandbox, old: str, new: str) -> set[Change]:
    """What git says about two trees, without renames."""
    fields = sandbox.git("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", old, new).split(b"\0")[:-1]
    changes = set()
    for head, path in zip(fields[::2], fields[1::2], strict=True):
        old_mode, new_mode, old_oid, new_oid, _ = head.decode().removeprefix(":").split(" ")
        changes.add((path, _side(old_mode, old_oid), _side(new_mode, new_oid)))
    return changes


def _side(mode: str, oid: str) -> tuple[str, str]:
    return _NONE if mode == "000000" else (mode, oid)


def suggested_changes(suggestions: Iterable[Suggestion]) -> set[Change]:
    """What suggestions say about two trees, a rename as the two paths it is."""
    changes = set()
    for s in suggestions:
        old = (s.old.mode, s.old.oid) if s.old else _NONE
        new = (s.new.mode, s.new.oid) if s.new else _NONE
        if s.is_renamed:
            changes |= {(s.old_path, old, _NONE), (s.path, _NONE, new)}
        else:
            changes.add((s.path, old, new))
    return changes


def blobs_of(sandbox: Sandbox, oids: Iterable[str]) -> dict[str, bytes]:
    """The contents of blobs, read in one go."""
    wanted = list(dict.fromkeys(oids))
    if not wanted:
        return {}
    out = sandbox.git("cat-file", "--batch", stdin="".join(f"{oid}\n" for oid in wanted).encode())
    blobs, position = {}, 0
    for oid in wanted:
        start = out.index(b"\n", position) + 1
        size = int(out[position:start].split(b" ")[2])
        blobs[oid] = out[start : start + size]
        position = start + size + 1
    return blobs


def partial_tree(
    base: Tree, suggestions: Sequence[Suggestion], chosen: Collection[str], blobs: Mapping[str, bytes], algorithm: str
) -> Tree:
    """The base with the chosen parts in it."""
    gone: list[bytes] = []
    come: Tree = {}
    for s in suggestions:
        if not set(chosen).intersection(s.parts):
            continue
        if s.old:
            gone.append(s.old_path)
        if s.groups:
            path = s.path if f"{s.number}.rename" in chosen else s.old_path
            come[path] = _with_parts(base[s.old_path], s, chosen, blobs, algorithm)
        elif s.new:
            come[s.path] = (s.new.mode, s.new.oid)
    return {**{path: entry for path, entry in base.items() if path not in gone}, **come}


def _with_parts(
    entry: tuple[str, str], s: Suggestion, chosen: Collection[str], blobs: Mapping[str, bytes], algorithm: str
) -> tuple[str, str]:
    mode, oid = entry
    if s.new and f"{s.number}.mode" in chosen:
        mode = s.new.mode
    names = s.parts[-len(s.hunks) :]
    hunks = [hunk for name, hunk in zip(names, s.hunks, strict=True) if name in chosen]
    return mode, blob_name(b"".join(splice(split_lines(blobs[oid]), hunks)), algorithm)
