"""The forge's git repository, through a temporary clone that holds only what was asked for.

No files are checked out and no history is fetched: one commit of each ref without the contents of its files,
then the few contents that are needed, in one batch. https://git-scm.com/docs/partial-clone
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from gitclaw_py.adapters import git_bundle, git_promises
from gitclaw_py.adapters.git_answers import check_moved, refused, unreachable
from gitclaw_py.adapters.git_connection import GitConnection, as_there
from gitclaw_py.adapters.git_directories import sealed_directory
from gitclaw_py.adapters.git_process import GitError, quoted, run
from gitclaw_py.adapters.git_repository import GitRepository, our_own
from gitclaw_py.core.bounds import Bounds
from gitclaw_py.core.diffs import Entry
from gitclaw_py.core.suggestions import SUBMODULE
from gitclaw_py.ports.forge import Entries
from gitclaw_py.ports.values import Head, Move

_ALONE = "refs/gitclaw/budget"
_NOTHING = "0" * 40
_MISSING_REF = re.compile(rb"couldn't find remote ref (\S+)")


class GitClone:
    """See ``ports.Remote``. ``identity`` is what commits are signed with."""

    def __init__(self, connection: GitConnection, identity: tuple[str, str]) -> None:
        self._connection = connection
        self._git = connection.git
        self._directory = connection.directory
        name, email = identity
        people = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": email}
        people |= {"GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": email}
        nobodys = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        self.environment = {**connection.environment, **people, **nobodys}
        self._fetched: dict[str, str] = {}
        self._started: dict[str, str] = {}
        self._negotiates = False
        self._has_contents = False

    def fetch(self, refs: Sequence[str], *, whole: bool = False) -> dict[str, str]:
        """Bring the commits at ``refs``; the answer has those that exist. With ``whole``, the files too."""
        wanted = list(refs)
        self._negotiates = self._negotiates or whole
        while wanted:
            try:
                self._fetch(as_there(wanted), whole=whole)
                break
            except GitError as error:
                missing = _MISSING_REF.search(error.stderr)
                if missing is None:
                    raise unreachable(error) from error
                wanted.remove(missing[1].decode("utf-8", "surrogateescape"))
        for ref in refs:
            self._fetched.pop(ref, None)
            if ref not in wanted and self._refs([ref]):
                self._git("update-ref", "-d", ref)
        self._fetched.update(self._refs(wanted))
        return {ref: self._fetched[ref] for ref in wanted}

    def _fetch(self, wanted: Sequence[str] = (), stdin: bytes = b"", *, whole: bool = False) -> None:
        self._connection.fetch(wanted, stdin, whole=whole)
        self._has_contents = self._has_contents or whole or bool(stdin)

    def _refs(self, names: Iterable[str]) -> dict[str, str]:
        """Where those refs are that exist: from the files that git would read, and by a process only if it packed them.

        https://git-scm.com/docs/gitrepository-layout
        """
        if (self._directory / "packed-refs").exists():
            return self._listed(names)
        found = {}
        for name in names:
            with suppress(FileNotFoundError, IsADirectoryError, NotADirectoryError):
                found[name] = (self._directory / name).read_text(encoding="ascii").rstrip("\n")
        return found

    def _listed(self, names: Iterable[str]) -> dict[str, str]:
        listed = self._git("for-each-ref", "--format=%(refname)%00%(objectname)").decode("utf-8", "surrogateescape")
        found = dict(line.split("\0") for line in listed.split("\n")[:-1])
        return {name: found[name] for name in names if name in found}

    def entries(self, commit: str, paths: Sequence[bytes]) -> dict[bytes, Entry]:
        """What a commit has at the paths of files; nothing where it has none."""
        if not paths:
            return {}
        names = [os.fsdecode(path) for path in paths]
        listed = self._git("ls-tree", "-z", "--full-tree", commit, "--", *names)
        found = {}
        for line in listed.split(b"\0")[:-1]:
            meta, _, path = line.partition(b"\t")
            mode, kind, oid = meta.decode().split(" ")
            if kind == "blob":
                found[path] = Entry(mode, oid)
        return found

    def bring(self, oids: Iterable[str]) -> None:
        """Bring those blobs that are not here yet, in one batch."""
        wanted = sorted(set(oids))
        if not wanted:
            return
        # At first there are none at all.
        lacks = self._missing(wanted) if self._has_contents else wanted
        if lacks:
            try:
                self._fetch(stdin=git_promises.lines(lacks))
            except GitError as error:
                raise unreachable(error) from error

    def _missing(self, oids: Sequence[str]) -> list[str]:
        """Asked in a git directory that knows of no forge: in the clone, git would fetch them one by one to answer."""
        with sealed_directory("sha1", self.environment) as apart:
            there = {"GIT_DIR": str(apart), "GIT_OBJECT_DIRECTORY": str(self._directory / "objects")}
            environment, asked = self._connection.network | there, git_promises.lines(oids)
            return git_promises.missing(run(git_promises.CHECK, self._directory, environment, stdin=asked))

    def bring_all(self, commit: str) -> None:
        """Bring every blob of a commit."""
        self.bring(git_promises.blobs_listed(self._git(*git_promises.LIST, commit)))

    def bring_commit(self, oid: str) -> None:
        """Bring a commit by its id, without the contents of its files."""
        try:
            self._fetch([oid])
        except GitError as error:
            raise unreachable(error) from error

    def bring_changes(self, old: str, new: str) -> None:
        """Bring both sides of every file that differs between two commits."""
        sides = (entry for both in self._changed(old, new).values() for entry in both)
        self.bring(entry.oid for entry in sides if entry and entry.mode != SUBMODULE)

    def _changed(self, old: str, new: str) -> dict[bytes, tuple[Entry | None, Entry | None]]:
        """What two commits have at every path where they differ."""
        raw = self._git("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", old, new).split(b"\0")
        found = {}
        for head, path in zip(raw[::2], raw[1::2], strict=False):
            before, after, old_oid, new_oid, _ = head.decode("ascii").removeprefix(":").split(" ")
            found[path] = (_entry(before, old_oid), _entry(after, new_oid))
        return found

    def conflicts(self, parted: str, ours: str, theirs: str) -> list[bytes]:
        """The files that two commits changed, since they parted, in ways that do not go together.

        Files are told apart by their names, so that a conflict of a renamed one counts for its old name.
        """
        for commit in (parted, ours, theirs):
            self.bring_commit(commit)
        mine, other = (self._changed(parted, side) for side in (ours, theirs))
        both = {path: (mine[path][0], mine[path][1], other[path][1]) for path in mine if path in other}
        apart = {path: sides for path, sides in both.items() if sides[1] != sides[2]}
        self.bring(e.oid for sides in apart.values() for e in sides if e and e.is_regular)
        return sorted(path for path, sides in apart.items() if not self._goes_together(sides))

    def _goes_together(self, sides: Sequence[Entry | None]) -> bool:
        """Whether git merges three versions of a file.

        https://git-scm.com/docs/git-merge-file
        """
        names = [str(self._directory / name) for name in ("base", "ours", "theirs")]
        for name, entry in zip(names, sides, strict=True):
            if entry is None or not entry.is_regular:
                return False
            Path(name).write_bytes(self.blob(entry.oid))
        try:
            self._git("merge-file", "-p", "--quiet", names[1], names[0], names[2])
        except GitError:
            return False
        return True

    def blob(self, oid: str) -> bytes:
        """The content of a blob that is here."""
        return self._git("cat-file", "blob", oid)

    def has(self, ref: str) -> bool:
        """Whether there is such a ref here."""
        return bool(self._refs([ref]))

    def objects(self, *names: str) -> list[bytes]:
        """The raw objects of those names; nothing for one that is not here.

        https://git-scm.com/docs/git-cat-file#_batch_output
        """
        left = self._git("cat-file", "--batch", stdin=b"".join(b"%b\n" % os.fsencode(name) for name in names))
        found = []
        for _ in names:
            head, _, left = left.partition(b"\n")
            size = -1 if head.endswith(b" missing") else int(head.rpartition(b" ")[2])
            found.append(left[: max(size, 0)])
            left = left[size + 1 :]
        return found

    def write(self, ref: str, who: bytes, message: bytes, files: Mapping[bytes, bytes], parents: Sequence[str]) -> None:
        """Put a commit of these files on a ref, on top of what is there and of other ``parents``.

        The first of them for a new ref is an empty commit. Were it one of the others, the commit would count as a
        change of all that these hold, and where that is a workflow the forge refuses it to a token that may not change
        any.
        """
        before = self._refs([ref]).get(ref)
        start, name = b"commit %s\n%scommitter %s\n", os.fsencode(ref)
        first = ":1" if parents and not before else before
        lines = [start % (name, b"mark :1\n", who), _data(b"begun\n"), b"\n"] if first == ":1" else []
        lines += [start % (name, b"", who), _data(message)]
        above = [*([first] if first else []), *parents]
        lines += [b"%s %s\n" % (b"merge" if k else b"from", oid.encode()) for k, oid in enumerate(above)]
        lines += [
            b"deleteall\n",
            *(b"M 100644 inline %s\n%s" % (quoted(path), _data(data)) for path, data in files.items()),
        ]
        self._has_contents = True
        self._git("fast-import", "--quiet", "--done", "--force", stdin=b"".join([*lines, b"\ndone\n"]))

    @contextmanager
    def at(self, branch: str) -> Iterator[GitRepository]:
        """The clone as a repository, with ``branch`` as its current one; it must have been fetched or made."""
        ref = f"refs/heads/{branch}"
        (self._directory / "HEAD").write_bytes(b"ref: %b\n" % os.fsencode(ref))
        self._has_contents = True
        with our_own(self._directory, self.environment, Head(ref, self._refs([ref])[ref])) as repository:
            yield repository

    def start(self, branch: str, commit: str) -> None:
        """Make a branch here, which the forge does not have yet."""
        self._git("update-ref", f"refs/heads/{branch}", commit)
        self._started[f"refs/heads/{branch}"] = commit

    def patch(self, old: str, new: str) -> bytes:
        """What ``git apply`` needs to get from one commit to the other."""
        return self._git(
            "diff-tree", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", old, new
        )

    def pack(self, commits: Mapping[str, str], known: Sequence[str]) -> bytes:
        """A git bundle of these commits under these names, without what the ``known`` ones reach."""
        here = {**self._connection.sealed, "GIT_DIR": str(self._directory)}
        return git_bundle.pack(self._directory, here, commits, known)

    def unpack(self, data: bytes, commits: Mapping[str, str], known: Sequence[str]) -> None:
        """Take in the commits of a git bundle that a stranger made on top of commits that are ``known``."""
        needed = git_bundle.needed(data, commits, known)
        for oid in self._missing(sorted(needed)):
            self.bring_commit(oid)
        # A git directory that knows no forge and no token.
        with sealed_directory("sha1", self.environment) as apart:
            git_bundle.unpack(self._directory, {**self._connection.sealed, "GIT_DIR": str(apart)}, data)
        self._negotiates = self._has_contents = True

    def vet(self, base: str, commit: str, bounds: Bounds) -> None:
        """Look at what a stranger's commit changes on top of ``base``, and bring what it has from there."""
        self.bring(git_bundle.vetted(self._git, self._missing, base, commit, bounds))

    def tree(self, commit: str) -> str:
        """The id of a commit's tree."""
        return git_bundle.header(self._git("cat-file", "commit", commit), "tree")[0]

    def parents(self, commit: str) -> list[str]:
        """The ids of a commit's parents, as it names them."""
        return git_bundle.header(self._git("cat-file", "commit", commit), "parent")

    def reset(self, refs: Sequence[str]) -> None:
        """Drop what happened to those refs here since they were fetched."""
        for ref in refs:
            old = self._fetched.get(ref)
            self._git("update-ref", *([ref, old] if old else ["-d", ref]))

    def commits(self, old: str, new: str) -> list[str]:
        """The commits from ``old``, which is left out, to ``new``, oldest first."""
        return self._git("rev-list", "--reverse", "--first-parent", f"{old}..{new}").decode().split()

    def made(self, parent: str, commit: str) -> Entries:
        """What a commit changes on top of ``parent``, to be made again where its contents are."""
        writes = {path: new for path, (_, new) in self._changed(parent, commit).items()}
        message = self._git("cat-file", "commit", commit).partition(b"\n\n")[2].decode("utf-8", "surrogateescape")
        tree = self._git("rev-parse", "--verify", f"{parent}^{{tree}}").decode().strip()
        return Entries(parent, message, writes, {}, tree)

    def moves(self, refs: Sequence[str]) -> list[Move]:
        """What happened to those refs here since they were fetched."""
        now = self._refs(refs)
        both = ((ref, self._fetched.get(ref, _NOTHING), now.get(ref, _NOTHING)) for ref in refs)
        # A branch that was only made here, and holds nothing new, has not happened yet.
        return [Move(ref, old, new) for ref, old, new in both if old != new and self._started.get(ref) != new]

    def push(self, moves: Sequence[Move]) -> None:
        """Move all the refs on the forge, or none of them.

        Raises:
            ConflictError: ``STATE_CONFLICT``: one of them is no longer where it was fetched.
            RefusedError: ``BRANCH_PROTECTED``: a rule forbids it; ``PERMISSION_DENIED``: the token may not.
        """
        leases = [f"--force-with-lease={move.ref}:{'' if move.old == _NOTHING else move.old}" for move in moves]
        targets = [f"{move.new}:{move.ref}" for move in moves]
        try:
            # After an agent's long run the base may no longer be at any ref: negotiating saves sending all of it.
            # What stands on nothing but what its ref had needs none of that.
            stands_alone = all(move.ref.startswith(_ALONE) for move in moves)
            negotiates = self._negotiates and not stands_alone
            answer = self._connection.push(["--porcelain", "--atomic", *leases], targets, negotiates=negotiates)
        except GitError as error:
            raise refused(error) from error
        check_moved(answer, moves)
        self._fetched.update({move.ref: move.new for move in moves})

    def deliver(self, ref: str, commit: str) -> None:
        """Bring a commit and what it needs to the forge, on a ref of ours, wherever that was."""
        try:
            self._connection.push(["--quiet", "--force"], [f"{commit}:{ref}"])
        except GitError as error:
            raise refused(error) from error


def _entry(mode: str, oid: str) -> Entry | None:
    return None if mode == "000000" else Entry(mode, oid)


def _data(data: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(data), data)
