"""Rows 50 to 53: an agent's text acts nowhere: not in a comment, and not in the message of a commit."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gitclaw_py.core.applying import PartFinding
from gitclaw_py.core.bounds import Bounds, Measured
from gitclaw_py.core.bundle import Failure
from gitclaw_py.core.messages import Credit, landing_message
from gitclaw_py.core.placing import Verdict as PlacingVerdict
from gitclaw_py.core.replies import notices, proposals, summary, verdicts
from gitclaw_py.core.replies.markdown import code, fence, prose, quoted
from gitclaw_py.core.replies.pull_text import pull_text
from gitclaw_py.core.review.blocks import suggestion_blocks
from gitclaw_py.core.review.body import body as review_comment
from gitclaw_py.core.review.landing import Unit
from gitclaw_py.core.review.mark import Mark
from gitclaw_py.core.state import Decision, State, Verb, decided
from gitclaw_py.errors import GitclawError
from tests.core.replies.scenes import LANDED, LINKS, RUN, Scene
from tests.core.states import edit, state
from tests.core.test_bundle import BUNDLE

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
MARKS = [
    "\r",
    "\r\n",
    "````",
    "~~~~~",
    "\n```\n",
    "\n````\n",
    "\n~~~\n",
    "\t",
    "    ",
    "1. ",
    "$$",
    "\n|--|\n",
    "\u2028",
    "\x0b",
    "\u202e",
    "#",
    "*",
    "_",
]
_TEXT = st.lists(st.one_of(st.sampled_from(_ACTING), st.text(max_size=5)), max_size=12).map("".join)
_PARSER = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
_GITHUB = re.compile(r"(?<![\w`])@\w|#[0-9]|(?<![A-Za-z0-9])(?i:gh-[0-9])|://|www\.|\b[0-9a-f]{40}\b")


def _acts(markdown: str) -> list[str]:
    """What of a comment becomes a picture, a link or HTML, and what a forge would act on in its plain text.

    Without what is ours: links to the repository, the tags of what is folded, the name of who asked, ``Refs #1``.
    """
    found = []
    for token in _PARSER.parse(markdown):
        if token.type == "html_block":
            found.append(_OUR_HTML.sub("", token.content).strip())
        for child in token.children or ():
            if child.type == "image" or (child.type == "link_open" and not _is_ours(str(child.attrs["href"]))):
                found.append(str(child.attrs))
            if child.type == "html_inline":
                found.append(_OUR_HTML.sub("", child.content))
            if child.type == "text":
                found += _GITHUB.findall(_OUR_WORDS.sub("", child.content))
    return [acting for acting in found if acting]


_OUR_HTML = re.compile(
    r"</?(?:details|sub)>|<summary>(?:[^<>]|<code>[^<>]*</code>)*</summary>|<!-- gitclaw:1 [^<>]* -->"
)
_OUR_WORDS = re.compile(r"^(?:For @mona(?=\.)|@mona(?=,)|Refs #1$)")


def _is_ours(address: str) -> bool:
    return address.startswith(f"{LINKS.server}/{LINKS.repository}/")


@settings(max_examples=300)
@given(_TEXT)
def test_row_51_52_a_sentence_and_a_quotation_have_no_picture_link_html_or_name(text: str) -> None:
    assert _acts(quoted(text, 8_000)) == []
    assert _acts(prose(text)) == []
    assert _acts("| a | " + code(text).replace("|", "\\|") + " |") == []


WORD = "zebrafinch"
"""Stands in every piece of what the agent says, so that nothing of it gets out unseen."""
_SAID = st.lists(
    st.one_of(st.sampled_from(_ACTING), st.sampled_from(MARKS), st.text(max_size=5)).map(lambda piece: WORD + piece),
    min_size=1,
    max_size=12,
).map("".join)


def _outside(body: str) -> list[str]:
    """What stands outside of code and has the word in it; a summary is HTML, and its code is ours."""
    found = []
    for token in _PARSER.parse(body):
        if token.type == "html_block":
            found.append(re.sub(r"<code>[^<>]*</code>", "", token.content))
        found += [child.content for child in token.children or () if child.type != "code_inline"]
        found += [str(child.attrs) for child in token.children or () if child.type == "image"]
        found += [token.info] if token.type == "fence" else []
    return [text for text in found if WORD in text]


def _fences(body: str, info: str) -> list[str]:
    return [token.content for token in _PARSER.parse(body) if token.type == "fence" and token.info == info]


def _thread(path: str, text: str, reason: str) -> tuple[State, Scene]:
    """Two suggestions, with the path, the content and the reasons that an agent chose."""
    name = path.encode("utf-8", "replace").replace(b"\0", b"").replace(b"/", b"") or b"f"
    after = text.encode("utf-8", "replace")
    scene = Scene().propose({name: (b"a\nb\nc\n", b"a\n" + after + b"\nc\n"), name + b".z": (None, after)})
    reasoned = [
        s._replace(reason=reason, groups=tuple(g._replace(reason=reason) for g in s.groups))
        for s in scene.state.suggestions
    ]
    return scene.state._replace(suggestions=tuple(reasoned)), scene


def _every_comment(answer: str, reason: str, path: str, other: str) -> Iterator[str]:
    """All that is written with an agent's words in it."""
    known, scene = _thread(path, other, reason)
    yield from proposals.proposal(
        known, 1, scene.texts, LINKS, re="1", requester="mona", run=RUN, answer=answer, warnings=[reason, other]
    )
    yield from proposals.answered(answer, run=RUN, links=LINKS, re="1", requester="mona", warnings=[reason])
    yield from proposals.answered(answer, run=RUN, links=LINKS, re="1", requester="mona", gone=["1"], repeated=[2])
    yield from proposals.shown(known, known.suggestions, scene.texts, re="1", links=LINKS)
    yield from notices.progress(
        [notices.Step(done=False, words="now:", said=other)], re="1", requester="mona", seconds=1, links=LINKS
    )
    failure = Failure("AGENT_FAILED", other, reason, (answer, other))
    yield from notices.failed(failure.error, re="1", requester="mona", links=LINKS, log_tail=answer.split("\n"))
    yield from notices.failed(_too_large(path), re="1", requester="mona")
    yield notices.unstored(_too_large(path), [], [other.encode("utf-8", "replace")])
    yield summary.stopped(_too_large(path))
    yield summary.handled([], [other], [], None)
    yield summary.worked(BUNDLE._replace(works=(BUNDLE.works[1]._replace(failure=failure),)))
    parts = [part for s in known.suggestions for part in s.parts]
    landed = decided(known, Decision(Verb.APPLY, tuple(parts), "mona", 1, commit=LANDED, branch="b"))
    yield pull_text(landed, "b", 1)
    yield from verdicts.status(landed, re="1", links=LINKS)
    misfit = PartFinding(
        parts[0], known.suggestions[0].path, PlacingVerdict.CONFLICT, "why", 1, 1, (other.encode("utf-8", "replace"),)
    )
    yield from verdicts.stuck(known, re="1", requester="mona", branch="b", findings=[misfit], chosen=parts, links=LINKS)


