"""``/gitclaw cancel``, ``retry`` and ``review``: stopping a run, running one again, and doing what reviewers want."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gitclaw_py.core.thread import Account
from gitclaw_py.hub.anchors import Draft
from gitclaw_py.hub.reviewing import Wanted
from tests.conversations.breaking import answers, assert_said_once, hasty
from tests.conversations.talk import Talk, talking

LONG = "/gitclaw make it\n\nprint at work\nsleep 30\nwrite a.txt a"
TOPIC = {"topic.py": b"topic = 1\nsecond = 2\n"}


def while_working(talk: Talk, *posts: tuple[str, Account], ready: Callable[[], bool] = lambda: True) -> list[int]:
    """Comments that are posted when the run has told how it is getting on, and is ``ready``; their ids.

    What the agent awaits is there when the run has told of it once more.
    """
    made: list[int] = []

    def around(name: str, do: Callable[[], object]) -> object:
        done = do()
        if name == "comment" and not made:
            assert talk.hub.wait_until(ready)
            made.extend(talk.post(text, who) for text, who in posts)
        if name == "edit":
            talk.let_go()
        return done

    talk.around = hasty(around)
    return made


def test_a_run_is_cancelled_while_it_works(talk: Talk) -> None:
    made = while_working(talk, ("/gitclaw cancel", talk.mona))
    began = time.monotonic()
    progress, reply = talk.say(LONG)
    assert time.monotonic() - began < 20
    assert "### Cancelled by `mona`" in reply
    assert "nothing was proposed and nothing changed" in reply
    assert progress.startswith("Finished in ")
    assert talk.reactions(made[0]) == ["rocket"]
    assert talk.state() is None
    assert len(answers(talk, made[0])) == 0
    assert "Nothing waits in this thread" in talk.runs[-1].err


def test_the_agent_and_all_that_it_started_is_ended(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    script = f"(while true; do date +%s%N > {alive}; sleep 0.05; done) & wait"
    with talking(tmp_path, {"agent": {"command": ["sh", "-c", script], "isolation": "none"}}) as talk:
        while_working(talk, ("/gitclaw cancel", talk.mona), ready=alive.exists)
        talk.say("/gitclaw make it")
        last = alive.read_bytes()
        time.sleep(0.3)
        assert alive.read_bytes() == last


def test_the_progress_says_how_to_stop_it(talk: Talk) -> None:
    said: list[str] = []

    def around(name: str, do: Callable[[], object]) -> object:
        done = do()
        if name == "comment":
            said.append(talk.replies()[-1])
            talk.let_go()
        return done

    talk.around = hasty(around)
    talk.say("/gitclaw\n\nawait go")
    assert "stop with `/gitclaw cancel`" in said[0]


def test_who_may_not_run_it_does_not_stop_it(talk: Talk) -> None:
    while_working(talk, ("/gitclaw cancel", talk.reader))
    replies = talk.say("/gitclaw make it\n\nawait go\nwrite a.txt a")
    assert "### Proposal 1" in replies[1]
    assert "### Nothing changed: `/gitclaw cancel` needs write access" in replies[2]


def test_what_comes_after_a_cancelled_run_is_carried_out(talk: Talk) -> None:
    while_working(talk, ("/gitclaw cancel\n\n/gitclaw status", talk.mona), ("/gitclaw help", talk.mona))
    replies = [reply.partition("\n")[0] for reply in talk.say(LONG)[1:]]
    assert replies == ["### Cancelled by `mona`", "### Status", "### Commands"]
    assert_said_once(talk)


def test_a_request_that_waits_is_cancelled_before_it_begins(talk: Talk) -> None:
    request = talk.post(LONG)
    talk.post("/gitclaw cancel")
    talk.waiting.clear()
    replies = talk.say("/gitclaw status")
    assert "### Cancelled by `mona`" in replies[0]
    assert "before it began" in replies[0]
    assert "### Status" in replies[1]
    assert len(replies) == 2
    assert len(answers(talk, request)) == 1
    assert talk.prompts() == []


def test_where_nothing_runs_that_is_said(talk: Talk) -> None:
    (reply,) = talk.say("/gitclaw cancel")
    assert "no run is under way in this thread" in reply
    talk.say("/gitclaw\n\nwrite a.txt a")
    (reply,) = talk.say("/gitclaw cancel")
    assert "no run is under way in this thread" in reply


def test_looking_costs_a_request_for_each_time_it_is_told(talk: Talk) -> None:
    calls: list[str] = []

    def around(name: str, do: Callable[[], object]) -> object:
        calls.append(name)
        if calls.count("edit") == 2:
            talk.let_go()
        return do()

    talk.around = hasty(around)
    talk.say("/gitclaw\n\nawait go\nwrite a.txt a")
    told = calls.count("edit") + calls.count("comment") - 2
    assert calls.count("comments") == 1 + told > 2


def test_a_cancelled_request_is_run_again(talk: Talk) -> None:
    while_working(talk, ("/gitclaw cancel", talk.mona))
    talk.say("/gitclaw\n\nwrite a.txt a\nawait go")
    talk.around = lambda world: world
    (reply,) = talk.say("/gitclaw retry")
    assert "### Proposal 1: 1 suggestion" in reply
    assert "# The task\n\nwrite a.txt a\nawait go" in talk.prompts()[-1]


def test_the_request_that_failed_is_run_again_and_not_the_one_after_it(talk: Talk) -> None:
    (failed,) = talk.say("/gitclaw\n\nwrite a.txt a\nfail 3\n\nsleep 0")
    assert "### Proposal 1" in failed
    (failed,) = talk.say("/gitclaw\n\nanswer again\nfail 4")
    talk.say("/gitclaw\n\nwrite b.txt b")
    (reply,) = talk.say("/gitclaw retry")
    assert "AGENT_FAILED" in reply
    assert "answer again" in talk.prompts()[-1].partition("# The thread")[0]


def test_without_a_failure_the_last_request_is_run_again(talk: Talk) -> None:
    talk.say("/gitclaw\n\nanswer one")
    talk.say("/gitclaw\n\nanswer two")
    (reply,) = talk.say("/gitclaw retry")
    assert "\n\n```text\ntwo\n```" in reply
    (reply,) = talk.say("/gitclaw retry")
    assert "\n\n```text\ntwo\n```" in reply


def test_a_failure_that_was_made_up_for_is_over(talk: Talk, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    script = f"if [ -e {flag} ]; then echo fine > $GITCLAW_ANSWER; else exit 7; fi"
    agent = {"agent": {"command": ["sh", "-c", script], "isolation": "none"}}
    with talking(tmp_path / "other", agent) as other:
        assert "AGENT_FAILED" in other.say("/gitclaw first")[0]
        flag.touch()
        assert "\n\n```text\nfine\n```" in other.say("/gitclaw retry")[0]
        other.say("/gitclaw second")
        before = len(other.comments())
        other.say("/gitclaw retry")
        assert len(other.comments()) == before + 2
    del talk


def test_the_text_of_a_new_issue_is_run_again_too(talk: Talk) -> None:
    talk.number = talk.repo.open_issue(talk.mona, "New", "/gitclaw\n\nanswer hello\nfail 1")
    talk.handle()
    (reply,) = talk.say("/gitclaw retry")
    assert "AGENT_FAILED" in reply
    assert len(talk.prompts()) == 2


def test_what_was_refused_or_edited_is_not_run_again(talk: Talk) -> None:
    talk.say("/gitclaw\n\nwrite planted.txt x", talk.reader)
    edited = talk.post("/gitclaw\n\nwrite a.txt a")
    talk.handle()
    talk.repo.edit_comment(talk.mona, edited, "/gitclaw\n\nwrite planted.txt x")
    talk.waiting.clear()
    (reply,) = talk.say("/gitclaw retry")
    assert "there is no request in this thread to run again" in reply


def test_a_refinement_is_run_again_with_its_numbers(talk: Talk) -> None:
    talk.say("/gitclaw\n\nwrite a.txt a\nwrite b.txt b")
    talk.say("/refine 1 another\n\nfail 9")
    talk.say("/gitclaw retry")
    assert "The task is feedback on these of them: 1." in talk.prompts()[-1]


def remark(talk: Talk, who: Account, body: str, summary: str = "", line: int = 1) -> None:
    comment = Draft("topic.py", body, line)
    talk.repo.review(who, talk.number, Wanted(summary, "COMMENT", [comment] if body else []))
    talk.waiting.clear()


@pytest.fixture
def reviewed(talk: Talk) -> Talk:
    """A person's pull request with remarks of a writer and of a reader."""
    talk.pull(TOPIC)
    remark(talk, talk.mona, "call it a theme\n\nreplace topic with theme in topic.py", "write added.txt hello")
    remark(talk, talk.reader, "write planted.txt x", line=2)
    return talk


