"""The thread of a pull request: its branch is what everything is about."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.conversations.talk import FILES, Talk, talking

TOPIC = b"topic = 1\n"
REQUEST = "/gitclaw rename\n\nreplace topic with theme in topic.py\nwrite added.txt hello"


@pytest.fixture
def pull(talk: Talk) -> Talk:
    """A pull request from a branch of the repository."""
    talk.pull({"topic.py": TOPIC})
    return talk


@pytest.fixture
def forked(talk: Talk) -> Talk:
    """A pull request from a fork, which the token of the repository cannot push to."""
    stranger = talk.hub.account("stranger")
    fork = talk.repo.fork(stranger)
    fork.push_files("topic", {"topic.py": TOPIC}, stranger)
    talk.number = talk.repo.open_pull(stranger, "stranger:topic", title="From a fork")
    talk.waiting.clear()
    return talk


def test_a_proposal_starts_from_the_head_of_the_pull_request(pull: Talk) -> None:
    head, main = pull.repo.branch("topic"), pull.repo.branch("main")
    (reply,) = pull.say(REQUEST)
    assert "### Proposal 1: 2 suggestions" in reply
    assert pull.state()["proposals"][0]["base"] == head
    assert (pull.repo.branch("topic"), pull.repo.branch("main")) == (head, main)


def test_commits_go_to_the_head_branch_and_nowhere_else(pull: Talk) -> None:
    main = pull.repo.branch("main")
    pull.say(REQUEST)
    (reply,) = pull.say("/apply 2")
    assert "### Applied 2" in reply
    assert "`topic`" in reply
    assert pull.file("topic.py", "topic") == b"theme = 1\n"
    assert pull.file("added.txt", "topic") is None
    assert pull.repo.branch("main") == main
    assert f"\nRefs #{pull.number}\n" in pull.message("topic")


def test_what_was_applied_is_taken_back_on_the_head_branch(pull: Talk) -> None:
    pull.say(REQUEST)
    pull.say("/apply all")
    (reply,) = pull.say("/undo")
    assert "### Took back 1, 2" in reply
    assert pull.file("topic.py", "topic") == TOPIC
    assert pull.file("added.txt", "topic") is None


def test_feedback_and_rejections_work_as_in_an_issue(pull: Talk) -> None:
    pull.say(REQUEST)
    assert "### Rejected 1" in pull.say("/reject 1 not here")[0]
    (reply,) = pull.say("/refine 2 another word\n\nreplace theme with subject in topic.py")
    assert "| **3** | `topic.py` |" in reply
    pull.say("/apply 3")
    assert pull.file("topic.py", "topic") == b"subject = 1\n"


def test_what_a_person_pushed_meanwhile_stays(pull: Talk) -> None:
    pull.say(REQUEST)
    pull.repo.push_files("topic", {"mine.txt": b"mine\n"}, pull.mona)
    pull.say("/apply all")
    assert pull.file("mine.txt", "topic") == b"mine\n"
    assert pull.file("topic.py", "topic") == b"theme = 1\n"


def test_the_configuration_is_that_of_the_default_branch(pull: Talk) -> None:
    theirs = {"agent": {"command": ["sh", "-c", "echo planted > planted.txt"]}}
    pull.repo.push_files("topic", {"suggestions.json": json.dumps(theirs).encode()}, pull.mona)
    (reply,) = pull.say(REQUEST)
    assert "added.txt" in reply
    assert "planted" not in reply


def test_the_change_of_a_fork_comes_as_a_patch_and_nothing_is_decided(forked: Talk, tmp_path: Path) -> None:
    (reply,) = forked.say(REQUEST)
    assert "### Proposal 1: 2 suggestions" in reply
    before = forked.state()
    (reply,) = forked.say("/apply all")
    assert "### Nothing was pushed: the branch is in a fork" in reply
    assert forked.state()["decisions"] == before["decisions"] == []
    assert forked.repo.branch("pull-2") is None
    patch = reply.partition("```diff\n")[2].partition("\n```")[0] + "\n"
    place = tmp_path / "theirs"
    place.mkdir()
    (place / "topic.py").write_bytes(TOPIC)
    subprocess.run(["git", "apply", "-"], cwd=place, input=patch.encode(), check=True)
    assert (place / "topic.py").read_bytes() == b"theme = 1\n"
    assert (place / "added.txt").read_bytes() == b"hello\n"


def test_rejecting_works_where_nobody_can_push(forked: Talk) -> None:
    forked.say(REQUEST)
    (reply,) = forked.say("/reject 1")
    assert "### Rejected 1" in reply
    (status,) = forked.say("/gitclaw status")
    assert "1 rejected" in status


def test_after_the_patch_the_thread_goes_on(forked: Talk) -> None:
    forked.say(REQUEST)
    forked.say("/apply 1")
    (status,) = forked.say("/gitclaw status")
    assert "0 of 2 applied, 2 pending" in status
    assert "pull-2" not in status


@pytest.mark.parametrize("mode", ["suggest-and-commit", "commit-only", "hybrid"])
def test_a_mode_that_commits_only_suggests_where_nobody_can_push(tmp_path: Path, mode: str) -> None:
    with talking(tmp_path, {"defaultMode": mode}) as talk:
        stranger = talk.hub.account("stranger")
        fork = talk.repo.fork(stranger)
        fork.push_files("topic", {"topic.py": TOPIC}, stranger)
        talk.number = talk.repo.open_pull(stranger, "stranger:topic")
        talk.waiting.clear()
        (reply,) = talk.say(REQUEST)
        assert "### Proposal 1: 2 suggestions" in reply
        assert talk.state()["decisions"] == []


@pytest.mark.parametrize("command", ["/apply all", "/undo", REQUEST, "/gitclaw update"])
def test_a_head_branch_that_is_gone_is_told(pull: Talk, command: str) -> None:
    pull.say(REQUEST)
    state = pull.state()
    pull.repo.repository.git.git("update-ref", "-d", "refs/heads/topic")
    (reply,) = pull.say(command)
    assert "The branch `topic` does not exist" in reply or "The branch topic does not exist" in reply
    assert pull.state() == state


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("/gitclaw status", "0 of 2 applied"),
        ("/gitclaw help", "### Commands"),
        ("/gitclaw show 2", "+theme = 1"),
        ("/reject 1 no", "### Rejected 1"),
        ("/gitclaw close", "### Closed"),
    ],
)
def test_without_its_branch_what_needs_none_is_answered(pull: Talk, command: str, told: str) -> None:
    pull.say(REQUEST)
    head = pull.repo.branch("topic")
    pull.repo.repository.git.git("update-ref", "-d", "refs/heads/topic")
    (reply,) = pull.say(command)
    assert told in reply
    assert "pull-2" not in reply
    assert (pull.repo.branch("topic"), pull.repo.branch("pull-2")) == (None, None)
    pull.repo.repository.git.git("update-ref", "refs/heads/topic", head or "")
    (reply,) = pull.say("/apply 2")
    assert "### Applied 2" in reply


def test_a_closed_pull_request_keeps_its_branch_and_its_commands(pull: Talk) -> None:
    pull.say(REQUEST)
    pull.repo.close(pull.mona, pull.number)
    pull.waiting.clear()
    (reply,) = pull.say("/apply 2")
    assert "### Applied 2" in reply
    assert "The pull request is closed" in reply
    assert pull.file("topic.py", "topic") == b"theme = 1\n"
    assert pull.file("app.py") == FILES["app.py"]
