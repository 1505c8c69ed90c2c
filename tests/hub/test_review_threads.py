"""Review threads by GraphQL: read, resolved, hidden."""

from __future__ import annotations

from typing import Any

from tests.hub.conftest import World
from tests.hub.reviews import on, opened, post

QUERY = """\
query($n: Int!, $first: Int = 100, $after: String) {
  repository(owner: "octo", name: "hello") {
    pullRequest(number: $n) {
      reviewThreads(first: $first, after: $after) {
        totalCount
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated viewerCanResolve path line startLine originalLine resolvedBy { login }
          comments(first: 100) { nodes {
            id databaseId body isMinimized
            author { __typename login ... on User { databaseId } }
            down: reactions(content: THUMBS_DOWN) { totalCount }
          } }
        }
      }
    }
  }
}"""


def ask(world: World, query: str, token: str | None = None, /, **variables: Any) -> Any:
    return world.ask("POST", "/graphql", {"query": query, "variables": variables}, token).body


def threads(world: World, number: int, token: str | None = None, **more: Any) -> Any:
    got = ask(world, QUERY, token, n=number, **more)
    return got["data"]["repository"]["pullRequest"]["reviewThreads"]


def resolve(*threads: str, verb: str = "resolveReviewThread") -> str:
    each = (
        f'a{n}: {verb}(input: {{threadId: "{one}"}}) {{ thread {{ id isResolved }} }}' for n, one in enumerate(threads)
    )
    return f"mutation {{ {' '.join(each)} }}"


def reviewed(world: World) -> int:
    number = opened(world)
    post(world, number, on(5), on(32, start_line=29))
    return number


def test_threads_are_read_with_their_comments(world: World) -> None:
    number = reviewed(world)
    (first, _) = world.ask("GET", f"R/pulls/{number}/comments").body
    world.ask("POST", f"R/pulls/{number}/comments/{first['id']}/replies", {"body": "No"}, world.hub.token(world.rando))
    world.ask("POST", f"R/pulls/comments/{first['id']}/reactions", {"content": "-1"})
    one, two = threads(world, number)["nodes"]
    assert [one["line"], two["startLine"], two["line"]] == [5, 29, 32]
    assert [(comment["author"]["login"], comment["body"]) for comment in one["comments"]["nodes"]] == [
        ("github-actions", "Look"),
        ("rando", "No"),
    ]
    assert one["comments"]["nodes"][0]["databaseId"] == first["id"]
    assert one["comments"]["nodes"][1]["author"]["databaseId"] == world.rando.id
    assert "databaseId" not in one["comments"]["nodes"][0]["author"]
    assert one["comments"]["nodes"][0]["down"] == {"totalCount": 1}
    assert not one["isOutdated"]
    text = world.repo.file("topic", "text") or b""
    world.repo.push_files("topic", {"text": text.replace(b"five", b"5")}, world.hubot)
    one, two = threads(world, number)["nodes"]
    assert (one["isOutdated"], one["line"], one["originalLine"], two["isOutdated"]) == (True, None, 5, False)


def test_threads_are_read_in_pages(world: World) -> None:
    number = reviewed(world)
    first = threads(world, number, first=1)
    assert (first["totalCount"], first["pageInfo"]["hasNextPage"], len(first["nodes"])) == (2, True, 1)
    second = threads(world, number, first=1, after=first["pageInfo"]["endCursor"])
    assert (second["pageInfo"]["hasNextPage"], len(second["nodes"])) == (False, 1)
    for size, kind in ((101, "EXCESSIVE_PAGINATION"), (None, "MISSING_PAGINATION_BOUNDARIES")):
        assert ask(world, QUERY, n=number, first=size)["errors"][0]["type"] == kind


def test_a_pending_thread_is_seen_by_its_author_only(world: World) -> None:
    number = opened(world)
    world.ask("POST", f"R/pulls/{number}/reviews", {"comments": [on(5)]})
    assert len(threads(world, number)["nodes"]) == 1
    assert threads(world, number, world.hub.token(world.mona))["nodes"] == []


