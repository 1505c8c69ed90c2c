"""A saved event, played on a GitHub of this machine by the command line, without a token."""

from __future__ import annotations

import json
import sys

from tests.conversations.talk import AGENT
from tests.sandbox import Sandbox


def test_a_saved_event_is_played_and_leaves_everything_as_it_was(repo: Sandbox) -> None:
    command = [sys.executable, str(AGENT), str(repo.path.parent / "told.txt")]
    repo.write("app.py", "old = 1\n")
    repo.write("suggestions.json", json.dumps({"agent": {"command": command}}))
    repo.commit("base")
    head, refs = repo.head, repo.git("for-each-ref")
    ended = repo.gitclaw(
        "run", "--event", _event(repo, "/gitclaw\n\nreplace old with new in app.py"), "--event-name", "issue_comment"
    )
    assert "Proposal 1: 1 suggestion" in ended.out
    assert "+new = 1" in ended.out
    assert "rehearsal" in ended.err
    assert (repo.head, repo.git("for-each-ref"), repo.status) == (head, refs, "")


def test_what_is_not_for_us_starts_nothing(repo: Sandbox) -> None:
    ended = repo.gitclaw("run", "--event", _event(repo, "thanks!"), "--event-name", "issue_comment")
    assert ended.out == "Ignored: The comment holds no command of ours\n"


def test_an_event_that_is_not_there_is_told(repo: Sandbox) -> None:
    assert "No event was given" in repo.gitclaw("run", code=2).err
    assert "cannot be read" in repo.gitclaw("run", "--event", "none.json", code=2).err


def _event(repo: Sandbox, text: str) -> str:
    """A real payload, with another text."""
    payload = json.loads((AGENT.parents[1] / "payloads/issue_comment.created.1.json").read_bytes())
    payload["comment"]["body"] = text
    path = repo.path.parent / "event.json"
    path.write_text(json.dumps(payload), encoding="utf-8")
    return str(path)
