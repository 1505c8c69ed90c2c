"""Cases 54 to 77: where the change lies in the pull request's diff."""

from __future__ import annotations

import pytest

from gitclaw_py.core.review.plan import Reason
from gitclaw_py.core.review.pull_diff import PullFile, read_pull_diff
from gitclaw_py.core.review.ranges import arranged
from gitclaw_py.core.review.sheet import sheet
from tests.core.review.look import PATH, Look, edited, in_the_middle, look, numbered, text
from tests.core.review.units import units
from tests.reviews.scene import Desk, Files

FORTY = numbered(40)
MIDDLE: Files = {PATH: text(edited(FORTY, (20, 20, ["before"])))}
HEAD: Files = {PATH: text(FORTY)}


def with_more(desk: Desk, more: Files, fix: Files) -> Look:
    """The usual pull request in a repository with more files, which it does not touch."""
    return look(desk.review({**MIDDLE, **more}, {**HEAD, **more}, fix))


def test_case_054_a_changed_line(desk: Desk) -> None:
    assert in_the_middle(desk, (20, 20, ["X"])).inline == [(20, 20, ("X",))]


def test_case_055_a_context_line(desk: Desk) -> None:
    found = in_the_middle(desk, (18, 18, ["X"]))
    assert found.inline == [(18, 18, ("X",))]
    assert found.seen.plan.comments[0].side == "RIGHT"


def test_case_056_one_above_the_hunk(desk: Desk) -> None:
    found = in_the_middle(desk, (16, 16, ["X"]))
    assert found.fallbacks == {"1": "out_of_diff"}
    assert [f.line for f in found.seen.plan.fallbacks] == [16]


def test_case_057_across_the_edge(desk: Desk) -> None:
    found = in_the_middle(desk, (16, 18, ["X", "Y", "Z"]))
    assert (found.inline, found.fallbacks) == ([], {"1": "out_of_diff"})


def test_case_058_insert_at_the_upper_edge(desk: Desk) -> None:
    assert in_the_middle(desk, (17, 16, ["NEW"])).inline == [(17, 17, ("NEW", "l17"))]


def test_case_059_insert_at_the_lower_edge(desk: Desk) -> None:
    assert in_the_middle(desk, (24, 23, ["NEW"])).inline == [(23, 23, ("l23", "NEW"))]


def test_case_060_one_in_and_one_out(desk: Desk) -> None:
    found = in_the_middle(desk, (20, 20, ["X"]), (35, 35, ["Y"]))
    assert [c.numbers for c in found.seen.plan.comments] == [("1.1",)]
    assert found.fallbacks == {"1.2": "out_of_diff"}


def test_case_061_after_a_line_that_the_pull_request_deleted(desk: Desk) -> None:
    base, head = FORTY, edited(FORTY, (20, 20, []))
    fix = edited(head, (20, 20, ["X21"]))
    found = look(desk.review({PATH: text(base)}, {PATH: text(head)}, {PATH: text(fix)}))
    assert found.inline == [(20, 20, ("X21",))]


def test_case_062_what_the_pull_request_deleted_comes_back(desk: Desk) -> None:
    base, head = FORTY, edited(FORTY, (20, 20, []))
    found = look(desk.review({PATH: text(base)}, {PATH: text(head)}, {PATH: text(base)}))
    assert found.inline == [(19, 19, ("l19", "l20"))]
    assert found.seen.plan.comments[0].side == "RIGHT"


def test_case_063_across_a_gap_between_hunks(desk: Desk) -> None:
    base = edited(FORTY, (10, 10, ["b10"]), (18, 18, ["b18"]))
    fix = edited(FORTY, (13, 15, ["X", "Y", "Z"]))
    found = look(desk.review({PATH: text(base)}, {PATH: text(FORTY)}, {PATH: text(fix)}))
    assert (found.inline, found.fallbacks) == ([], {"1": "cross_hunk"})


