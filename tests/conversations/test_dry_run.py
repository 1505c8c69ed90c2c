"""``--dry-run``: everything but the writing, and what would have been written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conversations.talk import Talk, talking

REQUEST = "/gitclaw rename\n\nreplace old with new in app.py"


@pytest.fixture(params=["git", "api"])
def talk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Talk]:
    """An issue, with commits by git and through the API."""
    with talking(tmp_path, {"commit": {"via": request.param}}) as found:
        yield found


def everything(talk: Talk) -> Any:
    """All that could change on the hub."""
    repository = talk.repo.repository
    comments = [
        (c, talk.repo.reactions(c.id)) for thread in repository.threads for c in talk.repo.comments(thread.number)
    ]
    return list(repository.threads), comments, repository.git.refs("refs")


def rehearsed(talk: Talk, text: str) -> str:
    """Comment, let the bot rehearse it, and read what it prints; nothing may have changed meanwhile."""
    talk.post(text)
    before, start = everything(talk), len(talk.hub.log)
    ran = talk.run(*talk.waiting.pop(0), dry=True)
    assert everything(talk) == before
    api, git = talk.requests(start)
    assert [line for line in api if not line.startswith("GET ")] == []
    assert [line for line in git if "receive-pack" in line] == []
    assert ran.code == 0
    return ran.out


def test_a_proposal_is_printed(talk: Talk) -> None:
    out = rehearsed(talk, REQUEST)
    assert "Would react with eyes" in out
    assert "Would comment on 1" in out
    assert "### Proposal 1: 1 suggestion" in out
    assert "refs/gitclaw/threads/1" in out


def test_an_apply_is_printed_with_its_diff(talk: Talk) -> None:
    talk.say(REQUEST)
    out = rehearsed(talk, "/apply 1")
    assert "### Applied 1" in out
    assert "refs/heads/main" in out
    assert "-old = 1" in out
    assert "+new = 1" in out


def test_a_second_command_says_that_it_does_not_know_of_the_first(talk: Talk) -> None:
    talk.say(REQUEST)
    assert "does not know" not in rehearsed(talk, "/apply 1")
    talk.waiting.clear()
    out = rehearsed(talk, "/reject 1")
    first, told, second = out.partition("What comes next does not know of this")
    assert told
    assert "### Applied 1" in first
    assert "### Rejected 1" in second


def test_the_real_run_comes_after_it(talk: Talk) -> None:
    talk.say(REQUEST)
    rehearsed(talk, "/apply 1")
    talk.say("/gitclaw status")
    assert b"new = 1" in (talk.file("app.py") or b"")


def test_a_request_from_elsewhere_opens_no_issue(talk: Talk) -> None:
    talk.repo.dispatch(talk.mona, "gitclaw", {"request": "answer 42"})
    before = everything(talk)
    out = talk.run(*talk.waiting.pop(0), dry=True).out
    assert everything(talk) == before
    assert "Would open the issue" in out
    assert "Would comment" in out


def test_what_ends_a_pull_request_is_printed_and_not_done(talk: Talk) -> None:
    talk.repo.grant(talk.mona, "maintain")
    talk.say(REQUEST)
    assert "Would open a pull request 'Names are old' from gitclaw/issue-1 to main" in rehearsed(talk, "/gitclaw pr")
    talk.pull({"topic.py": b"topic = 1\n"})
    head = talk.repo.branch("topic")
    assert f"Would merge pull request 2 at {head} by squash" in rehearsed(talk, "/gitclaw merge")
    assert "Would close pull request 2" in rehearsed(talk, "/gitclaw close")
    assert "Would merge main into topic" in rehearsed(talk, "/gitclaw update")
