"""Every event that may start something, and the many that do not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conversations.talk import FILES, Talk, talking

_PUSHED = "pull_request.synchronize.0"
"""A push to a pull request is looked at: its native suggestions may be outdated."""
PAYLOADS = sorted(p for p in (Path(__file__).parents[1] / "payloads").glob("*.json") if p.stem != _PUSHED)
MENTION = {"mention": "@my-bot", "bots": ["helper[bot]#1004"], "label": "please"}
WORK = "write added.txt hello"


@pytest.fixture
def configured(tmp_path: Path) -> Iterator[Talk]:
    """An issue where ``@my-bot`` is us, ``helper[bot]`` may command, and the label is ``please``."""
    with talking(tmp_path, MENTION) as talk:
        yield talk


def opened(talk: Talk, body: str) -> list[str]:
    """Open an issue, let the bot handle it, and read what it answers there."""
    talk.number = talk.repo.open_issue(talk.mona, "Another issue", body)
    talk.handle()
    return talk.replies()


def dispatched(talk: Talk, inputs: dict[str, Any], *, event: str = "workflow_dispatch") -> tuple[str, dict[str, Any]]:
    """What GitHub sends for a request from elsewhere by mona."""
    talk.repo.dispatch(talk.mona, "gitclaw", inputs)
    _, payload = talk.waiting.pop()
    if event == "workflow_dispatch":
        payload = {key: payload[key] for key in ("repository", "sender")} | {"inputs": inputs, "ref": "refs/heads/main"}
    return event, payload


def test_a_new_issue_that_starts_with_our_name_is_a_request(talk: Talk) -> None:
    (reply,) = opened(talk, f"/gitclaw add it\n\n{WORK}")
    assert "### Proposal 1: 1 suggestion" in reply
    assert talk.state()["conversation"]["keys"] == ["issue"]


def test_a_new_issue_without_our_name_is_none_of_our_business(talk: Talk) -> None:
    before = len(talk.hub.log)
    assert opened(talk, f"Please do\n\n{WORK}") == []
    assert talk.hub.log[before:] == []


def test_a_new_issue_is_handled_once_however_often_it_is_delivered(talk: Talk) -> None:
    talk.number = talk.repo.open_issue(talk.mona, "Another issue", f"/gitclaw\n\n{WORK}")
    (event,) = talk.waiting
    talk.handle()
    said = talk.replies()
    talk.run(*event)
    assert talk.replies() == said
    assert len(talk.prompts()) == 1


def test_a_new_issue_can_mention_us_anywhere_in_its_text(configured: Talk) -> None:
    (reply,) = opened(configured, f"Hello,\n\ncould @My-Bot do this?\n{WORK}")
    assert "### Proposal 1" in reply


def test_a_comment_can_mention_us_in_the_middle_of_a_line(configured: Talk) -> None:
    (reply,) = configured.say(f"Thanks @rosa. Dear @my-bot, please\n{WORK}")
    assert "### Proposal 1" in reply
    assert "Thanks @rosa. Dear @my-bot, please" in configured.prompts()[0]


def test_a_mention_of_someone_else_is_ignored(configured: Talk) -> None:
    assert configured.say(f"@your-bot please\n{WORK}") == []
    assert configured.runs[-1].out == "Ignored: The comment holds no command of ours\n"


def test_a_mention_after_a_proposal_goes_on_with_it(configured: Talk) -> None:
    configured.say("/gitclaw\n\nreplace old with new in app.py")
    (reply,) = configured.say("@my-bot shorter\n\nreplace new with n in app.py")
    assert "| **2** | `app.py` |" in reply
    assert "Replaced by 2" in configured.say("/gitclaw status")[0]
    configured.say("/apply 2")
    assert configured.file("app.py") == FILES["app.py"].replace(b"old", b"n")


def test_our_name_after_a_proposal_asks_for_another_one_even_if_it_mentions_us(configured: Talk) -> None:
    configured.say("/gitclaw\n\nreplace old with new in app.py")
    (reply,) = configured.say(f"/gitclaw as @my-bot said\n\n{WORK}")
    assert "| **2** | `added.txt` |" in reply
    assert "0 of 2 applied, 2 pending" in configured.say("/gitclaw status")[0]


def test_the_label_makes_an_issue_a_request(talk: Talk) -> None:
    talk.number = talk.repo.open_issue(talk.reader, "Another issue", WORK)
    talk.waiting.clear()
    talk.repo.label(talk.mona, talk.number, "gitclaw")
    talk.handle()
    assert "### Proposal 1" in talk.replies()[0]


def test_another_label_starts_nothing(configured: Talk) -> None:
    configured.repo.label(configured.mona, configured.number, "gitclaw")
    configured.handle()
    assert configured.replies() == []
    configured.repo.label(configured.mona, configured.number, "please")
    configured.handle()
    assert len(configured.replies()) == 1


def test_who_sets_the_label_needs_the_access(talk: Talk) -> None:
    talk.repo.grant(talk.reader, "triage")
    talk.repo.label(talk.reader, talk.number, "gitclaw")
    talk.handle()
    (reply,) = talk.replies()
    assert "needs write access" in reply
    assert talk.prompts() == []


@pytest.mark.parametrize("event", ["workflow_dispatch", "repository_dispatch"])
def test_a_request_from_elsewhere_names_its_issue(talk: Talk, event: str) -> None:
    talk.run(*dispatched(talk, {"request": WORK, "issue": "1"}, event=event))
    (reply,) = talk.replies()
    assert "### Proposal 1" in reply


@pytest.mark.parametrize("key", ["", "form-7-a_b"])
def test_a_request_from_elsewhere_is_handled_once_for_each_run(talk: Talk, key: str) -> None:
    event = dispatched(talk, {"request": "answer 42", "issue": "1", "key": key})
    talk.run(*event)
    talk.run(*event)
    assert len(talk.replies()) == 1
    talk.environment["GITHUB_RUN_ID"] = "78"
    talk.run(*event)
    assert len(talk.replies()) == (1 if key else 2)


@pytest.mark.parametrize("event", ["workflow_dispatch", "repository_dispatch"])
def test_a_request_from_elsewhere_without_an_issue_opens_one(talk: Talk, event: str) -> None:
    talk.run(*dispatched(talk, {"request": f"Add a file\n{WORK}"}, event=event))
    talk.number = 2
    assert talk.repo.thread(2).title.startswith("Add a file")
    (reply,) = talk.replies()
    assert "### Proposal 1" in reply


def test_a_request_from_elsewhere_needs_the_access_of_its_sender(talk: Talk) -> None:
    name, payload = dispatched(talk, {"request": WORK, "issue": 1})
    reader = {"login": "rosa", "id": talk.reader.id, "type": "User"}
    talk.run(name, {**payload, "sender": {**payload["sender"], **reader}})
    assert "needs write access" in talk.replies()[0]


def test_row_02_a_bot_commands_only_by_its_id(configured: Talk) -> None:
    listed, other = configured.hub.account("helper[bot]"), configured.hub.account("helper2[bot]")
    assert listed.id == 1004
    assert configured.say(f"/gitclaw\n\n{WORK}", other) == []
    assert "helper2[bot] (id 1005) is a bot that is not listed" in configured.runs[-1].out
    (reply,) = configured.say(f"/gitclaw\n\n{WORK}", listed)
    assert "### Proposal 1" in reply


def test_the_bot_does_not_answer_itself(talk: Talk) -> None:
    talk.say("/gitclaw status")
    ours = talk.hub.account("github-actions[bot]")
    before = len(talk.hub.log)
    assert talk.say("/gitclaw status", ours) == ["/gitclaw status"]
    assert talk.hub.log[before:] == []


@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: path.stem)
def test_what_github_sends_beside_that_is_ignored_with_its_reason(talk: Talk, path: Path) -> None:
    before = len(talk.hub.log)
    payload = json.loads(path.read_bytes())
    payload["repository"] |= {"full_name": talk.repo.name, "default_branch": "main"}
    ran = talk.run(path.name.split(".")[0], payload)
    assert ran.code == 0
    assert ran.out.startswith("Ignored: ")
    # Which label is ours, the configuration says, and that is one fetch away.
    asked = [f"{call.method} {call.path}" for call in talk.hub.log[before:]]
    assert all("git-upload-pack" in line or "info/refs" in line for line in asked)
    assert asked == [] or path.name.startswith("issues.labeled")
