"""Issues, comments, reactions, labels and locks over the API."""

from __future__ import annotations

import pytest

from tests.hub.conftest import World


def test_a_comment_is_posted_read_edited_and_deleted(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title", "A text")
    made = world.ask("POST", f"R/issues/{number}/comments", {"body": "Hello"})
    path = f"R/issues/comments/{made.body['id']}"
    edited = world.ask("PATCH", path, {"body": "Bye"})
    assert (made.status, world.ask("GET", path).body["body"]) == (201, "Bye")
    assert edited.body["updated_at"] > edited.body["created_at"] == made.body["updated_at"]
    assert world.ask("DELETE", path).status == 204
    assert world.ask("GET", path).status == 404
    assert world.repo.comments(number) == []


def test_comments_come_in_pages_that_link_to_each_other(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    ids = [world.repo.comment(world.mona, number, f"Number {n}") for n in range(5)]
    second = world.ask("GET", f"R/issues/{number}/comments?per_page=2&page=2")
    assert [comment["id"] for comment in second.body] == ids[2:4]
    links = {name: url for url, _, name in (part.partition("; rel=") for part in second.headers["Link"].split(", "))}
    assert set(links) == {'"prev"', '"next"', '"last"', '"first"'}
    assert links['"next"'] == f"<{world.hub.api_url}/repos/octo/hello/issues/{number}/comments?per_page=2&page=3>"
    assert 'rel="next"' not in world.ask("GET", f"R/issues/{number}/comments?per_page=2&page=3").headers["Link"]


def test_comments_since_are_those_that_changed_since(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    first, _ = (world.repo.comment(world.mona, number, text) for text in ("one", "two"))
    third = world.repo.comment(world.mona, number, "three")
    since = world.repo.comments(number)[2].created_at
    world.repo.edit_comment(world.mona, first, "one again")
    path = f"R/issues/{number}/comments"
    assert [one["id"] for one in world.ask("GET", f"{path}?since={since}").body] == [first, third]
    assert world.ask("GET", f"{path}?since=yesterday").status == 422


def test_a_reaction_is_made_once_and_taken_back(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    comment = world.repo.comment(world.mona, number, "Hi")
    for path in (f"R/issues/{number}/reactions", f"R/issues/comments/{comment}/reactions"):
        made = world.ask("POST", path, {"content": "eyes"})
        again = world.ask("POST", path, {"content": "eyes"})
        assert (made.status, again.status, again.body["id"]) == (201, 200, made.body["id"])
        assert [one["content"] for one in world.ask("GET", path).body] == ["eyes"]
        assert world.ask("DELETE", f"{path}/{made.body['id']}").status == 204
        assert world.ask("GET", path).body == []
        assert world.ask("POST", path, {"content": "shrug"}).status == 422


def test_labels_are_taken_as_a_list_and_as_an_object(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    path = f"R/issues/{number}/labels"
    world.ask("POST", path, ["bug"])
    both = world.ask("POST", path, {"labels": ["gitclaw", "bug"]})
    assert [label["name"] for label in both.body] == ["bug", "gitclaw"]
    assert [label["name"] for label in world.ask("DELETE", f"{path}/bug").body] == ["gitclaw"]
    assert world.ask("DELETE", f"{path}/bug").body["message"] == "Label does not exist"


def test_a_locked_thread_hears_only_those_who_can_write(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    assert world.ask("PUT", f"R/issues/{number}/lock", {"lock_reason": "spam"}).status == 204
    path, hello = f"R/issues/{number}/comments", {"body": "Hello"}
    refused = world.ask("POST", path, hello, world.hub.token(world.rando))
    assert refused.body["message"] == "Unable to create comment because issue is locked."
    assert (refused.status, world.ask("POST", path, hello, world.hub.token(world.hubot)).status) == (403, 201)
    assert world.ask("DELETE", f"R/issues/{number}/lock").status == 204
    assert world.ask("POST", path, hello, world.hub.token(world.rando)).status == 201


def test_an_issue_is_opened_changed_closed_and_opened_again(world: World) -> None:
    made = world.ask("POST", "R/issues", {"title": "T", "body": "B", "labels": ["bug"]})
    path = f"R/issues/{made.body['number']}"
    closed = world.ask("PATCH", path, {"state": "closed", "state_reason": "not_planned", "title": "U", "labels": []})
    assert (closed.body["state"], closed.body["state_reason"]) == ("closed", "not_planned")
    assert (closed.body["title"], closed.body["body"], closed.body["labels"]) == ("U", "B", [])
    assert world.ask("PATCH", path, {"state": "open"}).body["state_reason"] == "reopened"
    assert [one["number"] for one in world.ask("GET", "R/issues").body] == [made.body["number"]]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, 'Invalid request.\n\n"body" wasn\'t supplied.'),
        ({"boddy": "x"}, 'Invalid request.\n\n"boddy" is not a permitted key.'),
        ({"body": 3}, "Invalid request.\n\nFor 'properties/body', 3 is not a string."),
        ({"body": " \n"}, "Validation Failed"),
        ({"body": "x" * 262_145}, "Validation Failed"),
    ],
)
def test_a_comment_that_is_not_one_is_refused(world: World, body: object, message: str) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    refused = world.ask("POST", f"R/issues/{number}/comments", body)
    assert (refused.status, refused.body["message"]) == (422, message)
    assert world.repo.comments(number) == []


def test_a_text_that_is_too_long_changes_nothing_and_is_not_refused(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title", "A text")
    edited = world.ask("PATCH", f"R/issues/{number}", {"body": "x" * 262_145})
    assert (edited.status, edited.body["body"]) == (200, "A text")


def test_labels_set_by_an_edit_are_told_one_by_one(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title", labels=["old", "kept"])
    world.events.clear()
    path, token = f"R/issues/{number}", world.hub.token(world.mona)
    edited = world.ask("PATCH", path, {"labels": ["kept", "gitclaw"]}, token)
    assert [label["name"] for label in edited.body["labels"]] == ["kept", "gitclaw"]
    assert [(name, payload["label"]["name"]) for name, payload in world.events] == [("issues", "gitclaw")]


def test_issues_and_pull_requests_are_numbered_together(world: World) -> None:
    world.repo.push_files("topic", {"b": b"b"}, world.hubot)
    numbers = [
        world.repo.open_issue(world.mona, "One"),
        world.repo.open_pull(world.hubot, "topic"),
        world.repo.open_issue(world.mona, "Three"),
    ]
    assert numbers == [1, 2, 3]
    assert "pull_request" in world.ask("GET", "R/issues/2").body
    assert "pull_request" not in world.ask("GET", "R/issues/3").body
