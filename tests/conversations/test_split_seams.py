"""Where the jobs of a split run meet: what the one knows, the other says, and what was decided on is what is done."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gitclaw_py.errors import InternalError
from tests.conversations.breaking import hasty, watched
from tests.conversations.split import Split, without_progress
from tests.conversations.talk import AGENT, FILES, talking
from tests.conversations.test_again import LONG

RENAME = "/gitclaw rename\n\nreplace old with new in app.py"
TOKEN = "ghp" + "_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5"


def _moved_meanwhile(split: Split, text: str) -> str:
    """Give a command, let somebody push when the gate has seen it, and read the answer."""
    talk = split.talk
    talk.post(text)
    event, payload = talk.waiting.pop(0)
    told = split.gate(event, payload)
    talk.repo.push_files("topic", {"evil.py": b"evil\n"}, talk.mona)
    talk.waiting.clear()
    if told.kind == "agent":
        split.work(event, payload, told)
    split.publish(event, payload, told)
    return talk.replies()[-1]


def test_row_11_what_is_pushed_after_the_gate_is_not_merged(split: Split) -> None:
    split.talk.repo.grant(split.talk.mona, "maintain")
    split.talk.pull({"topic.py": b"topic = 1\n"})
    reply = _moved_meanwhile(split, "/gitclaw merge")
    assert "Someone pushed to it meanwhile" in reply
    assert split.talk.file("evil.py") is None
    assert split.talk.file("topic.py") is None


def test_row_11_what_is_pushed_after_the_gate_is_looked_at_before_an_apply(split: Split) -> None:
    split.talk.pull({"topic.py": b"topic = 1\n"})
    split.say(RENAME)
    reply = _moved_meanwhile(split, "/apply 1")
    assert "Someone pushed to topic after the command was given" in reply
    assert split.talk.file("app.py", "topic") == FILES["app.py"]
    assert "### Applied 1" in split.say("/apply 1")[0]


def test_row_11_no_mode_commits_on_what_is_pushed_after_the_gate(tmp_path: Path) -> None:
    with talking(tmp_path, {"defaultMode": "commit-only", "riskThreshold": "critical"}) as talk:
        talk.pull({"topic.py": b"topic = 1\n"})
        _moved_meanwhile(Split(talk), RENAME)
        assert talk.file("app.py", "topic") == FILES["app.py"]
        assert talk.file("evil.py", "topic") == b"evil\n"


def test_who_cancelled_a_run_in_the_other_job_is_told(split: Split) -> None:
    talk = split.talk

    def cancel() -> None:
        assert talk.hub.wait_until(lambda: bool(talk.prompts()))
        talk.post("/gitclaw cancel")

    talk.around = hasty()
    other = threading.Thread(target=cancel)
    other.start()
    talk.post(LONG)
    split.handle()
    other.join()
    (reply,) = without_progress(talk.replies())
    assert "### Cancelled by" in reply


def test_what_kept_the_agent_from_starting_is_told_by_the_job_that_publishes(tmp_path: Path) -> None:
    model = {"kind": "anthropic", "key": "ANTHROPIC_API_KEY"}
    agent = {"command": [sys.executable, str(AGENT), str(tmp_path / "told.txt")], "isolation": "none"}
    with talking(tmp_path, {"agent": {**agent, "network": "proxy", "model": model}}) as talk:
        (reply,) = Split(talk).say(RENAME)
        assert "which agent.model.key names, is not set here" in reply
        assert "CONFIG_INVALID" in reply


def test_row_58_what_is_too_large_is_told_by_the_job_that_publishes(tmp_path: Path) -> None:
    with talking(tmp_path, {"limits": {"files": 1}}) as talk:
        (reply,) = Split(talk).say("/gitclaw\n\nwrite a.txt a\nwrite b.txt b")
        assert "TOO_LARGE" in reply


def test_row_35_a_secret_that_was_all_there_was_is_told(split: Split) -> None:
    (reply,) = split.say(f"/gitclaw\n\nwrite conf.txt {TOKEN}")
    assert "it adds a secret" in reply
    assert TOKEN not in "".join(run.out + run.err for run in split.talk.runs)


def test_row_67_an_event_of_another_repository_is_for_no_job(split: Split) -> None:
    split.talk.environment["GITHUB_REPOSITORY_ID"] = "999999"
    split.talk.post(RENAME)
    event, payload = split.talk.waiting.pop(0)
    told = split.gate(event, payload)
    assert told.kind == "ignored"
    split.work(event, payload, told)
    split.publish(event, payload, told)
    assert split.talk.replies() == []
    assert split.talk.prompts() == []


def test_row_55_runs_that_are_spent_are_counted_and_published(tmp_path: Path) -> None:
    with talking(tmp_path, {"limits": {"runsPerUserPerDay": 1}}) as talk:
        split = Split(talk)
        assert "### Proposal 1" in split.say(RENAME)[0]
        (reply,) = split.say("/gitclaw\n\nwrite b.txt b")
        assert "BUDGET_EXCEEDED" in reply
        assert len(talk.prompts()) == 1


def test_what_went_wrong_on_the_way_is_told_without_doubting_the_rest(split: Split) -> None:
    def broken(name: str, do: Callable[[], Any]) -> Any:
        if name == "bring_all":
            raise InternalError("FORGE_UNAVAILABLE", "The repository could not be fetched", "try again in a minute")
        return do()

    split.talk.around = watched(broken)
    (reply,) = split.say(RENAME)
    assert "ended before it could hand anything over" in reply
    assert "not taken" not in reply
