"""A bare repository of the hub: its refs and objects, read and written by the git command."""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ZERO = "0" * 40

_BAD_NAME = re.compile(r"[\x00-\x20~^:?*\[\\\x7f]|\.\.|@\{|//|/\.|\.lock(?:/|$)|[/.]$")
_CONFIG = """\
[core]
\trepositoryFormatVersion = 0
\tbare = true
\tlogAllRefUpdates = false
[http]
\treceivepack = true
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
[receive]
\thideRefs = refs/pull
\tadvertisePushOptions = false
[gc]
\tauto = 0
"""


class RefMove(NamedTuple):
    """One ref from one commit to another; ``ZERO`` is no ref at all. ``old`` None: wherever it was."""

    name: str
    old: str | None
    new: str


class Signature(NamedTuple):
    """Who made a commit and when, ``date`` in seconds since 1970."""

    name: str
    email: str
    date: int


class Commit(NamedTuple):
    """A commit."""

    oid: str
    tree: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str


class TreeEntry(NamedTuple):
    """A line of a tree; ``oid`` None removes it when a tree is written."""

    path: str
    mode: str
    oid: str | None
    kind: str = "blob"
    size: int | None = None


FileBytes = tuple[str, bytes | None]
"""The mode and the bytes of a file; no bytes, no file."""


class GitFailedError(Exception):
    """A git command ended with an error: the ``code``, and as the text what it said."""

    def __init__(self, said: str, code: int) -> None:
        super().__init__(said)
        self.code = code


