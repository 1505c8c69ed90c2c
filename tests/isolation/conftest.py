"""Each test that takes a place runs in every isolation that this machine can have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gitclaw_py.core.settings import AgentSettings, Isolation
from tests.isolation.place import KINDS, Place, place

Making = Callable[..., Place]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Isolation:
    found: Isolation = request.param
    return found


@pytest.fixture
def made(tmp_path: Path, kind: Isolation) -> Making:
    """Makes a place with these settings, and these variables of the bot."""

    def making(settings: AgentSettings | None = None, **environment: str) -> Place:
        return place(tmp_path, kind, settings, **environment)

    return making
