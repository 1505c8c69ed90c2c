"""The files of a commit in a new folder, as git writes them: begun early, and waited for where they are needed.

Nothing but what starts git is imported here, so that it can write while everything else is loaded.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

from gitclaw_py.adapters.git_process import Git, Running, new_folder, seal, started

if TYPE_CHECKING:
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

    def __init__(self, git: Git, object_format: str, commit: str, *, writes: bool = True) -> None:
        self.commit = commit
        self._git = git
        self._object_format = object_format
        self._writes = writes
        self._begun = False
        self._running: list[Running] = []

    def __enter__(self) -> Self:
        if not self._begun:
            self._begun = True
            self.root = new_folder(self._git.environment, "workspace")
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
        self.environment = {**self._git._replace(sealed=sealed).plumbing_environment(), **places}
        how = ("-m", "-u") if self._writes else ()
        for words in (("ls-tree", "-r", "-z", "--full-tree"), ("read-tree", *how)):
            self._running.append(started((*words, self.commit), self.files, self.environment))

    def finished(self) -> dict[bytes, Entry]:
        """What the commit has, once git is done.

        Raises:
            GitError: it could not be written.
        """
        (listing, writing), self._running = self._running, []
        try:
            answer = listing.finished()
        except BaseException:
            writing.ended()
            raise
        writing.finished()
        return listed(answer)

    def _removed(self) -> None:
        from gitclaw_py.adapters.tree_removal import remove_tree

        while self._running:
            self._running.pop().ended()
        if self.root.exists():
            remove_tree(self.root)


def listed(answer: bytes) -> dict[bytes, Entry]:
    """What ``ls-tree -r -z`` says: https://git-scm.com/docs/git-ls-tree#_output_format."""
    from gitclaw_py.core.diffs import Entry

    entries = {}
    for line in answer.split(b"\0")[:-1]:
        meta, _, name = line.partition(b"\t")
        mode, _, oid = meta.decode().split(" ")
        entries[name] = Entry(mode, oid)
    return entries
