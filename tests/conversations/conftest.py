"""A talk for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conversations.split import Split
from tests.conversations.talk import Talk, talking


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    """An issue in a repository with an agent that does what it is told."""
    with talking(tmp_path) as found:
        yield found


@pytest.fixture
def split(talk: Talk) -> Split:
    """The same, with the jobs of the workflow apart."""
    return Split(talk)
