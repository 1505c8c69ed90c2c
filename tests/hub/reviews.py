"""A pull request to be reviewed, and reviews of it."""

from __future__ import annotations

from typing import Any

from tests.hub.conftest import Got, World

BEFORE = b"".join(b"line %d\n" % number for number in range(1, 41))
AFTER = BEFORE.replace(b"line 5\n", b"line five\n").replace(b"line 30\n", b"line thirty\n")
"""The diff of the two has the lines 2 to 8 and 27 to 33."""


def opened(world: World, after: bytes = AFTER, before: bytes = BEFORE) -> int:
    """A pull request by hubot that changes ``text``."""
    world.repo.push_files("main", {"text": before}, world.mona)
    world.repo.push_files("topic", {"text": after}, world.hubot)
    return world.repo.open_pull(world.hubot, "topic")


def on(line: int, body: str = "Look", **more: Any) -> dict[str, Any]:
    return {"path": "text", "body": body, "line": line, **more}


def post(world: World, number: int, *comments: dict[str, Any], token: str | None = None, **more: Any) -> Got:
    body = {"event": "COMMENT", "comments": list(comments), **more}
    return world.ask("POST", f"R/pulls/{number}/reviews", body, token)


def suggestion(*lines: str) -> str:
    return "Better:\n\n```suggestion\n" + "".join(f"{line}\n" for line in lines) + "```\n"
