"""Cases 1 to 34: shapes of text, in a pull request whose diff shows every line."""

from __future__ import annotations

from collections.abc import Sequence

from tests.core.review.look import Look, all_new, edited, numbered, text
from tests.reviews.scene import Desk

TWENTY = numbered(20)


def of_twenty(desk: Desk, *changes: tuple[int, int, Sequence[str]]) -> Look:
    return all_new(desk, text(TWENTY), text(edited(TWENTY, *changes)))


def test_case_001_replace_one(desk: Desk) -> None:
    found = of_twenty(desk, (5, 5, ["X5"]))
    assert found.inline == [(5, 5, ("X5",))]
    assert found.seen.plan.comments[0].start_line is None


def test_case_002_replace_two_adjacent(desk: Desk) -> None:
    assert of_twenty(desk, (5, 6, ["X5", "X6"])).inline == [(5, 6, ("X5", "X6"))]


def test_case_003_one_to_three(desk: Desk) -> None:
    assert of_twenty(desk, (5, 5, ["a", "b", "c"])).inline == [(5, 5, ("a", "b", "c"))]


def test_case_004_three_to_one(desk: Desk) -> None:
    assert of_twenty(desk, (5, 7, ["x"])).inline == [(5, 7, ("x",))]


def test_case_005_two_edits_one_line_apart(desk: Desk) -> None:
    assert of_twenty(desk, (5, 5, ["X5"]), (7, 7, ["X7"])).inline == [(5, 7, ("X5", "l6", "X7"))]


def test_case_006_two_edits_two_lines_apart(desk: Desk) -> None:
    assert of_twenty(desk, (5, 5, ["X5"]), (8, 8, ["X8"])).inline == [(5, 8, ("X5", "l6", "l7", "X8"))]


def test_case_007_insert_in_the_middle(desk: Desk) -> None:
    assert of_twenty(desk, (6, 5, ["NEW"])).inline == [(5, 5, ("l5", "NEW"))]


def test_case_008_insert_at_the_start(desk: Desk) -> None:
    assert of_twenty(desk, (1, 0, ["NEW"])).inline == [(1, 1, ("NEW", "l1"))]


def test_case_009_insert_two_at_the_start(desk: Desk) -> None:
    assert of_twenty(desk, (1, 0, ["N1", "N2"])).inline == [(1, 1, ("N1", "N2", "l1"))]


def test_case_010_insert_a_blank_line(desk: Desk) -> None:
    assert of_twenty(desk, (6, 5, [""])).inline == [(5, 5, ("l5", ""))]


def test_case_011_insert_a_blank_line_at_the_start(desk: Desk) -> None:
    assert of_twenty(desk, (1, 0, [""])).inline == [(1, 1, ("", "l1"))]


def test_case_012_insert_beside_an_equal_line(desk: Desk) -> None:
    lines = ["a {", "}", "b"]
    found = all_new(desk, text(lines), text(["a {", "}", "}", "b"]))
    assert len(found.inline) == 1
    assert not found.fallbacks


def test_case_013_insert_after_a_blank_line(desk: Desk) -> None:
    assert all_new(desk, text(["a", "", "b"]), text(["a", "", "NEW", "b"])).inline == [(2, 2, ("", "NEW"))]


def test_case_014_append(desk: Desk) -> None:
    assert of_twenty(desk, (21, 20, ["NEW"])).inline == [(20, 20, ("l20", "NEW"))]


def test_case_015_append_where_the_last_line_had_no_newline(desk: Desk) -> None:
    """Conservative: what an empty last line of a block does on GitHub has not been seen."""
    found = all_new(desk, text(TWENTY)[:-1], text([*TWENTY, "NEW"]))
    assert (found.inline, found.fallbacks) == ([], {"1": "eof_newline_added"})


def test_case_016_delete_one(desk: Desk) -> None:
    found = of_twenty(desk, (5, 5, []))
    assert found.inline == [(5, 5, ())]
    assert "```suggestion\n```" in found.seen.plan.comments[0].body


def test_case_017_delete_three(desk: Desk) -> None:
    assert of_twenty(desk, (5, 7, [])).inline == [(5, 7, ())]


