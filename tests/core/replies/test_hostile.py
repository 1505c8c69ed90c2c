"""Whatever an agent, a file name or a person says, nothing in our comments acts, and no block breaks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitclaw_py.core.access import Level
from gitclaw_py.core.applying import PartFinding
from gitclaw_py.core.placing import Verdict
from gitclaw_py.core.replies import marker, notices, proposals, verdicts
from gitclaw_py.core.replies.markdown import code, fence, prose, quoted, table
from gitclaw_py.core.replies.marker import Marker
from gitclaw_py.core.replies.patch import patch
from gitclaw_py.core.replies.wording import in_thread
from gitclaw_py.core.state import Decision, State, Verb, decided
from gitclaw_py.core.visible import visible
from gitclaw_py.errors import InternalError, UsageError
from tests.core.replies.reading import check, check_inert, fences, tokens
from tests.core.replies.scenes import LANDED, LINKS, RUN, Scene, report
from tests.core.states import states

PIECES = [
    "@mona/x",
    "@everyone",
    "#12",
    "fixes #3",
    "GH-7",
    "<b>",
    "<!--",
    "-->",
    "</details>",
    "</code>",
    "![x](https://e.x/y.png)",
    "[a](b)",
    "[a]: b",
    "`",
    "``",
    "```",
    "~~~",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    " ",
    "    ",
    "|",
    "|--|",
    "\\",
    "*",
    "_",
    "# ",
    "- ",
    "1. ",
    "> ",
    "===",
    "/approve",
    "https://e.x/a",
    "www.x.y",
    ":tada:",
    "\x1b[31m",
    "\u202e",
    "$",
    "&#64;",
    "a",
    "é",
]
hostile = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=30)


def every_reply(text: str) -> Iterator[tuple[str, ...]]:
    """All replies, with the text wherever text from elsewhere goes."""
    path = text.encode("utf-8", "replace").replace(b"\0", b"") or b"f"
    scene = Scene().propose({path: (b"a\nb\n", text.encode("utf-8", "replace") + b"\nb\n"), b"z": (None, b"z\n")})
    named = [s._replace(reason=text or None, stopped=text if s.path == b"z" else None) for s in scene.state.suggestions]
    state = decided(scene.state._replace(suggestions=tuple(named)), Decision(Verb.REJECT, ("1.1",), text, 1, text))
    yield proposals.proposal(
        state,
        1,
        scene.texts,
        LINKS,
        re="1",
        requester="mona",
        answer=text,
        run=RUN._replace(agent=text),
        warnings=[text],
        conduct_note=text,
    )
    yield proposals.answered(text, run=RUN, links=LINKS, re="1", requester="mona", notes=[text], warnings=[text])
    yield proposals.shown(state, state.suggestions, scene.texts, re="1", links=LINKS)
    yield from _verdicts(state, text, path)
    yield notices.unknown(text, text, re="1")
    yield notices.misplaced(text, re="1")
    yield notices.denied(verb=text, needed=Level.WRITE, has=Level.NONE, who=text, re="1", requester="mona")
    yield notices.failed(
        UsageError("USAGE", text, text, (text,)), log_tail=[text], links=LINKS, re="1", requester="mona"
    )
    yield notices.failed(InternalError("INTERNAL", text, text), links=LINKS, re="1", requester="mona")
    steps = [notices.Step(done=True, words=text), notices.Step(done=False, words="now:", said=text)]
    yield notices.progress(steps, seconds=1, links=LINKS, re="1", requester="mona")
    yield notices.pull_opened(
        pull=1, url=LINKS.pull(1), branch=text, base=text, why=text, links=LINKS, re="1", requester="mona"
    )
    yield notices.fork_refused(
        patch=text.encode("utf-8", "replace"), head_repository=text, links=LINKS, re="1", requester="mona"
    )


def _verdicts(state: State, text: str, path: bytes) -> Iterator[tuple[str, ...]]:
    bad = PartFinding("1.1", path, Verdict.CONFLICT, text, 2, 1, (text.encode("utf-8", "replace"),))
    yield verdicts.applied(
        state,
        re="1",
        requester="mona",
        branch=text,
        commit=LANDED,
        findings=[PartFinding("2", b"z", Verdict.APPLIED)],
        left=[bad],
        skipped=[("2", text)],
        kept=[("2", text)],
        links=LINKS,
        thread=1,
        notes=[text],
        verified=False,
    )
    yield verdicts.stuck(state, re="1", requester="mona", branch=text, findings=[bad], chosen=["1.1", "2"], links=LINKS)
    yield verdicts.rejected(state, re="1", requester="mona", parts=["1.1"], reason=text, links=LINKS)
    yield verdicts.nothing_to_do(state, re="1", requester="mona", skipped=[("2", text)], verb=text)
    yield verdicts.status(state, re="1", links=LINKS, branch=text)


@settings(max_examples=40)
@given(hostile)
def test_nothing_in_a_reply_acts(text: str) -> None:
    for bodies in every_reply(text):
        check(bodies)


@settings(max_examples=40)
@given(states(), st.binary(max_size=60))
def test_any_state_can_be_told(state: State, data: bytes) -> None:
    check(proposals.proposal(state, 1, lambda _: (data, data), LINKS, re="1", requester="mona", run=None))
    check(proposals.shown(state, state.suggestions, lambda _: (data, data), re="1", links=LINKS))
    check(verdicts.status(state, re="1", links=LINKS))


@given(hostile)
def test_the_blocks_that_are_read_are_the_patches_that_were_written(text: str) -> None:
    data = text.encode("utf-8", "replace")
    scene = Scene().propose({b"a.md": (b"x\n" + data + b"\ny\nz\n", data + b"\nq\n"), b"b.md": (None, data)})
    (body,) = proposals.proposal(scene.state, 1, scene.texts, LINKS, re="1", requester="mona")
    made = [patch(s, *scene.texts(s)) for s in scene.state.suggestions]
    read = [line for block in fences(body) for line in block]
    assert read == [line for p in made if p.pieces or not p.flaw for line in p.lines]


@given(hostile)
def test_a_code_span_holds_any_line(text: str) -> None:
    line = visible(" ".join(text.split()))
    (inline,) = [token for token in tokens(f"x{code(line)}x") if token.type == "inline"]
    assert inline.children
    (span,) = [child for child in inline.children if child.type == "code_inline"]
    assert span.content == (line or " ")


@given(hostile)
def test_a_cell_of_a_table_holds_any_line(text: str) -> None:
    line = visible(" ".join(text.split()))
    shown = tokens("\n".join(table(["#", "File", "Why"], [["1", code(line), prose("a|b")]])))
    cells = [token for token in shown if token.type == "inline"][3:]
    assert [cell.content for cell in cells if cell.content != code(line)] == ["1", "a|b"]


@given(st.lists(hostile, min_size=1))
def test_a_fence_holds_any_lines(texts: list[str]) -> None:
    lines = [line for text in texts for line in text.replace("\r", "").replace("\0", "").split("\n")]
    assert fences(fence(lines)) == [lines]


@given(hostile)
def test_prose_is_one_paragraph_of_the_same_words(text: str) -> None:
    shown = prose(text)
    check_inert(shown, "nobody")
    kinds = {token.type for token in tokens(shown)}
    assert kinds <= {"paragraph_open", "inline", "paragraph_close"}


@given(hostile)
def test_a_quotation_stays_one(text: str) -> None:
    shown = quoted(text, 500)
    assert len(shown.encode()) <= 500
    assert all(line.startswith(">") for line in shown.split("\n"))
    check_inert(shown, "nobody")


def test_a_quotation_keeps_what_a_request_is_made_of() -> None:
    request = "# Why\n\n**Two** ways:\n1. `a`\n   - b_c\n\n~~~py\nx = [1]\n```\n~~~\nend"
    assert quoted(request, 500).split("\n") == [
        "> **Why**",
        ">",
        "> **Two** ways:",
        "> 1. `a`",
        ">    - b\\_c",
        ">",
        "> ````",
        "> x = [1]",
        "> ```",
        "> ````",
        "> end",
    ]


@pytest.mark.parametrize("piece", ["`", "``` ", "a`", "#", "@", ")", "<", "[", "* ", "- ", "\\", ":a", "#1)", "~~~ "])
def test_a_long_text_takes_no_longer_than_its_length(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    check_inert(quoted(text, 40_000), "nobody")
    check(proposals.answered(text, re="1", requester="mona", run=RUN, links=LINKS))
    check(proposals.answered(f"{text}a", re="1", requester="mona", run=RUN, links=LINKS))


@given(
    st.sampled_from(["proposal", "error"]), st.from_regex(r"[A-Za-z0-9_.:/]{1,100}", fullmatch=True), st.integers(1, 9)
)
def test_a_marker_is_found_again(kind: str, answers: str, part: int) -> None:
    mark = Marker(kind, answers, part, 9)
    assert marker.find(f"text\n\n{marker.write(mark)}\r\n") == mark


@pytest.mark.parametrize(
    "body",
    [
        "",
        "text",
        "<!-- gitclaw:1 kind=help re=1 part=1/1 -->\nmore",
        "> <!-- gitclaw:1 kind=help re=1 part=1/1 -->",
        "<!-- gitclaw:2 kind=help re=1 part=1/1 -->",
        "<!-- gitclaw:1 kind=other re=1 part=1/1 -->",
        "<!-- gitclaw:1 kind=help re=1 part=2/1 -->",
        "<!-- gitclaw:1 kind=help re=a--b part=1/1 -->",
    ],
)
def test_what_is_no_marker_of_ours(body: str) -> None:
    assert marker.find(body) is None


@pytest.mark.parametrize("answers", ["", "a b", "-->", "x" * 101, "a--b"])
def test_no_marker_is_written_that_would_not_be_found(answers: str) -> None:
    with pytest.raises(ValueError, match="no marker"):
        marker.write(Marker("help", answers))


@pytest.mark.parametrize(
    ("terminal", "thread"),
    [
        ("gitclaw status shows what is", "`/gitclaw status` shows what is"),
        ("take it back first: undo 3.1", "take it back first: `/undo 3.1`"),
        ("take them together: apply 9,8", "take them together: `/apply 9,8`"),
        ("run gitclaw suggest again", "ask again with `/gitclaw <request>`"),
        (
            "make some with gitclaw suggest -- COMMAND, or name another thread with --thread",
            "ask for some with `/gitclaw <request>`",
        ),
        ("make the change by hand (gitclaw show has it)", "make the change by hand (`/gitclaw show` has it)"),
        ("to have them back, gitclaw undo 1-3", "to have them back, `/undo 1-3`"),
        ("see to that, then give any gitclaw command: it finishes", "see to that, then give any command: it finishes"),
        ("all it said is in .gitclaw/state/main/execution.log", "see all it said in the run log"),
    ],
)
def test_what_a_terminal_says_in_the_words_of_a_thread(terminal: str, thread: str) -> None:
    assert in_thread(terminal) == thread


def test_only_the_requester_is_notified() -> None:
    scene = report()
    bodies = proposals.proposal(scene.state, 1, scene.texts, LINKS, re="1", requester="mona", answer="@ada @mona-lisa")
    check(bodies)
    assert sum(body.count("@mona.") for body in bodies) == 1
