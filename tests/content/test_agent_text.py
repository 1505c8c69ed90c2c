"""Rows 50 to 53: an agent's text acts nowhere: not in a comment, and not in the message of a commit."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gitclaw_py.core.messages import Credit, landing_message
from gitclaw_py.core.replies.markdown import code, fence, prose, quoted
from gitclaw_py.core.suggestions import part_names
from tests.core.states import edit, state

_ACTING = [
    "@mona",
    "#1",
    "o/r#2",
    "GH-3",
    "Fixes #1",
    "![a](https://e.x/p.png)",
    "[a](https://e.x)",
    "<img src=x>",
    "www.e.x",
]
_ACTING += [
    "https://e.x/?q=1",
    "<b>",
    "</details>",
    "<!-- x -->",
    "```",
    "~~~",
    "`",
    "``",
    "> ",
    "- ",
    "# ",
    "\n",
    "\n\n",
    "|",
    "&lt;",
]
_ACTING += [
    "0123456789abcdef0123456789abcdef01234567",
    "<https://e.x>",
    "a@e.x",
    "[x]: https://e.x",
    "[x]",
    "\\",
    "/apply all",
    " ",
]
_TEXT = st.lists(st.one_of(st.sampled_from(_ACTING), st.text(max_size=5)), max_size=12).map("".join)
_PARSER = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
_GITHUB = re.compile(r"(?<![\w`])@\w|#[0-9]|(?<![A-Za-z0-9])(?i:gh-[0-9])|://|www\.|\b[0-9a-f]{40}\b")


def _acts(markdown: str) -> list[str]:
    """What of a comment becomes a picture, a link or HTML, and what a forge would act on in its plain text."""
    found = []
    for token in _PARSER.parse(markdown):
        if token.type == "html_block":
            found.append(token.content)
        for child in token.children or ():
            if child.type in ("image", "link_open", "html_inline"):
                found.append(child.type)
            if child.type == "text":
                found += _GITHUB.findall(child.content)
    return found


@settings(max_examples=300)
@given(_TEXT)
def test_row_51_52_an_agents_answer_and_reasons_have_no_picture_link_html_or_name(text: str) -> None:
    assert _acts(quoted(text, 8_000)) == []
    assert _acts(prose(text)) == []
    assert _acts("| a | " + code(text).replace("|", "\\|") + " |") == []


@settings(max_examples=300)
@given(
    st.lists(
        st.text(alphabet=st.characters(exclude_characters="\n\r"), max_size=20)
        | st.sampled_from(["```", "````x", "~~~"])
    )
)
def test_row_50_a_fence_holds_whatever_is_in_it(lines: list[str]) -> None:
    shown = [line.replace("\0", "") for line in lines]
    tokens = _PARSER.parse(fence(shown, "diff") + "\n\nafter\n")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert tokens[0].info == "diff"


@pytest.mark.parametrize("word", ["deadbeef", "0123456789abcdef0123456789abcdef01234567", "a1b2c3d"])
def test_row_52_the_id_of_a_commit_is_code(word: str) -> None:
    assert f"`{word}`" in prose(f"see {word}.")


_CLOSES = re.compile(r"#[0-9]|(?i:gh-)[0-9]|://|@[A-Za-z0-9]|(?i:\[(?:skip|ci|no|actions)[ -]\w+\])")


@settings(max_examples=200)
@given(_TEXT, _TEXT)
def test_row_53_a_message_says_nothing_that_a_forge_obeys(reason: str, title: str) -> None:
    known = state(edit(1, 1, 1)._replace(reason=" ".join(reason.split()) + " [skip ci] fixes #1"))
    credit = Credit(title=title + " [ci skip] closes #7", refers="#5", trailers=("Signed-off-by: Mona <1+mona@x>",))
    told = landing_message(known, part_names(known.suggestions[0]), undo=False, credit=credit)
    head, _, trailers = told.rpartition("\n\nGitclaw-Thread: ")
    assert trailers.count("Signed-off-by:") == 1
    body = head.removesuffix("\n\nRefs #5")
    assert body != head
    assert not _CLOSES.search(body)
    forged = [line for line in body.split("\n") if re.match(r"(?i)(?:signed-off-by|co-authored-by|gitclaw-\w+):", line)]
    assert forged == []
