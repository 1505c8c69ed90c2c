"""The files of a commit in a new folder, as git writes them: begun early, and waited for where they are needed.

Nothing but what starts git is imported here, so that it can write while everything else is loaded.
"""

from __future__ import annotations

from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Self

from gitclaw_py.adapters.git_directories import seal
from gitclaw_py.adapters.git_process import Running, plumbing_environment, run, started
from gitclaw_py.adapters.private_folders import new_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from gitclaw_py.core.diffs import Entry


class Export:
    """Git, at work on the files of ``commit``: as a context manager, that may be entered again before it is left.

    It has a git directory and an index of its own in ``root``, which is gone afterwards, whatever was made of it; no
    filter runs. With ``writes`` the files will be in ``files``; without, only what the commit has is read.
    """

    root: Path
    files: Path
    environment: dict[str, str]

    def __init__(
        self,
        environment: Mapping[str, str],
        objects: Path,
        object_format: str,
        commit: str,
        *,
        writes: bool = True,
    ) -> None:
        self.commit = commit
        self._caller = environment
        self._objects = objects
        self._object_format = object_format
        self._writes = writes
        self._begun = False
        self._writing: Running | None = None

    def __enter__(self) -> Self:
        if not self._begun:
            self._begun = True
            self.root = new_folder(self._caller, "workspace")
            try:
                self._begin()
            except BaseException:
                self._removed()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._removed()

    def _begin(self) -> None:
        self.files, sealed = self.root / "work", self.root / "git"
        for folder in (self.files, sealed):
            folder.mkdir()
        seal(sealed, self._object_format)
        places = {"GIT_INDEX_FILE": str(self.root / "index"), "GIT_WORK_TREE": str(self.files)}
        self.environment = {**plumbing_environment(self._caller, sealed, self._objects), **places}
        how = ("-m", "-u") if self._writes else ()
        self._writing = started(("read-tree", self.commit, *how), self.files, self.environment)

    def finished(self) -> dict[bytes, Entry]:
        """What the commit has, once git is done.

        Raises:
            GitError: it could not be written.
        """
        if self._writing:
            writing, self._writing = self._writing, None
            writing.finished()
        return listed(run(["ls-files", "--stage", "-z"], self.files, self.environment), 1)

    def _removed(self) -> None:
        from gitclaw_py.adapters.tree_removal import remove_tree

        writing, self._writing = self._writing, None
        try:
            if writing:
                writing.ended()
        finally:
            if self.root.exists():
                remove_tree(self.root)


def listed(answer: bytes, oid_at: int) -> dict[bytes, Entry]:
    """What ``ls-files --stage -z`` or ``ls-tree -r -z`` says: the mode comes first, the id stands at ``oid_at``.

    https://git-scm.com/docs/git-ls-files#_output and https://git-scm.com/docs/git-ls-tree#_output_format
    """
    from gitclaw_py.core.diffs import Entry

    entries = {}
    for line in answer.split(b"\0")[:-1]:
        meta, _, name = line.partition(b"\t")
        fields = meta.decode().split(" ")
        entries[name] = Entry(intern(fields[0]), fields[oid_at])  # one text for all: there are many
    return entries
