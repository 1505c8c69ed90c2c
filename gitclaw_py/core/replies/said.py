"""What an agent said, shown as code and as nothing else: its answer in one block, a reason or a message in a span.

In code a forge obeys nothing: no Markdown, no HTML, no name, no reference. Lines of a block do not wrap on its page, so
those of prose are folded here. https://spec.commonmark.org/0.31.2/#fenced-code-blocks
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from gitclaw_py.core.replies.markdown import LONGEST_REASON, clip, code, fence
from gitclaw_py.core.visible import as_code

WIDTH = 96
"""Columns that GitHub shows beside its sidebar without scrolling."""
_DEEPEST = 24
"""Columns that a folded line may be indented by: more would leave no room, and make a long text of a deep one."""
_LEAD = re.compile(r" *(?:(?:[-*+]|[0-9]{1,9}[.)]) +)?")
_OPENING = re.compile(r" *(?P<mark>`{3,}(?=[^`]*$)|~{3,})")
_TWO_COLUMNS = (
    "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
    "\U0001f300-\U0001faff\U00020000-\U0003fffd"
)
_WORD = re.compile(" +|[^ ]+")


@cache
def _scripts() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A sign that takes two columns, and what stays together where there are such signs.

    That is a word, or a sign of a script without blanks with what may not begin a line. So many signs take 6 ms to be
    compiled, and few texts have any.
    """
    piece = f" +|[{_TWO_COLUMNS}][、。，．！？：；）」』】]*|[^ {_TWO_COLUMNS}]+"
    return re.compile(f"[{_TWO_COLUMNS}]"), re.compile(piece)


def in_span(text: str, most: int = LONGEST_REASON) -> str:
    """One line of what was said, in a code span."""
    return code(clip(as_code(" ".join(text.split())), most))


def in_fence(text: str, room: int) -> str:
    """All that was said, in one code block. At most ``room`` bytes; what is left out is said below it."""
    said = len(text)
    text = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4).strip("\n").rstrip()
    most = room - 100
    while True:
        lines = map(uncommanding, _folded([as_code(each) for each in clip(text, most).split("\n")]))
        note = f"\n\n(shortened: {said:,} characters in all)" if len(text) > most else ""
        shown = fence(lines, "text") + note
        if len(shown.encode("utf-8")) <= room:
            return shown
        most = min(most, len(text)) * 2 // 3


def uncommanding(row: str) -> str:
    """A line of a block that commands no bot: many take a slash at its beginning for a command, also in code."""
    return f" {row}" if row.startswith("/") else row


def _folded(lines: Iterable[str]) -> Iterator[str]:
    """The lines, those of prose no longer than ``WIDTH``; in code and in tables every line is as it is."""
    mark = ""
    for each in lines:
        opened = None if mark else _OPENING.match(each)
        if opened:
            mark = opened["mark"]
        elif mark and _closes(each.strip(), mark):
            mark = ""
        elif not mark and _columns(each) > WIDTH and not each.lstrip().startswith("|"):
            yield from _rows(each)
            continue
        yield each


def _closes(found: str, mark: str) -> bool:
    return len(found) >= len(mark) and not found.strip(mark[0])


def _rows(each: str) -> Iterator[str]:
    """One long line in several; what follows the first stands below its text."""
    lead = _LEAD.match(each)
    begun = lead[0] if lead else ""
    hanging = " " * min(len(begun), _DEEPEST)
    row, taken, is_empty = [begun], len(begun), True
    pieces = _WORD if each.isascii() else _scripts()[1]
    for piece in pieces.findall(each[len(begun) :]):
        columns = _columns(piece)
        if not is_empty and piece[0] != " " and taken + columns > WIDTH:
            yield "".join(row).rstrip(" ")
            row, taken = [hanging], len(hanging)
        row.append(piece)
        taken, is_empty = taken + columns, False
    yield "".join(row).rstrip(" ")


def _columns(text: str) -> int:
    return len(text) if text.isascii() else len(text) + len(_scripts()[0].findall(text))
