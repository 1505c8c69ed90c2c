"""Rows 16, 24 and 25: which paths are blocked or sensitive, in every spelling, and what a repository can change."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import pytest

from gitclaw_py.core.diffs import Entry, FileDiff
from gitclaw_py.core.policy import TABLE, Row, Rules, Standing, is_of_workflows, ruling, steers
from gitclaw_py.core.suggestions import judged, suggest


def _no_texts(oids: Iterator[str]) -> Iterator[bytes]:
    return (b"" for _ in oids)


THREAD = Rules(portable=True)
_B, _S, _P = Standing.BLOCKED, Standing.SENSITIVE, Standing.PLAIN

BLOCKED = [
    ".github/workflows/ci.yml",
    ".github/workflows",
    ".GitHub/Workflows/CI.YML",
    ".github./workflows/x.yml",
    ".github /workflows/x.yml",
    ".github/workflows./x.yml",
    ".github/workflows /x.yml",
    ".github\\workflows\\x.yml",
    ".github/workflows\\x.yml",
    ".github::$INDEX_ALLOCATION/workflows/x.yml",
    "GITHUB~1/workflows/x.yml",
    ".github/WORKFL~1/x.yml",
    ".g\u200cithub/workflows/x.yml",
    ".github/work\ufeffflows/x.yml",
    ".github/wor\u212aflows/x.yml",
    ".github/work\u202eflows/x.yml",
    ".gitmodules",
    ".GITMODULES",
    ".gitmodules.",
    ".gitmodules:stream",
    "GITMOD~1",
    "sub/.gitmodules",
    ".git/config",
    ".GIT/config",
    "a/.git/hooks/pre-commit",
    "git~1/config",
    ".g\u200cit/config",
    ".git./config",
    ".git::$INDEX_ALLOCATION/config",
    "a\\.git\\config",
    ".git",
    "../x",
    "a/../b",
    "/etc/passwd",
    "a//b",
    "./a",
    ".gitclaw/state/x",
    ".env",
    ".ENV",
    ".env.production",
    "app/.env.local",
    "config/secrets/db.yml",
    "a/config/secrets/db.yml",
    "keys/server.pem",
    "server.KEY",
    "server.pem ",
    "deployment/prod.yml",
    "a/deployment/b/c",
    ".gitconfig",
    ".githooks/pre-commit",
    ".github/actions/own/index.js",
]
SENSITIVE = [
    "CODEOWNERS",
    "docs/codeowners",
    ".github/CODEOWNERS",
    ".github/dependabot.yml",
    ".gitattributes",
    "sub/.GitAttributes",
    ".claude/settings.json",
    "sub/.Claude/hooks.json",
    "CLAUD~1/settings.json".replace("CLAUD", "CLAUDE"),
    ".mcp.json",
    "CLAUDE.md",
    "a/claude.md",
    "AGENTS.md",
    ".vscode/tasks.json",
    ".devcontainer/devcontainer.json",
    ".husky/pre-push",
    "Makefile",
    "web/package.json",
    "suggestions.json",
    ".gitclaw/suggestions.json",
    "action.yml",
    ".gitlab-ci.yml",
]
ODD = [
    "con",
    "aux.c",
    "a/COM1.txt",
    "nul .txt",
    "trailing.",
    "trailing ",
    "a:b",
    "back\\slash",
    "star*",
    "new\nline",
    "tab\t",
    "bell\x07",
    "e\u0301.txt",
    "zero\u200bwidth",
    "rtl\u202e.txt",
    "progra~1",
    "x" * 5000,
    "a/" * 70 + "b",
]
PLAIN = [
    "a.py",
    "src/env.py",
    "github/workflows/x.yml",
    "README.md",
    "docs/é あ.md",
    "-rf",
    "keyboard.py",
    ".gitignore",
]


@pytest.mark.parametrize("path", BLOCKED)
def test_row_16_24_blocked_in_every_spelling(path: str) -> None:
    for form in ("NFC", "NFD"):
        assert ruling(unicodedata.normalize(form, path).encode()).standing is _B
    assert ruling(path.encode(), Rules(allow=("*.nothing",))).standing is _B


@pytest.mark.parametrize("path", SENSITIVE)
def test_row_16_sensitive_in_every_spelling(path: str) -> None:
    assert ruling(path.encode()).standing is _S


@pytest.mark.parametrize("path", ODD)
def test_row_24_names_that_systems_read_differently_are_for_people_in_a_thread_alone(path: str) -> None:
    """In a terminal the names are the person's own business; a forge's branch is checked out everywhere."""
    assert ruling(path.encode()).standing is _P
    assert ruling(path.encode(), THREAD).standing is _B
    assert ruling(b"\xff" + path.encode(), THREAD).standing is _B


@pytest.mark.parametrize("path", PLAIN)
def test_row_16_other_paths_are_plain(path: str) -> None:
    assert ruling(path.encode(), THREAD).standing is _P


def test_row_24_an_odd_name_that_is_there_already_can_be_edited() -> None:
    old, new = Entry("100644", "1" * 40), Entry("100644", "2" * 40)
    edited = FileDiff(b"aux.c", b"aux.c", old, new, ())
    created = FileDiff(b"nul.c", b"nul.c", None, new, ())
    found = [judged(s, THREAD) for s in suggest([edited, created], _no_texts, 1, 1)]
    assert [bool(s.blocked) for s in found] == [False, True]


def test_row_16_moving_something_there_or_away_counts_as_much() -> None:
    entry = Entry("100644", "1" * 40)
    for path, old in ((b"x.yml", b".github/workflows/x.yml"), (b".github/workflows/x.yml", b"x.yml")):
        (s,) = suggest([FileDiff(path, old, entry, entry, ())], _no_texts, 1, 1)
        assert s.blocked
    (s,) = suggest([FileDiff(b".env", b".env", entry, None, ())], _no_texts, 1, 1)
    assert s.blocked


def test_row_25_a_repository_inside_is_blocked() -> None:
    (s,) = suggest([FileDiff(b"lib", b"lib", None, Entry("160000", "1" * 40), ())], _no_texts, 1, 1)
    assert s.blocked


def test_row_16_a_repository_adds_and_takes_back_what_is_removable() -> None:
    rules = Rules(block=("/internal/", "*.sql", "!ok.sql"), sensitive=("docs/legal/**",), allow=("*.pem", ".github/"))
    assert ruling(b"internal/x", rules).standing is _B
    assert ruling(b"Internal/x", rules).standing is _B
    assert ruling(b"a/internal/x", rules).standing is _P
    assert ruling(b"a/x.sql", rules).standing is _B
    assert ruling(b"a/ok.sql", rules).standing is _P
    assert ruling(b"docs/legal/a/b", rules).standing is _S
    assert ruling(b"certs/ca.pem", rules).standing is _P
    assert ruling(b".github/dependabot.yml", rules).standing is _P
    assert ruling(b".github/workflows/x.yml", rules).standing is _B


@pytest.mark.parametrize("row", [row for row in TABLE if not row.removable])
def test_row_16_what_is_not_removable_stays(row: Row) -> None:
    everything = Rules(allow=("*", "**", "/**"))
    for pattern in row.patterns:
        path = pattern.rstrip("/").replace("*", "x").encode()
        assert ruling(path, everything).standing is row.standing


def test_row_18_what_steers_agents_is_at_least_sensitive() -> None:
    for path in (
        b"a/.claude/x",
        b"AGENTS.md",
        b"x/GEMINI.md",
        b".env.test",
        b".cursor/rules/a.mdc",
        b".aider.conf.yml",
    ):
        assert steers(path)
        assert ruling(path).standing > _P
    assert not steers(b"src/app.py")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".github/workflows/ci.yml", True),
        (".github/workflows/more/ci.yml", True),
        (".GitHub/Workflows/ci.yml", True),
        (".github/workflows", True),
        (".github", True),
        (".github/workflows.md", False),
        (".github/CODEOWNERS", False),
        ("a/.github/workflows/ci.yml", False),
        ("workflows/ci.yml", False),
    ],
)
def test_what_the_token_of_actions_may_not_push(path: str, expected: bool) -> None:  # noqa: FBT001
    assert is_of_workflows(path.encode()) is expected