class BareRepository:
    """The git side of one repository of the hub."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def create(self, default_branch: str) -> None:
        """Make the folder."""
        for folder in ("objects/info", "objects/pack", "refs/heads", "hooks", "info"):
            (self.path / folder).mkdir(parents=True)
        (self.path / "config").write_text(_CONFIG, encoding="ascii")
        (self.path / "HEAD").write_text(f"ref: refs/heads/{default_branch}\n", encoding="utf-8")

    def git(self, *arguments: str, stdin: bytes = b"", extra: Mapping[str, str] | None = None) -> bytes:
        """The output of a git command.

        Raises:
            GitFailedError: it failed.
        """
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env={**environment(), "GIT_DIR": str(self.path), **(extra or {})},
            input=stdin,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip()
            raise GitFailedError(said or f"git {arguments[0]} failed", done.returncode)
        return done.stdout

    def ref(self, name: str) -> str | None:
        """Where a ref (its whole name) is."""
        if not is_ref_name(name):
            return None
        try:
            return (self.path / name).read_text(encoding="ascii").strip()
        except OSError:
            return self._packed().get(name)

    def refs(self, prefix: str) -> dict[str, str]:
        """All refs below ``prefix``, by name and in its order."""
        found = {name: oid for name, oid in self._packed().items() if name.startswith(f"{prefix}/")}
        for folder, _, names in os.walk(self.path / prefix):
            for name in names:
                whole = os.path.relpath(os.path.join(folder, name), self.path)
                if not name.endswith(".lock") and (oid := self.ref(whole)):
                    found[whole] = oid
        return dict(sorted(found.items()))

    def _packed(self) -> dict[str, str]:
        # Read by ourselves, loose refs too: every deed asks for refs, and a process each would be most of the time.
        # https://git-scm.com/docs/gitrepository-layout
        try:
            lines = (self.path / "packed-refs").read_text(encoding="utf-8").splitlines()
        except OSError:
            return {}
        words = (line.split(" ") for line in lines if line[:1] not in {"#", "^"})
        return {name: oid for oid, name in words}

    def import_commit(self, branch: str, parent: str | None, commit: Commit, files: Mapping[str, FileBytes]) -> None:
        """Make a commit with these files on a branch, in one go; ``commit``'s ids are not looked at.

        Raises:
            GitFailedError: the branch has moved away from ``parent``.
        """
        message = commit.message.encode()
        parts = [b"commit refs/heads/%s\n" % branch.encode()]
        parts += [_stream_who(b"author", commit.author), _stream_who(b"committer", commit.committer)]
        parts += [b"data %d\n%s\n" % (len(message), message), b"from %s\n" % parent.encode() if parent else b""]
        for path, (mode, content) in files.items():
            name = _stream_path(path)
            if content is None:
                parts.append(b"D %s\n" % name)
            else:
                parts.append(b"M %s inline %s\ndata %d\n%s\n" % (mode.encode(), name, len(content), content))
        self.git("fast-import", "--quiet", "--done", stdin=b"".join([*parts, b"done\n"]))

    def move(self, moves: Sequence[RefMove]) -> None:
        """Move all refs or none.

        Raises:
            GitFailedError: one of them is not where it should be, or cannot be.
        """
        lines = [f"update {m.name} {m.new}" + (f" {m.old}" if m.old is not None else "") for m in moves]
        self.git("update-ref", "--stdin", stdin="".join(f"{line}\n" for line in lines).encode())

    def kind(self, oid: str) -> str | None:
        """``commit``, ``tree``, ``blob`` or ``tag``; None when there is no such object."""
        said = self.git("cat-file", "--batch-check=%(objecttype)", stdin=f"{oid}\n".encode()).decode().strip()
        return None if said.endswith(("missing", "ambiguous")) else said

    def resolve(self, revision: str) -> str | None:
        """The commit a branch, tag or id means."""
        if "\0" in revision:
            return None
        for name in (f"refs/heads/{revision}", f"refs/tags/{revision}", revision):
            try:
                return (
                    self.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
                    .decode()
                    .strip()
                )
            except GitFailedError:
                continue
        return None

    def commit(self, oid: str) -> Commit:
        """One commit.

        Raises:
            GitFailedError: there is none.
        """
        head, _, message = self.git("cat-file", "commit", oid).decode("utf-8", "replace").partition("\n\n")
        fields: dict[str, list[str]] = {}
        for line in head.splitlines():
            name, _, value = line.partition(" ")
            fields.setdefault(name, []).append(value)
        return Commit(
            oid,
            fields["tree"][0],
            tuple(fields.get("parent", ())),
            _signature(fields["author"][0]),
            _signature(fields["committer"][0]),
            message,
        )

    def blob(self, oid: str) -> bytes:
        """A blob's bytes.

        Raises:
            GitFailedError: there is none.
        """
        return self.git("cat-file", "blob", oid)

    def tree(self, oid: str, *, recursive: bool = False) -> list[TreeEntry]:
        """The entries of a tree or of a commit's tree.

        Raises:
            GitFailedError: there is none.
        """
        flags = ["-r", "-t"] if recursive else []
        listed = self.git("ls-tree", "-z", "--long", *flags, oid)
        entries = []
        for line in listed.split(b"\0")[:-1]:
            meta, _, path = line.partition(b"\t")
            mode, kind, entry, size = meta.decode().split()
            entries.append(TreeEntry(os.fsdecode(path), mode, entry, kind, None if size == "-" else int(size)))
        return entries

    def entry(self, revision: str, path: str) -> TreeEntry | None:
        """What a commit has at a path."""
        if "\0" in path:
            return None
        listed = self.git("ls-tree", "-z", "--long", revision, "--", path, extra={"GIT_LITERAL_PATHSPECS": "1"})
        if not listed:
            return None
        mode, kind, entry, size = listed.partition(b"\t")[0].decode().split()
        return TreeEntry(path, mode, entry, kind, None if size == "-" else int(size))

    def write_blob(self, content: bytes) -> str:
        """The id of a blob with these bytes, now there."""
        return self.git("hash-object", "-w", "--stdin", stdin=content).decode().strip()

    def write_tree(self, base: str | None, entries: Sequence[TreeEntry]) -> str:
        """The id of a tree: ``base`` with these entries put in its place.

        Raises:
            GitFailedError: an entry or its object is not there, or cannot be.
        """
        with tempfile.TemporaryDirectory(prefix="gitclaw-hub-") as folder:
            extra = {"GIT_INDEX_FILE": os.path.join(folder, "index")}
            if base is not None:
                self.git("read-tree", base, extra=extra)
            lines = [_index_line(entry) for entry in self._leaves(base, entries)]
            self.git("update-index", "-z", "--replace", "--index-info", stdin=b"".join(lines), extra=extra)
            return self.git("write-tree", extra=extra).decode().strip()

    def _leaves(self, base: str | None, entries: Sequence[TreeEntry]) -> Iterator[TreeEntry]:
        """The same change as files only: a folder replaces what was there."""
        for entry in entries:
            if entry.kind != "tree":
                yield entry
                continue
            there = self.tree(base, recursive=True) if base is not None else []
            inside = [one for one in there if one.kind != "tree" and one.path.startswith(f"{entry.path}/")]
            yield from (one._replace(oid=None) for one in inside)
            new = self.tree(entry.oid, recursive=True) if entry.oid else []
            yield from (one._replace(path=f"{entry.path}/{one.path}") for one in new if one.kind != "tree")

    def write_commit(
        self, tree: str, parents: Sequence[str], message: str, author: Signature, committer: Signature
    ) -> str:
        """The id of a new commit, on no ref.

        Raises:
            GitFailedError: the tree or a parent is not there.
        """
        extra = {}
        for role, who in (("AUTHOR", author), ("COMMITTER", committer)):
            extra[f"GIT_{role}_NAME"], extra[f"GIT_{role}_EMAIL"] = who.name, who.email
            extra[f"GIT_{role}_DATE"] = f"{who.date} +0000"
        options = [word for parent in parents for word in ("-p", parent)]
        return (
            self.git("commit-tree", tree, *options, stdin=message.encode("utf-8", "replace"), extra=extra)
            .decode()
            .strip()
        )

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether ``new`` holds all of ``old``'s history."""
        try:
            self.git("merge-base", "--is-ancestor", old, new)
        except GitFailedError:
            return False
        return True

    def merge_base(self, one: str, other: str) -> str | None:
        """The commit where two histories part."""
        try:
            return self.git("merge-base", one, other).decode().strip()
        except GitFailedError:
            return None

    def fetch(self, other: "BareRepository", oid: str) -> None:
        """Have all objects of a commit of another repository."""
        self.git("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", str(other.path), oid)


def is_ref_name(name: str) -> bool:
    """Whether a ref may be called so, with its whole name.

    https://git-scm.com/docs/git-check-ref-format
    """
    return name.startswith("refs/") and _BAD_NAME.search(name) is None


def environment() -> dict[str, str]:
    """An environment in which git knows nothing of this machine."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        # The folder may belong to another user than the one who runs the hub, in a container for one.
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }


def _index_line(entry: TreeEntry) -> bytes:
    mode, oid = (entry.mode, entry.oid) if entry.oid else ("0", ZERO)
    return f"{mode} {oid}\t".encode() + os.fsencode(entry.path) + b"\0"


def _stream_who(role: bytes, who: Signature) -> bytes:
    return b"%s %s <%s> %d +0000\n" % (role, who.name.encode(), who.email.encode(), who.date)


def _stream_path(path: str) -> bytes:
    escaped = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'


def _signature(line: str) -> Signature:
    who, _, when = line.rpartition("> ")
    name, _, email = who.partition(" <")
    return Signature(name, email, int(when.split()[0]))
