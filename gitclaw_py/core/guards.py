"""Reasons to ask where a hunk belongs instead of placing it.

Each guard answers one question about the neighbourhood of a hunk, one line wider than the hunk itself.
All of them together leave no silent mistake on the trials with known answers in ``tests/trials``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from gitclaw_py.core.alignment import Alignment, Script, boundary, places
from gitclaw_py.core.diffs import Span
from gitclaw_py.core.scripts import Hunk

MARGIN = 1
NEAR = 10
"""How many lines around a hunk its text is looked for, beyond its own length."""


class Doubts:
    """The guards, with what they need to know about one text and what it became."""

    def __init__(self, text: Sequence[bytes], current: Sequence[bytes], aligned: Alignment) -> None:
        self._text = text
        self._current = current
        self._aligned = aligned
        self._zones = _joined(zone for s in aligned.ours[0] if (zone := _sliding(text, current, s)))

    def line_of(self, hunk: Hunk) -> int:
        """Where the hunk is in the current text, as far as one can say."""
        return boundary(self._aligned.ours[0], hunk.start, after=False)

    def about(self, hunk: Hunk) -> str:
        """Why the place of the hunk is not certain; empty when it is."""
        start, end = max(0, hunk.start - MARGIN), min(len(self._text), hunk.end + MARGIN)
        if self._slides(start, end):
            return "equal lines around it were added or removed since, so its place is not certain"
        if len({places(script, start, end) for script in self._aligned.ours}) > 1:
            return "the lines around it repeat, and it is not certain which of them these are now"
        if self._looks_applied(hunk):
            return "the text it adds is already there"
        return ""

    def _slides(self, start: int, end: int) -> bool:
        position = bisect_right(self._zones, start, key=lambda zone: zone[1])
        return position < len(self._zones) and self._zones[position][0] < end

    def _looks_applied(self, hunk: Hunk) -> bool:
        """Whether its text is near the place more often than before: someone made the change another way."""
        added = _without_blank_edges(hunk.lines)
        if not added:
            return False
        reach = len(hunk.lines) + NEAR
        low, high = max(0, hunk.start - reach), min(len(self._text), hunk.end + reach)
        script: Script = self._aligned.ours[0]
        now = self._current[boundary(script, low, after=False) : boundary(script, high, after=True)]
        return _occurrences(now, added) > _occurrences(self._text[low:high], added)


def _joined(zones: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for low, high in sorted(zones):
        if joined and low < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined


def _sliding(text: Sequence[bytes], current: Sequence[bytes], s: Span) -> tuple[int, int] | None:
    """The lines over which someone's change could slide without changing the result."""
    up = down = 0
    if s.end > s.start:
        up, down = _slack(text, s.start, s.end)
    if s.new_end > s.new_start:
        added_up, added_down = _slack(current, s.new_start, s.new_end)
        up, down = max(up, added_up), max(down, added_down)
    return (s.start - up, s.end + down) if up or down else None


def _slack(lines: Sequence[bytes], start: int, end: int) -> tuple[int, int]:
    up = down = 0
    while start - up > 0 and lines[start - up - 1] == lines[end - up - 1]:
        up += 1
    while end + down < len(lines) and lines[start + down] == lines[end + down]:
        down += 1
    return up, down


def _without_blank_edges(lines: Sequence[bytes]) -> tuple[bytes, ...]:
    solid = [k for k, line in enumerate(lines) if line.strip()]
    return tuple(lines[solid[0] : solid[-1] + 1]) if solid else ()


def _occurrences(lines: Sequence[bytes], wanted: tuple[bytes, ...]) -> int:
    length = len(wanted)
    return sum(tuple(lines[k : k + length]) == wanted for k in range(len(lines) - length + 1))
