"""Native suggestions on a pull request: posted where they are exact, taken with the button, and recognised."""

from __future__ import annotations

from json import dumps
from subprocess import run

import pytest

from gitclaw_py.core.replies.marker import Marker, write
from gitclaw_py.hub.reviewing import Wanted
from tests.conversations.talk import BOT, FILES, Talk

OLD = FILES["app.py"]
HEAD = OLD.replace(b"line 2\n", b"line two\n")
REQUEST = "/gitclaw\n\nreplace old with new in app.py\nwrite notes.txt hello\nbecause app.py the old name misleads"


def _comments(talk: Talk) -> list[str]:
    return [comment.body for comment in talk.repo.review_comments(talk.number)]


def test_what_the_diff_shows_gets_a_button_and_the_rest_its_number(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    (comment,) = talk.repo.review_comments(talk.number)
    assert comment.body.startswith("the old name misleads") or "```suggestion\nnew = 1\n```" in comment.body
    (review,) = talk.repo.reviews(talk.number)
    assert review.state == "COMMENTED"
    assert "| **1.1** | `app.py` line 1 | Button in the diff, or `/apply 1.1` |" in review.body
    assert "`/apply 1.2`: these lines are not part of the pull request's diff" in review.body
    assert "`/apply 2`: " in review.body


def test_the_button_is_recognised_and_the_number_is_applied(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    (comment,) = talk.repo.review_comments(talk.number)
    before = len(talk.replies())
    talk.repo.apply_suggestions(talk.mona, talk.number, [comment.id])
    talk.handle()
    assert talk.file("app.py", "topic") == HEAD.replace(b"old = 1", b"new = 1")
    (reply,) = talk.replies()[before:]
    assert "### Applied in the pull request: 1.1" in reply
    (status,) = talk.say("/gitclaw status")
    assert "Partly applied" in status
    talk.say("/apply all")
    assert talk.file("app.py", "topic") == HEAD.replace(b"old", b"new")


def test_the_same_change_by_hand_is_recognised_too(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    talk.repo.push_files("topic", {"app.py": HEAD.replace(b"old", b"new")}, talk.mona)
    talk.handle()
    assert talk.state()["decisions"][-1]["parts"] == ["1.1", "1.2"]
    assert talk.state()["decisions"][-1]["commit"] == talk.repo.branch("topic")
    talk.say("/undo 1")
    assert talk.file("app.py", "topic") == HEAD


def test_nothing_is_posted_twice(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    first = _comments(talk)
    talk.repo.push_files("topic", {"other.txt": b"more\n"}, talk.mona)
    talk.handle()
    assert _comments(talk) == first
    assert len(talk.repo.reviews(talk.number)) == 1


@pytest.mark.parametrize(("who", "count"), [("mona", 1), (BOT, 2)])
def test_what_a_person_resolved_is_not_posted_again(talk: Talk, who: str, count: int) -> None:
    """The change is pending still and has its place in the diff: only who closed its comment keeps it from another."""
    talk.pull({"app.py": HEAD})
    talk.say("/gitclaw\n\nreplace two with deux in app.py")
    (thread,) = talk.repo.review_threads(talk.number)
    talk.repo.resolve(talk.hub.account(who), thread)
    talk.repo.push_files("topic", {"app.py": b"first\n" + HEAD}, talk.mona)
    talk.handle()
    assert len(_comments(talk)) == count
    assert "1 pending" in talk.say("/gitclaw status")[-1]


def test_a_rejected_number_s_thread_is_closed(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    talk.say("/reject 1")
    talk.repo.push_files("topic", {"other.txt": b"more\n"}, talk.mona)
    talk.handle()
    (thread,) = talk.repo.review_threads(talk.number)
    assert thread.resolved_by is not None


def test_a_thread_that_people_talk_in_is_left_to_them(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    (comment,) = talk.repo.review_comments(talk.number)
    talk.repo.reply_in_review(talk.mona, talk.number, comment.id, "Hm, why?")
    talk.say("/reject 1")
    talk.repo.push_files("topic", {"other.txt": b"more\n"}, talk.mona)
    talk.handle()
    (thread,) = talk.repo.review_threads(talk.number)
    assert thread.resolved_by is None


def test_a_command_in_a_review_thread_means_that_thread_s_number(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    (comment,) = talk.repo.review_comments(talk.number)
    talk.repo.reply_in_review(talk.mona, talk.number, comment.id, "/apply")
    talk.waiting.clear()
    talk.say("/gitclaw status")
    assert talk.file("app.py", "topic") == HEAD.replace(b"old = 1", b"new = 1")
    assert talk.state()["decisions"][-1]["parts"] == ["1.1"]
    count = len(talk.state()["decisions"])
    talk.say("/gitclaw status")
    assert len(talk.state()["decisions"]) == count


@pytest.mark.parametrize(
    ("command", "said"), [("/apply", "Done: Applied 1.1"), ("/apply 9", "Not done: Nothing changed")]
)
def test_a_command_in_a_review_is_answered_there_too_and_both_ways_are_linked(
    talk: Talk, command: str, said: str
) -> None:
    """Instead of a reaction, so that it takes no request more than the same command in the conversation."""
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    (comment,) = talk.repo.review_comments(talk.number)
    asked = talk.repo.reply_in_review(talk.mona, talk.number, comment.id, command)
    talk.waiting.clear()
    start = len(talk.hub.log)
    answer, _ = talk.say("/gitclaw status")
    api, _ = talk.requests(start)
    (_, _, told) = talk.repo.review_comments(talk.number)
    (place,) = (c for c in talk.comments() if c.body == answer)
    assert told.reply_to == comment.id
    assert told.body.startswith(f"{said}")
    assert f"#issuecomment-{place.id})" in told.body
    assert "In answer to [a reply in the review](" in answer
    assert f"#discussion_r{asked})." in answer
    assert [line for line in api if line.endswith("/reactions")] == [api[-1]]
    assert len(talk.repo.review_comments(talk.number)) == 3
    talk.say("/gitclaw status")
    assert len(talk.repo.review_comments(talk.number)) == 3


@pytest.mark.parametrize("refused", [1, 2])
def test_a_refused_place_does_not_lose_the_rest(talk: Talk, refused: int) -> None:
    """Planned anew after the first refusal, in pieces after the second."""
    both = HEAD.replace(b"line 30\n", b"line thirty\n")
    talk.pull({"app.py": both})
    talk.hub.faults.add(r"/pulls/\d+/reviews", method="POST", times=refused, status=422, body=_refusal())
    talk.say(REQUEST)
    assert len(_comments(talk)) == 2
    assert len(talk.repo.reviews(talk.number)) == refused


def test_what_is_always_refused_ends_and_is_told(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    start = len(talk.hub.log)
    talk.hub.faults.add(r"/pulls/\d+/reviews", method="POST", times=99, status=422, body=_refusal())
    talk.say(REQUEST)
    api, _ = talk.requests(start)
    assert sum("reviews" in call and call.startswith("POST") for call in api) <= 6
    assert "must be part of the diff" in talk.runs[-1].err
    assert "### Proposal 1" in talk.replies()[-1]


def test_a_pending_review_that_was_left_is_dropped(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    bot = talk.hub.account(BOT)
    talk.repo.review(bot, talk.number, Wanted("left by a crash\n\n" + write(Marker("review", "1"))))
    start = len(talk.hub.log)
    talk.say(REQUEST)
    assert any(call.startswith("DELETE") and "/reviews/" in call for call in talk.requests(start)[0])
    assert [review.state for review in talk.repo.reviews(talk.number)] == ["COMMENTED"]


def test_a_review_that_a_person_has_not_sent_yet_is_left_alone(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.repo.review(talk.hub.account(BOT), talk.number, Wanted("a draft of someone with the same account"))
    start = len(talk.hub.log)
    talk.say(REQUEST)
    assert not any(call.startswith("DELETE") for call in talk.requests(start)[0])
    assert "could not be posted" in talk.runs[-1].out


def test_equal_changes_keep_their_buttons_when_one_is_taken(talk: Talk) -> None:
    three = b"".join(b"old = 1\n" + b"line\n" * 12 for _ in range(3))
    talk.pull({"new.py": three})
    talk.say("/gitclaw\n\nreplace old with new in new.py")
    first = talk.repo.review_comments(talk.number)[0]
    talk.repo.apply_suggestions(talk.mona, talk.number, [first.id])
    talk.handle()
    open_ones = [thread for thread in talk.repo.review_threads(talk.number) if thread.resolved_by is None]
    assert [thread.comments[0].body.count("1.2") > 0 for thread in open_ones] == [True, False]
    assert len(_comments(talk)) == 3


def test_what_is_pending_again_has_a_button_again(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    talk.say("/apply 1.1")
    talk.repo.push_files("topic", {"other.txt": b"more\n"}, talk.mona)
    talk.handle()
    talk.say("/undo")
    talk.repo.push_files("topic", {"other.txt": b"more still\n"}, talk.mona)
    talk.handle()
    live = [thread for thread in talk.repo.review_threads(talk.number) if thread.resolved_by is None]
    assert len(live) == 1


def test_taking_back_brings_the_button_at_once(talk: Talk) -> None:
    """Four requests more: the pull request, where it parted, its threads as they are now, the review."""
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    talk.say("/apply 1.1")
    talk.repo.push_files("topic", {"other.txt": b"more\n"}, talk.mona)
    talk.handle()
    start = len(talk.hub.log)
    (reply,) = talk.say("/undo")
    api, git = talk.requests(start)
    assert "### Took back 1.1" in reply
    (_, button) = talk.repo.review_comments(talk.number)
    talk.repo.apply_suggestions(talk.mona, talk.number, [button.id])
    assert talk.file("app.py", "topic") == HEAD.replace(b"old = 1", b"new = 1")
    assert len(api) <= 10, api
    assert len(git) <= 16, git


def test_taking_back_a_rejection_brings_the_button_at_once(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    talk.say("/reject 1")
    (thread,) = talk.repo.review_threads(talk.number)
    assert thread.resolved_by is not None
    talk.say("/undo 1")
    assert len(_comments(talk)) == 2


def test_a_button_that_works_again_after_taking_back_is_the_only_one(talk: Talk) -> None:
    """Its lines were gone when the run began, and are there again."""
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    talk.say("/apply 1.1")
    talk.say("/undo")
    (button,) = talk.repo.review_comments(talk.number)
    talk.repo.apply_suggestions(talk.mona, talk.number, [button.id])
    assert talk.file("app.py", "topic") == HEAD.replace(b"old = 1", b"new = 1")


def test_an_undo_that_could_not_be_pushed_plans_no_review(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    talk.say("/apply 1.1")
    talk.repo.protect("topic")
    start = len(talk.hub.log)
    talk.say("/undo")
    assert not any("/reviews" in line or "/compare/" in line for line in talk.requests(start)[0])


def test_two_proposals_of_one_run_get_each_button_once(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.post("/gitclaw\n\nreplace two with deux in app.py")
    talk.post(REQUEST)
    talk.waiting = talk.waiting[-1:]
    talk.handle()
    assert len(talk.replies()) == 2
    bodies = _comments(talk)
    assert len(bodies) == len({body.rpartition("change=")[2] for body in bodies}) == 2


def test_an_edited_reply_in_a_review_does_not_command(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    (comment,) = talk.repo.review_comments(talk.number)
    reply = talk.repo.reply_in_review(talk.mona, talk.number, comment.id, "Looks fine to me")
    book = talk.repo.repository.reviews
    (said,) = (one for one in book.comments(talk.number, None) if one.id == reply)
    book.edit(said, "/apply")
    talk.say("/gitclaw status")
    assert talk.file("app.py", "topic") == HEAD
    assert "was edited after it was posted" in talk.runs[-1].err


@pytest.mark.parametrize(("listed", "applied"), [([], False), (["helper[bot]#1004"], True)])
def test_a_bot_commands_in_a_review_where_it_is_listed(talk: Talk, listed: list[str], *, applied: bool) -> None:
    document = (talk.file("suggestions.json") or b"").replace(b"{", b'{"bots": %s, ' % dumps(listed).encode(), 1)
    talk.repo.push_files("main", {"suggestions.json": document}, talk.mona)
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    (comment,) = talk.repo.review_comments(talk.number)
    talk.repo.reply_in_review(talk.hub.account("helper[bot]"), talk.number, comment.id, "/apply")
    talk.waiting.clear()
    talk.say("/gitclaw status")
    assert (talk.file("app.py", "topic") != HEAD) is applied
    assert ("is by a bot that is not listed" in talk.runs[-1].err) is not applied


def test_reviews_that_cannot_be_read_keep_no_command_from_being_carried_out(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    talk.hub.faults.add(r"/graphql", times=99, status=403, body={"message": "Resource not accessible by integration"})
    talk.say("/apply 1.1")
    assert talk.file("app.py", "topic") == HEAD.replace(b"old = 1", b"new = 1")


def test_who_pushed_is_said_only_where_it_is_known(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    talk.repo.push_files("topic", {"app.py": HEAD.replace(b"old", b"new")}, talk.mona)
    talk.waiting.clear()
    recognised, _ = talk.say("/gitclaw status", talk.reader)
    assert "rosa" not in recognised
    assert talk.state()["decisions"][-1]["actor"] == "someone"


def test_a_token_that_may_not_review_leaves_everything_in_the_thread(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.token = talk.repo.token(contents="write", issues="write", pull_requests="read")
    replies = talk.say(REQUEST)
    assert any("### Proposal 1" in reply for reply in replies)
    assert _comments(talk) == []
    assert "no review was posted: GitHub did not let gitclaw review pull request #2" in talk.runs[-1].out
    assert "::notice file=app.py,line=1,endLine=1,title=gitclaw 1.1::" in talk.runs[-1].out


def test_the_configuration_can_do_without(talk: Talk) -> None:
    talk.repo.push_files("main", {"suggestions.json": _without(talk)}, talk.mona)
    talk.pull({"app.py": HEAD})
    talk.say(REQUEST)
    assert talk.repo.reviews(talk.number) == []


def _refusal() -> dict[str, object]:
    text = "Pull request review thread line must be part of the diff"
    return {"message": "Unprocessable Entity", "errors": [text], "documentation_url": "https://docs.github.com/rest"}


def _without(talk: Talk) -> bytes:
    return (talk.file("suggestions.json") or b"").replace(b"{", b'{"enablePRSuggestions": false, ', 1)


def test_a_thread_of_a_number_that_is_not_known_any_more_fails_no_command(talk: Talk) -> None:
    talk.pull({"app.py": HEAD})
    talk.say("/gitclaw\n\nwrite notes.txt hello")
    talk.say(REQUEST)
    run(["git", "update-ref", "-d", f"refs/gitclaw/threads/{talk.number}"], cwd=talk.repo.folder, check=True)
    talk.say("/gitclaw\n\nwrite notes.txt other")
    (reply,) = talk.say("/reject 1")
    assert "### Rejected 1" in reply
    assert talk.runs[-1].code == 0, talk.runs[-1].err
