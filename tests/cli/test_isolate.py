"""What was typed runs as its person would run it; with ``--isolate`` it is kept apart as in a thread."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitclaw_py.core.settings import Isolation
from tests.isolation.place import KINDS, place, search
from tests.sandbox import Sandbox


@pytest.fixture
def apart(tmp_path: Path) -> None:
    place(tmp_path, Isolation.AUTO)


SCRIPT = "env > env.txt; id -u > id.txt; git log --format=%s > log.txt 2>&1; exit 0"


def _suggested(repo: Sandbox, *options: str) -> dict[str, str]:
    repo.write("a.txt", "one\n")
    repo.commit()
    repo.suggest(SCRIPT, *options, MY_KEY="mine", PATH=search())
    repo.gitclaw("apply", "all")
    (proposal,) = repo.state()["proposals"]
    files = {name: repo.read(f"{name}.txt").decode() for name in ("env", "id", "log")}
    return {**files, "isolation": proposal["isolation"]}


def test_what_was_typed_has_what_the_person_has(repo: Sandbox) -> None:
    found = _suggested(repo)
    assert found["isolation"] == "none"
    assert "MY_KEY=mine" in found["env"]


@pytest.mark.usefixtures("apart")
def test_isolated_it_has_nothing_of_theirs(repo: Sandbox) -> None:
    found = _suggested(repo, "--isolate", "--git")
    assert found["isolation"] in KINDS
    assert "MY_KEY" not in found["env"]
    assert found["log"] == "base\n"
    log = (repo.path / ".gitclaw/state/main/execution.log").read_text(encoding="utf-8")
    assert f"[isolation: {found['isolation']}, no network]\n$ sh -c " in log


@pytest.mark.usefixtures("apart")
def test_isolated_it_gets_what_the_configuration_names(repo: Sandbox) -> None:
    settings = {"agent": {"environment": ["MY_KEY"], "isolation": "none", "limits": {"fileSize": 1}}}
    repo.write("suggestions.json", json.dumps(settings))
    found = _suggested(repo, "--isolate")
    assert found["isolation"] in KINDS
    assert "MY_KEY=mine" in found["env"]
