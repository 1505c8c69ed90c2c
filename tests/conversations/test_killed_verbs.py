"""The life of a pull request, with a run that ends in the middle: what was asked for happens once, and is said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.conversations.breaking import Kill, answers, assert_agreed, assert_said_once, cut_off
from tests.conversations.talk import FILES, Talk, talking

pytestmark = pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])

TOPIC = {"topic.py": b"topic = 1\n"}


def _deaths(folder: Path, step: int, text: str, prepare: Callable[[Talk], object]) -> Iterator[tuple[Talk, int]]:
    """A thread for each call that can be the last one of a run, after the run that follows it; the comment's id."""
    for death in count(step, step):
        with talking(folder / str(death)) as talk:
            talk.repo.grant(talk.mona, "maintain")
            prepare(talk)
            comment = talk.post(text)
            died = cut_off(talk, Kill((death + 1) // 2, after=not death % 2))
            talk.say("/gitclaw status")
            assert_said_once(talk)
            assert answers(talk, comment)
            yield talk, comment
        if not died:
            return


def _pull(talk: Talk) -> int:
    return talk.pull(TOPIC)


def _behind(talk: Talk) -> None:
    talk.pull(TOPIC)
    talk.repo.push_files("main", {"later.txt": b"later\n"}, talk.mona)
    talk.waiting.clear()


def test_a_pull_request_that_is_asked_for_is_there_once(tmp_path: Path, step: int) -> None:
    request = "/gitclaw\n\nwrite added.txt hello"
    for talk, _ in _deaths(tmp_path, step, "/gitclaw pr", lambda talk: talk.say(request)):
        branch = f"gitclaw/issue-{talk.number}"
        assert_agreed(talk, branch)
        (pull,) = [thread for thread in talk.repo.repository.threads if thread.pull]
        assert pull.pull is not None
        assert pull.pull.head_branch == branch
        assert talk.file("added.txt", branch) == b"hello\n"
        assert talk.file("added.txt") is None


def test_a_merge_happens_once(tmp_path: Path, step: int) -> None:
    for talk, _ in _deaths(tmp_path, step, "/gitclaw merge", _pull):
        thread = talk.repo.thread(talk.number)
        assert thread.pull is not None
        assert thread.pull.merged_at
        assert talk.file("topic.py") == b"topic = 1\n"
        assert talk.file("app.py") == FILES["app.py"]


def test_a_pull_request_is_closed_and_nothing_else_happens(tmp_path: Path, step: int) -> None:
    for talk, _ in _deaths(tmp_path, step, "/gitclaw close", _pull):
        thread = talk.repo.thread(talk.number)
        assert thread.state == "closed"
        assert thread.pull is not None
        assert not thread.pull.merged_at
        assert talk.repo.branch("topic")


def test_a_branch_is_brought_up_to_date_once(tmp_path: Path, step: int) -> None:
    for talk, _ in _deaths(tmp_path, step, "/gitclaw update", _behind):
        tip = talk.repo.branch("topic")
        assert tip is not None
        assert len(talk.repo.repository.git.commit(tip).parents) == 2
        assert talk.file("later.txt", "topic") == b"later\n"
        assert talk.file("topic.py", "topic") == b"topic = 1\n"
