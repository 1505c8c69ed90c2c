r"""A suggestion as a patch: what is shown is what ``git apply`` takes.

Every suggestion has git's own header, so that the blocks of a comment, put together in order, are one patch of
the base. Where a comment cannot hold the bytes, the patch says what is wrong with it.
https://git-scm.com/docs/diff-format#_generating_patch_text_with_p
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from gitclaw_py.core.diffs import Entry
from gitclaw_py.core.scripts import split_lines
from gitclaw_py.core.suggestions import SUBMODULE, Group, Suggestion
from gitclaw_py.core.visible import visible_bytes

CONTEXT = 3
NO_TEXT = "no text"
CRLF = "Its lines end with CRLF, which a comment cannot hold."
ESCAPED = "Bytes that are not UTF-8, or do not show, are written as escapes."
_NO_NEWLINE = "\\ No newline at end of file"
_LOOKED_AT = 8000
"""Git takes a file for binary by the NUL bytes in its first 8000."""


class Piece(NamedTuple):
    """The lines of one ``@@`` block; ``group`` is the shown hunk it is, 0 for a change that is one part."""

    group: int
    lines: tuple[str, ...]


class Patch(NamedTuple):
    """The change of one file. ``flaw`` says why it is not a patch to be applied; empty when it is one."""

    header: tuple[str, ...]
    pieces: tuple[Piece, ...]
    flaw: str = ""

    @property
    def lines(self) -> Iterator[str]:
        """All of it."""
        yield from self.header
        for piece in self.pieces:
            yield from piece.lines

    @property
    def changed(self) -> int:
        """How many lines come or go."""
        return sum(line[:1] in ("+", "-") for piece in self.pieces for line in piece.lines)


class _Sheet:
    """Writes lines, and remembers what was lost."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self.flaw = ""
        self._ends_with_cr = _all_crlf(lines)

    def line(self, sign: str, line: bytes) -> Iterator[str]:
        body = line.removesuffix(b"\n")
        if self._ends_with_cr:
            body = body.removesuffix(b"\r")
            self.flaw = self.flaw or CRLF
        text = visible_bytes(body)
        if text.encode() != body:
            self.flaw = ESCAPED
        yield sign + text
        if not line.endswith(b"\n"):
            yield _NO_NEWLINE


def _all_crlf(lines: Iterable[bytes]) -> bool:
    seen = False
    for line in lines:
        if not line.endswith(b"\r\n"):
            return False
        seen = True
    return seen


def patch(s: Suggestion, old: bytes, new: bytes, context: int = CONTEXT, only: Collection[int] | None = None) -> Patch:
    """The patch of a suggestion, from the texts on both sides; ``only`` are the numbers of the groups to show.

    Of a suggestion with groups, only the old text is looked at.
    """
    if s.groups:
        return _of_groups(s, split_lines(old), context, only)
    if s.becomes:
        gone = _whole(s, (s.old, old), (None, b""))
        come = _whole(s, (None, b""), (s.new, new))
        second = tuple(Piece(0, (*come.header, *p.lines)) for p in come.pieces) or (Piece(0, come.header),)
        return Patch(gone.header, (*gone.pieces, *second), gone.flaw or come.flaw)
    return _whole(s, (s.old, old), (s.new, new))


def _of_groups(s: Suggestion, old: Sequence[bytes], context: int, only: Collection[int] | None) -> Patch:
    groups = [g for g in s.groups if only is None or g.number in only]
    sheet = _Sheet([*old, *(line for hunk in s.hunks for line in hunk.lines)])
    pieces, growth = [], 0
    for group, (lead, trail) in zip(groups, _contexts(groups, len(old), context), strict=True):
        pieces.append(Piece(group.number, tuple(_block(group, old, (lead, trail), growth, sheet))))
        growth += _growth(group)
    return Patch(tuple(_header(s, s.old, s.new, text=True)), tuple(pieces), sheet.flaw)


