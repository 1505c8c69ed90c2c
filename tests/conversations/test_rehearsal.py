"""A saved event, played on a GitHub of this machine by the command line, without a token."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from tests.conversations.talk import AGENT
from tests.sandbox import Sandbox


def test_a_saved_event_is_played_and_leaves_everything_as_it_was(repo: Sandbox) -> None:
    _with_an_agent(repo)
    head, refs = repo.head, repo.git("for-each-ref")
    ended = repo.gitclaw(
        "run", "--event", _event(repo, "/gitclaw\n\nreplace old with new in app.py"), "--event-name", "issue_comment"
    )
    assert "Proposal 1: 1 suggestion" in ended.out
    assert "+new = 1" in ended.out
    assert "rehearsal" in ended.err
    assert (repo.head, repo.git("for-each-ref"), repo.status) == (head, refs, "")


REQUEST = "replace old with new in app.py"


@pytest.mark.parametrize(
    ("saved", "changes"),
    [
        ("issues.opened", {"issue": {"body": f"/gitclaw\n\n{REQUEST}"}}),
        ("issues.labeled", {"issue": {"body": REQUEST}, "label": {"name": "gitclaw"}}),
        ("repository_dispatch.event", {"action": "gitclaw-form", "client_payload": {"request": REQUEST}}),
        ("repository_dispatch.event", {"action": "gitclaw", "client_payload": {"request": REQUEST, "issue": 7}}),
        ("workflow_dispatch.event", {"inputs": {"request": REQUEST, "issue": ""}}),
    ],
)
def test_every_kind_of_event_is_played(repo: Sandbox, saved: str, changes: dict[str, Any]) -> None:
    _with_an_agent(repo)
    ended = repo.gitclaw("run", "--event", _saved(repo, f"{saved}.0", changes), "--event-name", saved.partition(".")[0])
    assert "Proposal 1: 1 suggestion" in ended.out
    assert "+new = 1" in ended.out


def test_a_label_makes_no_command_of_what_the_issue_says(repo: Sandbox) -> None:
    _with_an_agent(repo)
    changes = {"issue": {"body": "/gitclaw help"}, "label": {"name": "gitclaw"}, "sender": {"login": "hubot", "id": 7}}
    ended = repo.gitclaw("run", "--event", _saved(repo, "issues.labeled.0", changes), "--event-name", "issues")
    assert "No change proposed" in ended.out
    assert "### Commands" not in ended.out


def test_new_commits_of_a_pull_request_leave_nothing_to_rehearse(repo: Sandbox) -> None:
    event = _saved(repo, "pull_request.synchronize.0", {})
    assert repo.gitclaw("run", "--event", event, "--event-name", "pull_request").out.startswith("There is nothing")


def test_what_is_not_for_us_starts_nothing(repo: Sandbox) -> None:
    ended = repo.gitclaw("run", "--event", _event(repo, "thanks!"), "--event-name", "issue_comment")
    assert ended.out == "Ignored: The comment holds no command of ours\n"


def test_an_event_that_is_not_there_is_told(repo: Sandbox) -> None:
    assert "No event was given" in repo.gitclaw("run", code=2).err
    assert "cannot be read" in repo.gitclaw("run", "--event", "none.json", code=2).err


def _with_an_agent(repo: Sandbox) -> None:
    command = [sys.executable, str(AGENT), str(repo.path.parent / "told.txt")]
    repo.write("app.py", "old = 1\n")
    repo.write("suggestions.json", json.dumps({"agent": {"command": command, "isolation": "none"}}))
    repo.commit("base")


def _event(repo: Sandbox, text: str) -> str:
    return _saved(repo, "issue_comment.created.1", {"comment": {"body": text}})


def _saved(repo: Sandbox, name: str, changes: dict[str, Any]) -> str:
    """A real payload, with other texts in it."""
    payload = json.loads((AGENT.parents[1] / f"payloads/{name}.json").read_bytes())
    for key, value in changes.items():
        payload[key] = {**(payload.get(key) or {}), **value} if isinstance(value, dict) else value
    path = repo.path.parent / "event.json"
    path.write_text(json.dumps(payload), encoding="utf-8")
    return str(path)
