"""Golden files that read as comments do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest


@pytest.fixture
def golden_reply(request: pytest.FixtureRequest) -> Callable[[str, Sequence[str]], None]:
    """Compares a reply with the golden file of that name; its comments stand one below the other."""

    def compare(name: str, bodies: Sequence[str]) -> None:
        path = Path(__file__).parent / "golden" / f"{name}.md"
        text = "\n\n".join(bodies) + "\n"
        if request.config.getoption("--update-golden"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare
