"""A commit as what an agent did: a workspace that has it done already, and an agent that does it by hand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gitclaw_py.core.bounds import ON_ONE_S_OWN, Bounds
from gitclaw_py.core.diffs import Entry
from gitclaw_py.core.suggestions import SUBMODULE, SYMLINK
from gitclaw_py.ports.engine import Ran, Taken, Workspace, nobody
from gitclaw_py.ports.values import TreeChange
from tests.sandbox import Sandbox


@dataclass
class CommittedWorkspace:
    """See ``ports.Workspace``: the change is read from the commit."""

    path: Path
    change: TreeChange

    def changes(self, bounds: Bounds = ON_ONE_S_OWN, taken: Taken = nobody) -> TreeChange:
        del bounds, taken
        return self.change


@dataclass(frozen=True)
class CommittedWorkspaces:
    """See ``ports.Workspaces``: no files are written."""

    sandbox: Sandbox
    commit: str

    @contextmanager
    def export(self, commit: str, *, with_git: bool, steering: str | None = None) -> Iterator[Workspace]:
        assert not with_git
        assert steering is None
        assert self.sandbox.text("rev-parse", f"{self.commit}^") == commit
        yield CommittedWorkspace(self.sandbox.path, TreeChange(entries(_raw(self.sandbox, self.commit)), {}))


def entries(raw: bytes) -> dict[bytes, Entry | None]:
    """The new entries in the output of ``git diff-tree -z --raw --no-renames``."""
    fields = raw.split(b"\0")[:-1]
    found: dict[bytes, Entry | None] = {}
    for head, path in zip(fields[::2], fields[1::2], strict=True):
        _, mode, _, oid, status = head.decode().split(" ")
        found[path] = None if status == "D" else Entry(mode, oid)
    return found


@dataclass(frozen=True)
class CommitAgent:
    """See ``ports.Agent``: makes the files of a workspace those of ``commit``, where there are any."""

    commit: str
    sandbox: Sandbox | None = None

    def run(self, workspace: Path, folder: str, log: Path, progress: Callable[[float, str], None]) -> Ran:
        del folder, log, progress
        if self.sandbox is not None:
            top = os.fsencode(workspace)
            found = entries(_raw(self.sandbox, self.commit))
            for path in [path for path, entry in found.items() if entry is None]:
                os.unlink(os.path.join(top, path))
                _remove_empty(top, os.path.dirname(path))
            for path, entry in found.items():
                if entry is not None:
                    _write(os.path.join(top, path), entry, self.sandbox.git("cat-file", "blob", entry.oid))
        return Ran(0, 0.0, None)

    def can_replay(self) -> bool:
        """Whether an agent's edit can be this commit: no submodule, and no new file that is ignored."""
        if self.sandbox is None:
            return False
        raw = _raw(self.sandbox, self.commit)
        if SUBMODULE.encode() in raw:
            return False
        paths = b"".join(b"./" + path + b"\0" for path in entries(raw))
        return not self.sandbox.git("check-ignore", "-z", "--stdin", stdin=paths, code=None)


def _raw(sandbox: Sandbox, commit: str) -> bytes:
    return sandbox.git("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", f"{commit}^", commit)


def _remove_empty(top: bytes, folder: bytes) -> None:
    while folder and not os.listdir(os.path.join(top, folder)):
        os.rmdir(os.path.join(top, folder))
        folder = os.path.dirname(folder)


def _write(place: bytes, entry: Entry, data: bytes) -> None:
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if os.path.lexists(place):
        os.unlink(place)
    if entry.mode == SYMLINK:
        os.symlink(data, place)
        return
    with open(place, "wb") as file:
        file.write(data)
    os.chmod(place, 0o755 if entry.mode == "100755" else 0o644)
