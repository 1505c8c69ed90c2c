"""Suggestions in a terminal: the list of them, and their diffs."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from gitclaw_py.core import by_hand
from gitclaw_py.core.diffs import Entry
from gitclaw_py.core.paint import Paint
from gitclaw_py.core.scripts import Hunk, split_lines
from gitclaw_py.core.state import State, Status, last_word, overall, progress, status_of, statuses
from gitclaw_py.core.suggestions import SUBMODULE, SYMLINK, Group, Kind, Suggestion, group_parts
from gitclaw_py.core.visible import visible_bytes, visible_path

_BLANK = "·"
_CONTEXT = 2
_LEAST = 16
_MOST_LINES = 60
_WORDS = {
    Kind.CREATE: "new file",
    Kind.MODIFY: "edit",
    Kind.DELETE: "delete",
    Kind.RENAME: "rename",
    Kind.MODE: "mode",
    Kind.SYMLINK: "link",
    Kind.BINARY: "binary",
    Kind.SUBMODULE: "submodule",
}
_MARKS = {Status.PENDING: " ", Status.APPLIED: "✓", Status.REJECTED: "✗", Status.REPLACED: "→"}
_COLOURS = {Status.PENDING: "bold", Status.APPLIED: "green", Status.REJECTED: "red", Status.REPLACED: "dim"}


class Look(NamedTuple):
    """How things are shown: colours, reasons or not, and how many columns there are (None: as many as needed)."""

    paint: Paint
    reasons: bool
    width: int | None = None


def table(state: State, suggestions: Sequence[Suggestion], look: Look) -> str:
    """A line for each suggestion: number, path, change, lines, hunks, and why."""
    found = statuses(state)
    rows = [_row(s, state, found, look) for s in suggestions]
    if look.width is not None:
        rows = _fitted(rows, look.width)
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    return "\n".join(_line(s, row, widths, found, look.paint) for s, row in zip(suggestions, rows, strict=True))


def _row(s: Suggestion, state: State, found: dict[str, Status], look: Look) -> tuple[str, ...]:
    lines = " ".join(([f"+{s.added}"] if s.added else []) + ([f"−{s.removed}"] if s.removed else []))
    why = s.reason or next((g.reason for g in s.groups if g.reason), "")
    notes = [why] if look.reasons and why else []
    if s.requires:
        notes.append("needs " + ", ".join(map(str, s.requires)))
    if s.blocked:
        notes.append(f"blocked: {s.blocked}")
    elif s.careful:
        notes.append(f"only by its number: {s.careful}")
    notes += _last_word(s, state, found)
    return str(s.number), _path(s), _change(s), lines, _parts(s, found), " · ".join(notes)


def _last_word(s: Suggestion, state: State, found: dict[str, Status]) -> list[str]:
    """Why it was turned down, or what took its place."""
    status = status_of(s, found)
    if status not in (Status.REJECTED, Status.REPLACED):
        return []
    word = last_word(state, s.parts[-1])
    if word is None or not (word.reason or word.replaced_by):
        return []
    if word.replaced_by:
        return ["replaced by " + ", ".join(map(str, word.replaced_by))]
    return [f"rejected: {word.reason}"]


def _fitted(rows: list[tuple[str, ...]], width: int) -> list[tuple[str, ...]]:
    """Rows whose paths take at most half of the width, and whose notes take what is left."""
    rows = [(row[0], _ending(row[1], max(_LEAST, width // 2 - 10)), *row[2:]) for row in rows]
    taken = sum(max(len(row[column]) for row in rows) for column in range(5)) + 12
    return [(*row[:5], _beginning(row[5], max(_LEAST, width - taken))) for row in rows]


def _beginning(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def _ending(text: str, length: int) -> str:
    return text if len(text) <= length else "…" + text[1 - length :]


def _line(s: Suggestion, row: tuple[str, ...], widths: Sequence[int], found: dict[str, Status], paint: Paint) -> str:
    status = status_of(s, found)
    mark = paint(_COLOURS[status], _MARKS[status])
    number = paint(_COLOURS[status], row[0].rjust(widths[0]))
    path, change, lines, hunks = (row[k].ljust(widths[k]) for k in range(1, 5))
    return f"{mark} {number}  {path}  {paint('dim', change)}  {lines}  {paint('dim', hunks)}  {row[5]}".rstrip()


def _path(s: Suggestion) -> str:
    path = visible_path(s.path)
    return f"{visible_path(s.old_path)} → {path}" if s.is_renamed else path


def _change(s: Suggestion) -> str:
    if s.becomes:
        return " → ".join(s.becomes)
    word = _WORDS[s.kind]
    if s.changes_mode and s.new:
        word += ", executable" if s.new.mode == "100755" else ", not executable"
    return word


def _parts(s: Suggestion, found: dict[str, Status]) -> str:
    """Which hunks there are, and how many are done once some are."""
    parts = s.parts
    if len(parts) == 1:
        return ""
    names = f"{s.number}.1" if len(s.groups) == 1 else f"{s.number}.1–{s.number}.{s.groups[-1].number}"
    counts = progress(found[name] for name in parts)
    if counts.total in (counts.pending, counts.applied, counts.rejected, counts.replaced):
        return names
    rejected = f", {counts.rejected} rejected" if counts.rejected else ""
    return f"{names} ({counts.applied} of {counts.total} applied{rejected})"


class Showing(NamedTuple):
    """How diffs are shown: with which statuses, which parts (None: all), and how many lines of each."""

    look: Look
    state: State
    found: dict[str, Status]
    only: Sequence[str] | None = None
    most: int | None = _MOST_LINES


Texts = Callable[[Suggestion], tuple[bytes, bytes]]
"""From a suggestion to the content of both sides, as far as it is shown."""


def diffs(s: Suggestion, texts: Texts, how: Showing) -> Iterator[str]:
    """A suggestion hunk by hunk, line by line of the output."""
    paint = how.look.paint
    status = "" if s.groups else _decided(how.found[str(s.number)])
    yield paint("bold", f"{s.number}  {_path(s)}") + paint("dim", f"  {_change(s)}") + status
    notes = [s.reason] if how.look.reasons and s.reason else []
    yield from (f"   {note}" for note in [*notes, *_last_word(s, how.state, how.found)])
    if s.blocked:
        yield paint("yellow", f"   blocked: {s.blocked}")
        if taken := by_hand.command(how.state, s):
            yield f"   a person must do this: {taken}"
    elif s.careful:
        yield paint("yellow", f"   only by its number: {s.careful}")
    if s.secret:
        return
    old, new = texts(s)
    if not s.groups:
        yield from _whole(s, old, new, how)
        return
    yield from _attributes(s, how)
    lines = split_lines(old)
    for group in s.groups:
        if how.only is None or set(group_parts(s.number, group)).intersection(how.only):
            yield _title(s, group, how)
            yield from _group(s, group, lines, how)


def _attributes(s: Suggestion, how: Showing) -> Iterator[str]:
    """The parts that are no hunks: the new name, the new mode."""
    for name in s.parts:
        if name.endswith((".rename", ".mode")) and (how.only is None or name in how.only):
            what = f"to {visible_path(s.path)}" if name.endswith(".rename") else _change(s).partition(", ")[2]
            yield how.look.paint(_COLOURS[how.found[name]], name) + f"{_decided(how.found[name])}  {what}"


def _title(s: Suggestion, group: Group, how: Showing) -> str:
    status = overall(how.found[name] for name in group_parts(s.number, group))
    number = how.look.paint(_COLOURS[status], f"{s.number}.{group.number}")
    why = f"  {group.reason}" if how.look.reasons and group.reason else ""
    return f"{number}{_decided(status)}  {how.look.paint('cyan', _place(group))}{why}"


def _place(group: Group) -> str:
    """Which lines of the file as it was: ``line 3``, ``lines 3–5``, ``after line 3``."""
    first, last = group.hunks[0].start + 1, group.hunks[-1].end
    if last < first:
        return f"after line {last}" if last else "at the top"
    return f"line {first}" if first == last else f"lines {first}–{last}"


def _decided(status: Status) -> str:
    return "" if status is Status.PENDING else f" {status.value}"


def _group(s: Suggestion, group: Group, old: Sequence[bytes], how: Showing) -> Iterator[str]:
    named = zip(group_parts(s.number, group), group.hunks, strict=True)
    chosen = [(name, hunk) for name, hunk in named if how.only is None or name in how.only]
    split = len(group.hunks) > 1 and how.only is not None
    body = list(_body(chosen, old, how, split=split))
    yield from _shortened(body, how.most, f"gitclaw show {s.number}.{group.number}")


def _body(chosen: Sequence[tuple[str, Hunk]], old: Sequence[bytes], how: Showing, *, split: bool) -> Iterator[str]:
    """The lines of hunks that are shown together, with what stands between and around them."""
    first, last = chosen[0][1], chosen[-1][1]
    yield from _around(old[max(0, first.start - _CONTEXT) : first.start], drop=0)
    position = first.start
    for name, hunk in chosen:
        yield from (_context(line) for line in old[position : hunk.start])
        if split:
            yield how.look.paint("dim", f"   {name}{_decided(how.found[name])}")
        yield from (_marked("-", line, "red", how.look.paint) for line in old[hunk.start : hunk.end])
        yield from (_marked("+", line, "green", how.look.paint) for line in hunk.lines)
        position = hunk.end
    yield from _around(old[last.end : last.end + _CONTEXT], drop=-1)


def _whole(s: Suggestion, old: bytes, new: bytes, how: Showing) -> Iterator[str]:
    if s.kind is Kind.SYMLINK and not s.becomes and s.new:
        yield f"   → {visible_path(new)}"
    elif s.added or s.removed or s.becomes:
        gone = [_marked("-", line, "red", how.look.paint) for line in _side(s, s.old, old, s.removed)]
        come = [_marked("+", line, "green", how.look.paint) for line in _side(s, s.new, new, s.added)]
        yield from _shortened(gone + come, how.most, f"gitclaw show {s.number}")
    elif s.kind is Kind.BINARY:
        yield f"   no text: {len(old):,} → {len(new):,} bytes"
    elif s.kind in (Kind.CREATE, Kind.DELETE):
        yield f"   {_without_text(new if s.kind is Kind.CREATE else old)}"


def _without_text(data: bytes) -> str:
    return f"no text: {len(data):,} bytes" if data else "an empty file"


def _side(s: Suggestion, entry: Entry | None, data: bytes, counted: int) -> list[bytes]:
    """One side of a change that is one part: the lines that git counts, or what is there in place of another type."""
    if entry is None or not (counted or s.becomes):
        return []
    if entry.mode == SUBMODULE:
        return [b"submodule at commit %s\n" % entry.oid.encode()]
    if entry.mode == SYMLINK:
        return [b"link to %s\n" % data]
    if counted:
        return split_lines(data)
    return [f"{_without_text(data)}\n".encode()]


def _shortened(lines: Sequence[str], most: int | None, where: str) -> Iterator[str]:
    if most is None or len(lines) <= most:
        yield from lines
        return
    yield from lines[:most]
    yield f"   … {len(lines) - most} more lines: {where}"


def _around(lines: Sequence[bytes], *, drop: int) -> Iterator[str]:
    """Lines before or after a hunk, without blank ones on the far side: the first (0) or the last (-1)."""
    kept = list(lines)
    while kept and not kept[drop].strip():
        del kept[drop]
    return (_context(line) for line in kept)


def _context(line: bytes) -> str:
    return ("     " + _text(line)).rstrip()


def _marked(mark: str, line: bytes, style: str, paint: Paint) -> str:
    text = _text(line)
    solid = text.rstrip(" ")
    # Blanks at the end of a changed line may be the change.
    return paint(style, f"   {mark} {solid}{_BLANK * (len(text) - len(solid))}".rstrip())


def _text(line: bytes) -> str:
    text = visible_bytes(line.removesuffix(b"\n")).replace("\t", "    ")
    return text if line.endswith(b"\n") else text + " (no newline at the end)"
