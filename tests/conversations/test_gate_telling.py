"""What the gate tells a thread: that an agent is at work, where, and that it is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conversations.breaking import watched
from tests.conversations.split import RUN, Split, asked

WORKING = "### Working on the request of `mona`"


def test_the_thread_is_told_that_the_agent_is_at_work_and_where(split: Split) -> None:
    """Its own job cannot write. One request of the gate's, and one of the job that publishes."""
    talk, seen = split.talk, list[str]()
    split.between = lambda: seen.extend(talk.replies())
    talk.post("/gitclaw\n\nwrite a.txt a")
    split.handle()
    (working,) = seen
    assert working.startswith(WORKING)
    assert f"[live log]({talk.hub.url}/octo/hello/actions/runs/77) · stop with `/gitclaw cancel`" in working
    _, told, proposal = talk.comments()
    assert told.body.startswith("Finished in ")
    assert f"[see the result]({talk.hub.url}/octo/hello/issues/{talk.number}#issuecomment-{proposal.id})" in told.body
    assert "### Proposal 1" in proposal.body


def test_a_failure_ends_what_was_told_too(split: Split) -> None:
    split.talk.post("/gitclaw break\n\nfail 3")
    split.handle()
    told, failure = split.talk.replies()
    assert told.startswith("Finished: [see the result](")
    assert "changed nothing" in failure


def test_jobs_that_died_leave_no_work_behind_that_nobody_does(split: Split) -> None:
    asked(split, "/gitclaw\n\nwrite a.txt a")
    assert split.talk.replies()[0].startswith(WORKING)
    lost, status = split.say("/gitclaw status")[-2:]
    assert "its own run was lost" in lost
    assert "### Status" in status
    assert split.talk.replies()[0].startswith("Finished")


@pytest.mark.parametrize("dies_before", ["edit", "react"])
def test_a_run_that_died_before_it_said_so_is_made_up_for(split: Split, dies_before: str) -> None:
    def broken(name: str, do: Callable[[], Any]) -> Any:
        if name == dies_before:
            raise KeyboardInterrupt
        return do()

    split.talk.post("/gitclaw\n\nwrite a.txt a")
    event, payload = split.talk.waiting.pop(0)
    told = split.gate(event, payload)
    split.work(event, payload, told)
    split.talk.around = watched(broken)
    with pytest.raises(KeyboardInterrupt):
        split.publish(event, payload, told)
    split.talk.around = lambda world: world
    split.say("/gitclaw status")
    progress, proposal = split.talk.replies()[:2]
    assert progress.startswith("Finished")
    assert "see the result" in progress
    assert "### Proposal 1" in proposal


def test_a_run_that_is_tried_again_says_it_once(split: Split) -> None:
    split.talk.post(RUN)
    event, payload = split.talk.waiting.pop(0)
    for attempt in ("1", "2", "3"):
        assert split.gate(event, payload, GITHUB_RUN_ATTEMPT=attempt).kind == "agent"
    assert len(split.talk.replies()) == 1


@pytest.mark.parametrize(
    "text", ["Hm.\n\n/gitclaw look", "```\n/gitclaw look\n```", "/gitclaw look\n===", " /gitclaw x"]
)
def test_what_may_turn_out_to_be_no_request_is_not_told_to_be_worked_on(split: Split, text: str) -> None:
    assert asked(split, text).kind == "agent"
    assert split.talk.replies() == []


def test_what_the_configuration_does_not_take_is_called_off(split: Split) -> None:
    """The gate knows of the configuration only what the caller of the workflow repeats."""
    talk = split.talk
    helper = talk.hub.account("helper[bot]")
    split.variables["GITCLAW_BOTS"] = f"helper[bot]#{helper.id}"
    assert split.say(RUN, helper) == []
    (told,) = talk.replies()
    assert told.startswith("Finished")


def test_that_it_cannot_be_told_keeps_no_agent_from_its_work(split: Split) -> None:
    split.talk.hub.faults.add("/comments$", method="POST", status=403, times=1)
    told = asked(split)
    assert (told.kind, "it was not told that the agent is at work" in told.err) == ("agent", True)