def _too_large(path: str) -> GitclawError:
    with pytest.raises(GitclawError) as caught:
        Measured(Bounds(file_bytes=1)).add(path.encode("utf-8", "replace"), 2)
    return caught.value


@settings(max_examples=60, deadline=None)
@given(_SAID, _SAID, _SAID, _SAID)
def test_row_50_51_52_an_agents_text_never_leaves_its_fence_or_code_span(
    answer: str, reason: str, path: str, other: str
) -> None:
    for body in _every_comment(answer, reason, path, other):
        assert _outside(body) == []
        assert _acts(body) == []


@settings(max_examples=200)
@given(_SAID)
def test_row_50_an_answer_is_in_one_fence(answer: str) -> None:
    for body in (
        *proposals.answered(answer, run=RUN, links=LINKS, re="1", requester="mona"),
        *proposals.answered(answer, run=None, links=None, re="1", requester="mona", repeated=[2]),
    ):
        (said,) = _fences(body, "text")
        assert body.count(WORD) == said.count(WORD) > 0
        assert "\r" not in body


@settings(max_examples=200)
@given(_SAID, _SAID)
def test_row_50_51_52_a_reason_stays_code_beside_the_button_of_a_review(reason: str, other: str) -> None:
    suggestion = edit(1, 1, 1)
    whole, part = suggestion._replace(reason=reason), suggestion.groups[0]._replace(reason=other)
    units = [Unit("1.1", whole, part, part.hunks[0]), Unit("1.2", whole, part._replace(reason=None), part.hunks[0])]
    shown = review_comment(units, ("x = 1",), Mark(("1.1", "1.2"), "0" * 32))
    assert _outside(shown) == []
    assert _fences(shown, "suggestion") == ["x = 1\n"]
    assert suggestion_blocks(shown) == [("x = 1",)]


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
    told = landing_message(known, known.suggestions[0].parts, undo=False, credit=credit)
    head, _, trailers = told.rpartition("\n\nGitclaw-Thread: ")
    assert trailers.count("Signed-off-by:") == 1
    body = head.removesuffix("\n\nRefs #5")
    assert body != head
    assert not _CLOSES.search(body)
    forged = [line for line in body.split("\n") if re.match(r"(?i)(?:signed-off-by|co-authored-by|gitclaw-\w+):", line)]
    assert forged == []
