"""A running hub, whose every exchange is held against GitHub's description of its API."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gitclaw_py.core.thread import Account
from gitclaw_py.hub.handle import RepositoryHandle
from gitclaw_py.hub.server import Hub
from tests.contracts.checked import checked


class Got(NamedTuple):
    """An answer."""

    status: int
    body: Any
    headers: dict[str, str]


class Events(list[tuple[str, dict[str, Any]]]):
    """The events that were delivered."""

    @property
    def names(self) -> list[str]:
        return [f"{name}.{payload['action']}" for name, payload in self]


class World(NamedTuple):
    """A hub with a repository that mona owns, hubot may write to and rando may read."""

    hub: Hub
    repo: RepositoryHandle
    events: Events
    mona: Account
    hubot: Account
    rando: Account
    token: str

    def ask(self, method: str, path: str, body: object = None, token: str | None = None) -> Got:
        """Ask the API as the token of Actions, another token, or, with an empty one, as nobody."""
        secret = self.token if token is None else token
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        url = self.hub.api_url + path.replace("R/", f"/repos/{self.repo.name}/")
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, headers, method=method)  # noqa: S310 - ours
        try:
            with urllib.request.urlopen(request) as answer:  # noqa: S310 - ours
                text = answer.read()
                return Got(answer.status, json.loads(text) if text else None, dict(answer.headers))
        except urllib.error.HTTPError as error:
            with error:
                return Got(error.code, json.loads(error.read() or b"null"), dict(error.headers))

    def clone_url(self, token: str | None = None) -> str:
        """Where git finds the repository, with the token in it."""
        return self.repo.clone_url.replace("://", f"://x-access-token:{self.token if token is None else token}@")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """See ``World``."""
    events = Events()
    with Hub(tmp_path / "hub", lambda name, payload: events.append((name, payload))) as hub, checked(hub):
        mona, hubot, rando = map(hub.account, ("mona", "hubot", "rando"))
        repo = hub.repository("octo/hello", {"README.md": b"hello\n", "src/a.py": b"a = 1\n"}, mona)
        repo.grant(hubot, "write")
        yield World(hub, repo, events, mona, hubot, rando, repo.token())
