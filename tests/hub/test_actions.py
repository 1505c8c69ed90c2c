"""Runs started as Actions would start them."""

from __future__ import annotations

import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gitclaw_py.hub.actions import ActionsRunner, Workflow
from tests.hub.conftest import World

Start = Callable[..., ActionsRunner]

ECHO = """
import json, os, urllib.request
from os import environ as given
event = json.load(open(given["GITHUB_EVENT_PATH"]))
open(given["GITHUB_STEP_SUMMARY"], "a").write("done")
number, said = event["issue"]["number"], event["comment"]["body"]
url = f"{given['GITHUB_API_URL']}/repos/{given['GITHUB_REPOSITORY']}/issues/{number}/comments"
headers = {"Authorization": "Bearer " + given["GITHUB_TOKEN"]}
request = urllib.request.Request(url, json.dumps({"body": "echo " + said}).encode(), headers)
print(urllib.request.urlopen(request).status, given["GITHUB_EVENT_NAME"], given["GITHUB_ACTOR"], sorted(given))
"""
# Says when it has begun, by a file, and waits for another.
HOLD = """
import os, pathlib, time
folder = pathlib.Path(os.environ["SIGNALS"])
(folder / os.environ["GITHUB_RUN_ID"]).touch()
while not (folder / "go").exists():
    time.sleep(0.01)
"""


@pytest.fixture
def start(world: World, tmp_path: Path) -> Iterator[Start]:
    """Starts a program for every event."""
    runners: list[ActionsRunner] = []

    def started(program: str, **more: object) -> ActionsRunner:
        more.setdefault("environment", {"SIGNALS": str(tmp_path)})
        workflow = Workflow([sys.executable, "-I", "-c", program], **more)  # type: ignore[arg-type]
        runners.append(ActionsRunner(world.hub, tmp_path / "runs", workflow))
        return runners[-1]

    yield started
    for runner in runners:
        runner.close()


def test_a_run_reads_its_event_and_answers(world: World, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SECRET", "x")
    number = world.repo.open_issue(world.mona, "A title")
    runner = start(ECHO)
    world.repo.comment(world.hubot, number, "Hello")
    assert runner.wait()
    (run,) = runner.runs
    assert (run.exit_code, run.summary, run.group) == (0, "done", f"octo/hello#{number}"), run.output
    assert run.output.startswith("201 issue_comment hubot ")
    assert "MY_SECRET" not in run.output  # nothing of whoever started the hub
    assert [one.body for one in world.repo.comments(number)] == ["Hello", "echo Hello"]


def test_a_runs_log_can_be_read_where_replies_link_to_it(world: World, start: Start) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    runner = start("print('said so')")
    world.repo.comment(world.mona, number, "Go")
    assert runner.wait()
    url = f"{world.hub.url}/octo/hello/actions/runs/{runner.runs[0].id}"
    with urllib.request.urlopen(url) as answer:  # noqa: S310 - ours
        assert answer.read() == b"said so\n"


def test_runs_of_one_thread_wait_for_each_other_and_others_do_not(world: World, start: Start, tmp_path: Path) -> None:
    one, other = (world.repo.open_issue(world.mona, "A title") for _ in range(2))
    runner = start(HOLD)
    for number in (one, one, other):
        world.repo.comment(world.mona, number, "Go")
    first, second, third = (run.id for run in runner.runs)
    assert world.hub.wait_until(lambda: (tmp_path / str(first)).exists() and (tmp_path / str(third)).exists())
    assert not (tmp_path / str(second)).exists()
    assert runner.is_busy("octo/hello", one)
    (tmp_path / "go").touch()
    assert runner.wait()
    assert [run.exit_code for run in runner.runs] == [0, 0, 0]
    assert not runner.is_busy("octo/hello", one)


def test_a_queue_of_one_keeps_only_the_newest_waiting_run(world: World, start: Start, tmp_path: Path) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    runner = start(HOLD, queue=1)
    world.repo.comment(world.mona, number, "first")
    first = runner.runs[0].id
    assert world.hub.wait_until((tmp_path / str(first)).exists)
    for text in ("second", "third"):
        world.repo.comment(world.mona, number, text)
    (tmp_path / "go").touch()
    assert runner.wait()
    assert [(run.is_cancelled, run.exit_code) for run in runner.runs] == [(False, 0), (True, None), (False, 0)]


def test_a_run_that_takes_too_long_is_ended(world: World, start: Start) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    runner = start(HOLD, seconds=0.2)
    world.repo.comment(world.mona, number, "Go")
    assert runner.wait()
    assert runner.runs[0].exit_code == -9


def test_a_forks_pull_request_gets_a_token_that_only_reads(world: World, start: Start) -> None:
    fork = world.repo.fork(world.rando)
    fork.push_files("fix", {"b": b"b"}, world.rando)
    runner = start("import os; print(os.environ['GITHUB_TOKEN'])")
    world.repo.open_pull(world.rando, "rando:fix")
    assert runner.wait()
    token = world.hub.world.accounts.token(runner.runs[0].output.strip())
    assert token is not None
    assert token.permissions is not None
    assert set(token.permissions.values()) == {"read"}


def test_closing_ends_what_works_and_starts_nothing_more(world: World, start: Start, tmp_path: Path) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    runner = start(HOLD)
    world.repo.comment(world.mona, number, "Go")
    assert world.hub.wait_until((tmp_path / str(runner.runs[0].id)).exists)
    closing = threading.Thread(target=runner.close)
    closing.start()
    closing.join(5)
    assert not closing.is_alive()
    world.repo.comment(world.mona, number, "Again")
    assert len(runner.runs) == 1
