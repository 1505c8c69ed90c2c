"""A person's index and working tree: seen as git would store them, written as git would check them out.

This is the only place where the person's own configuration counts: their filters and line ends apply
between the stored bytes and the files they edit.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gitclaw_py.adapters.git_process import Git, GitError, quoted
from gitclaw_py.adapters.git_repository import GitRepository
from gitclaw_py.adapters.obstacles import require_index, require_writable
from gitclaw_py.adapters.private_folders import remove_folder
from gitclaw_py.core.applying import TREE
from gitclaw_py.core.diffs import Entry, blob_id
from gitclaw_py.core.suggestions import SUBMODULE, SYMLINK, folders
from gitclaw_py.core.visible import visible_path
from gitclaw_py.errors import ConflictError, InternalError
from gitclaw_py.ports.values import Seen

if TYPE_CHECKING:
    from gitclaw_py.ports.engine import Session

_DIFF = ("diff", "--raw", "-z", "--no-renames", "--ignore-submodules=all", "--no-ext-diff")
_FEW = 500
_ATTRIBUTES = b".gitattributes"
_CASES_DIFFER = ("-c", "core.ignorecase=false")


class GitCheckout:
    """See ``ports.Checkout``."""

    def __init__(self, repository: GitRepository) -> None:
        self._repository = repository
        self._git: Git = repository.git
        self._seen: dict[bytes, tuple[int, int, int] | None] = {}
        # In the state directory, which is on the file system of the files and out of sight of git.
        self._new = self._git.directory / ".gitclaw" / "state" / f"new-{os.getpid()}"

    # -- seeing --

    def snapshot(self) -> tuple[str, tuple[str, ...]]:
        """The tree id of the working tree as it is, and warnings about what is not in it.

        Made in a copy of the index, which keeps the original's time: git takes a file for changed if it is
        younger than the index, and a younger copy would hide a same-size edit of the last second.

        Raises:
            ConflictError: ``GIT_CONFLICT``: a merge is not finished.
        """
        if self._git.user("ls-files", "-u", "-z"):
            raise _unmerged()
        import shutil  # 3 ms that only this needs

        # Beside the original, where a split index finds its other half.
        with self._temporary_index(self._git.git_directory) as index:
            original = self._git.git_directory / "index"
            if original.exists():
                shutil.copy2(original, index)
            try:
                self._add_all(index)
                warnings: tuple[str, ...] = ()
            except GitError as error:
                warnings = (_left_out(error),)
            return self._git.user("write-tree", index=index).decode().strip(), warnings

    def _add_all(self, index: Path) -> None:
        ignorecase = () if self._folds_case() else _CASES_DIFFER
        self._git.user(*ignorecase, "add", "-A", "--ignore-errors", index=index)

    def _folds_case(self) -> bool:
        """Whether the file system takes two spellings for one file; a copied configuration may be wrong."""
        return (self._git.git_directory / "hEaD").exists()

    def look(self, session: Session, tip: str, paths: Sequence[bytes]) -> Seen:
        """The index and the working tree at ``paths``; changed files are stored on the way."""
        marks = self._marks(paths)
        hidden = {path for path in marks["--skip-worktree"] if not os.path.lexists(self._path(path))}
        self._seen = {path: _stamp(self._path(path)) for path in paths}
        wanted = set(paths)
        staged = {path: entry for path, entry in self._staged(tip).items() if path in wanted}
        committed = {path: session.entry(path) for path in paths}
        index = {**committed, **staged}
        tracked = {p: e for p, e in index.items() if e and e.mode != TREE and p not in hidden}
        files = self._files([path for path in paths if path not in hidden], tracked, index)
        return Seen(
            _Entries(session, index, self._in_index) if staged else None,
            _Entries(session, {**files, **{p: index.get(p) for p in hidden}}, self._on_disk),
            frozenset(hidden),
            marks,
        )

    def _files(
        self, paths: Sequence[bytes], tracked: Mapping[bytes, Entry], index: Mapping[bytes, Entry | None]
    ) -> dict[bytes, Entry | None]:
        """What the files are, as git would store them: it decides which differ from their entry, filters and all."""
        with self._temporary_index() as temporary:
            self._put(temporary, tracked)
            answer = self._git.user(*_DIFF, index=temporary)
            changed = set(answer.split(b"\0")[1::2])
            same = {p: e for p, e in tracked.items() if p not in changed and e.mode != SUBMODULE}
            files = {path: same.get(path) or self._found(path, index.get(path)) for path in paths}
            stored = self._stored([p for p, e in files.items() if e and e.is_regular and not e.oid], temporary)
        return {path: Entry(e.mode, stored.get(path, e.oid)) if e else None for path, e in files.items()}

    def _stored(self, paths: Sequence[bytes], index: Path) -> dict[bytes, str]:
        """The object ids of files as ``git add`` would store them; line ends can depend on what was stored before."""
        if not paths:
            return {}
        lines = b"".join(path + b"\0" for path in paths)
        self._git.user("update-index", "--add", "--replace", "-z", "--stdin", stdin=lines, index=index)
        listed = self._git.user("ls-files", "--stage", "-z", index=index).split(b"\0")[:-1]
        entries = (line.partition(b"\t") for line in listed)
        ids = {path: head.split(b" ")[1].decode() for head, _, path in entries}
        return {path: ids[path] for path in paths}

    def _marks(self, paths: Sequence[bytes]) -> dict[str, list[bytes]]:
        """The tracked files that git was told not to look at, by the option that tells it."""
        few = [os.fsdecode(path) for path in paths] if len(paths) <= _FEW else []
        listed = self._git.user("ls-files", "-v", "-z", "--", *few).split(b"\0")
        wanted = set(paths)
        found = [(line[:1], line[2:]) for line in listed if line[2:] in wanted]
        return {
            "--skip-worktree": [path for tag, path in found if tag in b"Ss"],
            "--assume-unchanged": [path for tag, path in found if tag.islower()],
        }

    def _staged(self, tip: str) -> dict[bytes, Entry | None]:
        """The index entries that differ from ``tip``.

        Raises:
            ConflictError: ``GIT_CONFLICT``: some of them are unmerged.
        """
        answer = self._git.user(
            "diff-index",
            "--cached",
            "--raw",
            "-z",
            "--no-abbrev",
            "--no-renames",
            "--ignore-submodules=none",
            "--ita-invisible-in-index",
            tip,
        )
        staged: dict[bytes, Entry | None] = {}
        fields = iter(answer.split(b"\0"))
        for head in fields:
            if not head:
                break
            _, mode, _, oid, status = head.decode().split(" ")
            if status == "U":
                raise _unmerged()
            staged[next(fields)] = None if mode == "000000" else Entry(mode, oid)
        return staged

    def _found(self, path: bytes, tracked: Entry | None) -> Entry | None:
        """The entry for a file as it lies there; the object id is empty where git has to compute it."""
        try:
            found = os.lstat(self._path(path))
        except (FileNotFoundError, NotADirectoryError):
            return None
        if any(os.path.islink(self._path(folder)) for folder in folders(path)):
            return None  # it is somewhere else, behind a link: not ours to read or remove
        if stat.S_ISLNK(found.st_mode):
            return Entry(SYMLINK, blob_id(self._repository.object_format, os.readlink(self._path(path))))
        if stat.S_ISDIR(found.st_mode):
            is_submodule = tracked is not None and tracked.mode == SUBMODULE
            is_submodule = is_submodule or os.path.lexists(os.path.join(self._path(path), b".git"))
            return Entry(SUBMODULE, "") if is_submodule else Entry(TREE, "-")
        executable = bool(found.st_mode & stat.S_IXUSR)
        if tracked and tracked.is_regular and self._repository.variables.get("core.filemode") == "false":
            executable = tracked.mode == "100755"
        return Entry("100755" if executable else "100644", "")

    def _in_index(self, path: bytes) -> Sequence[bytes]:
        listed = self._git.user("ls-files", "-z", "--", os.fsdecode(path) + "/")
        return [name for name in listed.split(b"\0") if name]

    def _on_disk(self, path: bytes) -> Sequence[bytes]:
        """Everything in a folder but folders; a link to a folder is no folder."""
        top = os.fsencode(self._git.directory)
        found = []
        for folder, folders_in_it, names in os.walk(os.path.join(top, path)):
            links = [name for name in folders_in_it if os.path.islink(os.path.join(folder, name))]
            found += [os.path.relpath(os.path.join(folder, name), top) for name in (*names, *links)]
        return found

    # -- writing --

    def store(self, blobs: Iterable[bytes]) -> None:
        """Write blobs that only the index or the working tree will hold."""
        data = list(blobs)
        if not data:
            return
        # Written as files of a folder of our own, so that one process takes all of them.
        files = [self._git.sealed / f"blob-{number}" for number in range(len(data))]
        for file, content in zip(files, data, strict=True):
            file.write_bytes(content)
        self._git.user("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=_lines(map(os.fsencode, files)))

    def write_index(self, writes: Mapping[bytes, Entry | None], seen: Seen) -> None:
        """Put entries into the index, with the marks they had."""
        self._put(None, writes)
        for option, marked in seen.marks.items():
            if keep := [path for path in marked if writes.get(path)]:
                self._git.user("update-index", "-z", option, "--stdin", stdin=b"".join(p + b"\0" for p in keep))

    def _put(self, index: Path | None, writes: Mapping[bytes, Entry | None]) -> None:
        # Removals come first: an entry p and an entry p/x cannot both be there.
        ordered = sorted(writes.items(), key=lambda write: write[1] is not None)
        nothing = "0" * (40 if self._repository.object_format == "sha1" else 64)
        lines = b"".join(
            b"%s %s\t%s\0" % (entry.mode.encode() if entry else b"0", (entry.oid if entry else nothing).encode(), path)
            for path, entry in ordered
        )
        self._git.user("update-index", "-z", "--index-info", stdin=lines, index=index)

    def stage(self, writes: Mapping[bytes, Entry | None]) -> None:
        """Make the files, as git would check them out, beside the working tree.

        Raises:
            ConflictError: ``STATE_CONFLICT``: the index or a folder could not be written later.
        """
        require_index(self._git.git_directory)
        require_writable(self._git.directory, writes)
        made = {path: entry for path, entry in writes.items() if entry and entry.mode != SUBMODULE}
        if not made:
            return
        self._new.mkdir(parents=True, exist_ok=True)
        worktree = self._new if self._bring_attributes(writes) else None
        with self._temporary_index() as index:
            self._put(index, made)
            prefix = f"--prefix={self._new}/"
            self._git.user("checkout-index", "--all", "--force", prefix, index=index, worktree=worktree)

    def _bring_attributes(self, writes: Mapping[bytes, Entry | None]) -> bool:
        """Whether attributes change; the others that count are then brought beside the new files.

        For git reads attributes from the working tree, which has the old ones, before the index.
        https://git-scm.com/docs/gitattributes
        """
        if not any(os.path.basename(path) == _ATTRIBUTES for path in writes):
            return False
        import shutil

        for folder in {b""}.union(*(folders(path) for path in writes)):
            path = os.path.join(folder, _ATTRIBUTES)
            if path not in writes and os.path.isfile(self._path(path)):
                os.makedirs(os.path.join(os.fsencode(self._new), folder), exist_ok=True)
                shutil.copyfile(self._path(path), os.path.join(os.fsencode(self._new), path))
        return True

    def write_worktree(self, writes: Mapping[bytes, Entry | None]) -> None:
        """Put what was staged into the working tree, each file in one step; folders left empty go.

        Raises:
            InternalError: ``STATE_CONFLICT``: one of them was edited since it was looked at, and none is
                written; or the system does not let us.
        """
        for path in writes:
            if path in self._seen and self._seen[path] != _stamp(self._path(path)):
                raise _edited(path)
        try:
            for path, entry in sorted(writes.items(), key=lambda write: write[1] is not None):
                self._remove(path) if entry is None else self._replace(path, entry)
        except OSError as error:
            raise _refused(error) from error
        finally:
            self.unstage()

    def _replace(self, path: bytes, entry: Entry) -> None:
        place = self._path(path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if entry.mode == SUBMODULE:
            if os.path.lexists(place) and not os.path.isdir(place):
                os.unlink(place)
            os.makedirs(place, exist_ok=True)
            return
        if os.path.isdir(place) and not os.path.islink(place):
            for folder, _, _ in os.walk(place, topdown=False):  # to git, empty folders are nothing
                os.rmdir(folder)
        os.replace(os.path.join(os.fsencode(self._new), path), place)

    def _remove(self, path: bytes) -> None:
        place = self._path(path)
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            # A submodule's files are its own: its folder goes only if it is empty.
            if os.path.isdir(place) and not os.path.islink(place):
                _remove_if_empty(place)
            else:
                os.unlink(place)
        for folder in reversed(list(folders(path))):
            if not _remove_if_empty(self._path(folder)):
                return

    def unstage(self) -> None:
        """Remove what was staged."""
        with contextlib.suppress(OSError):
            remove_folder(self._new)

    def _path(self, path: bytes) -> bytes:
        return os.path.join(os.fsencode(self._git.directory), path)

    @contextmanager
    def _temporary_index(self, folder: Path | None = None) -> Iterator[Path]:
        """A path for an index of ours."""
        path = (folder or self._git.sealed) / f"gitclaw-index-{os.getpid()}"
        path.unlink(missing_ok=True)
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)


class _Entries:
    """A view on paths that were looked up before; see ``core.applying.View``."""

    def __init__(
        self, session: Session, entries: Mapping[bytes, Entry | None], under: Callable[[bytes], Sequence[bytes]]
    ) -> None:
        self.object_format = session.object_format
        self.text = session.text
        self.files_under = under
        self._entries = entries

    def entry(self, path: bytes) -> Entry | None:
        """What is at ``path``."""
        return self._entries.get(path)


def _edited(path: bytes) -> InternalError:
    name = visible_path(path)
    next_step = "nothing was changed; give the command again"
    return InternalError("STATE_CONFLICT", f"{name} was edited meanwhile", next_step, named=(name,))


def _unmerged() -> ConflictError:
    return ConflictError(
        "GIT_CONFLICT",
        "A merge is not finished: the index has unmerged files",
        "finish it, or give it up: git merge --abort",
    )


def _remove_if_empty(place: bytes) -> bool:
    try:
        os.rmdir(place)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR, errno.EBUSY):
            return False
        raise
    return True


def _refused(error: OSError) -> InternalError:
    what = f"{visible_path(os.fsencode(error.filename or b'a file'))} cannot be written: {error.strerror}"
    return InternalError("STATE_CONFLICT", what, "see to that, then give the command again")


def _stamp(place: bytes) -> tuple[int, int, int] | None:
    """What changes when a file is edited or replaced; None where there is none."""
    try:
        found = os.lstat(place)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return (0, 0, 0) if stat.S_ISDIR(found.st_mode) else (found.st_ino, found.st_size, found.st_mtime_ns)


def _lines(paths: Iterable[bytes]) -> bytes:
    """Paths as --stdin-paths reads them: quoted, so that they may hold a newline."""
    return b"".join(quoted(path) + b"\n" for path in paths)


def _left_out(error: GitError) -> str:
    said = error.stderr.decode("utf-8", "replace").strip().split("\n")
    return f"not all files could be read: {said[0].removeprefix('error: ')}"
