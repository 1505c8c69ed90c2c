"""Runs as the workflow splits them: the agent's job has no power, and what it hands over is shown as it is."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gitclaw_py.core.diffs import blob_id
from gitclaw_py.handlers.world import World
from gitclaw_py.ports.values import Move
from tests.conversations.split import Split, without_progress
from tests.conversations.talk import talking

RENAME = "/gitclaw rename\n\nreplace old with new in app.py\nbecause app.py old is old\nanswer Renamed."
NOTES = "/gitclaw note\n\nwrite notes.txt more"


def test_a_request_becomes_suggestions_and_the_first_is_applied(split: Split) -> None:
    (proposal,) = split.say(RENAME)
    assert "### Proposal 1: 1 suggestion" in proposal
    assert "Renamed." in proposal
    assert "old is old" in proposal
    (applied,) = split.say("/apply 1.1")
    assert "Applied 1.1" in applied
    assert (split.talk.file("app.py") or b"").startswith(b"new = 1\n")
    assert len(split.talk.prompts()) == 1
    assert [run.code for run in split.talk.runs] == [0, 0, 0]
    assert split.talk.reactions(split.talk.comments()[0].id) == ["eyes", "rocket"]


def test_it_says_what_a_run_in_one_process_says(split: Split) -> None:
    (apart,) = split.say(RENAME)
    split.talk.open()
    (whole,) = split.talk.say(RENAME)
    left, right = (text.split("### Proposal 1")[1].split("<sub>")[0] for text in (apart, whole))
    assert left == right


def test_the_job_with_the_agent_writes_nothing(split: Split) -> None:
    split.talk.post(RENAME)
    event, payload = split.talk.waiting.pop(0)
    told, start = split.gate(event, payload), len(split.talk.hub.log)
    assert split.work(event, payload, told).code == 0
    api, git = split.talk.requests(start)
    assert [line for line in api if not line.startswith("GET ")] == []
    assert [line for line in git if "receive-pack" in line] == []
    start = len(split.talk.prompts())
    split.publish(event, payload, told)
    assert len(split.talk.prompts()) == start


def test_feedback_is_worked_on_where_the_suggestions_are_pending(split: Split) -> None:
    split.say(RENAME)
    (second,) = split.say("/refine 1 newer\n\nreplace new with newer in app.py")
    assert "2 replaces 1" in second
    (applied,) = split.say("/apply 2")
    assert "Applied 2" in applied
    assert (split.talk.file("app.py") or b"").startswith(b"newer = 1\n")


def test_several_commands_of_a_comment_are_carried_out_in_their_order(split: Split) -> None:
    said = split.say(f"{RENAME}\n\n/apply 1.1\n\n{NOTES}")
    assert ["Proposal 1" in said[0], "Applied 1.1" in said[1], "Proposal 2" in said[2]] == [True, True, True]
    assert (split.talk.file("app.py") or b"").startswith(b"new = 1\n")
    (applied,) = split.say("/apply 2")
    assert "Applied 2" in applied
    assert split.talk.file("notes.txt") == b"more\n"
    assert (split.talk.file("app.py") or b"").startswith(b"new = 1\n")


def test_an_answer_is_an_answer(split: Split) -> None:
    (answer,) = split.say("/gitclaw why\n\nanswer Because.")
    assert "Because." in answer
    assert "Proposal" not in answer


def test_an_agent_that_fails_is_told_with_its_last_words(split: Split) -> None:
    (answer,) = split.say("/gitclaw x\n\nprint no luck\nfail 4")
    assert "ended with 4 and changed nothing" in answer
    assert "no luck" in answer
    assert split.talk.runs[-1].code == 5


def test_a_job_of_the_agent_that_left_nothing_is_told_and_blocks_nothing(split: Split) -> None:
    split.between = lambda: shutil.rmtree(split.folder)
    (answer,) = split.say(RENAME)
    assert "ended before it could hand anything over" in answer
    assert split.talk.runs[-1].code == 5
    split.between = lambda: None
    (again,) = split.say(RENAME)
    assert "### Proposal 1" in again


def test_what_a_lost_run_was_to_do_is_answered_by_the_next_one(split: Split) -> None:
    split.talk.post(RENAME)
    split.talk.waiting.clear()
    lost, status = split.say("/gitclaw status")
    assert "was not given to an agent" in lost
    assert "Failed" not in status
    assert split.talk.prompts() == []


def test_what_a_lost_run_was_to_do_is_done_by_the_next_agent(split: Split) -> None:
    split.talk.post(RENAME)
    split.talk.waiting.clear()
    first, second = split.say(NOTES)
    assert "Proposal 1" in first
    assert "Proposal 2" in second


def test_what_came_later_and_needs_an_agent_has_a_run_of_its_own(split: Split) -> None:
    split.talk.post(RENAME)
    split.talk.post(NOTES)
    assert split.handle() == ["agent", "agent"]
    assert [reply.split("\n")[0] for reply in without_progress(split.talk.replies())] == [
        "### Proposal 1: 1 suggestion",
        "### Proposal 2: 1 suggestion",
    ]
    assert len(split.talk.prompts()) == 2


def test_what_came_later_and_needs_none_is_done_along_the_way(split: Split) -> None:
    split.talk.post(RENAME)
    split.talk.post("/apply 1.1")
    assert split.handle() == ["agent", "act"]
    proposal, applied = without_progress(split.talk.replies())
    assert "Proposal 1" in proposal
    assert "Applied 1.1" in applied


def test_the_default_branch_may_move_while_the_agent_works(split: Split) -> None:
    def pushed() -> None:
        split.talk.repo.push_files("main", {"notes.txt": b"by hand\n"}, split.talk.mona)

    split.between = pushed
    (proposal,) = split.say(RENAME)
    assert "### Proposal 1: 1 suggestion" in proposal
    split.between = lambda: None
    split.say("/apply 1")
    assert split.talk.file("notes.txt") == b"by hand\n"
    assert (split.talk.file("app.py") or b"").startswith(b"new = 1\n")


def test_row_27_publishing_twice_is_publishing_once(split: Split) -> None:
    split.talk.post(RENAME)
    event, payload = split.talk.waiting.pop(0)
    told = split.gate(event, payload)
    split.work(event, payload, told)
    for _ in range(2):
        assert split.publish(event, payload, told).code == 0
    assert len(without_progress(split.talk.replies())) == 1
    # And whoever runs both jobs again finds nothing to do.
    split.work(event, payload, told)
    assert split.publish(event, payload, told).code == 0
    assert (len(without_progress(split.talk.replies())), len(split.talk.prompts())) == (1, 1)


@pytest.mark.parametrize("request_text", [RENAME, "/refine 1 newer\n\nreplace new with newer in app.py"])
def test_publishing_brings_what_changed_and_not_the_repository(split: Split, request_text: str) -> None:
    talk = split.talk
    if request_text != RENAME:
        split.say(RENAME)
    # Moved on, so that what the agent started from is at no branch any more.
    large = b"large\n" * 10_000
    talk.repo.push_files("main", {"large.txt": large}, talk.mona)
    oid = blob_id("sha1", large)
    split.between = lambda: talk.repo.push_files("main", {"other.txt": b"x"}, talk.mona) and None  # type: ignore[assignment]
    brought: dict[str, bool] = {}

    def around(world: World) -> World:
        clone: Any = world.remote
        push = clone.push

        def looked(moves: Sequence[Move]) -> None:
            brought["publish"] = oid not in clone._missing([oid])
            push(moves)

        clone.push = looked
        return world

    talk.around = around
    (proposal,) = split.say(request_text)
    assert "### Proposal" in proposal
    assert brought == {"publish": False}


def test_commits_through_the_api_are_made_from_what_was_handed_over(tmp_path: Path) -> None:
    with talking(tmp_path, {"commit": {"via": "api"}}) as talk:
        split = Split(talk)
        split.say(RENAME)
        (applied,) = split.say("/apply 1")
        assert "Applied 1" in applied
        assert (talk.file("app.py") or b"").startswith(b"new = 1\n")


def test_row_11_an_agent_works_on_the_head_that_was_decided_on(split: Split) -> None:
    talk = split.talk
    talk.pull({"app.py": b"old = 1\n"})
    pinned = talk.repo.branch("topic")
    talk.post(RENAME)
    event, payload = talk.waiting.pop(0)
    told = split.gate(event, payload)
    assert told.head == pinned
    talk.repo.push_files("topic", {"app.py": b"evil = 1\nold = 1\n"}, talk.mona)
    talk.waiting.clear()
    split.work(event, payload, told)
    split.publish(event, payload, told)
    (proposal,) = without_progress(talk.replies())
    assert "+new = 1" in proposal
    assert "evil" not in proposal
    assert talk.state()["proposals"][0]["base"] == pinned


@pytest.mark.parametrize("is_fork", [False, True])
def test_a_pull_request_gets_its_review_from_the_publishing_job(split: Split, *, is_fork: bool) -> None:
    talk = split.talk
    if is_fork:
        stranger = talk.hub.account("stranger")
        talk.repo.fork(stranger).push_files("topic", {"topic.py": b"old = 1\n"}, stranger)
        talk.number = talk.repo.open_pull(stranger, "stranger:topic", title="From a fork")
        talk.waiting.clear()
    else:
        talk.pull({"topic.py": b"old = 1\n"})
    (proposal,) = split.say("/gitclaw rename\n\nreplace old with new in topic.py")
    assert "### Proposal 1: 1 suggestion" in proposal
    assert len(talk.repo.reviews(talk.number)) == 1
    (refined,) = split.say("/refine 1 newer\n\nreplace new with newer in topic.py")
    assert "2 replaces 1" in refined
    (applied,) = split.say("/apply 2")
    assert ("fork" in applied) is is_fork
    if not is_fork:
        assert talk.file("topic.py", "topic") == b"newer = 1\n"


def test_a_request_from_elsewhere_gets_an_issue_when_it_is_published(split: Split) -> None:
    talk = split.talk
    talk.repo.dispatch(talk.mona, "gitclaw", {"request": "note\n\nwrite notes.txt more"})
    assert split.handle() == ["agent"]
    talk.number += 1
    (proposal,) = talk.replies()
    assert "### Proposal 1: 1 suggestion" in proposal


@pytest.mark.parametrize("text", ["thanks!", "see /usr/bin/git", "`/apply 1`", "a\n/lgtm"])
def test_what_is_not_for_us_starts_nothing_and_asks_nobody(split: Split, text: str) -> None:
    start = len(split.talk.hub.log)
    split.talk.post(text)
    assert split.handle() == ["ignored"]
    assert split.talk.requests(start) == ([], [])
    assert split.talk.reactions(split.talk.comments()[-1].id) == []


def test_what_only_looks_like_a_command_is_read_again_and_changes_nothing(split: Split) -> None:
    split.talk.post("```\n/gitclaw do it\n```")
    assert split.handle() == ["agent"]
    assert split.talk.replies() == []
    assert split.talk.prompts() == []
