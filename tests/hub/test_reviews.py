"""Reviews and their comments over the API."""

from __future__ import annotations

from typing import Any

import pytest

from tests.hub.conftest import World
from tests.hub.reviews import on, opened, post


def said(got: Any) -> str:
    (sentence,) = got.body["errors"]
    return str(sentence)


def test_a_review_is_posted_with_its_comments(world: World) -> None:
    number = opened(world)
    got = post(world, number, on(5), on(32, start_line=29, start_side="RIGHT"), body="Two things")
    assert (got.status, got.body["state"], got.body["body"]) == (200, "COMMENTED", "Two things")
    one, two = world.ask("GET", f"R/pulls/{number}/comments").body
    assert (one["path"], one["line"], one["start_line"], one["side"], one["position"]) == ("text", 5, None, "RIGHT", 5)
    assert (two["start_line"], two["line"], two["pull_request_review_id"]) == (29, 32, got.body["id"])
    assert one["diff_hunk"].endswith("-line 5\n+line five")
    assert one["commit_id"] == one["original_commit_id"] == world.repo.branch("topic")
    review = got.body["id"]
    assert world.ask("GET", f"R/pulls/{number}/reviews/{review}/comments").body == [one, two]
    assert world.ask("GET", f"R/pulls/{number}/reviews").body == [got.body]
    assert world.ask("GET", f"R/pulls/{number}/reviews/{review}").body == got.body


def test_a_review_of_actions_starts_nothing_and_one_of_a_person_does(world: World) -> None:
    number = opened(world)
    before = len(world.events)
    post(world, number, on(5))
    assert len(world.events) == before
    post(world, number, on(5), on(6), token=world.hub.token(world.rando))
    assert world.events.names[before:] == [
        "pull_request_review.submitted",
        *["pull_request_review_comment.created"] * 2,
    ]
    payload = world.events[-1][1]
    assert (payload["comment"]["line"], payload["pull_request"]["number"]) == (6, number)


LINE = "Pull request review thread line must be part of the diff"
HUNK = "Pull request review thread diff hunk can't be blank"
START = "Pull request review thread start line must be part of the same hunk as the line."


@pytest.mark.parametrize(
    ("comment", "reason"),
    [
        (on(15), f"{LINE} and {HUNK}"),
        (on(15, start_line=14), f"{LINE}, {START}, and {HUNK}"),
        (on(28, start_line=6), START),
        (on(5, start_line=1), START),
        (on(5, start_line=5), "Pull request review thread start line must precede the end line."),
        (on(5, start_line=6), "Pull request review thread start line must precede the end line."),
        ({**on(5), "path": "./text"}, f"Pull request review thread path is invalid and {HUNK}"),
        ({**on(1), "path": "README.md"}, f"Pull request review thread path is invalid and {HUNK}"),
        (on(6, side="LEFT"), f"{LINE} and {HUNK}"),
        (on(5, " "), "Pull request review comment body can't be blank"),
        (on(5, "x" * 262_145), "Pull request review comment body is too long (maximum is 65536 characters)"),
    ],
)
def test_one_bad_comment_is_told_and_nothing_is_posted(world: World, comment: dict[str, Any], reason: str) -> None:
    number = opened(world)
    got = post(world, number, on(5), comment)
    assert (got.status, got.body["message"], said(got)) == (422, "Unprocessable Entity", reason)
    assert world.ask("GET", f"R/pulls/{number}/reviews").body == []


def test_a_wrong_anchor_is_told_in_newer_words_where_they_are_used(world: World) -> None:
    number = opened(world)
    world.repo.repository.reviews.is_terse = True
    assert said(post(world, number, on(15))) == "Line could not be resolved"
    assert said(post(world, number, {**on(1), "path": "README.md"})) == "Path could not be resolved"


def test_a_key_too_many_is_refused(world: World) -> None:
    number = opened(world)
    got = post(world, number, on(5, subject_type="line"))
    assert got.body["message"] == (
        'Invalid request.\n\nNo subschema in "oneOf" matched.\n"subject_type" is not a permitted key.'
    )
    assert post(world, number, {"path": "text", "line": 5}).status == 422
    assert post(world, number, on(5), draft=True).status == 422
    assert post(world, number, on(5), event="LGTM").status == 422
    assert post(world, number, on(5, side="TOP")).status == 422


def test_a_deleted_line_and_a_position_are_anchors_too(world: World) -> None:
    number = opened(world)
    assert post(world, number, on(5, side="LEFT"), {"path": "text", "body": "x", "position": 6}).status == 200
    left, right = world.ask("GET", f"R/pulls/{number}/comments").body
    assert (left["side"], left["line"], left["position"]) == ("LEFT", 5, 4)
    assert (right["side"], right["line"]) == ("RIGHT", 6)


