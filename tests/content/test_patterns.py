"""Patterns as git itself reads them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitclaw_py.core.patterns import compiled, matches
from tests.sandbox import ENVIRONMENT

_PIECES = ["a", "b", "*", "?", "**", "[ab]", "[!a]", "[^a]", "[a-c]", "[]a]", "[[:alpha:]]", "\\*", "\\a", "é", ".env*"]
_PIECES += ["*.pem", "#", "!", " ", "\\ ", "[a-", "[z-a]", "[a\\]]", "-"]
_NAMES = ["a", "b", "ab", "abc", ".env", "a b", "x.pem", "-", "é", "[", "a]", "!a", "#c", "a*", "A"]
_LINE = st.lists(st.lists(st.sampled_from(_PIECES), max_size=3).map("".join), min_size=1, max_size=3).map("/".join)
_PATH = st.lists(st.sampled_from(_NAMES), min_size=1, max_size=4).map("/".join)
# Git compares two unrelated addresses there: https://github.com/git/git/blob/v2.39.5/wildmatch.c#L86
_UNDEFINED = re.compile(r"[^/!]\*\*|\*\*\\")


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rules")
    subprocess.run(["git", "init", "-q", str(folder)], check=True, env=ENVIRONMENT)
    return folder


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.tuples(st.sampled_from(["", "!"]), _LINE, st.sampled_from(["", "/"])).map("".join), max_size=4),
    paths=st.sets(_PATH, min_size=1, max_size=20),
)
def test_a_path_matches_as_in_git(rules: Path, lines: list[str], paths: set[str]) -> None:
    lines = [line for line in lines if not _UNDEFINED.search(line)]
    (rules / ".gitignore").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ran = subprocess.run(
        ["git", "-C", str(rules), "check-ignore", "--no-index", "-z", "--stdin"],
        input=b"".join(b"./" + path.encode() + b"\0" for path in paths),
        capture_output=True,
        env={**ENVIRONMENT, "GIT_CONFIG_GLOBAL": "/dev/null"},
        check=False,
    )
    named = {path.removeprefix(b"./") for path in ran.stdout.split(b"\0")[:-1]}
    patterns = compiled(tuple(lines))
    assert {path.encode() for path in paths if matches(patterns, path.encode())} == named
