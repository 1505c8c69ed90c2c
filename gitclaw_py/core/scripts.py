r"""Edit scripts: what a file's change is, and how any part of it is put into a text.

A text is a list of lines, each with its ``\n``; only the last may lack it. Lines end at ``\n`` and
nowhere else: ``bytes.splitlines`` also cuts at lone CR, and ``str.splitlines`` at form feeds, NEL and
U+2028, which are ordinary content here.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from io import BytesIO
from itertools import accumulate, islice
from typing import NamedTuple


class Hunk(NamedTuple):
    """Lines ``start`` to ``end`` (from 0, end exclusive) of a text, and what stands there instead."""

    start: int
    end: int
    lines: tuple[bytes, ...]

    @property
    def growth(self) -> int:
        """How many lines longer the text is with this hunk."""
        return len(self.lines) - (self.end - self.start)

    def moved(self, by: int) -> "Hunk":
        """The same hunk, ``by`` lines further down."""
        return Hunk(self.start + by, self.end + by, self.lines)


new_hunk: Callable[[tuple[int, int, tuple[bytes, ...]]], Hunk] = partial(tuple.__new__, Hunk)
"""``Hunk`` from a tuple of its fields. A named tuple's own constructor is a function in Python that does just this and
takes three times as long: it counts where there is one for each hunk of a large change."""


def split_lines(data: bytes) -> list[bytes]:
    """The lines of ``data``, ends kept; joining them gives ``data`` again."""
    return BytesIO(data).readlines()


def first_lines(data: bytes, count: int) -> tuple[bytes, ...]:
    """The first lines of ``data``, ends kept, at most ``count``; what comes after them is not looked at."""
    return tuple(islice(BytesIO(data), count))


def in_order(hunks: Iterable[Hunk]) -> list[Hunk]:
    """The hunks from the top of the text to its end."""
    return sorted(hunks, key=lambda hunk: (hunk.start, hunk.end))


def splice(text: Sequence[bytes], hunks: Iterable[Hunk]) -> list[bytes]:
    """``text`` with all of ``hunks`` in it; the order they are given in does not matter.

    Raises:
        ValueError: two hunks overlap, or one lies outside the text.
    """
    result: list[bytes] = []
    position = 0
    for hunk in in_order(hunks):
        if hunk.start < position or hunk.end > len(text):
            raise ValueError(f"hunk {hunk.start}-{hunk.end} overlaps another or leaves the text")
        result += text[position : hunk.start]
        result += hunk.lines
        position = hunk.end
    result += text[position:]
    return result


def touches_any(hunk: Hunk, others: Sequence[Hunk]) -> bool:
    """Whether ``hunk`` overlaps or abuts one of ``others``, so that their order would matter.

    ``others`` are the hunks of one diff, from top to bottom.
    """
    position = bisect_left(others, hunk.start, key=lambda other: other.end)
    return position < len(others) and others[position].start <= hunk.end


def slid_up(text: Sequence[bytes], hunk: Hunk) -> Hunk:
    """A pure insertion or deletion, moved up as far as the result stays the same.

    Two of them change ``text`` in the same way exactly when their highest places are equal.
    """
    start, end, lines = hunk.start, hunk.end, hunk.lines
    if start == end:
        while start > 0 and lines and text[start - 1] == lines[-1]:
            lines = (lines[-1], *lines[:-1])
            start -= 1
        return Hunk(start, start, lines)
    if not lines:
        while start > 0 and text[start - 1] == text[end - 1]:
            start, end = start - 1, end - 1
        return Hunk(start, end, lines)
    return hunk


def onto(hunks: Sequence[Hunk], done: Iterable[Hunk]) -> list[Hunk]:
    """``hunks``, made for a text, as they lie in that text after ``done`` was spliced in.

    No hunk may touch another; the hunks of one diff never do.
    """
    before = in_order(done)
    ends = [hunk.end for hunk in before]
    growth = [0, *accumulate(hunk.growth for hunk in before)]
    moved = []
    position = 0
    for hunk in in_order(hunks):
        while position < len(ends) and ends[position] <= hunk.start:
            position += 1
        moved.append(hunk.moved(growth[position]))
    return moved


def inverses(text: Sequence[bytes], hunks: Sequence[Hunk]) -> list[Hunk]:
    """What takes ``hunks`` out again, in coordinates of the text that holds all of them."""
    result = []
    growth = 0
    for hunk in in_order(hunks):
        start = hunk.start + growth
        result.append(Hunk(start, start + len(hunk.lines), tuple(text[hunk.start : hunk.end])))
        growth += hunk.growth
    return result
