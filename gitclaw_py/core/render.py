"""Everything that is said in a terminal, as functions from values to text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from gitclaw_py.core.scripts import Hunk
from gitclaw_py.core.state import Progress, State, Status, overall, progress, status_of, statuses
from gitclaw_py.core.status import extent
from gitclaw_py.core.suggestions import Group, Kind, Suggestion, group_parts, part_names
from gitclaw_py.core.visible import visible, visible_bytes, visible_path

Paint = Callable[[str, str], str]
"""From a style and a text to the text in that style."""

_STYLES = {"red": "31", "green": "32", "yellow": "33", "cyan": "36", "bold": "1", "dim": "2"}
_BLANK = "·"
_CONTEXT = 2
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


def coloured(style: str, text: str) -> str:
    """For a terminal."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if text else text


def plain(style: str, text: str) -> str:  # noqa: ARG001 - the other side of ``coloured``
    """For a pipe."""
    return text


def table(state: State, suggestions: Sequence[Suggestion], paint: Paint, *, reasons: bool) -> str:
    """A line for each suggestion: number, path, change, lines, hunks, and why."""
    found = statuses(state)
    rows = [_row(s, found, reasons=reasons) for s in suggestions]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    return "\n".join(_line(s, row, widths, found, paint) for s, row in zip(suggestions, rows, strict=True))


def _row(s: Suggestion, found: dict[str, Status], *, reasons: bool) -> tuple[str, ...]:
    lines = " ".join(([f"+{s.added}"] if s.added else []) + ([f"−{s.removed}"] if s.removed else []))
    why = s.reason or next((g.reason for g in s.groups if g.reason), "")
    notes = [why] if reasons and why else []
    if s.requires:
        notes.append("needs " + ", ".join(map(str, s.requires)))
    if s.blocked:
        notes.append(f"blocked: {s.blocked}")
    return str(s.number), _path(s), _change(s), lines, _parts(s, found), " · ".join(notes)


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
    word = _WORDS[s.kind]
    if s.changes_mode and s.new:
        word += ", executable" if s.new.mode == "100755" else ", not executable"
    return word


def _parts(s: Suggestion, found: dict[str, Status]) -> str:
    """Which hunks there are, and how many are done once some are."""
    parts = part_names(s)
    if len(parts) == 1:
        return ""
    names = f"{s.number}.1" if len(s.groups) == 1 else f"{s.number}.1–{s.number}.{s.groups[-1].number}"
    counts = progress(found[name] for name in parts)
    if counts.pending in (0, counts.total):
        return names
    rejected = f", {counts.rejected} rejected" if counts.rejected else ""
    return f"{names} ({counts.applied} of {counts.total} applied{rejected})"


def progress_line(state: State) -> str:
    """``3 of 7 applied, 1 rejected, 3 pending``; counted in hunks too where a suggestion is partly decided."""
    found = statuses(state)
    counts = progress(status_of(s, found) for s in state.suggestions)
    line = _counted(counts)
    mixed = any(len({found[name] for name in part_names(s)}) > 1 for s in state.suggestions)
    return f"{line} (in parts: {_counted(progress(found.values()))})" if mixed else line


def _counted(counts: Progress) -> str:
    pieces = [f"{counts.applied} of {counts.total} applied", f"{counts.rejected} rejected"]
    if counts.replaced:
        pieces.append(f"{counts.replaced} replaced")
    return ", ".join([*pieces, f"{counts.pending} pending"])


class Showing(NamedTuple):
    """How diffs are shown: with which reasons and statuses, which parts (None: all), how many lines of each."""

    paint: Paint
    reasons: bool
    found: dict[str, Status]
    only: Sequence[str] | None = None
    most: int | None = _MOST_LINES


Texts = Callable[[Suggestion], tuple[Sequence[bytes], Sequence[bytes]]]
"""From a suggestion to the lines of both sides."""


def diffs(s: Suggestion, texts: Texts, how: Showing) -> Iterator[str]:
    """A suggestion hunk by hunk, line by line of the output."""
    yield how.paint("bold", f"{s.number}  {_path(s)}") + how.paint("dim", f"  {_change(s)}")
    if how.reasons and s.reason:
        yield f"   {s.reason}"
    if s.blocked:
        yield how.paint("yellow", f"   blocked: {s.blocked}")
    old, new = texts(s)
    if not s.groups:
        yield from _whole(s, old, new, how)
        return
    growth = 0
    for group in s.groups:
        if how.only is None or set(group_parts(s.number, group)).intersection(how.only):
            yield _title(s, group, growth, how)
            yield from _group(s, group, old, how)
        growth += sum(hunk.growth for hunk in group.hunks)


def _title(s: Suggestion, group: Group, growth: int, how: Showing) -> str:
    status = overall(how.found[name] for name in group_parts(s.number, group))
    number = how.paint(_COLOURS[status], f"{s.number}.{group.number}")
    start, count, new_start, new_count = extent(group, growth)
    place = how.paint("cyan", f"@@ -{start},{count} +{new_start},{new_count} @@")
    return f"{number}{_decided(status)}  {place}" + (f"  {group.reason}" if how.reasons and group.reason else "")


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
            yield how.paint("dim", f"   {name}{_decided(how.found[name])}")
        yield from (_marked("-", line, "red", how.paint) for line in old[hunk.start : hunk.end])
        yield from (_marked("+", line, "green", how.paint) for line in hunk.lines)
        position = hunk.end
    yield from _around(old[last.end : last.end + _CONTEXT], drop=-1)


def _whole(s: Suggestion, old: Sequence[bytes], new: Sequence[bytes], how: Showing) -> Iterator[str]:
    gone = [_marked("-", line, "red", how.paint) for line in old]
    come = [_marked("+", line, "green", how.paint) for line in new]
    yield from _shortened(gone + come, how.most, f"gitclaw show {s.number}")


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


def safe(text: str) -> str:
    """Text from elsewhere, fit for a line of output."""
    return visible(" ".join(text.split()))