def test_two_neighbouring_hunks_are_two(world: World) -> None:
    number = opened(
        world, b"".join(b"line %d\n" % n for n in range(1, 41)).replace(b"line 20\n", b"").replace(b"line 13\n", b"")
    )
    assert post(world, number, on(12, start_line=11)).status == 200


def test_a_pending_review_is_seen_by_its_author_only(world: World) -> None:
    number = opened(world)
    path = f"R/pulls/{number}/reviews"
    mine = world.ask("POST", path, {"comments": [on(5)]})
    assert (mine.body["state"], "submitted_at" in mine.body) == ("PENDING", False)
    others = world.hub.token(world.rando)
    assert [len(world.ask("GET", path, token=token).body) for token in (None, others, "")] == [1, 0, 0]
    assert world.ask("GET", f"R/pulls/{number}/comments", token=others).body == []
    assert world.ask("GET", f"{path}/{mine.body['id']}", token=others).status == 404
    assert said(post(world, number, on(5))) == "User can only have one pending review per pull request"
    assert post(world, number, on(5), token=others).status == 200
    dropped = world.ask("DELETE", f"{path}/{mine.body['id']}")
    assert (dropped.status, dropped.body["id"]) == (200, mine.body["id"])
    assert post(world, number, on(5)).status == 200


def test_a_pending_review_is_submitted(world: World) -> None:
    number = opened(world)
    path = f"R/pulls/{number}/reviews"
    token = world.hub.token(world.rando)
    mine = world.ask("POST", path, {"comments": [on(5)]}, token).body["id"]
    assert world.events.names[-1] != "pull_request_review_comment.created"
    done = world.ask("POST", f"{path}/{mine}/events", {"event": "COMMENT", "body": "All"}, token)
    assert (done.body["state"], done.body["body"]) == ("COMMENTED", "All")
    assert world.events.names[-2:] == ["pull_request_review.submitted", "pull_request_review_comment.created"]
    assert world.ask("DELETE", f"{path}/{mine}", token=token).status == 422


def test_reviews_keep_to_the_rules_of_who_and_what(world: World) -> None:
    number = opened(world)
    own, mona = world.hub.token(world.hubot), world.hub.token(world.mona)
    assert said(post(world, number, event="APPROVE", token=own)) == "Can not approve your own pull request"
    assert said(post(world, number, body="x", event="REQUEST_CHANGES", token=own)) == (
        "Can not request changes on your own pull request"
    )
    assert said(post(world, number, event="REQUEST_CHANGES", token=mona)) == (
        "You need to leave a comment indicating the requested changes."
    )
    assert said(post(world, number)) == "Review body can't be blank"
    approved = post(world, number, event="APPROVE", token=mona).body
    assert approved["state"] == "APPROVED"
    path = f"R/pulls/{number}/reviews/{approved['id']}"
    assert world.ask("PUT", f"{path}/dismissals", {"message": "old"}, mona).body["state"] == "DISMISSED"
    assert world.ask("PUT", f"{path}/dismissals", {"message": "old"}, mona).status == 422
    assert world.ask("PUT", path, {"body": "changed"}, mona).body["body"] == "changed"
    assert world.ask("PUT", path, {"body": "changed"}, own).status == 403


def test_a_locked_pull_request_is_not_reviewed_by_a_bot(world: World) -> None:
    number = opened(world)
    world.repo.lock(number)
    assert said(post(world, number, on(5))) == "lock prevents review"
    assert post(world, number, on(5), token=world.hub.token(world.hubot)).status == 200


def test_a_token_that_reads_only_posts_nothing(world: World) -> None:
    number = opened(world)
    token = world.repo.token(pull_requests="read", contents="write")
    for method, path, body in (
        ("POST", f"R/pulls/{number}/reviews", {"event": "COMMENT", "body": "x"}),
        ("POST", f"R/pulls/{number}/comments", {**on(5), "commit_id": world.repo.branch("topic")}),
    ):
        got = world.ask(method, path, body, token)
        assert (got.status, got.body["message"]) == (403, "Resource not accessible by integration")
    assert world.ask("GET", f"R/pulls/{number}/reviews", token=token).status == 200


def test_a_single_comment_is_a_review_of_its_own(world: World) -> None:
    number = opened(world)
    path, commit = f"R/pulls/{number}/comments", world.repo.branch("topic")
    made = world.ask("POST", path, {**on(6, start_line=5, side="RIGHT"), "commit_id": commit})
    assert (made.status, made.body["line"], made.body["start_line"]) == (201, 6, 5)
    whole = world.ask("POST", path, {"path": "text", "body": "All", "commit_id": commit, "subject_type": "file"})
    assert (whole.body["subject_type"], whole.body["line"]) == ("file", 1)
    wrong = world.ask("POST", path, {**on(15), "commit_id": commit})
    assert wrong.body["errors"][0]["message"] == "pull_request_review_thread.line must be part of the diff"
    assert world.ask("POST", path, {**on(5), "commit_id": "1" * 40}).status == 422
    world.ask("POST", f"R/pulls/{number}/reviews", {"comments": [on(5)]})
    assert world.ask("POST", path, {**on(5), "commit_id": commit}).status == 422


