"""The events of what people do: their order, and the shape of their payloads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.hub.conftest import World

PAYLOADS = Path(__file__).parents[1] / "payloads"
# Left out at GitHub too, or there only for organizations, apps and pull requests.
NOT_ALWAYS = {"organization", "installation", "draft", "custom_properties", "assignee"}


def missing(real: Any, ours: Any, where: str = "") -> list[str]:
    """What a reader of real payloads would miss in ours, or find there as something else."""
    if isinstance(real, dict) and isinstance(ours, dict):
        keys = [key for key in real if key not in ours and key not in NOT_ALWAYS]
        inside = [(real[key], ours[key], f"{where}/{key}") for key in real if key in ours]
        return [f"{where}/{key}" for key in keys] + [reason for one in inside for reason in missing(*one)]
    if isinstance(real, list) and isinstance(ours, list):
        return missing(real[0], ours[0], f"{where}[]") if real and ours else []
    if real is None or ours is None or type(real) is type(ours):
        return []
    return [f"{where}: {type(ours).__name__} for {type(real).__name__}"]


def play(world: World) -> None:
    """One of every kind of event."""
    number = world.repo.open_issue(world.mona, "A title", "A text", ["bug"])
    comment = world.repo.comment(world.mona, number, "Hello")
    world.repo.edit_comment(world.mona, comment, "Bye")
    world.repo.push_files("topic", {"b": b"b"}, world.hubot)
    pull = world.repo.open_pull(world.hubot, "topic", body="Why")
    world.repo.push_files("topic", {"c": b"c"}, world.hubot)
    world.repo.close(world.hubot, pull)
    world.repo.dispatch(world.mona, "gitclaw", {"request": "Help"})


def test_every_deed_of_a_person_is_an_event(world: World) -> None:
    play(world)
    assert world.events.names == [
        "issues.opened",
        "issues.labeled",
        "issue_comment.created",
        "issue_comment.edited",
        "pull_request.opened",
        "pull_request.synchronize",
        "pull_request.closed",
        "repository_dispatch.gitclaw",
    ]


@pytest.mark.parametrize(
    ("event", "file"),
    [
        ("issues.opened", "issues.opened.2"),
        ("issues.labeled", "issues.labeled.1"),
        ("issue_comment.created", "issue_comment.created.1"),
        ("pull_request.opened", "pull_request.opened.1"),
        ("pull_request.synchronize", "pull_request.synchronize.0"),
        ("pull_request.closed", "pull_request.closed.1"),
        ("repository_dispatch.gitclaw", "repository_dispatch.event.1"),
    ],
)
def test_a_payload_has_all_that_a_real_one_has(world: World, event: str, file: str) -> None:
    play(world)
    real = json.loads((PAYLOADS / f"{file}.json").read_text(encoding="utf-8"))
    ours = world.events[world.events.names.index(event)][1]
    assert missing(real, json.loads(json.dumps(ours))) == []


def test_a_comment_on_a_pull_request_says_so(world: World) -> None:
    world.repo.push_files("topic", {"b": b"b"}, world.hubot)
    number = world.repo.open_pull(world.hubot, "topic")
    world.repo.comment(world.rando, number, "Hello")
    name, payload = world.events[-1]
    assert (name, payload["issue"]["pull_request"]["html_url"]) == (
        "issue_comment",
        f"{world.hub.url}/octo/hello/pull/{number}",
    )
    assert (payload["comment"]["author_association"], payload["sender"]["id"]) == ("NONE", world.rando.id)


def test_what_actions_does_starts_nothing_and_what_others_do_does(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    world.events.clear()
    path = f"R/issues/{number}/comments"
    world.ask("POST", path, {"body": "from Actions"})
    world.ask("POST", f"R/issues/{number}/labels", {"labels": ["bug"]})
    assert world.events == []
    other = world.repo.token(world.hub.account("helper[bot]"), issues="write")
    world.ask("POST", path, {"body": "from another app"}, other)
    world.ask("POST", path, {"body": "from a person"}, world.hub.token(world.rando))
    assert [payload["sender"]["type"] for _, payload in world.events] == ["Bot", "User"]


def test_what_the_bot_of_actions_does_by_hand_starts_nothing_either(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    world.events.clear()
    world.repo.comment(world.hub.account("github-actions[bot]"), number, "Hello")
    assert world.events == []


def test_every_token_may_dispatch(world: World) -> None:
    body = {"event_type": "gitclaw-run", "client_payload": {"request": "Help", "issue": 1}}
    assert world.ask("POST", "R/dispatches", body).status == 204
    name, payload = world.events[-1]
    assert (name, payload["action"], payload["branch"]) == ("repository_dispatch", "gitclaw-run", "main")
    assert payload["client_payload"] == {"request": "Help", "issue": 1}


def test_a_receiver_may_talk_back_at_once(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    answered: list[int] = []

    def deliver(name: str, payload: dict[str, Any]) -> None:
        del name, payload
        answered.append(world.ask("POST", f"R/issues/{number}/comments", {"body": "Back"}).status)

    world.hub.deliver_to(deliver)
    world.repo.comment(world.mona, number, "Forth")
    assert (answered, [one.body for one in world.repo.comments(number)]) == ([201], ["Forth", "Back"])
