"""Someone else moves the branch or the state between our look and our push."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conversations.breaking import answers, assert_agreed, assert_said_once, commits, watched
from tests.conversations.talk import FILES, Talk

REQUEST = "/gitclaw rename\n\nreplace old with new in app.py\nwrite added.txt hello"


@pytest.fixture
def asked(talk: Talk) -> Talk:
    """A thread with a proposal."""
    talk.say(REQUEST)
    return talk


def _before_each_push(talk: Talk, times: int, do: Callable[[], object]) -> list[str]:
    """Have something happen right before the first so many pushes; the pushes that were tried."""
    tried: list[str] = []

    def around(name: str, call: Callable[[], Any]) -> Any:
        if name == "push":
            tried.append(name)
            if len(tried) <= times:
                talk.around = lambda world: world
                do()
        return call()

    talk.around = watched(around)
    return tried


def _touch_state(talk: Talk) -> None:
    """A commit on the state's ref that changes nothing in it, as another run would make one."""
    git, ref = talk.repo.repository.git, f"refs/gitclaw/threads/{talk.number}"
    old = git.ref(ref)
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    new = git.git(*identity, "commit-tree", "-m", "touched", "-p", f"{old}", f"{old}^{{tree}}").decode().strip()
    git.git("update-ref", ref, new)


def _push(talk: Talk, **files: bytes) -> Callable[[], object]:
    return lambda: talk.repo.push_files(
        "main", {name.replace("_", "."): data for name, data in files.items()}, talk.mona
    )


def test_a_state_that_moved_is_decided_on_again(asked: Talk) -> None:
    tried = _before_each_push(asked, 2, lambda: _touch_state(asked))
    (reply,) = asked.say("/apply 1")
    assert "### Applied 1" in reply
    assert len(tried) == 3
    assert_agreed(asked)


def test_after_three_times_it_says_so_and_nothing_is_changed(asked: Talk) -> None:
    tried = _before_each_push(asked, 9, lambda: _touch_state(asked))
    (reply,) = asked.say("/apply 1")
    assert "STATE_CONFLICT" in reply
    assert len(tried) == 3
    assert asked.file("added.txt") is None
    (reply,) = asked.say("/apply 1")
    assert "### Applied 1" in reply


def test_the_agent_does_not_work_twice_for_one_request(asked: Talk) -> None:
    worked = len(asked.prompts())
    _before_each_push(asked, 2, lambda: _touch_state(asked))
    (reply,) = asked.say("/gitclaw more\n\nwrite more.txt x")
    assert "### Proposal 2: 1 suggestion" in reply
    assert len(asked.prompts()) == worked + 1
    assert [s["number"] for s in asked.state()["suggestions"]] == [1, 2, 3]


def test_a_branch_that_moved_is_merged_with(asked: Talk) -> None:
    theirs = FILES["app.py"].replace(b"line 15\n", b"LINE 15\n")
    _before_each_push(asked, 1, _push(asked, app_py=theirs))
    (reply,) = asked.say("/apply 2")
    assert "### Applied 2" in reply
    assert asked.file("app.py") == theirs.replace(b"old", b"new")


def test_a_branch_that_moved_so_that_it_does_not_fit_is_left_as_it_is(asked: Talk) -> None:
    theirs = FILES["app.py"].replace(b"old = 1", b"older = 1")
    _before_each_push(asked, 1, _push(asked, app_py=theirs))
    (reply,) = asked.say("/apply 2.1")
    assert "### Nothing was applied: 2.1 does not fit" in reply
    assert "older = 1" in reply
    assert asked.file("app.py") == theirs
    (status,) = asked.say("/gitclaw status")
    assert "0 of 2 applied, 2 pending" in status


def test_a_branch_that_moved_while_the_agent_worked_keeps_its_change(talk: Talk) -> None:
    _before_each_push(talk, 1, _push(talk, notes_txt=b"theirs\n"))
    talk.say(REQUEST)
    talk.say("/apply all")
    assert talk.file("notes.txt") == b"theirs\n"
    assert talk.file("added.txt") == b"hello\n"


def test_row_65_two_runs_at_once_carry_out_every_command_once(asked: Talk) -> None:
    comments = [asked.post("/apply 1"), asked.post("/apply 2")]
    events, asked.waiting[:] = list(asked.waiting), []
    runs = asked.at_once(events)
    asked.say("/gitclaw status")
    assert [ran.code for ran in (*runs, asked.runs[-1])] == [0, 0, 0]
    for number, comment in enumerate(comments, 1):
        (reply,) = answers(asked, comment)
        assert f"### Applied {number}" in reply
    assert len(commits(asked)) == 2
    assert_said_once(asked)
    assert_agreed(asked)


def test_row_27_one_event_delivered_twice_at_once_is_carried_out_once(asked: Talk) -> None:
    comment = asked.post("/apply all")
    event = asked.waiting.pop()
    # The other run does all of it between the look and the push of this one.
    _before_each_push(asked, 1, lambda: asked.run(*event))
    asked.run(*event)
    (reply,) = answers(asked, comment)
    assert "### Applied 1, 2" in reply
    assert len(commits(asked)) == 1
