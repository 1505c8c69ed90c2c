"""The contract itself: it has to notice what is wrong."""

from __future__ import annotations

import pytest

from tests.contracts.openapi import github

PATH = "/repos/octo/hello/issues/1/comments"


@pytest.mark.parametrize(
    ("method", "path", "query", "body", "status", "answer", "reason"),
    [
        ("POST", PATH, {}, {"boddy": "x", "body": "x"}, 500, {"message": ""}, "body boddy: not a property of"),
        ("POST", PATH, {}, {}, 500, {"message": ""}, "is a required property"),
        ("POST", PATH, {}, None, 500, {"message": ""}, "body: missing"),
        ("GET", PATH, {"pages": "1"}, None, 200, [], "query pages: not a parameter of"),
        ("GET", PATH, {"page": "one"}, None, 200, [], "query page: (root): "),
        ("GET", PATH, {}, {"x": 1}, 200, [], "takes none"),
        ("GET", PATH, {}, None, 200, [{"id": 1}], "response 200 0: "),
        ("GET", PATH, {}, None, 202, [], "response 202: not documented"),
        ("GET", PATH, {}, None, 500, {}, "an error needs a message"),
        ("DELETE", "/repos/octo/hello/issues/comments/1", {}, None, 204, {}, "has no body"),
        ("GET", "/repos/octo/hello/unheard-of", {}, None, 200, {}, "no such operation"),
    ],
)
def test_what_is_wrong_is_named(
    method: str, path: str, query: dict[str, str], body: object, status: int, answer: object, reason: str
) -> None:
    reasons = github().exchange(method, path, query, body, status, answer)
    assert any(reason in one for one in reasons)


def test_what_is_right_is_left_alone() -> None:
    assert github().exchange("GET", PATH, {"page": "1", "since": "2026-01-05T09:00:00Z"}, None, 200, []) == []
    assert github().exchange("POST", PATH, {}, {"body": "x"}, 403, {"message": "no"}) == []
    assert github().exchange("GET", "/repos/o/r/contents/a/b/c.py", {}, None, 404, {"message": "Not Found"}) == []
