"""The self-check by itself: whatever is wrong with a comment, it is found, and the other comments stay."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitclaw_py.core.review.body import body
from gitclaw_py.core.review.check import Draft, proved
from gitclaw_py.core.review.mark import Mark
from gitclaw_py.core.review.plan import Comment
from gitclaw_py.core.review.ranges import Range
from gitclaw_py.core.scripts import split_lines
from tests.core.review.look import PATH, numbered, text
from tests.core.review.units import Edit, units
from tests.reviews.github import RefusedError, press
from tests.reviews.oracle import Taken, after, around, fault

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


ALPHABET = ["a", "b", "", "  ", "```", "a "]


@st.composite
def drafts_of(draw: st.DrawFn) -> tuple[list[bytes], list[Draft]]:
    """A text, and comments from its top to its bottom: most are right, and apart; others nearly."""
    words = draw(st.lists(st.sampled_from(ALPHABET), min_size=1, max_size=12))
    text = "\n".join(words) + draw(st.sampled_from(["\n", "\n", ""]))
    lines = split_lines(text.encode())
    made, position = list[Draft](), 0
    while position < len(lines) and len(made) < 5:
        start = position + draw(st.integers(0, 2))
        end = start + draw(st.integers(1, 2))
        if end > len(lines):
            break
        new = draw(st.lists(st.sampled_from(ALPHABET), max_size=2))
        block = draw(st.sampled_from([new, new, new, [*new, ""], new[1:]]))
        meant: Edit = (start, end, new) if draw(st.integers(0, 9)) else (start, end - 1, new)
        made.append(draft(meant, tuple(block), start + 1, end))
        position = end + draw(st.sampled_from([1, 1, 1, 0]))
    return lines, made


def brute_force(lines: list[bytes], chosen: Sequence[Draft]) -> bool:
    """Whether the text after one press is the one that is wanted; by an oracle that knows nothing of the check."""
    head = b"".join(lines)
    comments = ({"path": "f", **_sent(one)} for one in chosen)
    try:
        given = press(head, comments)
    except RefusedError:
        return False
    wanted = after(head, (hunk for one in chosen for hunk in one.hunks))
    # Two that are right can undo each other; one that changes nothing is none.
    return given == wanted and (given != head or len(chosen) > 1)


def _sent(one: Draft) -> dict[str, object]:
    start = {"start_line": one.comment.start_line} if one.comment.start_line is not None else {}
    return {"line": one.comment.line, "body": one.comment.body, **start}


@settings(max_examples=400)
@given(drafts_of())
def test_one_pass_finds_what_trying_every_selection_finds(found: tuple[list[bytes], list[Draft]]) -> None:
    """Each alone, every pair, all together, and every other selection besides."""
    lines, made = found
    kept = proved(lines, made)
    for count in range(1, len(kept) + 1):
        assert all(brute_force(lines, chosen) for chosen in combinations(kept, count))
    for one in made:
        is_apart = all(other.start > one.comment.line or other.comment.line < one.start for other in kept)
        assert one in kept or not is_apart or not brute_force(lines, [one])


@settings(max_examples=200)
@given(drafts_of())
def test_the_lines_around_a_pair_tell_as_much_as_the_whole_text(found: tuple[list[bytes], list[Draft]]) -> None:
    """How the oracle tries pairs in long files."""
    lines, made = found
    taken = [Taken({"path": "f", **_sent(one)}, tuple(one.hunks)) for one in made]
    for pair in combinations(taken, 2):
        if pair[0].sent["line"] < pair[1].sent.get("start_line", pair[1].sent["line"]) - 1:
            assert bool(list(fault(b"".join(lines), pair))) == bool(list(fault(*around(b"".join(lines), pair))))
