"""Reading what ``git diff-tree`` says about two trees.

Status, names, modes and object ids come from the raw part (``-z``: nothing is quoted, every byte is
kept); of the patch part only the numbers in the ``@@`` lines are read. Nothing is ever taken from patch
headers or content: a file may be called ``x b/x`` and may contain a whole diff. Its lines have a sign before
them, and line feeds in names are quoted, so only git's own lines begin with ``diff`` or ``@@``.
https://git-scm.com/docs/diff-format
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from gitclaw_py.core.digests import digest
from gitclaw_py.errors import InternalError

_HUNK_BEGINS = b"\n@@ -"
_HUNK = _HUNK_BEGINS + rb"(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@"
_FILE = b"diff --git "
_NOTHING = "000000"


class Span(NamedTuple):
    """One ``@@`` line in half-open line ranges from 0: old ``start:end`` became new ``new_start:new_end``."""

    start: int
    end: int
    new_start: int
    new_end: int


new_span: Callable[[tuple[int, int, int, int]], Span] = partial(tuple.__new__, Span)
"""``Span`` from a tuple of its fields; see ``scripts.new_hunk`` for what it is good for."""


class Entry(NamedTuple):
    """What a tree holds at a path: the mode as six octal digits and the object id in hexadecimal."""

    mode: str
    oid: str

    @property
    def is_regular(self) -> bool:
        """A plain file, executable or not."""
        return self.mode.startswith("100")


_new_entry: Callable[[tuple[str, str]], Entry] = partial(tuple.__new__, Entry)


def blob_id(object_format: str, data: bytes) -> str:
    """The id git gives a blob; ``object_format`` is ``sha1`` or ``sha256``.

    https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
    """
    made = digest(object_format)(b"blob %d\0" % len(data))
    made.update(data)
    found: str = made.hexdigest()
    return found


def are_of_different_types(old: Entry | None, new: Entry | None) -> bool:
    """Whether these are two of a file, a link and a submodule."""
    return old is not None and new is not None and old.mode[:2] != new.mode[:2]


SameChange = tuple[bytes, bytes, Entry | None, Entry | None]
"""Path, old path, old entry and new entry."""


class FileDiff(NamedTuple):
    """The change of one path. ``old`` is None for a new file, ``new`` for a deleted one.

    ``old_path`` differs from ``path`` only for a rename. ``spans`` is empty where git shows no text.
    """

    path: bytes
    old_path: bytes
    old: Entry | None
    new: Entry | None
    spans: tuple[Span, ...]

    @property
    def changes_type(self) -> bool:
        """Whether a file, a link or a submodule takes the place of another kind; what goes and comes is one span."""
        return are_of_different_types(self.old, self.new)

    @property
    def change(self) -> SameChange:
        """What makes two diffs the same change."""
        return self[:4]


_new_diff: Callable[[tuple[bytes, bytes, Entry | None, Entry | None, tuple[Span, ...]]], FileDiff] = partial(
    tuple.__new__, FileDiff
)


def span(start: int, count: int, new_start: int, new_count: int) -> Span:
    """The ranges an ``@@`` line means; a count of 0 stands for "after that line"."""
    old = start - 1 if count else start
    new = new_start - 1 if new_count else new_start
    return new_span((old, old + count, new, new + new_count))


def read_diff(output: bytes) -> list[FileDiff]:
    """The file diffs in the output of ``git diff-tree -z --raw -p -U0``.

    Raises:
        InternalError: the output is not of that form, or the patch part does not match the raw part.
    """
    cut = output.find(b"\0\0" + _FILE)
    raw, patch = (output, b"") if cut < 0 else (output[: cut + 1], output[cut + 2 :])
    blocks = _blocks(patch)
    diffs = list(_diffs(raw, blocks))
    if next(blocks, None) is not None:
        raise _unreadable("more patches than changed files")
    return diffs


def _diffs(raw: bytes, blocks: Iterator[tuple[Span, ...]]) -> Iterator[FileDiff]:
    fields = iter(raw.split(b"\0"))
    for head in fields:
        if not head:
            return
        old_mode, new_mode, old_oid, new_oid, status = head[1:].decode("ascii").split(" ")
        old_path = next(fields)
        path = next(fields) if status[0] in "RC" else old_path
        old = None if old_mode == _NOTHING else _new_entry((old_mode, old_oid))
        new = None if new_mode == _NOTHING else _new_entry((new_mode, new_oid))
        yield _new_diff((path, old_path, old, new, _spans_of(old, new, blocks)))


def _spans_of(old: Entry | None, new: Entry | None, blocks: Iterator[tuple[Span, ...]]) -> tuple[Span, ...]:
    spans = next(blocks, None)
    if are_of_different_types(old, new):
        # A change of type is one raw row and two patches, a deletion and a creation.
        spans = _replaced(spans, next(blocks, None))
    if spans is None:
        raise _unreadable("fewer patches than changed files")
    return spans


def _replaced(gone: tuple[Span, ...] | None, come: tuple[Span, ...] | None) -> tuple[Span, ...] | None:
    """All that goes and all that comes, as one."""
    if gone is None or come is None:
        return None
    ends = sum(s.end for s in gone), sum(s.new_end for s in come)
    return (new_span((0, ends[0], 0, ends[1])),) if any(ends) else ()


def _blocks(patch: bytes) -> Iterator[tuple[Span, ...]]:
    """The hunks of each file in the patch part, in its order."""
    if patch and not patch.startswith(_FILE):
        raise _unreadable("a patch does not begin where one should")
    position = seen = 0
    hunks = re.compile(_HUNK)
    while position < len(patch):
        end = patch.find(b"\n" + _FILE, position) + 1 or len(patch)
        found = hunks.findall(patch, position, end)
        yield tuple([span(int(a), int(b or 1), int(c), int(d or 1)) for a, b, c, d in found])
        position = end
        seen += len(found)
    if seen != patch.count(_HUNK_BEGINS):
        raise _unreadable("a hunk does not begin as it should")


def _unreadable(why: str) -> InternalError:
    return InternalError(
        "INVALID_DIFF", f"git's answer could not be read: {why}", "report this with the version of git you use"
    )
