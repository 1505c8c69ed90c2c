"""A repository that has workflows, as every one has where the bot lives, and a token that may not change them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

import pytest

from tests.conversations.split import Split
from tests.conversations.talk import FILES, Talk, talking
from tests.sandbox import ENVIRONMENT

FOLDER = ".github/workflows"
WORKFLOWS = {f"{FOLDER}/{name}.yml": b"on: push\n" + FILES["app.py"] for name in ("kept", "changed", "gone", "moved")}
REQUEST = f"""/gitclaw

replace old with new in app.py
replace old with new in {FOLDER}/changed.yml
write {FOLDER}/more/added.yml on: push
delete {FOLDER}/gone.yml
rename {FOLDER}/moved.yml to elsewhere.yml"""
Say = Callable[[str], list[str]]


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    with talking(tmp_path, files={**FILES, **WORKFLOWS}) as talk:
        yield talk


@pytest.fixture(params=["one job", "three jobs"])
def say(request: pytest.FixtureRequest, talk: Talk) -> Say:
    return talk.say if request.param == "one job" else Split(talk).say


def test_workflows_are_in_nobody_s_way(talk: Talk) -> None:
    (proposal,) = talk.say("/gitclaw replace old with new in app.py")
    assert "Proposal 1: 1 suggestion" in proposal
    (applied,) = talk.say("/apply 1")
    assert "Applied" in applied
    assert {path: talk.file(path) for path in WORKFLOWS} == WORKFLOWS


def test_their_changes_are_shown_and_kept_and_nobody_s_to_apply(say: Say, talk: Talk) -> None:
    (proposal,) = say(REQUEST)
    assert "### Proposal 1: 5 suggestions" in proposal
    rows = [row for row in proposal.split("\n") if row.startswith("| **")]
    assert [FOLDER in row for row in rows] == ["Blocked: a person must do this" in row for row in rows]
    assert sum(FOLDER in row for row in rows) == 4
    assert "+new = 1" in proposal
    (applied,) = say("/apply all")
    assert "### Applied 4" in applied
    assert (talk.file("app.py") or b"").startswith(b"new = 1\n")
    assert {path: talk.file(path) for path in WORKFLOWS} == WORKFLOWS
    (refused,) = say("/apply 1")
    assert "BLOCKED_PATH" in refused


def test_the_commands_in_the_reply_take_them(say: Say, talk: Talk, tmp_path: Path) -> None:
    (proposal,) = say(REQUEST)
    commands = re.findall(r"```sh\n(.*)\n```", proposal)
    assert len(commands) == 4
    clone = tmp_path / "clone"
    _run(f"git clone -q {talk.repo.clone_url} {clone}", tmp_path)
    for command in commands:
        _run(unescape(command), clone)
    changed = {path.relative_to(clone).as_posix(): path.read_bytes() for path in (clone / FOLDER).rglob("*.yml")}
    assert changed == {
        f"{FOLDER}/kept.yml": WORKFLOWS[f"{FOLDER}/kept.yml"],
        f"{FOLDER}/changed.yml": WORKFLOWS[f"{FOLDER}/changed.yml"].replace(b"old", b"new"),
        f"{FOLDER}/more/added.yml": b"on: push\n",
    }
    assert (clone / "elsewhere.yml").read_bytes() == WORKFLOWS[f"{FOLDER}/moved.yml"]
    assert (clone / "app.py").read_bytes() == FILES["app.py"]


def test_a_refinement_and_a_second_request_keep_them_apart_too(say: Say, talk: Talk) -> None:
    say(REQUEST)
    (again,) = say(f"/refine 4 more\n\nreplace new with newer in app.py\nwrite {FOLDER}/second.yml on: push")
    assert "### Proposal 2: 2 suggestions" in again
    assert f"{FOLDER}/second.yml" in again
    (repeated,) = say(f"/gitclaw\n\nwrite {FOLDER}/more/added.yml on: push\nwrite other.txt other")
    assert "### Proposal 3: 1 suggestion" in repeated
    (applied,) = say("/apply all")
    assert "### Applied" in applied
    assert (talk.file("app.py") or b"").startswith(b"newer = 1\n")
    assert talk.file("other.txt") == b"other\n"


def test_a_file_in_the_place_of_their_folder_is_kept_apart(say: Say) -> None:
    (proposal,) = say(f"/gitclaw\n\nempty {FOLDER}\nwrite {FOLDER} no folder")
    assert "### Proposal 1: 5 suggestions" in proposal
    assert proposal.count("Blocked: a person must do this") == 5


def test_only_workflows_is_a_proposal_as_well(say: Say, talk: Talk) -> None:
    (proposal,) = say(f"/gitclaw\n\nwrite {FOLDER}/added.yml on: push")
    assert "### Proposal 1: 1 suggestion" in proposal
    (shown,) = say("/gitclaw show 1")
    assert "+on: push" in shown
    assert talk.state()["proposals"][0]["apart"]


def _run(command: str, folder: Path) -> None:
    subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], cwd=folder, env=ENVIRONMENT, check=True)