def test_case_018_delete_the_first_and_the_last(desk: Desk) -> None:
    assert of_twenty(desk, (1, 1, [])).inline == [(1, 1, ())]
    assert of_twenty(desk, (20, 20, [])).inline == [(20, 20, ())]


def test_case_019_delete_a_blank_line(desk: Desk) -> None:
    assert all_new(desk, text(["a", "", "b"]), text(["a", "b"])).inline == [(2, 2, ())]


def test_case_020_collapse_blank_lines(desk: Desk) -> None:
    found = all_new(desk, text(["a", "", "", "b"]), text(["a", "", "b"]))
    assert [block for _, _, block in found.inline] == [()]
    assert found.inline[0][0] == found.inline[0][1]


def test_case_021_spaces_to_blank(desk: Desk) -> None:
    found = all_new(desk, text(["a", "   ", "b"]), text(["a", "", "b"]))
    assert found.inline == [(2, 2, ("",))]
    assert "```suggestion\n\n```" in found.seen.plan.comments[0].body


def test_case_022_text_to_blank(desk: Desk) -> None:
    assert all_new(desk, text(["a", "xx", "b"]), text(["a", "", "b"])).inline == [(2, 2, ("",))]


def test_case_023_trailing_spaces_go(desk: Desk) -> None:
    assert all_new(desk, text(["a  ", "b  "]), text(["a", "b  "])).inline == [(1, 1, ("a",))]


def test_case_024_trailing_spaces_come(desk: Desk) -> None:
    assert all_new(desk, text(["a", "b"]), text(["a  ", "b"])).inline == [(1, 1, ("a  ",))]


def test_case_025_add_the_last_newline(desk: Desk) -> None:
    """Conservative, as case 15."""
    found = all_new(desk, b"a\nb", b"a\nb\n")
    assert (found.inline, found.fallbacks) == ([], {"1": "eof_newline_added"})


def test_case_026_remove_the_last_newline(desk: Desk) -> None:
    found = all_new(desk, b"a\nb\n", b"a\nb")
    assert (found.inline, found.fallbacks) == ([], {"1": "eof_newline_removed"})


def test_case_027_edit_the_last_line_without_a_newline(desk: Desk) -> None:
    found = all_new(desk, b"a\nb", b"a\nB")
    assert found.inline == [(2, 2, ("B",))]
    assert "No newline" not in found.seen.plan.comments[0].body


def test_case_028_drop_blank_lines_at_the_end(desk: Desk) -> None:
    assert all_new(desk, text(["a", "b", "", ""]), text(["a", "b"])).inline == [(3, 4, ())]


def test_case_029_empty_to_text(desk: Desk) -> None:
    assert all_new(desk, b"", b"a\n").fallbacks == {"1": "no_anchor"}


def test_case_030_text_to_empty(desk: Desk) -> None:
    assert all_new(desk, b"a\nb\n", b"").inline == [(1, 2, ())]
    assert all_new(desk, b"a\nb", b"").inline == [(1, 2, ())]


def test_case_031_swap_two_blocks_with_the_same_brace(desk: Desk) -> None:
    one, two = ["one() {", "  1;", "}"], ["two() {", "  2;", "}"]
    found = all_new(desk, text([*one, "", *two]), text([*two, "", *one]))
    assert len(found.inline) == 1
    assert not found.fallbacks


def test_case_032_move_a_line_down(desk: Desk) -> None:
    found = all_new(desk, text(["a", "b", "c", "d", "e"]), text(["a", "c", "d", "b", "e"]))
    assert found.inline == [(2, 4, ("c", "d", "b"))]


def test_case_033_move_with_blank_lines(desk: Desk) -> None:
    one, two, three = ["# One", "", "first", ""], ["# Two", "", "second", ""], ["# Three", "", "third"]
    found = all_new(desk, text([*one, *two, *three]), text([*two, *one, *three]))
    assert found.inline
    assert not found.fallbacks


def test_case_034_rewrite_of_300_lines(desk: Desk) -> None:
    found = all_new(desk, text(numbered(300)), text(f"new {k}" for k in range(300)))
    assert [(first, last) for first, last, _ in found.inline] == [(1, 300)]
    assert all(len(c.body.encode()) < 60_000 for c in found.seen.plan.comments)
