"""Cases 35 to 53: Markdown, line ends, and characters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gitclaw_py.core.replies.patch import patch
from gitclaw_py.core.review.blocks import suggestion_blocks
from gitclaw_py.core.review.body import suggestion
from gitclaw_py.core.review.plan import Reason
from tests.core.review.look import PATH, Look, all_new, edited, numbered, text
from tests.reviews.scene import Desk
from tests.sandbox import made


def fence_of(found: Look) -> str:
    opening = re.search(r"^(`{3,})suggestion$", found.seen.plan.comments[0].body, re.MULTILINE)
    assert opening
    return opening[1]


def changed(desk: Desk, old: str, new: str) -> Look:
    """Line 2 of three becomes another one."""
    return all_new(desk, text(["a", old, "c"]), text(["a", new, "c"]))


def test_case_035_fence_of_three_backticks(desk: Desk) -> None:
    found = changed(desk, "b", "```")
    assert found.inline == [(2, 2, ("```",))]
    assert fence_of(found) == "````"


def test_case_036_fence_of_four_backticks(desk: Desk) -> None:
    assert fence_of(changed(desk, "b", "````")) == "`````"


def test_case_037_indented_fence(desk: Desk) -> None:
    found = changed(desk, "b", "  ```")
    assert found.inline == [(2, 2, ("  ```",))]
    assert fence_of(found) == "````"


def test_case_038_fence_in_the_repeated_line(desk: Desk) -> None:
    found = all_new(desk, text(["a", "```", "c"]), text(["a", "```", "NEW", "c"]))
    assert found.inline == [(2, 2, ("```", "NEW"))]
    assert fence_of(found) == "````"


def test_case_039_tildes_and_inline_backticks(desk: Desk) -> None:
    assert fence_of(changed(desk, "b", "~~~")) == "```"
    assert fence_of(changed(desk, "b", "a `b` c")) == "```"


def test_case_040_fence_around_a_diff(desk: Desk) -> None:
    """What stands in for a comment is made by the replies; here: nothing of it is lost, and no line is a fence."""
    found = all_new(desk, b"a\r\n```\r\nc\r\n", b"a\r\nb\r\nc\r\n")
    assert found.fallbacks == {"1": "carriage_return"}
    (made_of,) = found.seen.suggestions
    assert "-```" in list(patch(made_of, b"a\r\n```\r\nc\r\n", b"").lines)


def test_case_041_the_opening_of_a_block_as_text(desk: Desk) -> None:
    found = changed(desk, "b", "```suggestion")
    assert found.inline == [(2, 2, ("```suggestion",))]
    assert suggestion_blocks(found.seen.plan.comments[0].body) == [("```suggestion",)]


def test_case_042_tabs(desk: Desk) -> None:
    assert changed(desk, "\tx", "\t\tx").inline == [(2, 2, ("\t\tx",))]


def test_case_043_crlf(desk: Desk) -> None:
    """Conservative: what GitHub makes of these line ends has not been seen."""
    assert all_new(desk, b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nc\r\n").fallbacks == {"1": "carriage_return"}
    assert all_new(desk, b"a\r\nb\nc\nd\ne\n", b"a\r\nb\nc\nD\ne\n").fallbacks == {"1": "carriage_return"}


def test_case_044_crlf_to_lf(desk: Desk) -> None:
    old = b"".join(b"l%d\r\n" % k for k in range(200))
    assert all_new(desk, old, old.replace(b"\r", b"")).fallbacks == {"1": "carriage_return"}
    assert all_new(desk, old.replace(b"\r", b""), old).fallbacks == {"1": "carriage_return"}


@pytest.mark.parametrize("odd", ["\f", "\v", "\x85", "\u2028"])
def test_case_045_characters_that_end_no_line(desk: Desk, odd: str) -> None:
    found = all_new(desk, text([f"a{odd}b", "c", "d"]), text([f"a{odd}b", "c", "D"]))
    assert found.inline == [(3, 3, ("D",))]
    assert changed(desk, "b", f"x{odd}y").fallbacks == {"1": "invisible_characters"}


def test_case_045_lone_carriage_return(desk: Desk) -> None:
    assert all_new(desk, b"a\rb\nc\n", b"a\rb\nC\n").fallbacks == {"1": "carriage_return"}
    assert changed(desk, "b", "x\ry").fallbacks == {"1": "carriage_return"}


def test_case_046_byte_order_mark(desk: Desk) -> None:
    """Conservative: on the marked line a comment might lose the mark; elsewhere it cannot."""
    mark = "\ufeff"
    assert all_new(desk, text([f"{mark}a", "b"]), text([f"{mark}A", "b"])).fallbacks == {"1": "invisible_characters"}
    assert all_new(desk, text([f"{mark}a", "b"]), text([f"{mark}a", "B"])).inline == [(2, 2, ("B",))]


def test_case_047_binary(desk: Desk) -> None:
    assert all_new(desk, b"\x89PNG\0\n", b"\x89PNG\0\1\n").fallbacks == {"1": "binary"}


def test_case_048_latin_1(desk: Desk) -> None:
    assert all_new(desk, b"caf\xe9\nb\n", b"caf\xe9s\nb\n").fallbacks == {"1": "not_text"}
    assert all_new(desk, b"caf\xe9\nb\n", b"caf\xe9\nB\n").fallbacks == {"1": "not_text"}
    assert all_new(desk, b"a\nb\n", b"\xe9\nb\n").fallbacks == {"1": "not_text"}


def test_case_049_sizes_are_bytes(desk: Desk) -> None:
    assert changed(desk, "b", "😀" * 20_000).fallbacks == {"1": "too_large"}
    assert changed(desk, "b", "漢" * 10_000).inline == [(2, 2, ("漢" * 10_000,))]


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\u2066", "\x1b", "\xad"])
def test_case_050_characters_that_do_not_show(desk: Desk, hidden: str) -> None:
    assert changed(desk, "b", f"b{hidden}").fallbacks == {"1": "invisible_characters"}


def test_case_051_what_a_forge_would_act_on_stays_as_it_is_in_the_block(desk: Desk) -> None:
    line = "@team #1 <!-- x --> &amp; <b>"
    found = changed(desk, "b", line)
    assert found.inline == [(2, 2, (line,))]
    assert line in found.seen.plan.comments[0].body


def test_case_052_lines_that_look_like_a_patch(desk: Desk) -> None:
    old, new = ["-- x", "++ y", "--- a", "@@ -1 @@", "z"], ["-- X", "++ Y", "--- a", "@@ -2 @@", "z"]
    assert all_new(desk, text(old), text(new)).inline == [(1, 4, tuple(new[:4]))]


def test_case_053_the_words_of_a_patch_as_text(desk: Desk) -> None:
    line = "\\ No newline at end of file"
    assert all_new(desk, text(["a", line, "c"]), text(["A", line, "c"])).inline == [(1, 1, ("A",))]
    assert changed(desk, "b", line).inline == [(2, 2, (line,))]


def test_every_reason_can_be_told_apart() -> None:
    assert len({reason.value for reason in Reason}) == len(Reason)


def test_a_deletion_is_not_an_empty_line() -> None:
    assert suggestion_blocks(suggestion(())) == [()]
    assert suggestion_blocks(suggestion(("",))) == [("",)]


def test_the_fallback_diff_of_a_fenced_file_is_a_patch(tmp_path: Path, desk: Desk) -> None:
    head, fix = numbered(40), edited(numbered(40), (35, 35, ["```", "x"]))
    found = desk.review({PATH: text(edited(head, (20, 20, ["b"])))}, {PATH: text(head)}, {PATH: text(fix)})
    (made_of,) = found.suggestions
    sandbox = made(tmp_path / "other")
    sandbox.write(PATH, text(head))
    sandbox.git("apply", stdin="".join(f"{line}\n" for line in patch(made_of, text(head), b"").lines).encode())
    assert sandbox.read(PATH) == text(fix)
