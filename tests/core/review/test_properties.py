"""Any text, any diff, any hunks of a pull request: no refused anchor, no wrong text, no lost part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.core.applying import targets
from gitclaw_py.core.diffs import Entry, blob_id
from gitclaw_py.core.review.blocks import Change, suggestion_blocks, taken
from gitclaw_py.core.review.body import suggestion
from gitclaw_py.core.review.plan import Plan, Reason
from gitclaw_py.core.review.planner import plan
from gitclaw_py.core.review.pull_diff import PullFile
from gitclaw_py.core.review.sheet import sheet
from gitclaw_py.core.scripts import Hunk, splice, split_lines
from gitclaw_py.core.suggestions import Group, Kind, Suggestion
from tests.core.review.heads import Head
from tests.core.review.look import PATH
from tests.core.strategies import scripts
from tests.reviews.github import Page, block_of
from tests.reviews.oracle import Seen

LINES = [b"a\n", b"b\n", b"\n", b"\n", b"  \n", b"a \n", b"```\n", b"  ````\n", b"~~~\n", b"```suggestion\n", b"\t}\n"]
ODD = [b"a\r\n", b"\xff\n", "\u202e\n".encode(), b"x\fy\n", b"\0\n", b"<!-- x\n", b"> ```\n"]
bodies = st.lists(st.sampled_from(LINES), max_size=16) | st.lists(st.sampled_from(LINES + ODD), max_size=16)
endings = st.sampled_from([b"", b"", b"end", b"```"])


class Case(NamedTuple):
    """A head, what of it the pull request shows, and suggestions for it."""

    text: bytes
    shown: tuple[tuple[int, int], ...]
    suggestions: tuple[Suggestion, ...]


@st.composite
def shown_hunks(draw: st.DrawFn, count: int) -> tuple[tuple[int, int], ...]:
    """Hunks of the pull request, some without a gap between them."""
    cuts = sorted(draw(st.sets(st.integers(0, count), max_size=6)))
    pairs = [(one, other) for one, other in pairwise(cuts) if draw(st.booleans())]
    return tuple(pairs)


@st.composite
def suggested(draw: st.DrawFn, number: int, base: tuple[bytes, ...]) -> Suggestion | None:
    hunks: list[Hunk] = []
    for hunk in draw(scripts(base)):
        lines = tuple(draw(st.lists(st.sampled_from(LINES + ODD[:4]), max_size=3)))
        hunks.append(hunk._replace(lines=lines) if hunk.end < len(base) and draw(st.booleans()) else hunk)
    if not hunks:
        return None
    groups: list[list[Hunk]] = [[hunks[0]]]
    for hunk in hunks[1:]:
        if draw(st.booleans()):
            groups[-1].append(hunk)
        else:
            groups.append([hunk])
    old, new = (Entry("100644", blob_id("sha1", b"".join(side))) for side in (base, splice(base, hunks)))
    made = tuple(Group(k, tuple(group)) for k, group in enumerate(groups, 1))
    return Suggestion(number, 1, Kind.MODIFY, PATH, PATH, old, new, made)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    text = b"".join(draw(bodies)) + draw(endings)
    base = tuple(split_lines(text))
    made = [draw(suggested(number, base)) for number in range(1, draw(st.integers(1, 2)) + 1)]
    return Case(text, draw(shown_hunks(len(base))), tuple(s for s in made if s))


class MadeUp(Page):
    """A pull request of one file."""

    def __init__(self, case: Case) -> None:
        self._case = case

    def lines(self, path: str) -> Mapping[int, int]:
        assert path == PATH.decode()
        return {line + 1: k for k, (start, end) in enumerate(self._case.shown) for line in range(start, end)}

    def text(self, path: str) -> bytes:
        assert path == PATH.decode()
        return self._case.text


def planned(case: Case) -> Seen:
    wanted = targets(case.suggestions, [p for s in case.suggestions for p in s.parts], (), undo=False)
    found = plan(wanted, Head({PATH: case.text}), [PullFile(PATH, case.shown)], {})
    assert isinstance(found, Plan)
    return Seen(MadeUp(case), found, case.suggestions)


@given(cases())
def test_every_plan_is_exact_and_complete(case: Case) -> None:
    assert list(planned(case).faults()) == []


@given(cases())
def test_the_self_check_has_nothing_left_to_find(case: Case) -> None:
    assert not [f for f in planned(case).plan.fallbacks if f.reason is Reason.SELF_CHECK]


@given(cases())
def test_comments_leave_an_unchanged_line_between_them(case: Case) -> None:
    comments = planned(case).plan.comments
    for one, other in pairwise(comments):
        assert (other.start_line or other.line) > one.line + 1


@given(cases())
def test_one_suggestion_alone_is_inline_wherever_the_forge_lets_it(case: Case) -> None:
    """But for what is refused to be on the safe side, and hunks that different hunks of the pull request keep apart."""
    seen = planned(case._replace(suggestions=case.suggestions[:1]))
    careful = {Reason.EOF_NEWLINE_ADDED, Reason.INVISIBLE_CHARACTERS, Reason.CARRIAGE_RETURN, Reason.OVERLAP}
    left = sum(len(f.parts) for f in seen.plan.fallbacks if f.reason in careful | {Reason.BINARY, Reason.NO_OP})
    assert seen.placed() + left >= seen.possible()


@given(cases(), st.data())
def test_exact_alone_and_apart_is_exact_in_any_company(case: Case, data: st.DataObject) -> None:
    """Why pairs need no try of their own: ranges that do not touch compose, whatever subset is taken."""
    page = sheet(case.text)
    if page.flaw or not case.suggestions:
        return
    hunks = [hunk for hunk in case.suggestions[0].hunks if hunk.end > hunk.start]
    blocks = [page.block(hunk.start, hunk.end, hunk.lines) for hunk in hunks]
    alone = [(h, b) for h, b in zip(hunks, blocks, strict=True) if not isinstance(b, Reason)]
    some = data.draw(st.sets(st.sampled_from(range(len(alone)))) if alone else st.just(set[int]()))
    changes = [Change(alone[k][0].start, alone[k][0].end, alone[k][1]) for k in some]
    wanted = b"".join(splice(page.lines, (alone[k][0] for k in some)))
    assert taken(case.text.decode(), changes).encode() == wanted


blocks = st.lists(
    st.sampled_from(["", "a", " ", "```", "````", "  ```", "~~~", "```suggestion", "\tx ", "<!--", "-->"])
)


@given(blocks)
def test_a_block_is_read_as_it_was_written_by_us_and_by_a_parser_of_markdown(lines: Sequence[str]) -> None:
    body = f"Why.\n\n{suggestion(tuple(lines))}\n\n**1** · more\n<!-- gitclaw -->"
    assert suggestion_blocks(body) == [tuple(lines)]
    assert block_of(body) == list(lines)


@given(
    st.lists(st.sampled_from(["", "a", "```", "````", "  ```", "    ```", "~~~", "```suggestion", "``` x", "`````"]))
)
def test_the_reader_of_blocks_agrees_with_a_parser_of_markdown(lines: Sequence[str]) -> None:
    body = "\n".join([*lines, "```````", "end"])
    found = suggestion_blocks(body)
    if len(found) == 1:
        assert block_of(body) == list(found[0])
