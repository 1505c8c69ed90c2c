"""A repository that has workflows, as every one has where the bot lives, and a token that may not change them."""

from __future__ import annotations

from pathlib import Path

from tests.conversations.talk import FILES, talking

WORKFLOW = ".github/workflows/gitclaw.yml"


def test_workflows_are_in_nobody_s_way(tmp_path: Path) -> None:
    with talking(tmp_path, files={**FILES, WORKFLOW: b"on: issue_comment\n"}) as talk:
        (proposal,) = talk.say("/gitclaw replace old with new in app.py")
        assert "Proposal 1: 1 suggestion" in proposal
        (applied,) = talk.say("/apply 1")
        assert "Applied" in applied
        assert talk.file(WORKFLOW) == b"on: issue_comment\n"
