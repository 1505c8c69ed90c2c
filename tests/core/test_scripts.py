from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.core.scripts import Hunk, inverses, onto, slid_up, splice, split_lines, touches_any
from tests.core.strategies import changes, subset, texts

Changed = tuple[tuple[bytes, ...], tuple[Hunk, ...]]


@given(texts)
def test_lines_joined_give_the_text_again_and_only_the_last_lacks_its_newline(data: bytes) -> None:
    lines = split_lines(data)
    assert b"".join(lines) == data
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines[:-1])
    assert lines == [] or lines[-1]


@pytest.mark.parametrize(
    "separator", [b"\r", b"\x0b", b"\x0c", b"\x1c", b"\x1e", b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9"]
)
def test_no_other_separator_ends_a_line(separator: bytes) -> None:
    assert split_lines(b"a" + separator + b"b\nc") == [b"a" + separator + b"b\n", b"c"]


@given(changes())
def test_splicing_nothing_is_the_base(changed: Changed) -> None:
    base, _ = changed
    assert splice(base, []) == list(base)


@given(changes(), st.data())
def test_any_order_gives_the_same(changed: Changed, data: st.DataObject) -> None:
    base, hunks = changed
    assert splice(base, data.draw(st.permutations(hunks))) == splice(base, hunks)


@given(changes(), st.data())
def test_a_subset_now_and_the_rest_later_is_all_at_once(changed: Changed, data: st.DataObject) -> None:
    base, hunks = changed
    first = data.draw(st.composite(lambda draw: subset(draw, hunks))())
    done = [hunks[k] for k in sorted(first)]
    rest = [hunk for k, hunk in enumerate(hunks) if k not in first]
    assert splice(splice(base, done), onto(rest, done)) == splice(base, hunks)


@given(changes())
def test_the_inverses_give_the_base_back(changed: Changed) -> None:
    base, hunks = changed
    assert splice(splice(base, hunks), inverses(base, hunks)) == list(base)


@given(changes())
def test_sliding_does_not_change_the_result(changed: Changed) -> None:
    base, hunks = changed
    for hunk in hunks:
        assert splice(base, [slid_up(base, hunk)]) == splice(base, [hunk])


@given(changes())
def test_equal_insertions_and_deletions_have_the_same_highest_place(changed: Changed) -> None:
    base, hunks = changed
    pure = [h for h in hunks if not h.lines or h.start == h.end]
    for one in pure:
        for other in pure:
            same = splice(base, [one]) == splice(base, [other])
            assert same == (slid_up(base, one) == slid_up(base, other))


@given(changes(), changes())
def test_touching_is_what_it_says(mine: Changed, theirs: Changed) -> None:
    for hunk in mine[1]:
        slowly = any(hunk.start <= other.end and other.start <= hunk.end for other in theirs[1])
        assert touches_any(hunk, theirs[1]) == slowly


def test_overlapping_hunks_are_refused() -> None:
    with pytest.raises(ValueError, match="overlaps"):
        splice([b"a\n", b"b\n"], [Hunk(0, 2, ()), Hunk(1, 1, (b"x\n",))])


def test_a_hunk_outside_the_text_is_refused() -> None:
    with pytest.raises(ValueError, match="leaves the text"):
        splice([b"a\n"], [Hunk(1, 2, ())])