def _contexts(groups: Sequence[Group], length: int, context: int) -> Iterator[tuple[int, int]]:
    """How many unchanged lines to show before and after each group; no line is shown twice."""
    lead = min(context, groups[0].hunks[0].start) if groups else 0
    for here, following in pairwise(groups):
        gap = following.hunks[0].start - here.hunks[-1].end
        trail = min(context, (gap + 1) // 2)
        yield lead, trail
        lead = min(context, gap - trail)
    if groups:
        yield lead, min(context, length - groups[-1].hunks[-1].end)


def _growth(group: Group) -> int:
    return sum(hunk.growth for hunk in group.hunks)


def _block(group: Group, old: Sequence[bytes], around: tuple[int, int], growth: int, sheet: _Sheet) -> Iterator[str]:
    start, end = group.hunks[0].start - around[0], group.hunks[-1].end + around[1]
    count = end - start
    yield _at(start, count, start + growth, count + _growth(group))
    position = start
    for hunk in group.hunks:
        yield from _marked(" ", old[position : hunk.start], sheet)
        yield from _marked("-", old[hunk.start : hunk.end], sheet)
        yield from _marked("+", hunk.lines, sheet)
        position = hunk.end
    yield from _marked(" ", old[position:end], sheet)


def _marked(sign: str, lines: Iterable[bytes], sheet: _Sheet) -> Iterator[str]:
    for line in lines:
        yield from sheet.line(sign, line)


def _at(start: int, count: int, new_start: int, new_count: int) -> str:
    return f"@@ -{_range(start, count)} +{_range(new_start, new_count)} @@"


def _range(start: int, count: int) -> str:
    first = start + bool(count)
    return str(first) if count == 1 else f"{first},{count}"


_Side = tuple[Entry | None, bytes]


def _whole(s: Suggestion, old: _Side, new: _Side) -> Patch:
    """A change that is one part: all old lines go, all new lines come."""
    if _same_content(old[0], new[0]):
        return Patch(tuple(_header(s, old[0], new[0], text=False)), ())
    if _is_binary(s, old, new):
        return Patch(tuple(_header(s, old[0], new[0], text=False)), (), NO_TEXT)
    gone, come = (split_lines(_text(side)) for side in (old, new))
    if not gone and not come:
        return Patch(tuple(_header(s, old[0], new[0], text=False)), ())
    sheet = _Sheet([*gone, *come])
    body = (*_marked("-", gone, sheet), *_marked("+", come, sheet))
    lines = (_at(0, len(gone), 0, len(come)), *body)
    return Patch(tuple(_header(s, old[0], new[0], text=True)), (Piece(0, lines),), sheet.flaw)


def _same_content(old: Entry | None, new: Entry | None) -> bool:
    return old is not None and new is not None and old.oid == new.oid


def _is_binary(s: Suggestion, old: _Side, new: _Side) -> bool:
    if any(b"\0" in data[:_LOOKED_AT] for _, data in (old, new)):
        return True
    plain = [entry for entry, _ in (old, new) if entry and entry.is_regular]
    return bool(plain) and not s.becomes and not (s.added or s.removed) and bool(old[1] or new[1] or len(plain) > 1)


def _text(side: _Side) -> bytes:
    entry, data = side
    return b"Subproject commit %s\n" % entry.oid.encode() if entry and entry.mode == SUBMODULE else data


def _header(s: Suggestion, old: Entry | None, new: Entry | None, *, text: bool) -> Iterator[str]:
    before, after = (s.old_path if old else s.path), (s.path if new else s.old_path)
    yield f"diff --git {_name(b'a/' + before)} {_name(b'b/' + after)}"
    if old is None and new is not None:
        yield f"new file mode {new.mode}"
    elif old is not None and new is None:
        yield f"deleted file mode {old.mode}"
    elif old is not None and new is not None and old.mode != new.mode:
        yield f"old mode {old.mode}"
        yield f"new mode {new.mode}"
    if before != after:
        yield f"rename from {_name(before)}"
        yield f"rename to {_name(after)}"
    if text:
        yield "--- " + (_ended(b"a/" + before) if old else "/dev/null")
        yield "+++ " + (_ended(b"b/" + after) if new else "/dev/null")


def _ended(path: bytes) -> str:
    """A name with a blank in it is followed by a tab, as git does it: readers of patches stop there."""
    return _name(path) + ("\t" if b" " in path else "")


_C_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}
_FIRST_PLAIN, _DELETE = 0x20, 0x7F


def _name(path: bytes) -> str:
    """A name as git writes it with ``core.quotePath`` off: quoted only when it must be.

    https://git-scm.com/docs/git-config#Documentation/git-config.txt-corequotePath
    """
    shown = visible_bytes(path)
    if shown.encode() == path and not any(byte in _C_ESCAPES for byte in path):
        return shown
    return '"' + "".join(map(_escaped, path)) + '"'


def _escaped(byte: int) -> str:
    if byte in _C_ESCAPES:
        return _C_ESCAPES[byte]
    return chr(byte) if _FIRST_PLAIN <= byte < _DELETE else f"\\{byte:03o}"
