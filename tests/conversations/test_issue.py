"""The thread of an issue: from a request to commits, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conversations.talk import FILES, Talk, talking

REQUEST = (
    "/gitclaw rename\n\nreplace old with new in app.py\nwrite added.txt hello\nbecause app.py the old name misleads"
)


def test_a_request_becomes_numbered_suggestions_and_changes_nothing_else(talk: Talk) -> None:
    (reply,) = talk.say(REQUEST)
    assert "### Proposal 1: 2 suggestions" in reply
    assert "| **1** | `added.txt` | New file, +1 |" in reply
    assert "the old name misleads" in reply
    assert "@mona" in reply
    assert talk.file("app.py") == FILES["app.py"]
    assert talk.file("added.txt") is None


def test_what_is_applied_is_what_was_shown(talk: Talk) -> None:
    talk.say(REQUEST)
    (reply,) = talk.say("/apply 2.1")
    assert "### Applied 2.1" in reply
    changed = FILES["app.py"].replace(b"old = 1", b"new = 1")
    assert talk.file("app.py") == changed
    assert str(talk.repo.branch("main"))[:7] in reply


def test_the_commit_says_where_it_comes_from(talk: Talk) -> None:
    talk.say(REQUEST)
    talk.say("/apply all")
    message = talk.message()
    assert message.startswith("feat: rename\n\n")
    assert f"\nRefs #{talk.number}\n" in message
    assert f"Gitclaw-Thread: {talk.number}\nGitclaw-Applied: 1, 2\n" in message
    assert f"Co-authored-by: mona <{talk.mona.id}+mona@users.noreply.github.com>" in message


def test_undo_takes_back_the_last_apply(talk: Talk) -> None:
    talk.say(REQUEST)
    talk.say("/apply all")
    (reply,) = talk.say("/undo")
    assert "### Took back 1, 2" in reply
    assert talk.file("app.py") == FILES["app.py"]
    assert talk.file("added.txt") is None
    (status,) = talk.say("/gitclaw status")
    assert "0 of 2 applied, 2 pending" in status


def test_a_rejection_needs_no_commit_and_keeps_its_reason(talk: Talk) -> None:
    talk.say(REQUEST)
    head = talk.repo.branch("main")
    (reply,) = talk.say("/reject 1 nobody needs it")
    assert "### Rejected 1" in reply
    assert "nobody needs it" in reply
    assert talk.repo.branch("main") == head
    assert talk.state()["decisions"][-1]["reason"] == "nobody needs it"


def test_feedback_makes_new_numbers_and_the_old_ones_say_so(talk: Talk) -> None:
    talk.say(REQUEST)
    (reply,) = talk.say("/refine 2 shorter\n\nreplace new with newer in app.py")
    assert "| **3** | `app.py` |" in reply
    (status,) = talk.say("/gitclaw status")
    assert "Replaced by 3" in status
    talk.say("/apply 3")
    assert talk.file("app.py") == FILES["app.py"].replace(b"old", b"newer")


def test_the_agent_is_told_what_was_turned_down(talk: Talk) -> None:
    talk.say(REQUEST)
    talk.say("/reject 1 nobody needs it")
    talk.say("/refine use other words\n\nreplace new with fresh in app.py")
    told = talk.prompts()[-1]
    assert "Do not propose again" in told
    assert "nobody needs it" in told
    assert "added.txt" in told


def test_what_was_turned_down_is_not_proposed_again(talk: Talk) -> None:
    talk.say(REQUEST)
    talk.say("/reject 1")
    (reply,) = talk.say("/gitclaw\n\nwrite added.txt hello")
    assert "No file was changed" in reply or "already" in reply
    assert len(talk.state()["suggestions"]) == 2


def test_a_question_gets_an_answer(talk: Talk) -> None:
    (reply,) = talk.say("/gitclaw why?\n\nanswer Because @octo said so, fixes #3.")
    assert "### Answer" in reply
    assert "\n\n```text\nBecause @octo said so, fixes #3.\n```\n\n" in reply
    assert talk.state() is None


def test_several_commands_are_carried_out_in_order_until_one_fails(talk: Talk) -> None:
    talk.say(REQUEST)
    replies = talk.say("/reject 1\n\n/apply 9\n\n/apply 2")
    assert ["Rejected 1" in replies[0], "no suggestion 9" in replies[1], len(replies)] == [True, True, 2]
    assert talk.file("app.py") == FILES["app.py"]


@pytest.mark.parametrize("text", ["hello", "> /apply 1", "`/apply 1`", "    /apply 1", "/lgtm", "see /apply 1 above"])
def test_what_is_not_for_us_costs_nothing_and_is_logged(talk: Talk, text: str) -> None:
    before = len(talk.hub.log)
    assert talk.say(text) == []
    assert talk.hub.log[before:] == []
    assert talk.runs[-1].out.startswith("Ignored: ")
    assert talk.runs[-1].code == 0


def test_who_may_not_is_told_what_is_needed(talk: Talk) -> None:
    talk.say(REQUEST)
    (reply,) = talk.say("/apply all", talk.reader)
    assert "`/apply` needs write access" in reply
    assert "@rosa, you have read access here" in reply
    assert talk.file("app.py") == FILES["app.py"]


def test_the_same_comment_twice_changes_nothing_and_says_nothing_twice(talk: Talk) -> None:
    talk.say(REQUEST)
    talk.post("/apply all")
    (event,) = talk.waiting
    talk.handle()
    said, head = talk.replies(), talk.repo.branch("main")
    talk.run(*event)
    assert (talk.replies(), talk.repo.branch("main")) == (said, head)


def test_reactions_tell_seen_done_and_failed(talk: Talk) -> None:
    talk.say(REQUEST)
    talk.say("/apply 1")
    talk.say("/apply 9")
    mine = [comment.id for comment in talk.comments() if comment.author.login == "mona"]
    assert [talk.reactions(comment) for comment in mine] == [
        ["eyes", "rocket"],
        ["eyes", "rocket"],
        ["eyes", "confused"],
    ]


def test_what_was_said_long_ago_is_not_said_again(tmp_path: Path) -> None:
    now = [1_800_000_000]

    def clock() -> int:
        now[0] += 1
        return now[0]

    with talking(tmp_path, clock=clock) as talk:
        talk.number = talk.repo.open_issue(talk.mona, "A title", REQUEST)
        talk.handle()
        assert len(talk.replies()) == 1
        now[0] += 7200
        (applied,) = talk.say("/apply 1")
        assert "### Applied 1" in applied


def test_a_refinement_that_drops_a_change_says_so(talk: Talk) -> None:
    talk.say(REQUEST)
    (reply,) = talk.say("/refine 1 drop it\n\ndelete added.txt")
    assert "1 was taken back" in reply
    assert "No file was changed" not in reply
    assert "```" not in reply
    assert talk.state()["decisions"][-1]["actor"] != "mona"
    (status,) = talk.say("/gitclaw status")
    assert "Replaced" not in status


def test_what_is_left_out_after_a_failure_is_said(talk: Talk) -> None:
    talk.say(REQUEST)
    (reply,) = talk.say("/apply 9\n\n/reject 2 no\n\n/gitclaw status")
    assert "Not carried out after that: `/reject 2`, `/gitclaw status`." in reply


def test_what_is_left_out_after_a_failure_is_said_however_long_it_is(talk: Talk) -> None:
    talk.say(REQUEST)
    (reply,) = talk.say("/apply 9\n\n/reject " + "1," * 32_500)
    assert "Not carried out after that: `/reject 1,1" in reply
    assert len(reply) < 1000


def test_a_pasted_reply_of_ours_commands_nothing_later_either(talk: Talk) -> None:
    (said,) = talk.say(REQUEST)
    talk.say("/apply 1\n\n" + said)
    talk.say("/gitclaw status")
    assert talk.file("added.txt") is None


def test_requests_are_few(talk: Talk) -> None:
    talk.say(REQUEST)
    start = len(talk.hub.log)
    talk.say("/apply all")
    api, git = talk.requests(start)
    assert len(api) <= 6, api
    assert len(git) <= 8, git