def test_case_064_hunks_that_follow_each_other_without_a_gap() -> None:
    """Git merges such hunks; a forge that does not would refuse the comment."""
    file = PullFile(PATH, ((6, 13), (13, 20)))
    across = units([(12, 14, ["X", "Y"])])
    ranges, refusals = arranged(across, sheet(text(FORTY)), file)
    assert not ranges
    assert [refusal.reason for refusal in refusals] == [Reason.CROSS_HUNK]


def test_case_064_touching_lines_of_two_hunks_are_not_joined() -> None:
    file = PullFile(PATH, ((6, 13), (13, 20)))
    both = units([(13, 13, ["NEW"])], [(13, 14, ["X"])])
    ranges, refusals = arranged(both, sheet(text(FORTY)), file)
    assert [(r.start, r.end) for r in ranges] == [(12, 13)]
    assert [refusal.reason for refusal in refusals] == [Reason.OVERLAP]


def test_case_065_a_file_that_is_not_in_the_pull_request(desk: Desk) -> None:
    more = {b"g.txt": text(FORTY)}
    found = with_more(desk, more, {**HEAD, b"g.txt": text(edited(FORTY, (20, 20, ["X"])))})
    assert (found.inline, found.fallbacks) == ([], {"1": "out_of_diff"})


def test_case_066_one_file_in_and_one_out(desk: Desk) -> None:
    fixed = text(edited(FORTY, (20, 20, ["X"])))
    found = with_more(desk, {b"g.txt": text(FORTY)}, {PATH: fixed, b"g.txt": fixed})
    assert found.inline == [(20, 20, ("X",))]
    assert found.fallbacks == {"2": "out_of_diff"}


def test_case_067_a_new_file(desk: Desk) -> None:
    assert with_more(desk, {}, {**HEAD, b"new.txt": b"x\n"}).fallbacks == {"1": "new_file"}


def test_case_068_a_deleted_file(desk: Desk) -> None:
    assert with_more(desk, {b"g.txt": b"x\n"}, HEAD).fallbacks == {"1": "deleted_file"}


def test_case_069_a_renamed_file(desk: Desk) -> None:
    assert with_more(desk, {}, {b"new.txt": HEAD[PATH]}).fallbacks == {"1": "renamed"}
    found = with_more(desk, {}, {b"new.txt": text(edited(FORTY, (20, 20, ["X"])))})
    assert found.inline == [(20, 20, ("X",))]
    assert found.fallbacks == {"1.rename": "renamed"}


def test_case_070_renamed_and_edited_by_the_pull_request(desk: Desk) -> None:
    fix = {b"new.txt": text(edited(FORTY, (20, 20, ["X"])))}
    found = look(desk.review(MIDDLE, {b"new.txt": HEAD[PATH]}, fix))
    assert [c.path for c in found.seen.plan.comments] == [b"new.txt"]
    assert found.inline == [(20, 20, ("X",))]


def test_case_071_only_renamed_by_the_pull_request(desk: Desk) -> None:
    fix = {b"new.txt": text(edited(FORTY, (20, 20, ["X"])))}
    assert look(desk.review(HEAD, {b"new.txt": HEAD[PATH]}, fix)).fallbacks == {"1": "no_anchor"}


@pytest.mark.parametrize("name", ["a b", "a\tb", 'a"b', "ä/é", "a\\b", "-rf", ":(top)x", "x\ny"])
def test_case_072_odd_names(desk: Desk, name: str) -> None:
    path = name.encode()
    found = look(desk.review({path: MIDDLE[PATH]}, {path: HEAD[PATH]}, {path: text(edited(FORTY, (20, 20, ["X"])))}))
    assert found.inline == [(20, 20, ("X",))]
    assert [c.path.decode() for c in found.seen.plan.comments] == [name]


def test_case_072_a_name_that_is_not_text(desk: Desk) -> None:
    fix = {b"\xff": text(edited(FORTY, (20, 20, ["X"])))}
    assert look(desk.review({b"\xff": MIDDLE[PATH]}, {b"\xff": HEAD[PATH]}, fix)).fallbacks == {"1": "not_text"}


