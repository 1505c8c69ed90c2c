"""A hub of which all that it is asked and answers is held against GitHub's own description of its API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gitclaw_py.hub.server import Hub
from tests.contracts.openapi import github


@contextmanager
def checked(hub: Hub) -> Iterator[None]:
    """Watch every exchange with the API of this hub; at the end nothing may be wrong."""
    wrong: list[str] = []

    def observe(method: str, path: str, query: dict[str, str], body: object, status: int, answer: object) -> None:
        reasons = github().exchange(method, path, query, body, status, answer)
        wrong.extend(f"{method} {path}: {reason}" for reason in reasons)

    hub.observe = observe
    yield
    assert wrong == []
