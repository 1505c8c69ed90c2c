"""The demonstration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gitclaw_py.adapters.terminal import Terminal


def play(terminal: Terminal, environment: Mapping[str, str], keep: Path | None) -> int:
    """Not yet."""
    raise NotImplementedError(terminal, environment, keep)
