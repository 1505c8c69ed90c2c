"""Reading and writing the objects of one repository, on top of one commit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from gitclaw_py.adapters.fast_import import FastImport, missing_object
from gitclaw_py.adapters.git_process import Git
from gitclaw_py.core.diffs import Entry
from gitclaw_py.ports.values import TreeChange

_AHEAD = 32
"""Blobs that are asked for at once."""
_HELD = 16 << 20
"""Bytes of blobs that are kept: where a comparison is needed, all of them are read twice."""
Identities = Callable[[], tuple[bytes, bytes]]
"""Author and committer, asked for only when a person's commit is made."""


class GitSession:
    """See ``ports.Session``."""

    def __init__(
        self, git: Git, object_format: str, identities: Identities, fast_import: FastImport, commit: str
    ) -> None:
        self.object_format = object_format
        self._git = git
        self._identities = identities
        self._fast_import = fast_import
        self._commit = commit
        self._entries: dict[bytes, Entry | None] = {}
        self._expected: tuple[str, ...] = ()
        self._places: dict[str, int] = {}
        self._texts: dict[str, bytes] = {}
        self._held = 0

    def prefetch(self, paths: Sequence[bytes]) -> None:
        """Look all these paths up at once."""
        self._entries.update(self._fast_import.entries(self._commit, paths))

    def entry(self, path: bytes) -> Entry | None:
        """What is at ``path``."""
        if path not in self._entries:
            self.prefetch([path])
        return self._entries[path]

    def expect(self, oids: Iterable[str]) -> None:
        """These blobs are likely to be read, in this order: some are asked for at once, so that none is waited for."""
        self._places = {oid: place for place, oid in enumerate(dict.fromkeys(oids))}
        self._expected = tuple(self._places)

    def text(self, oid: str) -> bytes:
        """The content of a blob.

        Raises:
            ConflictError: ``INVALID_DIFF``: the repository no longer has it.
        """
        if oid not in self._texts:
            self._read_from(oid)
        if oid not in self._texts:
            raise missing_object(oid)
        return self._texts[oid]

    def _read_from(self, oid: str) -> None:
        """Read a blob and those that are expected after it."""
        if self._held > _HELD:
            self._texts.clear()
            self._held = 0
        place = self._places.get(oid)
        found = self._fast_import.there((oid,) if place is None else self._expected[place : place + _AHEAD])
        self._texts |= found
        self._held += sum(map(len, found.values()))

    def texts(self, oids: Iterable[str]) -> Iterator[bytes]:
        """The contents of blobs, in order."""
        return self._fast_import.blobs(oids)

    def files_under(self, path: bytes) -> Sequence[bytes]:
        """The paths of all files in a folder."""
        listed = self._git.plumbing(
            "ls-tree", "-r", "-z", "--name-only", "--full-tree", self._commit, "--", os.fsdecode(path) + "/"
        )
        return [name for name in listed.split(b"\0") if name]

    def commit(
        self, parent: str, message: str, writes: Mapping[bytes, Entry | None], blobs: Mapping[str, bytes]
    ) -> str:
        """Write a commit on top of ``parent``, by the person who works here."""
        author, committer = self._identities()
        return self._fast_import.commit(parent, os.fsencode(message), writes, blobs, author=author, committer=committer)

    def store(self, oid: str, data: bytes) -> None:
        """Write a blob ahead of the commit that has it: git works on it while the next one is read."""
        self._fast_import.store(oid, data)

    def record(self, parent: str | None, message: str, change: TreeChange, at: int) -> str:
        """Write a commit of what an agent did, in our name, and make it visible to others."""
        who = ours(at)
        commit = self._fast_import.commit(
            parent, os.fsencode(message), change.writes, change.blobs, author=who, committer=who
        )
        self._fast_import.checkpoint()
        return commit


def ours(at: int) -> bytes:
    """How gitclaw signs what no person has decided on, ``at`` seconds since 1970."""
    return b"gitclaw <gitclaw@localhost> %d +0000" % at
