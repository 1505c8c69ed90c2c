"""The self-check by itself: whatever is wrong with a comment, it is found, and the other comments stay."""

from __future__ import annotations

import pytest

from gitclaw_py.core.review.body import body
from gitclaw_py.core.review.check import Draft, proved
from gitclaw_py.core.review.mark import Mark
from gitclaw_py.core.review.plan import Comment
from gitclaw_py.core.review.ranges import Range
from tests.core.review.look import PATH, numbered, text
from tests.core.review.units import Edit, units

LINES = text(numbered(20)).splitlines(keepends=True)


def draft(edit: Edit, block: tuple[str, ...], first: int, last: int) -> Draft:
    """A comment at these lines (from 1) that is meant to do ``edit`` (from 0)."""
    meant = tuple(units([edit]))
    found = Mark(("1",), "0" * 32)
    comment = Comment(
        PATH, last, first if first < last else None, body(meant, block, found), ("1",), ("1.1",), "0" * 32
    )
    return Draft(comment, Range(first - 1, last, 0, meant, block))


GOOD = draft((4, 5, ["X"]), ("X",), 5, 5)
LATER = draft((10, 12, []), (), 11, 12)


def test_what_is_right_is_kept() -> None:
    assert proved(LINES, [GOOD, LATER]) == [GOOD, LATER]
    assert proved(LINES, []) == []


@pytest.mark.parametrize(
    ("edit", "block", "place"),
    [
        ((7, 8, []), ("",), (8, 8)),
        ((7, 8, [""]), (), (8, 8)),
        ((7, 7, ["NEW"]), ("NEW",), (7, 7)),
        ((7, 8, ["X"]), ("X", ""), (8, 8)),
        ((7, 8, ["X"]), ("X",), (7, 7)),
        ((7, 8, ["X"]), ("X",), (7, 8)),
        ((7, 9, ["X"]), ("X",), (8, 8)),
        ((7, 8, ["X"]), ("x",), (8, 8)),
        ((7, 8, ["l8"]), ("l8",), (8, 8)),
    ],
)
def test_a_wrong_block_or_place_is_found(edit: Edit, block: tuple[str, ...], place: tuple[int, int]) -> None:
    assert proved(LINES, [GOOD, draft(edit, block, *place), LATER]) == [GOOD, LATER]


@pytest.mark.parametrize("more", ["\n```suggestion\nY\n```\n", "\nY\n```\n"])
def test_a_body_that_reads_back_otherwise_is_found(more: str) -> None:
    spoilt = GOOD.comment._replace(body=GOOD.comment.body.replace("\n```\n", more + "\n```\n", 1))
    assert proved(LINES, [GOOD._replace(comment=spoilt), LATER]) == [LATER]
    without = GOOD.comment._replace(body="no block")
    assert proved(LINES, [GOOD._replace(comment=without), LATER]) == [LATER]


def test_comments_that_touch_are_not_both_kept() -> None:
    touching = draft((5, 6, ["Y"]), ("Y",), 6, 6)
    assert proved(LINES, [GOOD, touching, LATER]) == [GOOD, LATER]


def test_the_end_of_a_file_without_a_newline() -> None:
    lines = [*LINES, b"end"]
    edit = units([(20, 21, [])])
    gone = draft((20, 21, []), (), 21, 21)
    assert len(edit) == 1
    assert proved(lines, [GOOD, gone]) == [GOOD]
