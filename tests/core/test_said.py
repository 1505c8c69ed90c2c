"""Reasons, risk, modes, paths, and what is shown of hostile text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.core.modes import Conduct, Mode, conduct
from gitclaw_py.core.paths import is_git_directory, objection
from gitclaw_py.core.reasons import LONGEST, clean, explained, read_reasons
from gitclaw_py.core.risk import Risk, assess, level_of
from gitclaw_py.core.visible import visible, visible_bytes
from tests.core.states import created, deleted, edit


def test_reasons_go_to_the_file_and_to_the_hunks_their_lines_meet() -> None:
    reasons = {"f.py": "tidier", "f.py:1": "first", "./f.py:21-25": "last", "other.py": "never shown"}
    (found,) = explained([edit(1, 1, 1, 1)], read_reasons(json.dumps(reasons).encode()))
    assert found.reason == "tidier"
    assert [g.reason for g in found.groups] == ["first", None, "last"]


def test_a_file_that_is_one_part_takes_any_reason() -> None:
    (found,) = explained([created(1, b"a b.txt")], read_reasons(b'{"a b.txt:3-9": "new"}'))
    assert found.reason == "new"


@pytest.mark.parametrize("data", [b"", b"[]", b'{"a": 3}', b"\xff", b"[" * 100_000, b'"x"'])
def test_reasons_that_are_none_say_so(data: bytes) -> None:
    with pytest.raises(ValueError, match="it is not"):
        read_reasons(data)


def test_a_reason_is_one_clean_short_line() -> None:
    assert clean("a\nb\t\x1b[31m c\u202e") == r"a b \x1b[31m c\u{202E}"
    long = clean("word " * 100)
    assert len(long) <= LONGEST
    assert long.endswith("word…")
    assert read_reasons(b'{"a": "  \\n "}') == []


@given(st.text())
def test_nothing_shown_moves_a_terminal_or_hides(text: str) -> None:
    shown = visible(text)
    assert not any((ord(c) < 32 and c != "\t") or 0x7F <= ord(c) < 0xA0 for c in shown)
    assert not set("\u202e\u200b\u2066\ufeff").intersection(shown)
    shown.encode("utf-8")


@given(st.binary())
def test_bytes_can_always_be_shown(data: bytes) -> None:
    visible_bytes(data).encode("utf-8")


@pytest.mark.parametrize(
    "name", [b".git", b".GIT", b".Git ", b".git.", b"git~1", b"GIT~1", b".g\xe2\x80\x8cit", b".git::$INDEX_ALLOCATION"]
)
def test_other_spellings_of_the_git_directory(name: bytes) -> None:
    assert is_git_directory(name)
    assert objection(b"a/" + name + b"/config") == "inside a git directory"


@pytest.mark.parametrize(
    "path", [b".gitignore", b".gitx/y", b"git", b"a.git/x", b".github/x", b".gitclaw/suggestions.json"]
)
def test_plain_names(path: bytes) -> None:
    assert objection(path) is None


@pytest.mark.parametrize(
    "path", [b"../x", b"a/../b", b"/etc/passwd", b"a//b", b"./a", b"", b"a\0b", b".gitclaw/state/main/state.json"]
)
def test_paths_that_are_none(path: bytes) -> None:
    assert objection(path)


def test_the_levels_of_risk() -> None:
    assert [level_of(score) for score in (0, 14, 15, 39, 40, 69, 70, 200)] == [
        Risk.LOW,
        Risk.LOW,
        Risk.MEDIUM,
        Risk.MEDIUM,
        Risk.HIGH,
        Risk.HIGH,
        Risk.CRITICAL,
        Risk.CRITICAL,
    ]


@pytest.mark.parametrize(
    ("paths", "level", "because"),
    [
        ([b"src/app.py"], Risk.LOW, ()),
        ([b"a.py"] * 11, Risk.MEDIUM, ("11 files",)),
        ([b"%d/a.py" % k for k in range(6)], Risk.LOW, ("6 folders",)),
        ([b"package.json"], Risk.MEDIUM, ("dependencies (package.json)",)),
        ([b".github/workflows/ci.yml"], Risk.MEDIUM, ("infrastructure (.github/workflows/ci.yml)",)),
        ([b"src/auth/session.py"], Risk.HIGH, ("critical path (src/auth/session.py)",)),
        (
            [b"Dockerfile", b"uv.lock", b"login.py"],
            Risk.CRITICAL,
            ("critical path (login.py)", "infrastructure (Dockerfile)", "dependencies (uv.lock)"),
        ),
    ],
)
def test_risk_comes_from_the_diff(paths: list[bytes], level: Risk, because: tuple[str, ...]) -> None:
    found = assess([edit(k, 1, path=path) for k, path in enumerate(paths, 1)])
    assert (found.level, found.because) == (level, because)


def test_deleting_is_a_risk() -> None:
    assert assess([deleted(1)]).because == ("1 deleted",)


MODES = [
    (Mode.SUGGEST_ONLY, Risk.LOW, Conduct(commits=False, shows=True)),
    (Mode.COMMIT_ONLY, Risk.CRITICAL, Conduct(commits=True, shows=False)),
    (Mode.SUGGEST_AND_COMMIT, Risk.MEDIUM, Conduct(commits=True, shows=True)),
    (Mode.SUGGEST_AND_COMMIT, Risk.HIGH, Conduct(commits=False, shows=True)),
    (Mode.HYBRID, Risk.MEDIUM, Conduct(commits=True, shows=False)),
    (Mode.HYBRID, Risk.CRITICAL, Conduct(commits=False, shows=True)),
]


@pytest.mark.parametrize(("mode", "risk", "expected"), MODES)
def test_modes(mode: Mode, risk: Risk, expected: Conduct) -> None:
    assert conduct(mode, risk, Risk.HIGH) == expected
