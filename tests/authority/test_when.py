"""Rows 11, 27 to 31 and 65 of the threat table: a command counts as it was posted, where it was meant for, and once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitclaw_py.core.commands import Apply, Misplaced, Unknown, read_commands
from tests.conversations.breaking import answers, commits, watched
from tests.conversations.talk import BOT, FILES, Talk, talking

REQUEST = "/gitclaw rename\n\nreplace old with new in app.py\nwrite added.txt hello"


@pytest.fixture
def asked(talk: Talk) -> Talk:
    """A thread with a proposal."""
    talk.say(REQUEST)
    return talk


@pytest.fixture
def pull(talk: Talk) -> Talk:
    """A pull request with a proposal."""
    talk.pull({"topic.py": b"topic = 1\n"})
    talk.say(REQUEST)
    return talk


def before_the_next(talk: Talk, name: str, do: Callable[[], object]) -> None:
    """Have something happen once, right before the next such call of the forge or of git."""
    waits = [do]

    def around(called: str, call: Callable[[], Any]) -> Any:
        if called == name and waits:
            waits.pop()()
        return call()

    talk.around = watched(around)


def head(talk: Talk, branch: str = "topic") -> str:
    found = talk.repo.branch(branch)
    assert found is not None
    return found


@pytest.mark.parametrize("length", [7, 12, 40])
def test_row_11_a_command_for_a_commit_is_carried_out_there(pull: Talk, length: int) -> None:
    (reply, *_) = pull.say(f"/apply 1 @{head(pull)[:length]}")
    assert "### Applied 1" in reply


@pytest.mark.parametrize("command", ["/apply 1", "/apply all", "/apply 1 sure"])
def test_row_11_and_not_on_what_was_pushed_after_it_was_written(pull: Talk, command: str) -> None:
    seen = head(pull)
    pull.repo.push_files("topic", {"evil.py": b"evil = 1\n"}, pull.mona)
    pushed = head(pull)
    (reply, *_) = pull.say(f"{command} @{seen[:7]}")
    assert f"is at `@{pushed[:7]}`, not at `@{seen[:7]}`" in reply
    assert "`GIT_CONFLICT`" in reply
    assert head(pull) == pushed
    assert "### Applied" in pull.say(f"{command} @{pushed[:7]}")[0]


def test_row_11_nor_when_it_is_pushed_between_the_look_and_the_push(pull: Talk) -> None:
    seen = head(pull)
    before_the_next(pull, "push", lambda: pull.repo.push_files("topic", {"evil.py": b"evil = 1\n"}, pull.mona))
    (reply, *_) = pull.say(f"/apply 1 @{seen[:7]}")
    assert f"not at `@{seen[:7]}`" in reply
    assert pull.file("added.txt", "topic") is None
    assert any("STATE_CONFLICT: The branch or the thread moved meanwhile" in ran.err for ran in pull.runs)


def test_row_11_without_a_commit_a_push_meanwhile_is_merged_with_and_never_lost(pull: Talk) -> None:
    before_the_next(pull, "push", lambda: pull.repo.push_files("topic", {"other.py": b"other = 1\n"}, pull.mona))
    (reply, *_) = pull.say("/apply 1")
    assert "### Applied 1" in reply
    assert pull.file("other.py", "topic") == b"other = 1\n"
    assert pull.file("added.txt", "topic") == b"hello\n"


def test_row_11_several_commands_of_one_comment_are_for_the_same_commit(asked: Talk) -> None:
    seen = head(asked, "main")[:7]
    replies = asked.say(f"/apply 1 @{seen}\n\n/apply 2 @{seen}")
    assert ["### Applied" in reply for reply in replies] == [True, True]


def test_row_11_an_undo_can_name_a_commit_too(asked: Talk) -> None:
    seen = head(asked, "main")[:7]
    asked.say("/apply 1")
    assert f"not at `@{seen}`" in asked.say(f"/undo 1 @{seen}")[0]
    assert "### Took back 1" in asked.say(f"/undo 1 @{head(asked, 'main')[:7]}")[0]


def test_row_11_the_agent_s_commit_is_what_the_gate_saw(talk: Talk) -> None:
    talk.pull({"topic.py": b"topic = 1\n"})
    seen = head(talk)
    before_the_next(talk, "bring_all", lambda: talk.repo.push_files("topic", {"evil.py": b"evil = 1\n"}, talk.mona))
    talk.say(REQUEST)
    assert talk.state()["proposals"][0]["base"] == seen


def test_row_27_an_event_that_is_delivered_again_changes_nothing(asked: Talk) -> None:
    comment = asked.post("/apply 1")
    event = asked.waiting.pop()
    for _ in range(3):
        asked.run(*event)
    assert len(answers(asked, comment)) == 1
    # Also when nothing in the thread tells any more that it was answered.
    (said,) = (one for one in asked.comments() if "### Applied 1" in one.body)
    asked.repo.delete_comment(asked.mona, said.id)
    asked.run(*event)
    (reply,) = answers(asked, comment)
    assert "### Applied 1" in reply
    assert len(commits(asked)) == 1


def test_row_28_an_edited_comment_does_not_command(asked: Talk) -> None:
    comment = asked.post("/gitclaw status")
    asked.waiting.clear()
    asked.repo.edit_comment(asked.mona, comment, "/apply 1")
    event, payload = asked.waiting.pop()
    for action in ("edited", "created"):
        asked.run(event, {**payload, "action": action})
        assert asked.runs[-1].out.startswith("Ignored: ")
    assert asked.file("added.txt") is None


def test_row_28_a_comment_that_is_another_than_the_event_said_is_refused(asked: Talk) -> None:
    asked.post("/apply 1")
    event, payload = asked.waiting.pop()
    payload = json.loads(json.dumps(payload))
    payload["comment"]["body"] = "/apply 1,2"
    asked.run(event, payload)
    assert "is not what the event said it was: ignored" in asked.runs[-1].err
    assert asked.file("added.txt") is None


def test_row_28_a_comment_that_was_edited_before_it_was_looked_at_is_refused(asked: Talk) -> None:
    comment = asked.post("/apply 1")
    event = asked.waiting.pop()
    asked.repo.edit_comment(asked.mona, comment, "/apply 1 please")
    asked.run(*event)
    assert asked.file("added.txt") is None


def test_row_28_an_old_comment_that_was_edited_waits_for_nobody(asked: Talk) -> None:
    comment = asked.post("/gitclaw status")
    asked.repo.edit_comment(asked.mona, comment, "/apply 1")
    asked.waiting.clear()
    asked.say("/gitclaw help")
    assert f"comment {comment} was edited after it was posted: ignored" in asked.runs[-1].err
    assert asked.file("added.txt") is None


def test_row_29_a_copied_marker_of_ours_is_nobody_s_answer(asked: Talk) -> None:
    (ours,) = asked.replies()
    mark = ours.rstrip().rpartition("\n")[2]
    assert mark.startswith("<!-- gitclaw:")
    comment = asked.post("/apply 1")
    event = asked.waiting.pop()
    asked.repo.comment(asked.reader, asked.number, f"done\n\n{re.sub(r're=[0-9]+', f're={comment}', mark)}")
    asked.waiting.clear()
    asked.run(*event)
    assert asked.file("added.txt") == b"hello\n"


def test_row_29_nothing_is_read_back_from_our_own_words(asked: Talk) -> None:
    before = asked.state()["suggestions"]
    (said,) = (comment for comment in asked.comments() if comment.author.login == BOT)
    forged = said.body.replace("hello", "evil").replace("**1**", "**2**")
    asked.repo.edit_comment(asked.mona, said.id, forged)
    asked.waiting.clear()
    assert "### Applied 1" in asked.say("/apply 1")[0]
    assert asked.file("added.txt") == b"hello\n"
    assert asked.state()["suggestions"] == before


NOT_FOR_US = [
    "> /apply 1", ">/apply 1", "> > /apply 1", "> a\n> /apply 1", "```\n/apply 1\n```", "~~~\n/apply 1\n~~~",
    "````\n```\n/apply 1\n```\n````", "    /apply 1", "\t/apply 1", "<!-- /apply 1 -->", "<!--\n/apply 1\n-->",
    "`/apply 1`", "``\n/apply 1``", "[x](/apply)", "[/apply 1](x)", "![/apply 1](x)", "please /apply 1", "a/apply 1",
    "- /apply 1", "* /apply 1", "1. /apply 1", "+ /apply 1", "- a\n  /apply 1", "# /apply 1", "<pre>\n/apply 1\n</pre>",
    "<details>\n/apply 1\n</details>", "<details>\n\n/apply 1\n\n</details>", "| a |\n|---|\n| /apply 1 |",
    "```\r\n/apply 1\r\n```", "> ```\n> /apply 1\n> ```", "\\/apply 1", "&#47;apply 1", "//apply 1", "/ apply 1",
    "\u200b/apply 1", "\ufeff\ufeff/apply 1", "\u2215apply 1", "<div>/apply 1</div>", "[a]: /apply 1", "/applyall",
    "~~~ /apply\n/apply 1", "<script>\n/apply 1\n</script>", "```\n```\n```\n/apply 1",
]  # fmt: skip


@pytest.mark.parametrize("body", NOT_FOR_US)
def test_row_30_what_only_looks_like_a_command_is_none(body: str) -> None:
    assert not [one for one in read_commands(body) if not isinstance(one, Misplaced | Unknown)], read_commands(body)
    assert len(NOT_FOR_US) >= 40


@pytest.mark.parametrize("body", ["/apply 1", "Thanks!\n\n/apply 1", "> quoted\n\n/apply 1", "\r\n/apply 1\r\n"])
def test_row_30_and_what_is_one_is(body: str) -> None:
    assert read_commands(body) == (Apply(("1",)),)


def test_row_31_nothing_that_we_say_commands_anyone(asked: Talk) -> None:
    for text in (
        "/gitclaw help",
        "/gitclaw show 1",
        "/aply 1",
        "/apply",
        "/apply 7",
        "/apply 1,2",
        "/undo",
        "/reject 1 /apply 2",
    ):
        asked.say(text)
    asked.say("/gitclaw\n\nanswer /apply 1")
    said = asked.replies()
    assert len(said) > 9
    for body in said:
        assert read_commands(body) == (), body
        assert [line for line in body.split("\n") if line.startswith("/")] == []


def test_row_31_a_bot_that_answers_us_for_ever_ends(tmp_path: Path) -> None:
    limits = {"runsPerThreadPerHour": 3}
    with talking(tmp_path, {"bots": ["echo[bot]#1004"], "limits": limits}) as talk:
        echo = talk.hub.account("echo[bot]")
        assert echo.id == 1004
        rounds = 0
        answers_of_ours = talk.say("/gitclaw status", echo)
        while answers_of_ours and rounds < 20:
            rounds += 1
            answers_of_ours = talk.say("/gitclaw status", echo)
        assert rounds == 3
        assert "BUDGET_EXCEEDED" in talk.runs[-1].err
        assert "### Proposal 1" in talk.say(REQUEST)[0] or "BUDGET_EXCEEDED" in talk.replies()[-1]


def test_row_31_we_do_not_hear_ourselves(talk: Talk) -> None:
    before = len(talk.hub.log)
    said = {"login": BOT, "id": 41898282, "type": "Bot"}
    talk.post("/gitclaw status")
    event, payload = talk.waiting.pop()
    talk.run(event, {**payload, "comment": {**payload["comment"], "user": said}, "sender": said})
    assert "one of our own replies" in talk.runs[-1].out
    assert talk.hub.log[before:] == []


def test_row_31_nor_our_words_from_another_account(talk: Talk) -> None:
    before = len(talk.hub.log)
    talk.say("/apply 1\n\n<!-- gitclaw:1 kind=status re=5 -->")
    assert "one of our own replies" in talk.runs[-1].out
    assert talk.hub.log[before:] == []


def test_row_65_the_files_of_others_stay_whoever_is_first(asked: Talk) -> None:
    theirs = FILES["app.py"].replace(b"line 15\n", b"LINE 15\n")
    before_the_next(asked, "push", lambda: asked.repo.push_files("main", {"app.py": theirs}, asked.mona))
    asked.say("/apply 2")
    assert "STATE_CONFLICT: The branch or the thread moved meanwhile" in asked.runs[-1].err
    assert asked.file("app.py") == theirs.replace(b"old", b"new")
