"""An agent's answer in one block of code: folded where it is prose, and as it was written everywhere else."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gitclaw_py.core.replies.said import WIDTH, in_fence, in_span
from tests.core.replies.reading import fences, tokens
from tests.core.replies.test_hostile import hostile

LONG = (
    "The formatter was called from two places, and both of them passed the rows in another order than the report did."
)


def lines(text: str) -> list[str]:
    (found,) = fences(in_fence(text, 40_000))
    return found


def test_a_long_line_is_folded_at_a_blank() -> None:
    assert lines(LONG) == [
        "The formatter was called from two places, and both of them passed the rows in another order than",
        "the report did.",
    ]


@pytest.mark.parametrize(("lead", "hanging"), [("- ", "  "), ("  10. ", "      "), ("    ", "    ")])
def test_what_is_folded_keeps_its_indent_and_hangs_below_the_text_of_a_list(lead: str, hanging: str) -> None:
    why, first, second = lines(f"Why:\n{lead}{LONG}")
    assert why == "Why:"
    assert first.startswith(f"{lead}The formatter was")
    assert len(first) <= WIDTH < len(first) + len(second)
    assert second.startswith(hanging)
    assert f"{first} {second.removeprefix(hanging)}" == lead + LONG


@pytest.mark.parametrize(
    "kept", [f"```py\n{LONG}\n```", f"~~~\n```\n{LONG}\n~~~", f"| a | {LONG} |", "https://e.x/" + "a" * 200]
)
def test_lines_of_code_rows_of_tables_and_long_words_are_as_they_were(kept: str) -> None:
    assert lines(f"{kept}\n{LONG}")[: kept.count("\n") + 1] == kept.split("\n")
    assert lines(f"{kept}\n{LONG}")[-1] == "the report did."


def test_scripts_without_blanks_are_folded_too() -> None:
    found = lines("数" * 47 + "。" + "文字" * 10)
    assert found == ["数" * 47 + "。", "文字" * 10]
    assert lines("a" * 95 + "数。") == ["a" * 95, "数。"]


def test_carriage_returns_end_lines_and_what_does_not_show_is_written_out() -> None:
    assert lines("a\r\nb\rc\u202e\td\0 p\u0430y") == ["a", "b", r"c\u{202E}  d\x00 p\u{0430}y"]


def test_what_is_left_out_is_said_below_the_block() -> None:
    shown = in_fence("word " * 1_000, 500)
    assert len(shown.encode()) <= 500
    assert shown.endswith("…\n```\n\n(shortened: 5,000 characters in all)")


def test_no_line_of_a_block_commands_another_bot() -> None:
    assert lines("/approve\n```\n/lgtm\n```") == [" /approve", "```", " /lgtm", "```"]
    assert lines("a" * 95 + " /merge") == ["a" * 95, " /merge"]


@given(hostile, st.integers(200, 900))
@example("`" * 900, 200)
@example("a" * 101 + " ", 200)
@example("a\t" * 60, 200)
def test_an_answer_is_one_block_and_nothing_else(text: str, room: int) -> None:
    shown = in_fence(text, room)
    assert len(shown.encode()) <= room
    first, *rest = tokens(shown)
    assert (first.type, first.info) == ("fence", "text")
    assert [token.content for token in rest if token.content] in ([], [f"(shortened: {len(text):,} characters in all)"])


@given(st.text(st.sampled_from("ab -*1.数。\u00e9")))
def test_folding_loses_nothing_but_blanks(text: str) -> None:
    assert "".join("".join(lines(f"x{text * 5}x")).split()) == f"x{text * 5}x".replace(" ", "")


@given(hostile)
def test_a_span_is_one_line_of_what_was_said(text: str) -> None:
    (inline,) = [token for token in tokens(f"x {in_span(text)}") if token.type == "inline"]
    assert [child.type for child in inline.children or []] == ["text", "code_inline"]


@pytest.mark.parametrize(
    "piece", ["a ", " ", "- ", "`", "``` ", "数", "a\n", " \n", "| ", "1. ", "\t", "\r", "~~~\n", "(*)`", "\u202e "]
)
def test_time_grows_as_the_text_does(piece: str) -> None:
    def seconds(length: int) -> float:
        text = "x" + piece * (length // len(piece)) + "x"
        began = process_time()
        in_fence(text, 4 * length + 1_000)
        return process_time() - began

    assert seconds(100_000) < 1.5
