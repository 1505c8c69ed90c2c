"""Clones that have only some of their files: what is missing comes from where they were cloned, or that is said."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.sandbox import Sandbox, made


@pytest.fixture
def origin(tmp_path: Path) -> Sandbox:
    repo = made(tmp_path / "origin")
    for name in ("a.txt", "b.txt", "d/c.txt"):
        repo.write(name, f"{name}\n")
    repo.commit()
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    return repo


@pytest.fixture(params=["blob:none", "tree:0"])
def partial(request: pytest.FixtureRequest, origin: Sandbox, tmp_path: Path) -> Sandbox:
    path = tmp_path / "partial"
    origin.git("clone", "-q", f"--filter={request.param}", "--no-checkout", f"file://{origin.path}", str(path))
    clone = Sandbox(path)
    clone.git("sparse-checkout", "set", "--no-cone", "a.txt")
    clone.git("checkout", "-q", "main")
    return clone


def test_what_is_missing_is_brought(partial: Sandbox) -> None:
    assert sorted(path.name for path in partial.path.iterdir()) == [".git", "a.txt"]
    before = partial.fingerprint()
    said = partial.suggest("cat b.txt d/c.txt >>a.txt; echo x >>b.txt", "--json").json
    assert [s["path"] for s in said["suggestions"]] == ["a.txt", "b.txt"]
    assert partial.fingerprint() == before
    partial.gitclaw("apply", "all")
    assert partial.git("show", "HEAD:b.txt") == b"b.txt\nx\n"
    assert partial.read("a.txt") == b"a.txt\nb.txt\nd/c.txt\n"
    assert partial.status == ""


def test_what_cannot_be_brought_is_told(partial: Sandbox, origin: Sandbox) -> None:
    shutil.rmtree(origin.path)
    said = partial.suggest("echo x >>a.txt", code=2).err
    assert said.startswith("NOT_A_REPOSITORY: This is a partial clone, and ")
    assert said.endswith("Next: see that git fetch origin works, then try again\n")
