"""Runs that GitHub cancels while they wait: the next one handles what they would have handled, in order."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gitclaw_py.hub.actions import ActionsRunner, Workflow
from tests.conversations.breaking import answers, assert_agreed, assert_said_once
from tests.conversations.talk import Talk, talking

REQUEST = "/gitclaw make them\n\nwrite a.txt a\nwrite b.txt b\nwrite c.txt c"


@pytest.fixture
def asked(talk: Talk) -> Talk:
    """A thread with a proposal of three files."""
    talk.say(REQUEST)
    return talk


def test_what_lost_its_run_is_handled_by_the_next_one_in_order(asked: Talk) -> None:
    lost = [asked.post(text) for text in ("/apply 1", "/undo", "/reject 1 no", "/gitclaw status")]
    asked.waiting.clear()
    replies = asked.say("/apply 2")
    firsts = [reply.partition("\n")[0] for reply in replies]
    assert firsts == ["### Applied 1", "### Took back 1", "### Rejected 1", "### Status", "### Applied 2"]
    assert [len(answers(asked, comment)) for comment in lost] == [1, 1, 1, 1]
    assert [asked.file(name) for name in ("a.txt", "b.txt")] == [None, b"b\n"]
    assert_agreed(asked)


def test_the_first_request_of_a_thread_may_be_lost_too(talk: Talk) -> None:
    talk.post(REQUEST)
    talk.waiting.clear()
    replies = talk.say("/apply 3")
    assert ["### Proposal 1: 3 suggestions" in replies[0], "### Applied 3" in replies[1]] == [True, True]


def test_a_lost_request_is_told_to_the_agent_with_the_thread(asked: Talk) -> None:
    asked.post("by the way, tabs please")
    asked.post("/gitclaw more\n\nwrite d.txt d")
    asked.waiting.clear()
    asked.say("/apply 1")
    assert "by the way, tabs please" in asked.prompts()[-1]
    assert "write a.txt a" in asked.prompts()[-1]


def test_an_edited_comment_does_not_command(asked: Talk) -> None:
    comment = asked.post("/apply 1")
    asked.waiting.clear()
    asked.repo.edit_comment(asked.mona, comment, "/apply all")
    asked.waiting.clear()
    (reply,) = asked.say("/gitclaw status")
    assert "0 of 3 applied" in reply
    assert f"comment {comment} was edited" in asked.runs[-1].err


def test_a_deleted_comment_does_not_command(asked: Talk) -> None:
    comment = asked.post("/apply 1")
    event = asked.waiting.pop()
    asked.repo.delete_comment(asked.mona, comment)
    asked.waiting.clear()
    (reply,) = asked.say("/gitclaw status")
    assert "0 of 3 applied" in reply
    assert asked.run(*event).code == 0
    assert "it was handled before, edited, or is gone" in asked.runs[-1].err
    assert asked.file("a.txt") is None


def test_what_a_strange_bot_says_is_not_done_later(asked: Talk) -> None:
    comment = asked.post("/apply 1", asked.hub.account("renovate[bot]"))
    asked.waiting.clear()
    (reply,) = asked.say("/gitclaw status")
    assert "0 of 3 applied" in reply
    assert f"comment {comment} is by a bot that is not listed" in asked.runs[-1].err


def test_who_lost_the_run_needs_the_permission_all_the_same(asked: Talk) -> None:
    asked.post("/apply 1", asked.reader)
    asked.waiting.clear()
    replies = asked.say("/apply 2")
    assert ["needs write access" in replies[0], "### Applied 2" in replies[1]] == [True, True]
    assert asked.file("a.txt") is None


@pytest.mark.parametrize("labeled", [False, True])
def test_a_command_from_before_we_were_here_is_left_alone(tmp_path: Path, labeled: bool) -> None:  # noqa: FBT001
    now = 1_700_000_000
    with talking(tmp_path, clock=lambda: now) as talk:
        old = talk.post("/gitclaw help")
        talk.waiting.clear()
        now += 7200
        if labeled:
            talk.repo.label(talk.mona, talk.number, "gitclaw")
            talk.handle()
        else:
            talk.say(REQUEST)
        assert len(talk.replies()) == 1
        assert answers(talk, old) == []


def test_github_keeps_one_waiting_run_and_every_command_is_carried_out(tmp_path: Path) -> None:
    with talking(tmp_path) as talk:
        argv = [sys.executable, "-m", "gitclaw_py", "run"]
        environment = {"PYTHONPATH": str(Path(__file__).parents[2])}
        runner = ActionsRunner(talk.hub, tmp_path / "runs", Workflow(argv, environment, queue=1))
        talk.post(REQUEST + "\nawait go")
        assert talk.hub.wait_until(lambda: bool(talk.prompts()))
        comments = [talk.post(text) for text in ("/apply 1", "/reject 2 no", "/apply 3", "/gitclaw status")]
        talk.let_go()
        assert runner.wait()
        assert [run.is_cancelled for run in runner.runs] == [False, True, True, True, False]
        assert [run.exit_code for run in runner.runs if not run.is_cancelled] == [0, 0]
        runner.close()
        assert [len(answers(talk, comment)) for comment in comments] == [1, 1, 1, 1]
        assert [talk.file(f"{name}.txt") for name in "abc"] == [b"a\n", None, b"c\n"]
        assert_said_once(talk)
        assert_agreed(talk)


def test_what_a_new_issue_asked_for_is_made_up_for(talk: Talk) -> None:
    talk.open("New", "/gitclaw\n\nwrite a.txt a")
    replies = talk.say("/apply 1")
    assert ["### Proposal 1: 1 suggestion" in replies[0], "### Applied 1" in replies[1]] == [True, True]
    assert "kind=proposal re=issue part=1/1" in replies[0]
    assert talk.file("a.txt") == b"a\n"
    (status,) = talk.say("/gitclaw status")
    assert "1 of 1 applied" in status


def test_an_opened_issue_that_was_answered_is_not_answered_again(talk: Talk) -> None:
    talk.number = talk.repo.open_issue(talk.mona, "New", "/gitclaw why?\n\nanswer so")
    talk.handle()
    assert len(talk.replies()) == 1
    assert len(talk.say("/gitclaw status")) == 1
    talk.say("/gitclaw\n\nwrite a.txt a")
    assert len(talk.say("/apply 1")) == 1
    assert len(talk.prompts()) == 2


def test_who_opened_it_needs_the_permission_all_the_same(talk: Talk) -> None:
    talk.number = talk.repo.open_issue(talk.reader, "New", "/gitclaw\n\nwrite a.txt a")
    talk.waiting.clear()
    replies = talk.say("/gitclaw status")
    assert ["needs write access" in replies[0], "### Status" in replies[1]] == [True, True]
    assert talk.prompts() == []


def test_an_issue_of_long_ago_is_left_alone(tmp_path: Path) -> None:
    now = 1_700_000_000
    with talking(tmp_path, clock=lambda: now) as talk:
        talk.open("Old", "/gitclaw\n\nwrite a.txt a")
        now += 7200
        (reply,) = talk.say("/gitclaw status")
        assert "### Status" in reply
        assert talk.prompts() == []
