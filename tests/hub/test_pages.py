"""The pages: what is served, to whom, and the comment box."""

from __future__ import annotations

import http.client
import re
from urllib.parse import urlencode

import pytest

from tests.hub.conftest import Got, World


def visit(world: World, method: str, path: str, fields: dict[str, str] | None = None, **headers: str) -> Got:
    """A browser's request; redirects are not followed."""
    sent = {"Host": f"127.0.0.1:{world.hub.port}", **{name.replace("_", "-"): value for name, value in headers.items()}}
    if fields is not None:
        sent.setdefault("Content-Type", "application/x-www-form-urlencoded")
    connection = http.client.HTTPConnection("127.0.0.1", world.hub.port)
    try:
        connection.request(method, path, urlencode(fields) if fields else None, sent)
        answer = connection.getresponse()
        return Got(answer.status, answer.read().decode(), dict(answer.getheaders()))
    finally:
        connection.close()


def token_in(page: str) -> str:
    hit = re.search(r'name="form_token" value="([^"]+)"', page)
    assert hit is not None
    return hit[1]


def test_a_page_shows_the_thread(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title", "A **text**")
    world.repo.comment(world.rando, number, "First `words`")
    page = visit(world, "GET", f"/octo/hello/issues/{number}")
    assert (page.status, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    for text in ("A title", "<strong>text</strong>", "<code>words</code>", "rando"):
        assert text in page.body


def test_the_comment_box_comments_and_leads_back(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    path = f"/octo/hello/issues/{number}"
    fields = {"form_token": token_in(visit(world, "GET", path).body), "as": "hubot", "body": "/gitclaw help"}
    posted = visit(world, "POST", path, fields)
    assert (posted.status, posted.headers["Location"]) == (303, f"{world.hub.url}{path}")
    (comment,) = world.repo.comments(number)
    assert (comment.author, comment.body) == (world.hubot, "/gitclaw help")
    assert world.events.names[-1] == "issue_comment.created"


@pytest.mark.parametrize(
    ("change", "headers", "status"),
    [
        ({"form_token": "wrong"}, {}, 403),
        ({}, {"Host": "evil.example"}, 403),
        ({}, {"Content_Type": "text/plain"}, 415),
        ({"as": "github-actions[bot]"}, {}, 422),
        ({"as": "nobody"}, {}, 422),
        ({"body": "  "}, {}, 422),
    ],
)
def test_no_comment_comes_from_elsewhere(
    world: World, change: dict[str, str], headers: dict[str, str], status: int
) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    path = f"/octo/hello/issues/{number}"
    fields = {"form_token": token_in(visit(world, "GET", path).body), "as": "mona", "body": "Hello", **change}
    assert visit(world, "POST", path, fields, **headers).status == status
    assert world.repo.comments(number) == []


def test_static_files_are_those_of_the_folder_and_no_others(world: World) -> None:
    assert visit(world, "GET", "/static/page.css").headers["Content-Type"] == "text/css; charset=utf-8"
    for path in ("/static/nothing.css", "/static/../page.py", "/static/%2e%2e/page.py"):
        assert visit(world, "GET", path).status == 404


def test_the_front_door_leads_to_the_newest_thread(world: World) -> None:
    assert visit(world, "GET", "/").body == "There is no thread yet.\n"
    number = world.repo.open_issue(world.mona, "A title")
    assert visit(world, "GET", "/").headers["Location"] == f"{world.hub.url}/octo/hello/issues/{number}"
    assert visit(world, "GET", "/octo/hello/issues/99").status == 404
    assert visit(world, "GET", "/octo/nothing/issues/1").status == 404


def test_a_thread_tells_of_commits_that_name_it(world: World) -> None:
    number, other = (world.repo.open_issue(world.mona, "A title") for _ in range(2))
    oid = world.repo.push_files("main", {"b": b"b"}, world.hubot, f"fix: it\n\nRefs #{number} and #99")
    world.repo.push_files("main", {"c": b"c"}, world.hubot, f"See octo/else#{other} and x#{other}")
    page = visit(world, "GET", f"/octo/hello/issues/{number}").body
    assert page.count("hubot added a commit that names this: fix: it") == 1
    assert f"/octo/hello/commit/{oid}" in page
    assert "added a commit" not in visit(world, "GET", f"/octo/hello/issues/{other}").body


def test_commits_and_changes_can_be_read_as_text(world: World) -> None:
    oid = world.repo.push_files("topic", {"b": b"new\n"}, world.hubot)
    number = world.repo.open_pull(world.hubot, "topic")
    assert "+new" in visit(world, "GET", f"/octo/hello/commit/{oid}").body
    assert "+new" in visit(world, "GET", f"/octo/hello/pull/{number}.diff").body
    assert visit(world, "GET", f"/octo/hello/commit/{'1' * 40}").status == 404
    assert "octo/hello:topic" in visit(world, "GET", f"/octo/hello/pull/{number}").body
