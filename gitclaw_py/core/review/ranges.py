"""From parts of one file to ranges of lines that comments can stand at: exact, apart, each in one hunk of the diff."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from gitclaw_py.core.review.landing import Refusal, Unit, refusals
from gitclaw_py.core.review.plan import Reason
from gitclaw_py.core.review.pull_diff import PullFile
from gitclaw_py.core.review.sheet import Block, Sheet
from gitclaw_py.core.scripts import splice

MOST_BYTES = 50_000
"""Of a block; the rest of a comment's room is for words."""
_MOST_TOGETHER = 100
"""Parts that come to share a comment because their lines touch."""


class Range(NamedTuple):
    """Lines ``start:end`` of the head, in hunk ``hunk`` of the pull request, and the block that takes their place."""

    start: int
    end: int
    hunk: int
    units: tuple[Unit, ...]
    block: Block


class _Page(NamedTuple):
    sheet: Sheet
    file: PullFile

    def range(self, start: int, end: int, units: tuple[Unit, ...]) -> Range | Reason:
        """A comment at these lines that takes all of ``units``, or why there can be none."""
        hunk = self.file.hunk_of(start, end)
        if isinstance(hunk, Reason):
            return hunk
        block = self.sheet.block(start, end, self._wanted(start, end, units))
        if isinstance(block, Reason):
            return block
        if sum(len(line.encode()) + 1 for line in block) > MOST_BYTES:
            return Reason.TOO_LARGE
        return Range(start, end, hunk, units, block)

    def _wanted(self, start: int, end: int, units: Sequence[Unit]) -> list[bytes]:
        return splice(self.sheet.lines[start:end], (unit.hunk.moved(-start) for unit in units))

    def options(self, units: tuple[Unit, ...]) -> list[Range] | Reason:
        """The comments that ``units`` can be, the best first: there is a choice for an insertion."""
        start, end = units[0].hunk.start, units[-1].hunk.end
        places = [(start, end)] if end > start else [(start - 1, start), (start, start + 1)]
        inside = [place for place in places if place[0] >= 0 and place[1] <= len(self.sheet.lines)]
        found = [self.range(*place, units) for place in inside]
        ranges = [one for one in found if isinstance(one, Range)]
        return ranges or _telling([one for one in found if isinstance(one, Reason)])

    def joined(self, one: Range, other: Range) -> Range | None:
        """Two ranges that touch as one, if one comment can take both."""
        units = (*one.units, *other.units)
        if one.hunk != other.hunk or len(units) > _MOST_TOGETHER:
            return None
        found = self.range(min(one.start, other.start), max(one.end, other.end), units)
        return found if isinstance(found, Range) else None


def _telling(reasons: Sequence[Reason]) -> Reason:
    """What to say of several reasons: what is wrong with the change itself, rather than where it is."""
    return next((reason for reason in reasons if reason is not Reason.OUT_OF_DIFF), Reason.OUT_OF_DIFF)


def arranged(units: Sequence[Unit], sheet: Sheet, file: PullFile | None) -> tuple[list[Range], list[Refusal]]:
    """Ranges for the parts of one file, top to bottom with an unchanged line between any two, and what has none.

    ``units`` come in the order of the text, none touching another.
    """
    flaw = sheet.flaw or (Reason.OUT_OF_DIFF if file is None else None)
    if flaw or file is None:
        return [], refusals(units, flaw or Reason.OUT_OF_DIFF)
    page = _Page(sheet, file)
    ranges: list[Range] = []
    left: list[Refusal] = []
    for piece, options in _pieces(page, units):
        if isinstance(options, Reason):
            left += refusals(piece, options)
        elif not _take(page, ranges, options):
            left += refusals(piece, Reason.OVERLAP)
    return ranges, left


def _pieces(page: _Page, units: Sequence[Unit]) -> Iterator[tuple[tuple[Unit, ...], list[Range] | Reason]]:
    """What is shown as one hunk is one comment where it can be, else as few as halving it gives."""
    for _, members in groupby(units, key=lambda unit: (unit.suggestion.number, unit.group.number)):
        yield from _halved(page, tuple(members))


def _halved(page: _Page, units: tuple[Unit, ...]) -> Iterator[tuple[tuple[Unit, ...], list[Range] | Reason]]:
    options = page.options(units)
    if isinstance(options, Reason) and len(units) > 1:
        middle = len(units) // 2
        yield from _halved(page, units[:middle])
        yield from _halved(page, units[middle:])
    else:
        yield units, options


def _take(page: _Page, ranges: list[Range], options: Sequence[Range]) -> bool:
    """Add a range that touches none before it, or make one of two; whether that could be done."""
    last = ranges[-1] if ranges else None
    free = next((option for option in options if last is None or option.start > last.end), None)
    if free is not None or last is None:
        ranges += [free] if free else []
        return free is not None
    both = next((both for option in options if (both := page.joined(last, option))), None)
    if both is not None:
        ranges[-1] = both
    return both is not None