def test_what_reviewers_want_becomes_suggestions(reviewed: Talk) -> None:
    head = reviewed.repo.branch("topic")
    (reply,) = reviewed.say("/gitclaw review")
    assert "### Proposal 1: 2 suggestions" in reply
    assert ["`topic.py`" in reply, "`added.txt`" in reply, "planted" in reply] == [True, True, False]
    assert reviewed.repo.branch("topic") == head
    task = reviewed.prompts()[-1].partition("# The task\n")[2].partition("\n# ")[0]
    assert "## topic.py line 1 mona wrote:\n\ncall it a theme" in task
    assert "planted" not in task


def test_nothing_of_it_is_applied_by_itself_whatever_the_mode(tmp_path: Path) -> None:
    with talking(tmp_path, {"defaultMode": "commit-only"}) as talk:
        talk.pull(TOPIC)
        remark(talk, talk.mona, "replace topic with theme in topic.py")
        head = talk.repo.branch("topic")
        (reply,) = talk.say("/gitclaw review")
        assert "### Proposal 1: 1 suggestion" in reply
        assert talk.repo.branch("topic") == head


def test_what_is_resolved_is_done(reviewed: Talk) -> None:
    for thread in reviewed.repo.review_threads(reviewed.number):
        reviewed.repo.resolve(reviewed.mona, thread)
    (reply,) = reviewed.say("/gitclaw review")
    assert "`added.txt`" in reply
    assert "`topic.py`" not in reply


