"""What lands was shown: whatever takes the place of what, both are to be seen before anyone says apply."""

from __future__ import annotations

import subprocess

import pytest

from tests.sandbox import Sandbox, made

_THINGS = {
    "file": ("echo hello >t", "- hello", "+ hello"),
    "executable file": ("echo run >t; chmod +x t", "- run", "+ run"),
    "link": ("ln -s /etc/passwd t", "- link to /etc/passwd", "+ link to /etc/passwd"),
    "binary": (r"printf 'a\0b' >t", "- no text: 3 bytes", "+ no text: 3 bytes"),
    "empty": (": >t", "- an empty file", "+ an empty file"),
}
_WORDS = {"binary": "file", "empty": "file"}
_PAIRS = [(one, "link") for one in _THINGS if one != "link"] + [("link", one) for one in _THINGS if one != "link"]


@pytest.mark.parametrize(("before", "after"), _PAIRS)
def test_what_takes_the_place_of_another_type_is_shown(repo: Sandbox, before: str, after: str) -> None:
    subprocess.run(["sh", "-c", _THINGS[before][0]], cwd=repo.path, check=True)
    repo.commit()
    said = repo.gitclaw("suggest", "--", "sh", "-c", f"rm t; {_THINGS[after][0]}").out
    kind = f"{_WORDS.get(before, before)} → {_WORDS.get(after, after)}"
    assert f"\n1  t  {kind}\n   {_THINGS[before][1]}\n   {_THINGS[after][2]}\n" in said
    assert f"  1  t  {kind}" in said
    [found] = repo.gitclaw("status", "--json").json["suggestions"]
    counted = {"file": 1, "executable file": 1, "link": 1, "binary": 0, "empty": 0}
    assert (found["removed"], found["added"]) == (counted[before], counted[after])
    assert found["old_mode"] != found["mode"]


def test_of_a_change_that_only_adds_nothing_is_said_to_go(repo: Sandbox) -> None:
    """A pointer to a large file is taken whole, and is text all the same."""
    repo.write("large", "version https://git-lfs.github.com/spec/v1\noid sha256:1\n")
    repo.commit()
    said = repo.suggest("echo 'size 3' >>large").out
    assert "\n   + size 3\n" in said
    assert "no text" not in said


def test_a_file_that_takes_the_place_of_a_submodule_is_shown(repo: Sandbox) -> None:
    repo.commit()
    commit = repo.head
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},sm")
    repo.git("commit", "-qm", "a submodule")
    said = repo.gitclaw("suggest", "--", "sh", "-c", "rmdir sm; echo evil >sm").out
    assert f"\n1  sm  submodule → file\n   - submodule at commit {commit}\n   + evil\n" in said


def test_the_commits_of_a_submodule_are_shown(repo: Sandbox) -> None:
    inner = made(repo.path / "sm")
    first = inner.commit("one")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{first},sm")
    repo.git("commit", "-qm", "a submodule")
    second = inner.commit("two")
    said = repo.gitclaw("suggest", "--uncommitted").out
    assert f"   - submodule at commit {first}\n   + submodule at commit {second}\n" in said


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_nothing_uncommitted_is_no_error(repo: Sandbox, options: tuple[str, ...]) -> None:
    repo.commit()
    said = repo.gitclaw("suggest", "--uncommitted", *options)
    assert said.err == ""
    assert said.json["outcome"] == "nothing proposed" if options else said.out == "Nothing is uncommitted.\n"
