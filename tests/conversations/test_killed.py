"""A run that ends in the middle leaves the old world or the new one, and the next one completes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.conversations.breaking import Kill, answers, assert_agreed, assert_said_once, cut_off
from tests.conversations.talk import Talk, talking

pytestmark = pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])

_MANY = "/gitclaw many\n\n" + "\n".join(f"write f{number:02}.txt {number}" for number in range(1, 61))
"""A proposal with a number for each try."""


@pytest.fixture
def often(tmp_path: Path) -> Iterator[Talk]:
    """A thread in which an agent may run as often as it can die."""
    with talking(tmp_path, {"limits": {"runsPerThreadPerHour": 1000}}) as found:
        yield found


def _reject(number: int) -> str:
    return f"/reject {number} no"


def _apply(number: int) -> str:
    return f"/apply {number}"


def _undo(number: int) -> str:
    return f"/undo {number}"


def _run(number: int) -> str:
    return f"/gitclaw\n\nwrite run{number}.txt x"


def _refine(number: int) -> str:
    return f"/refine {number} again\n\nwrite f{number:02}.txt more"


def _status(_: int) -> str:
    return "/gitclaw status\n\n/gitclaw help"


def _deaths(talk: Talk, text: Callable[[int], str], step: int) -> Iterator[tuple[int, int]]:
    """Give the command again and again, with a death at every call in turn; the number and the comment."""
    for number, death in enumerate(count(step, step), 1):
        at, after = (death + 1) // 2, not death % 2
        comment = talk.post(text(number))
        redelivered = talk.waiting[0]
        died = cut_off(talk, Kill(at, after=after))
        assert_agreed(talk)
        if number % 2:
            talk.run(*redelivered)
        talk.say("/gitclaw status")
        assert_agreed(talk)
        assert_said_once(talk)
        yield number, comment
        if not died:
            return


def test_an_apply_happens_once_wherever_the_run_ends(talk: Talk, step: int) -> None:
    talk.say(_MANY)
    for number, comment in _deaths(talk, _apply, step):
        (reply,) = answers(talk, comment)
        assert f"### Applied {number}" in reply
        assert talk.file(f"f{number:02}.txt") == b"%d\n" % number


def test_a_rejection_happens_once_wherever_the_run_ends(talk: Talk, step: int) -> None:
    talk.say(_MANY)
    for number, comment in _deaths(talk, _reject, step):
        (reply,) = answers(talk, comment)
        assert f"### Rejected {number}" in reply
        assert len(talk.state()["decisions"]) == number


def test_taking_back_happens_once_wherever_the_run_ends(talk: Talk, step: int) -> None:
    talk.say(_MANY)
    talk.say("/apply all")
    for number, comment in _deaths(talk, _undo, step):
        (reply,) = answers(talk, comment)
        assert f"### Took back {number}" in reply
        assert talk.file(f"f{number:02}.txt") is None


def test_a_request_gets_one_proposal_wherever_the_run_ends(often: Talk, step: int) -> None:
    for number, comment in _deaths(often, _run, step):
        (reply,) = answers(often, comment)
        assert f"### Proposal {number}: 1 suggestion" in reply
        assert len(often.state()["suggestions"]) == number


def test_feedback_makes_one_new_number_wherever_the_run_ends(often: Talk, step: int) -> None:
    often.say(_MANY)
    for number, comment in _deaths(often, _refine, step):
        (reply,) = answers(often, comment)
        assert f"| **{60 + number}** | `f{number:02}.txt` |" in reply
        assert len(often.state()["suggestions"]) == 60 + number


def test_every_part_of_an_answer_that_changes_nothing_is_said_once(talk: Talk, step: int) -> None:
    talk.say("/gitclaw\n\nwrite added.txt hello")
    for _, comment in _deaths(talk, _status, step):
        assert ["### Status" in reply for reply in answers(talk, comment)] == [True, False]


def test_a_pull_request_is_opened_and_told_once_wherever_the_run_ends(tmp_path: Path, step: int) -> None:
    for death in count(step, step):
        with talking(tmp_path / str(death), {"commit": {"to": "pull-request"}}) as talk:
            talk.say("/gitclaw\n\nwrite added.txt hello")
            comment = talk.post("/apply all")
            died = cut_off(talk, Kill((death + 1) // 2, after=not death % 2))
            talk.say("/gitclaw status")
            branch = f"gitclaw/issue-{talk.number}"
            assert_agreed(talk, branch)
            assert [reply.split(" ")[1] for reply in answers(talk, comment)] == ["Applied", "Opened"]
            assert len([thread for thread in talk.repo.repository.threads if thread.pull]) == 1
            assert talk.file("added.txt", branch) == b"hello\n"
        if not died:
            return