def test_where_only_others_said_something_nothing_is_done(talk: Talk) -> None:
    talk.pull(TOPIC)
    remark(talk, talk.reader, "write planted.txt x", "write planted.txt y")
    (reply,) = talk.say("/gitclaw review")
    assert "has no open review comments" in reply
    assert "2 by people without write access are left out" in reply
    assert talk.prompts() == []


def test_who_may_run_the_agent_but_not_write_tells_it_nothing_in_a_review(tmp_path: Path) -> None:
    with talking(tmp_path, {"permissions": {"run": "read"}}) as talk:
        talk.pull(TOPIC)
        remark(talk, talk.reader, "write planted.txt x")
        (reply,) = talk.say("/gitclaw review", talk.reader)
        assert "1 by people without write access is left out" in reply
        assert talk.prompts() == []


def test_words_of_who_asks_come_first(reviewed: Talk) -> None:
    reviewed.say("/gitclaw review\n\nbe brief")
    assert "# The task\n\nbe brief\n\nReviewers" in reviewed.prompts()[-1]


def test_from_the_issue_the_branch_of_its_pull_request_is_worked_on(talk: Talk) -> None:
    talk.say("/gitclaw\n\nwrite topic.py topic = 1")
    talk.say("/gitclaw pr")
    issue, talk.number = talk.number, 2
    remark(talk, talk.mona, "replace topic with theme in topic.py")
    talk.number = issue
    (reply,) = talk.say("/gitclaw review")
    assert "| **2** | `topic.py` |" in reply
    talk.say("/apply 2")
    assert talk.file("topic.py", "gitclaw/issue-1") == b"theme = 1\n"


def test_our_own_suggestions_are_no_remarks(talk: Talk) -> None:
    talk.pull(TOPIC)
    talk.say("/gitclaw\n\nreplace topic with theme in topic.py")
    assert talk.repo.review_threads(talk.number)
    (reply,) = talk.say("/gitclaw review")
    assert "has no open review comments" in reply


def test_who_may_only_read_starts_no_review(reviewed: Talk) -> None:
    (reply,) = reviewed.say("/gitclaw review", reviewed.reader)
    assert "`/gitclaw review` needs write access" in reply
    assert reviewed.prompts() == []