def test_a_thread_is_replied_to_and_edited(world: World) -> None:
    number = opened(world)
    post(world, number, on(5))
    (first,) = world.ask("GET", f"R/pulls/{number}/comments").body
    path = f"R/pulls/{number}/comments/{first['id']}/replies"
    reply = world.ask("POST", path, {"body": "Why?"}, world.hub.token(world.rando))
    assert (reply.status, reply.body["in_reply_to_id"], reply.body["line"]) == (201, first["id"], 5)
    assert world.events.names[-1] == "pull_request_review_comment.created"
    again = {"body": "So", "in_reply_to": first["id"], "commit_id": "x", "path": "text"}
    assert world.ask("POST", f"R/pulls/{number}/comments", again).body["in_reply_to_id"] == first["id"]
    nested = world.ask("POST", path.replace(str(first["id"]), str(reply.body["id"])), {"body": "x"})
    assert nested.status == 422
    assert world.ask("POST", path, {"body": " "}).status == 422
    own = f"R/pulls/comments/{reply.body['id']}"
    assert world.ask("PATCH", own, {"body": "How?"}, world.hub.token(world.rando)).body["body"] == "How?"
    assert (
        world.ask("PATCH", f"R/pulls/comments/{first['id']}", {"body": "x"}, world.hub.token(world.rando)).status == 403
    )
    assert world.ask("DELETE", own).status == 204
    assert world.ask("GET", own).status == 404


def test_a_comment_is_reacted_to(world: World) -> None:
    number = opened(world)
    post(world, number, on(5))
    (first,) = world.ask("GET", f"R/pulls/{number}/comments").body
    path = f"R/pulls/comments/{first['id']}/reactions"
    assert [world.ask("POST", path, {"content": "-1"}).status for _ in range(2)] == [201, 200]
    (given,) = world.ask("GET", path).body
    assert world.ask("GET", f"R/pulls/comments/{first['id']}").body["reactions"]["-1"] == 1
    assert world.ask("DELETE", f"{path}/{given['id']}").status == 204
    assert world.ask("GET", path).body == []


def lines(world: World, number: int) -> list[tuple[Any, Any, Any]]:
    got = world.ask("GET", f"R/pulls/{number}/comments").body
    return [(one["start_line"], one["line"], one["original_line"]) for one in got]


def test_a_comment_follows_its_line_and_is_outdated_when_it_changes(world: World) -> None:
    number = opened(world)
    post(world, number, on(5), on(7, start_line=6), on(30))
    text = world.repo.file("topic", "text") or b""
    world.repo.push_files("topic", {"text": b"new\n" + text}, world.hubot)
    assert lines(world, number) == [(None, 6, 5), (7, 8, 7), (None, 31, 30)]
    world.repo.push_files(
        "topic", {"text": b"new\n" + text.replace(b"five", b"5!").replace(b"line 7\n", b"")}, world.hubot
    )
    assert lines(world, number) == [(None, None, 5), (None, None, 7), (None, 30, 30)]
    (one, *_) = world.ask("GET", f"R/pulls/{number}/comments").body
    assert (one["position"], one["original_position"], one["original_commit_id"]) == (None, 5, one["commit_id"])


def test_a_comment_follows_a_renamed_file_and_goes_with_a_removed_one(world: World) -> None:
    number = opened(world)
    post(world, number, on(5))
    world.repo.push_files("topic", {"text": None, "other": world.repo.file("topic", "text")}, world.hubot)
    (one,) = world.ask("GET", f"R/pulls/{number}/comments").body
    assert (one["path"], one["line"]) == ("other", 5)
    world.repo.push_files("topic", {"other": None}, world.hubot)
    assert lines(world, number) == [(None, None, 5)]


def test_a_comment_on_an_older_commit_is_outdated_from_the_start(world: World) -> None:
    number = opened(world)
    old = world.repo.branch("topic")
    text = world.repo.file("topic", "text") or b""
    world.repo.push_files("topic", {"text": text.replace(b"five", b"5")}, world.hubot)
    assert post(world, number, on(5), commit_id=old).status == 200
    assert lines(world, number) == [(None, None, 5)]
    assert said(post(world, number, on(5), commit_id="1" * 40)) == "commit_id is not part of the pull request"
