"""States to test with: built from strategies, and by hand."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from gitclaw_py.core.diffs import Entry
from gitclaw_py.core.paths import objection
from gitclaw_py.core.scripts import Hunk
from gitclaw_py.core.state import Decision, Proposal, State, Verb
from gitclaw_py.core.suggestions import Group, Kind, Suggestion
from tests.core.strategies import changes, texts

OLD, NEW = Entry("100644", "1" * 40), Entry("100644", "2" * 40)
FIRST = Proposal(1, "a" * 40, "b" * 40, 1_700_000_000, ("ruff", "check"), 0, "suggest-only", "low", 0)


def edit(number: int, *sizes: int, path: bytes = b"f.py", **more: object) -> Suggestion:
    """A modified file with one group for each of ``sizes``, of that many smallest hunks."""
    groups, line = [], 0
    for k, size in enumerate(sizes, 1):
        hunks = tuple(Hunk(line + 2 * n, line + 2 * n + 1, (b"new\n",)) for n in range(size))
        groups.append(Group(k, hunks))
        line += 10 * size
    return Suggestion(number, 1, Kind.MODIFY, path, path, OLD, NEW, tuple(groups), **more)  # type: ignore[arg-type]


def created(number: int, path: bytes = b"new.py", **more: object) -> Suggestion:
    return Suggestion(number, 1, Kind.CREATE, path, path, None, NEW, **more)  # type: ignore[arg-type]


def deleted(number: int, path: bytes = b"old.py", **more: object) -> Suggestion:
    return Suggestion(number, 1, Kind.DELETE, path, path, OLD, None, **more)  # type: ignore[arg-type]


def state(*suggestions: Suggestion) -> State:
    return State("main", (FIRST,), suggestions)


def word(verb: Verb, *parts: str, commit: str | None = None, by: tuple[int, ...] = ()) -> Decision:
    return Decision(verb, parts, "ada", 1_700_000_000, commit=commit, replaced_by=by)


def without_ids(document: str) -> str:
    """The document of a state as the first version wrote it."""
    return re.sub(r'"id": "[0-9a-f]{64}", ', "", document).replace('"version": 2', '"version": 1')


paths = texts.filter(lambda data: objection(data) is None)


@st.composite
def suggestions(draw: st.DrawFn, number: int) -> Suggestion:
    _, hunks = draw(changes())
    groups = tuple(Group(k, (hunk,), draw(st.none() | st.text(max_size=5))) for k, hunk in enumerate(hunks, 1))
    path = draw(paths)
    return Suggestion(
        number,
        1,
        draw(st.sampled_from(Kind)),
        path,
        draw(st.just(path) | paths),
        draw(st.sampled_from([OLD, None])),
        draw(st.sampled_from([NEW, None])),
        groups,
        draw(st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)),
        draw(st.sampled_from([(), (1,)])),
        draw(st.sampled_from([None, "why"])),
        len(hunks),
        0,
    )


@st.composite
def states(draw: st.DrawFn) -> State:
    found = tuple(draw(suggestions(number)) for number in range(1, draw(st.integers(0, 4)) + 1))
    names = [name for s in found for name in s.parts]
    decisions = []
    for _ in range(draw(st.integers(0, 3)) if names else 0):
        parts = tuple(draw(st.sets(st.sampled_from(names), min_size=1)))
        decisions.append(Decision(draw(st.sampled_from(Verb)), parts, "ada", 1, draw(st.none() | st.just("no"))))
    isolation, apart = draw(st.sampled_from([None, "landlock"])), draw(st.sampled_from([None, "c" * 40]))
    first = FIRST._replace(isolation=isolation, apart=apart)
    return State(draw(st.sampled_from(["main", "feature/é", "a b"])), (first,), found, tuple(decisions))