def test_several_threads_are_resolved_and_opened_again_at_once(world: World) -> None:
    number = reviewed(world)
    ids = [one["id"] for one in threads(world, number)["nodes"]]
    done = ask(world, resolve(*ids))
    assert done["data"]["a1"] == {"thread": {"id": ids[1], "isResolved": True}}
    assert [(one["isResolved"], one["resolvedBy"]) for one in threads(world, number)["nodes"]] == [
        (True, {"login": "github-actions"})
    ] * 2
    ask(world, resolve(ids[0], verb="unresolveReviewThread"))
    assert [one["isResolved"] for one in threads(world, number)["nodes"]] == [False, True]


def test_who_may_not_resolve_is_told_and_what_is_not_there(world: World) -> None:
    number = reviewed(world)
    ids = [one["id"] for one in threads(world, number)["nodes"]]
    token = world.repo.token(pull_requests="write", contents="read")
    assert not threads(world, number, token)["nodes"][0]["viewerCanResolve"]
    refused = ask(world, resolve(*ids), token)
    assert (refused["data"], [one["type"] for one in refused["errors"]]) == (
        {"a0": None, "a1": None},
        ["FORBIDDEN"] * 2,
    )
    assert refused["errors"][0]["message"] == "Resource not accessible by integration"
    assert ask(world, resolve(ids[0]), world.hub.token(world.rando))["errors"][0]["type"] == "FORBIDDEN"
    world.repo.repository.reviews.resolving_needs = "pull_requests"
    mixed = ask(world, resolve(ids[0], "PRRT_1"), token)
    assert mixed["data"]["a0"]["thread"]["isResolved"]
    assert (mixed["data"]["a1"], mixed["errors"][0]["path"], mixed["errors"][0]["type"]) == (None, ["a1"], "NOT_FOUND")


def test_comments_and_reviews_are_hidden(world: World) -> None:
    number = reviewed(world)
    review = world.ask("GET", f"R/pulls/{number}/reviews").body[0]["node_id"]
    comment = world.ask("GET", f"R/pulls/{number}/comments").body[0]["node_id"]
    said = f"IC_{world.repo.comment(world.mona, number, 'hello')}"
    hide = """mutation($id: ID!, $why: ReportedContentClassifiers = OUTDATED) {
        minimizeComment(input: {subjectId: $id, classifier: $why}) {
            minimizedComment { isMinimized minimizedReason } } }"""
    for node in (review, comment, said):
        assert ask(world, hide, id=node)["data"]["minimizeComment"]["minimizedComment"] == {
            "isMinimized": True,
            "minimizedReason": "outdated",
        }
    assert threads(world, number)["nodes"][0]["comments"]["nodes"][0]["isMinimized"]
    assert ask(world, hide, world.hub.token(world.rando), id=said)["errors"][0]["type"] == "FORBIDDEN"
    assert ask(world, hide, id="IC_1")["errors"][0]["type"] == "NOT_FOUND"
    assert ask(world, hide, id=said, why="OLD")["errors"][0]["type"] == "INVALID"


def test_what_is_not_there_is_told_as_graphql_does(world: World) -> None:
    for query, kind in {
        'query { repository(owner: "octo", name: "gone") { id } }': "NOT_FOUND",
        '{ repository(owner: "octo", name: "hello") { pullRequest(number: 99) { id } } }': "NOT_FOUND",
        '{ repository(owner: "octo", name: "hello") { stars } }': "undefinedField",
        "mutation { closeIssue(input: {}) { id } }": "undefinedField",
        "mutation { resolveReviewThread(input: 3) { id } }": "INVALID",
        "subscription { x }": "syntaxError",
        "{ a": "syntaxError",
        "{ a } }": "syntaxError",
        "{ a(b: $c) { d } }": "syntaxError",
        "{ a ~ }": "syntaxError",
        "query($a Int) { b }": "undefinedField",
    }.items():
        assert ask(world, query)["errors"][0]["type"] == kind, query
