"""What people write, and what we read. The table is the documentation."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gitclaw_py.core.commands import (
    CHANGE_VERBS,
    MOST,
    Apply,
    Change,
    Command,
    Help,
    Misplaced,
    Refine,
    Reject,
    Run,
    Show,
    Status,
    Undo,
    Unknown,
    mentions_us,
    read_commands,
    read_loosely,
    written,
)
from gitclaw_py.core.paragraphs import Place, lines_of, typed_lines

BOT = "@my-bot"
GAP = "Leave an empty line above it: right below a quote or a list it is part of that"
DASHES = "Leave an empty line below it: the line of dashes made it a heading"
INDENT = "A command starts at the very beginning of its line, without spaces before it"
HASH = "Numbers are written without #, which links to an issue: "

READ: list[tuple[str, list[Command]]] = [
    # The selection is what follows on the line; what stands below an apply is only said.
    ("/apply 1,3", [Apply(("1,3",))]),
    ("/apply 1-3 5", [Apply(("1-3", "5"))]),
    ("/apply 2.1", [Apply(("2.1",))]),
    ("/apply all except 4", [Apply(("all", "except", "4"))]),
    ("/Apply ALL", [Apply(("all",))]),
    ("/apply", [Apply(())]),
    ("/apply: 1", [Apply(("1",))]),
    ("/apply\u00a01 \t", [Apply(("1",))]),
    ("\ufeff/apply 1\r\n\r\nthanks!\r\n", [Apply(("1",))]),
    ("/apply 1 but not 2", [Apply(("1", "but", "not", "2"))]),
    ("Looks good.\n/apply 1", [Apply(("1",))]),
    ("Looks good.\n\n/apply 1\nThank you", [Apply(("1",))]),
    # A reason or feedback is the rest of the line and the text below, as it was typed.
    ("/reject", [Reject((), "")]),
    ("/reject 4", [Reject(("4",), "")]),
    ("/reject 4 It's  still used", [Reject(("4",), "It's  still used")]),
    ("/reject 1,2 - 3 twice", [Reject(("1,2", "-", "3"), "twice")]),
    ("/reject 4\n3 times the same", [Reject(("4",), "3 times the same")]),
    ("/reject all except 2 too much at once", [Reject(("all", "except", "2"), "too much at once")]),
    ("/reject not what I meant", [Reject((), "not what I meant")]),
    ("/refine use an enum", [Refine((), "use an enum")]),
    ("/refine 2 use an enum\n\n```py\n/apply 1\n```", [Refine(("2",), "use an enum\n\n```py\n/apply 1\n```")]),
    ("/refine 2: use an enum", [Refine(("2",), "use an enum")]),
    ("/refine all: use an enum", [Refine(("all",), "use an enum")]),
    ("/reject 1 and 2", [Reject(("1", "and", "2"), "")]),
    ("/reject 1 and 2 no", [Reject(("1", "and", "2"), "no")]),
    ("/reject all but 2 no", [Reject(("all", "but", "2"), "no")]),
    ("/reject 1\u20133: no", [Reject(("1\u20133",), "no")]),
    ("/refine all tests need types", [Refine((), "all tests need types")]),
    ("/refine\n\n    x = 1", [Refine((), "    x = 1")]),
    ("/undo", [Undo(())]),
    ("/undo 3", [Undo(("3",))]),
    # A request may go on over lines, paragraphs, lists and quotes.
    ("/gitclaw add a --json flag", [Run("add a --json flag")]),
    ("/gitclaw\nadd a flag:\n\n- `--json`\n\n> like jq", [Run("add a flag:\n\n- `--json`\n\n> like jq")]),
    ("/GitClaw: fix it", [Run("fix it")]),
    ("/gitclaw", [Help()]),
    # Every verb works behind our name, where what follows can belong to it; otherwise it is a request.
    ("/gitclaw help", [Help()]),
    ("/gitclaw help apply", [Help()]),
    ("/gitclaw status", [Status()]),
    ("/gitclaw status?", [Status()]),
    ("/gitclaw /status", [Status()]),
    ("/gitclaw show 2", [Show(("2",))]),
    ("/gitclaw apply 1,3", [Apply(("1,3",))]),
    ("/gitclaw reject 4 not needed", [Reject(("4",), "not needed")]),
    ("/gitclaw reject 4: not needed", [Reject(("4",), "not needed")]),
    ("/gitclaw apply 1 and 3", [Apply(("1", "and", "3"))]),
    ("/gitclaw apply 1\u20133", [Apply(("1\u20133",))]),
    ("/gitclaw apply all but 2", [Apply(("all", "but", "2"))]),
    ("/gitclaw refine the names", [Refine((), "the names")]),
    ("/gitclaw undo", [Undo(())]),
    ("/gitclaw pr", [Change("pr", "")]),
    ("/gitclaw merge squash", [Change("merge", "squash")]),
    ("/gitclaw review\nmind the locks", [Change("review", "mind the locks")]),
    ("/gitclaw help me with the parser", [Run("help me with the parser")]),
    ("/gitclaw close the file in reader.py", [Run("close the file in reader.py")]),
    ("/gitclaw show all errors", [Run("show all errors")]),
    ("/gitclaw reject empty names", [Run("reject empty names")]),
    ("/gitclaw retry 3 times on 503", [Run("retry 3 times on 503")]),
    # Several in one comment, in their order.
    ("/apply 1,3\n/reject 4 unused\n/undo", [Apply(("1,3",)), Reject(("4",), "unused"), Undo(())]),
    ("/reject 4 no\n\nReally.\n\n/gitclaw status", [Reject(("4",), "no\n\nReally."), Status()]),
    # A mention at the beginning of a line is as good as our name; elsewhere its paragraph is the request.
    ("@my-bot add a flag", [Run("add a flag", mentioned=True)]),
    ("@My-Bot, status", [Status()]),
    ("@my-bot", [Help()]),
    (
        "Hello,\n\ncould @my-bot look at this?\nIt fails.",
        [Run("could @my-bot look at this?\nIt fails.", mentioned=True)],
    ),
    ("/apply 1\n\n@my-bot now the tests", [Apply(("1",)), Run("now the tests", mentioned=True)]),
    ("/reject 4 not so, cc @my-bot", [Reject(("4",), "not so, cc @my-bot")]),
    ("/reject 4 no\n@my-bot use an enum", [Reject(("4",), "no"), Run("use an enum", mentioned=True)]),
    ("see `@my-bot` or me@my-bot.io or @my-bots or @my-bot/x", []),
    ("> @my-bot add a flag", []),
    # Nearly ours.
    ("/aply 1", [Unknown("/aply 1", "/apply 1")]),
    ("/rejetc 4 no", [Unknown("/rejetc 4 no", "/reject 4 no")]),
    ("/apply1,3", [Unknown("/apply1,3", "/apply 1,3")]),
    ("/gitclaw stauts", [Unknown("/gitclaw stauts", "/gitclaw status")]),
    ("/gitclaw aply 1", [Unknown("/gitclaw aply 1", "/gitclaw apply 1")]),
    ("/apply #1", [Misplaced("/apply #1", HASH + "/apply 1")]),
    ("/refine #2: no", [Misplaced("/refine #2", HASH + "/refine 2")]),
    ("/reject 1, #4 no", [Misplaced("/reject 1, #4", HASH + "/reject 1, 4")]),
    ("/reject 4 #12 says why", [Reject(("4",), "#12 says why")]),
    ("/reject -1 no", [Reject(("-1",), "no")]),
    ("/reject 3. no", [Reject(("3.",), "no")]),
    ("/reject #-1", [Misplaced("/reject #-1", HASH + "/reject -1")]),
    ("/refine .5 of it", [Refine((".5",), "of it")]),
    ("/reject \u0663", [Reject(("\u0663",), "")]),
    ("/reject 3rd time this comes", [Reject((), "3rd time this comes")]),
    ("/reject 100% sure", [Reject((), "100% sure")]),
    ("/gitclaw apply -1", [Apply(("-1",))]),
    # Where a command does not count but was probably meant.
    ("> fine\n/apply 1", [Misplaced("/apply 1", GAP)]),
    ("- fine\n/apply 1", [Misplaced("/apply 1", GAP)]),
    ("/apply 1\n-- \nMona", [Misplaced("/apply 1", DASHES)]),
    ("  /apply 1", [Misplaced("/apply 1", INDENT)]),
    ("/gitclaw write:\n  /apply 1", [Run("write:\n  /apply 1")]),
    # Quotes, code, HTML and lists are not commands.
    ("> /apply 1", []),
    ("> > /apply 1\n\n> /reject", []),
    ("> fine\n\n/apply 1", [Apply(("1",))]),
    ("> ```\n> x\n> ```\n/apply 1", [Apply(("1",))]),
    ("```\n/apply 1\n```", []),
    ("~~~\n/apply 1", []),
    ("    /apply 1", []),
    ("`/apply 1`", []),
    ("`see\n/apply 1\nthere`", []),
    ("\\`see\n/apply 1\nthere`", [Apply(("1",))]),
    ("- /apply 1", []),
    ("1. fine\n\n   /apply 1", []),
    ("# /apply 1", []),
    ("| a |\n|---|\n/apply 1", []),
    ("<!-- /apply 1 -->", []),
    ("<!--\n\n/apply 1\n\n-->", []),
    ("so <!--\n/apply 1\n--> so", []),
    ("<details><summary>x</summary>\n\n/apply 1\n\n</details>\n\n/undo", [Undo(())]),
    ("<div>\n/apply 1\n</div>", []),
    ("<pre>\n\n/apply 1\n\n</pre>", []),
    # Not ours.
    ("/lgtm\n/assign @mona\n/retest", []),
    ("/review\n/help\n/status\n/show 2\n/merge", []),
    ("/usr/bin/env\n/apply/1\n/apply.py", []),
    ("/define enum", []),
    ("Please /apply 1", []),
    ("a mail to gitclaw", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), READ)
def test_what_is_read(text: str, expected: list[Command]) -> None:
    assert list(read_commands(text, BOT)) == expected


@pytest.mark.parametrize("text", [text for text, expected in READ if expected])
def test_what_commands_passes_the_cheap_test(text: str) -> None:
    assert mentions_us(text, BOT)


@pytest.mark.parametrize(
    "text", ["/lgtm", "/usr/bin", "fine /apply 1", "> /apply 1", "`/undo`", "me@my-bot.io", "", "/"]
)
def test_what_is_clearly_not_for_us_is_not_parsed(text: str) -> None:
    assert not mentions_us(text, BOT)


def test_without_a_mention_configured_a_handle_is_only_text() -> None:
    assert read_commands("@my-bot add a flag") == ()
    assert read_commands("@my-bot add a flag", " ") == ()


def test_the_markdown_parser_is_not_loaded_for_other_comments() -> None:
    code = (
        "import sys; from gitclaw_py.core.commands import read_commands; read_commands('/lgtm\\n> /apply 1', '@b');"
        "assert 'markdown_it' not in sys.modules; read_commands('/apply 1'); assert 'markdown_it' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_comment_with_too_many_commands_is_refused_as_a_whole() -> None:
    assert len(read_commands("/undo\n" * MOST)) == MOST
    (refusal,) = read_commands("/undo\n" * (MOST + 1))
    assert isinstance(refusal, Misplaced)
    assert "none of them" in refusal.hint


COMMAND_LIKE = ["/apply 1", "/reject 2 no", "/gitclaw do it", "/aply", "/refine\n", "@my-bot"]
BLOCKS = [
    "> ",
    ">",
    "- ",
    "1. ",
    "    ",
    "  ",
    "\t",
    "```",
    "~~~",
    "[a]: ",
    "|",
    "-|-",
    "# ",
    "---",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
]
INLINE = [
    "`",
    "<!--",
    "-->",
    "<details>",
    "</details>",
    "<pre>",
    "\\",
    "a",
    " ",
    "\u00a0",
    "\u2028",
    "\ufeff",
    "\x00",
    "\ud800",
]
PIECES = st.sampled_from([*COMMAND_LIKE, *BLOCKS, *INLINE])
COMMENTS = st.lists(PIECES, max_size=14).map("".join)


@given(st.text() | COMMENTS, st.none() | st.just(BOT) | st.text(max_size=4))
def test_any_text_can_be_read(text: str, mention: str | None) -> None:
    read_commands(text, mention)


@given(COMMENTS)
@example("> a\n> ```\n/apply 1")
@example("> - ```\n/apply 1")
@example("- > a\n/apply 1")
def test_no_line_counts_that_commonmark_puts_into_a_quote_a_list_code_or_html(text: str) -> None:
    from markdown_it import MarkdownIt

    lines = lines_of(text)
    tokens = MarkdownIt("commonmark").enable("table").disable("inline").parse("\n".join(lines))
    ranges = [t.map for t in tokens if t.type == "paragraph_open" and t.level == 0 and t.map]
    plain = {number for first, end in ranges for number in range(first, end)}
    assert {line.number for line in typed_lines(lines) if line.place is Place.PARAGRAPH} <= plain


@given(st.lists(st.sampled_from(["/apply 1", "/reject 2 no", "@my-bot go", "/aply", "", "text"]), max_size=6))
def test_nothing_in_a_quote_or_code_is_found(lines: list[str]) -> None:
    assert read_commands("\n".join(f"> {line}" for line in lines), BOT) == ()
    assert read_commands("\n".join(["```", *lines, "```"]), BOT) == ()
    assert read_commands("\n".join(f"    {line}" for line in lines), BOT) == ()
    assert read_commands("\n".join(["<!--", *lines, "-->"]), BOT) == ()


def _kinds(commands: tuple[Command, ...]) -> tuple[bool, bool]:
    """Whether there are any, and whether one needs an agent."""
    return bool(commands), any(isinstance(command, Run | Refine) for command in commands)


@pytest.mark.parametrize("text", [text for text, _ in READ])
def test_what_is_read_without_markdown_leaves_nothing_out(text: str) -> None:
    strict, loose = _kinds(read_commands(text, BOT)), _kinds(read_loosely(text, BOT))
    assert [a or not b for a, b in zip(loose, strict, strict=True)] == [True, True]


@given(COMMENTS)
@example("/gitclaw\n\n    /apply 1")
@example("/gitclaw status")
def test_nor_does_it_in_any_text(text: str) -> None:
    strict, loose = _kinds(read_commands(text, BOT)), _kinds(read_loosely(text, BOT))
    assert [a or not b for a, b in zip(loose, strict, strict=True)] == [True, True]


WORDS = st.lists(st.sampled_from(["1", "1,3", "2.1", "3-5", "3\u20135", "all", "4.mode"]), max_size=3).map(tuple)
TEXTS = st.sampled_from(
    ["", "no", "use an enum", "3 times", "all of it", "status", "a\n\n```\n/undo\n```", "    x = 1\ny"]
)
COMMANDS: st.SearchStrategy[Command] = st.one_of(
    st.builds(Run, TEXTS.filter(bool), st.just(False)),
    st.builds(Apply, WORDS),
    st.builds(Undo, WORDS),
    st.builds(Show, WORDS),
    st.builds(Reject, WORDS, TEXTS),
    st.builds(Refine, WORDS, TEXTS),
    st.builds(Change, st.sampled_from(CHANGE_VERBS), TEXTS),
    st.just(Status()),
    st.just(Help()),
)


@given(st.lists(COMMANDS, min_size=1, max_size=4))
def test_what_is_written_reads_as_itself(commands: list[Command]) -> None:
    assert list(read_commands("\n\n".join(map(written, commands)))) == commands


@given(COMMENTS)
def test_what_was_read_can_be_written_and_read_again(text: str) -> None:
    for command in read_commands(text):
        if not isinstance(command, Misplaced):
            assert read_commands(written(command)) == (command,)


HOSTILE = ["/", "`", ">", "[", "<", "- ", "/apply ", "/undo\n", ">\n/undo\n", "> > > \n/apply 1\n", "> a\n/undo\n\n"]
HOSTILE += [
    "- a\n  - b\n    - c\n",
    "` `` ```\n",
    "a <!--\n",
    "<a ",
    "<details>\n\n",
    "[a]: b\n",
    "|a|b\n-|-\n",
    "#\n",
    "\\`",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_steps_that_hostile_text_takes_are_linear(piece: str) -> None:
    read_commands("/apply 1")
    assert _steps(_hostile(piece, 8_000)) < 4 * 1.3 * _steps(_hostile(piece, 2_000)) + 500


def _hostile(piece: str, size: int) -> str:
    return "/apply 1\n\n" + piece * (size // len(piece))


def _steps(text: str) -> int:
    """How many functions are called to read the text."""
    count = 0

    def called(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        read_commands(text, BOT)
    finally:
        sys.setprofile(before)
    return count
