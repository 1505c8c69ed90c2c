"""``gitclaw suggest --agent NAME``, with a program of that name which prints what the real one prints."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sandbox import Sandbox

SPENT = {"usage": {"input_tokens": 20_000, "output_tokens": 100}, "total_cost_usd": 0.12}
WELL = {"type": "result", "subtype": "success", "is_error": False, "result": "Done as asked.", **SPENT}
FAILED = {**WELL, "is_error": True, "result": "API Error: 529 overloaded", "total_cost_usd": 0}
Program = Callable[[str, dict[str, object]], None]


@pytest.fixture
def claude(repo: Sandbox, tmp_path: Path) -> Program:
    """Puts a program called claude on the path: it runs this script, then prints that event."""
    repo.write("a.txt", "one\n")
    repo.commit("base")
    folder = tmp_path / "bin"
    folder.mkdir()
    repo.environment["PATH"] = f"{folder}:{repo.environment['PATH']}"

    def install(script: str, event: dict[str, object]) -> None:
        (folder / "event.json").write_text(json.dumps(event))
        program = folder / "claude"
        program.write_text(f"#!/bin/sh\ncat > {folder}/task\n{script}\ncode=$?\ncat {folder}/event.json\nexit $code\n")
        program.chmod(0o755)

    return install


def test_a_change_with_its_answer_and_what_it_used(repo: Sandbox, claude: Program, tmp_path: Path) -> None:
    claude("echo two > a.txt", WELL)
    said = repo.gitclaw("suggest", "--agent", "claude", "say two", "instead")
    assert said.out.startswith("Done as asked.\n\nProposal P1: 1 suggestion on main@")
    assert "claude · 0 s · 20.0k tokens in, 100 out · $0.12" in said.err
    task = (tmp_path / "bin/task").read_text()
    assert task.rstrip().endswith("# The task\n\nsay two instead")
    assert "is your last message" in task
    document = repo.gitclaw("status", "--json").json
    assert document["proposals"][0]["command"] == ["claude", "say two instead"]


def test_an_answer_without_a_change(repo: Sandbox, claude: Program) -> None:
    claude("true", {**WELL, "result": "It says one.\x1b[31m"})
    said = repo.gitclaw("suggest", "--agent", "claude", "what does it say?")
    assert said.out == "It says one.\\x1b[31m\n\nclaude changed nothing.\n"
    document = repo.gitclaw("suggest", "--agent", "claude", "--json", "what does it say?").json
    assert document["usage"] == {"input_tokens": 20_000, "output_tokens": 100, "cost_usd": 0.12}


def test_a_model_that_fails_is_told_though_the_agent_ended_well(repo: Sandbox, claude: Program) -> None:
    claude("true", FAILED)
    said = repo.gitclaw("suggest", "--agent", "claude", "say two", code=5).err
    assert said.startswith("MODEL_UNAVAILABLE: claude could not use its model and changed nothing.")
    assert "529 overloaded" in said
    assert repo.gitclaw("status", "--json").json["suggestions"] == []


def test_what_was_done_before_the_model_failed_is_not_lost(repo: Sandbox, claude: Program) -> None:
    claude("echo two > a.txt; false", FAILED)
    document = repo.gitclaw("suggest", "--agent", "claude", "--json", "say two").json
    assert document["numbers"] == [1]
    assert document["warnings"] == ["what is left to do: claude could not go on (API Error: 529 overloaded)"]


def test_a_limit_of_its_own(repo: Sandbox, claude: Program) -> None:
    claude("true", {**FAILED, "subtype": "error_max_turns"})
    said = repo.gitclaw("suggest", "--agent", "claude", "say two", code=7).err
    assert said.startswith("BUDGET_EXCEEDED: claude changed nothing.")


def test_one_that_is_not_installed_says_how_to_get_it(repo: Sandbox) -> None:
    repo.commit("base")
    path = {"PATH": "/usr/bin:/bin"}
    said = repo.gitclaw("suggest", "--agent", "claude", "say two", code=5, **path).err  # type: ignore[arg-type]
    assert "claude is not installed" in said
    assert "npm install --global @anthropic-ai/claude-code@" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--agent", "clod", "x"), "No agent is called clod"),
        (("--agent", "claude"), "claude was asked for nothing"),
        (("--agent", "claude", "x", "--", "ls"), "--agent runs an agent and no command"),
        (("--agent", "claude", "x", "--uncommitted"), "--agent runs an agent and no command"),
        (("ruff", "--fix", "."), "The command has to stand after two dashes"),
    ],
)
def test_words_that_do_not_go_together(repo: Sandbox, words: tuple[str, ...], said: str) -> None:
    repo.commit("base")
    assert said in repo.gitclaw("suggest", *words, code=2).err
