"""The first line of a commit says what kind of change it is, and where."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.core.conventional import subject

LINE = re.compile(r"[a-z]+(\([^)]*\))?!?: \S.*")


@pytest.mark.parametrize(
    ("paths", "asked", "expected"),
    [
        ([b"src/parser.py"], "Add a --json flag.", "feat(parser): add a --json flag"),
        ([b"src/parser.py"], "Fix the crash on empty input", "fix(parser): fix the crash on empty input"),
        ([b"src/a.py", b"src/b.py"], "rename both", "feat(src): rename both"),
        ([b"src/a.py", b"lib/b.py"], "rename both", "feat: rename both"),
        ([b"README.md"], "fix a typo", "docs(README): fix a typo"),
        ([b"docs/guide.md", b"docs/more.md"], "explain", "docs(docs): explain"),
        ([b"tests/test_a.py"], "cover it", "test(test_a): cover it"),
        ([b".github/workflows/ci.yml"], "run on 3.13", "ci(ci): run on 3.13"),
        ([b"pyproject.toml"], "raise the version", "build(pyproject): raise the version"),
        ([b"a.py", b"README.md"], "both", "feat: both"),
        ([b"a.py"], "/gitclaw do it", "feat(a): do it"),
        ([b"a.py"], "fix(core)!: as it was written", "fix(core)!: as it was written"),
        ([b"a.py"], "HTTP errors are lost", "fix(a): HTTP errors are lost"),
        ([b"a.py"], "\n\n  second line first\nmore", "feat(a): second line first"),
        ([b"a.py"], "", "feat(a): apply suggestions 1, 2"),
        ([b"a (1).py"], "do it", "feat: do it"),
    ],
)
def test_a_first_line(paths: list[bytes], asked: str, expected: str) -> None:
    assert subject(paths, asked, "1, 2", undo=False) == expected


def test_taking_back_says_what() -> None:
    assert subject([b"a.py"], "Add a flag", "1, 3", undo=True) == "revert: suggestions 1, 3 of add a flag"


def test_a_long_request_is_cut_between_words() -> None:
    asked = "rename every function of the module so that it says what it does"
    line = subject([b"a.py"], asked, "1", undo=False)
    assert len(line) <= 72
    assert line.endswith("…")
    assert line.removesuffix("…").rsplit(" ", 1)[1] in asked.split()


@given(
    paths=st.lists(st.binary(min_size=1, max_size=30), min_size=1, max_size=4),
    asked=st.text(max_size=200),
    undo=st.booleans(),
)
def test_whatever_was_asked_it_is_one_short_line(paths: list[bytes], asked: str, *, undo: bool) -> None:
    line = subject(paths, asked, "1", undo=undo)
    assert len(line) <= 72
    assert "\n" not in line
    assert LINE.fullmatch(line)
