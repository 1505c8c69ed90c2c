"""A forge in front of a scripted server, and the documents that GitHub answers, as small as they can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from gitclaw_py.adapters.github_forge import GitHubForge
from gitclaw_py.errors import GitclawError
from tests.adapters.scripted_github import Says, Script, serving

ROOT = "/repos/octo/hello"
OLD, NEW, OTHER = "a" * 40, "b" * 40, "c" * 40
BROKEN = Says({"message": "Server Error"}, 502)
HANGS_UP = Says(hangs_up=True)
DENIED = Says({"message": "Resource not accessible by integration"}, 403)


class World:
    """A forge on a scripted server, the seconds it would have slept, and what it noted."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.slept: list[float] = []
        self.noted: list[str] = []
        self.forge = GitHubForge(
            script.url, "t0ken", "octo/hello", sleep=self.slept.append, note=self.noted.append, timeout=1
        )


@contextmanager
def working() -> Iterator[World]:
    """A world for as long as the test runs."""
    with serving() as script:
        world = World(script)
        yield world
        world.forge.close()


def failing(call: Callable[[], object]) -> GitclawError:
    with pytest.raises(GitclawError) as caught:
        call()
    return caught.value


def user(login: str = "mona", number: int = 7, kind: str = "User") -> dict[str, Any]:
    return {"login": login, "id": number, "type": kind}


def comment(number: int, body: str = "hello") -> dict[str, Any]:
    return {
        "id": number,
        "user": user(),
        "body": body,
        "created_at": "2026-01-02T03:04:05Z",
        "updated_at": "2026-01-02T03:04:05Z",
        "html_url": f"https://github.com/octo/hello/issues/42#issuecomment-{number}",
    }


def issue(number: int = 42, **more: Any) -> dict[str, Any]:
    return {
        "number": number,
        "title": "It breaks",
        "body": None,
        "user": user(),
        "created_at": "2026-01-02T03:04:05Z",
        "html_url": f"https://github.com/octo/hello/issues/{number}",
        "state": "open",
        "locked": False,
        "labels": [],
        **more,
    }


def pull(number: int = 9, repository: str | None = "octo/hello", branch: str = "fix") -> dict[str, Any]:
    return {
        "number": number,
        "html_url": f"https://github.com/octo/hello/pull/{number}",
        "state": "open",
        "head": {"repo": {"full_name": repository} if repository else None, "ref": branch, "sha": NEW},
        "base": {"ref": "main"},
    }