def test_case_073_modes_links_and_submodules(desk: Desk) -> None:
    head: Files = {**HEAD, b"link": ("120000", b"f.txt"), b"sub": ("160000", b"1" * 40)}
    fix: Files = {PATH: ("100755", text(FORTY)), b"link": ("120000", b"/etc/passwd"), b"sub": ("160000", b"2" * 40)}
    found = look(desk.review({}, head, fix))
    assert (found.inline, found.fallbacks) == ([], {"1": "mode_only", "2": "symlink", "3": "submodule"})


def test_case_073_a_mode_beside_an_edit(desk: Desk) -> None:
    found = look(desk.review(MIDDLE, HEAD, {PATH: ("100755", text(edited(FORTY, (20, 20, ["X"]))))}))
    assert found.inline == [(20, 20, ("X",))]
    assert found.fallbacks == {"1.mode": "mode_only"}


@pytest.mark.parametrize("count", [31, 101, 301])
def test_case_074_many_files(desk: Desk, count: int) -> None:
    base, head, fix = ({b"f%d" % k: b"%b%d\n" % (word, k) for k in range(count)} for word in (b"a", b"b", b"c"))
    seen = desk.plan(*desk.commits(base, head, fix))
    assert len(seen.plan.comments) == count
    assert not seen.plan.fallbacks


def test_case_075_a_diff_too_large_to_be_shown(desk: Desk) -> None:
    head = [f"line {k}" for k in range(20_001)]
    found = look(desk.review({}, {PATH: text(head)}, {PATH: text(edited(head, (5, 5, ["X"])))}))
    assert (found.inline, found.fallbacks) == ([], {"1": "too_large"})
    wide = ["x" * 99 + str(k) for k in range(6_000)]
    found = look(desk.review({}, {PATH: text(wide)}, {PATH: text(edited(wide, (5, 5, ["X"])))}))
    assert (found.inline, found.fallbacks) == ([], {"1": "too_large"})


def test_case_076_lines_are_those_of_the_head_not_of_a_merge(desk: Desk) -> None:
    """The base grew at its top since; in a merge all lines would be ten further down."""
    grown = {PATH: text([*(f"top {k}" for k in range(10)), *edited(FORTY, (20, 20, ["before"]))])}
    base, head, fix = desk.commits(MIDDLE, HEAD, {PATH: text(edited(FORTY, (20, 20, ["X"])))})
    (later,) = desk.commits(grown, parent=base)
    assert look(desk.planned(later, head, fix)).inline == [(20, 20, ("X",))]


def test_case_077_the_base_moved_on(desk: Desk) -> None:
    """What the base did since to other lines is no part of the pull request, though it differs from the head."""
    base, head, fix = desk.commits(MIDDLE, HEAD, {PATH: text(edited(FORTY, (20, 20, ["X"]), (35, 35, ["Y"])))})
    (later,) = desk.commits({PATH: text(edited(FORTY, (20, 20, ["before"]), (35, 35, ["theirs"])))}, parent=base)
    found = look(desk.planned(later, head, fix))
    assert found.inline == [(20, 20, ("X",))]
    assert found.fallbacks == {"1.2": "out_of_diff"}


def test_the_diff_is_read_by_git_s_own_lines_only(desk: Desk) -> None:
    base, head, _ = desk.commits({}, {PATH: b"diff --git a/x b/x\n@@ -1 +1 @@\n", b"g": b"x\n"}, {})
    found = desk.repository.pull_diff(base, head)
    assert [(file.path, file.hunks) for file in found] == [(PATH, ((0, 2),)), (b"g", ((0, 1),))]


def test_a_change_of_type_has_two_patches(desk: Desk) -> None:
    base, head, _ = desk.commits({PATH: b"x\n"}, {PATH: ("120000", b"y"), b"z": b"z\n"}, {})
    assert [(file.path, file.hunks) for file in desk.repository.pull_diff(base, head)] == [
        (PATH, ()),
        (b"z", ((0, 1),)),
    ]


def test_no_diff_at_all() -> None:
    assert read_pull_diff(b"") == []
