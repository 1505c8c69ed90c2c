"""A ``git fast-import`` process: reads entries and blobs, and writes blobs, trees and a commit.

One process does it for any number of files, reads only the folders it is asked about and needs no index,
so it costs the same in a repository of 1,000 files and of 100,000.
https://git-scm.com/docs/git-fast-import
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import TracebackType
from typing import IO, Self

from gitclaw_py.adapters.git_process import Git, GitError, quoted
from gitclaw_py.core.diffs import Entry
from gitclaw_py.errors import ConflictError

_WINDOW = 200
"""Questions sent before their answers are read: less than what fits into a pipe, or both sides would wait."""
_AHEAD = 32
"""Blobs asked for before the first of them is read."""
_REMEMBERED = 1 << 20
"""Bytes of blobs that are remembered when they are written: what is proposed is looked into next."""
_REF = b"refs/heads/work"
"""A branch of the sealed git directory; it goes with it."""
_NOT_FOUND = rb"not found: M [0-7]+ ([0-9a-f]{40,64}) "


class FastImport:
    """A running fast-import. Use it as a context manager.

    Leaving it early writes no commit; blobs that it has by then may stay, reached by nobody, until git collects them.

    ``settings`` are further ones for git.
    """

    def __init__(self, git: Git, settings: Sequence[str] = ()) -> None:
        answers, write_end = os.pipe()
        self._process = subprocess.Popen(
            ["git", *settings, "fast-import", "--quiet", "--done", "--force", f"--cat-blob-fd={write_end}"],
            cwd=git.sealed,
            env=git.plumbing_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=(write_end,),
        )
        os.close(write_end)
        self._answers: IO[bytes] = os.fdopen(answers, "rb")
        self._written: dict[str, bytes] = {}
        self._room = _REMEMBERED
        self._stored: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._send(b"done\n")
        with contextlib.suppress(BrokenPipeError):  # what it died of is told below
            self._process.stdin.close()  # type: ignore[union-attr]
        self._answers.close()
        said = self._process.stderr.read() if self._process.stderr else b""
        code = self._process.wait()
        self._process.stderr.close()  # type: ignore[union-attr]
        if kind is None and code:
            raise GitError(["fast-import"], code, said)

    def entries(self, commit: str, paths: Sequence[bytes]) -> dict[bytes, Entry | None]:
        """What the commit's tree holds at each path, folders included."""
        found: dict[bytes, Entry | None] = {}
        for start in range(0, len(paths), _WINDOW):
            window = paths[start : start + _WINDOW]
            self._send(b"".join(b"ls %s %s\n" % (commit.encode(), quoted(path)) for path in window))
            for path in window:
                found[path] = self._entry()
        return found

    def _entry(self) -> Entry | None:
        line = self._line()
        if line.startswith(b"missing "):
            return None
        mode, _, oid = line.split(b"\t", 1)[0].split(b" ")
        return Entry(mode.decode(), oid.decode())

    def blobs(self, oids: Iterable[str]) -> Iterator[bytes]:
        """The contents of blobs, in order; the next ones are asked for while one is being used.

        Raises:
            ConflictError: ``INVALID_DIFF``: the repository no longer has one of them.
        """
        asked: deque[str] = deque()
        waiting = iter(oids)
        while True:
            ahead = list(islice(waiting, _AHEAD - len(asked)))
            if ahead:
                self._ask_for(oid for oid in ahead if oid not in self._written)
                asked.extend(ahead)
            if not asked:
                return
            oid = asked.popleft()
            yield self._written[oid] if oid in self._written else self._content(oid)

    def there(self, oids: Sequence[str]) -> dict[str, bytes]:
        """The contents of a few blobs, asked for at once; those that the repository does not have are left out."""
        self._ask_for(oids)
        found = {oid: self._answer() for oid in oids}
        return {oid: data for oid, data in found.items() if data is not None}

    def _ask_for(self, oids: Iterable[str]) -> None:
        self._send(b"".join(b"cat-blob %s\n" % oid.encode() for oid in oids))

    def _content(self, oid: str) -> bytes:
        data = self._answer()
        if data is None:
            raise missing_object(oid)
        return data

    def _answer(self) -> bytes | None:
        answer = self._line().split(b" ")
        if answer[1:] == [b"missing"]:
            return None
        data = self._answers.read(int(answer[2]))
        self._answers.read(1)
        return data

    def store(self, oid: str, data: bytes) -> None:
        """Write the blob of that id; a commit that has it need not be given its content."""
        if oid not in self._stored:
            self._send(b"blob\n" + _data(data), flush=False)
            self._stored.add(oid)
            self._remember(oid, data)

    def commit(
        self,
        parent: str | None,
        message: bytes,
        writes: Mapping[bytes, Entry | None],
        blobs: Mapping[str, bytes],
        *,
        author: bytes,
        committer: bytes,
    ) -> str:
        """Write a commit on top of ``parent`` and return its id; removals happen before additions.

        Without a parent it has these files and no others.
        """
        start = b"from %s\n" % parent.encode() if parent else b""
        if not parent:
            self._send(b"reset %s\n" % _REF, flush=False)  # else it would be on top of the last commit
        self._send(
            b"commit %s\nmark :1\nauthor %s\ncommitter %s\n%s%s" % (_REF, author, committer, _data(message), start)
        )
        ordered = sorted(writes.items(), key=lambda write: write[1] is not None)
        for path, entry in ordered:
            self._change(path, entry, blobs)
        self._send(b"\nget-mark :1\n")
        return self._line().decode()

    def checkpoint(self) -> None:
        """Make the commit visible to other processes."""
        self._send(b"checkpoint\nget-mark :1\n")  # commands are read one by one: the answer comes after it
        self._line()

    def _change(self, path: bytes, entry: Entry | None, blobs: Mapping[str, bytes]) -> None:
        if entry is None:
            self._send(b"D %s\n" % quoted(path), flush=False)
        elif entry.oid in blobs and entry.oid not in self._stored:
            data = blobs[entry.oid]
            self._send(b"M %s inline %s\n" % (entry.mode.encode(), quoted(path)) + _data(data), flush=False)
            self._remember(entry.oid, data)
        else:
            self._send(b"M %s %s %s\n" % (entry.mode.encode(), entry.oid.encode(), quoted(path)), flush=False)

    def _remember(self, oid: str, data: bytes) -> None:
        if oid not in self._written and len(data) <= self._room:
            self._room -= len(data)
            self._written[oid] = data

    def _send(self, data: bytes, *, flush: bool = True) -> None:
        try:
            self._process.stdin.write(data)  # type: ignore[union-attr]
            if flush:
                self._process.stdin.flush()  # type: ignore[union-attr]
        except BrokenPipeError:
            self._fail()

    def _line(self) -> bytes:
        line = self._answers.readline()
        if not line.endswith(b"\n"):
            self._fail()
        return line[:-1]

    def _fail(self) -> None:
        said = self._process.stderr.read() if self._process.stderr else b""
        if lost := re.search(_NOT_FOUND, said):
            raise missing_object(lost[1].decode())
        raise GitError(["fast-import"], self._process.wait(), said)


def missing_object(oid: str) -> ConflictError:
    """The error for an object that a stored proposal needs and the repository does not have."""
    return ConflictError(
        "INVALID_DIFF",
        f"The repository has no object {oid}, which the proposal was made with",
        "fetch it again if it came from elsewhere, or run gitclaw suggest once more",
    )


def _data(data: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(data), data)
