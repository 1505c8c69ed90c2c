"""Trying something out on the clone without anything being remembered of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gitclaw_py.core.policy import Rules
from gitclaw_py.core.state import Decision, State
from gitclaw_py.ports.engine import Store
from gitclaw_py.ports.values import Move

SCRATCH = "gitclaw/scratch"
"""A branch of the clone that is never pushed."""


class ScratchStore:
    """See ``ports.Store``: reads from another store, and saves nothing."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.log: Path = store.log
        self.rules: Rules = store.rules

    def prepare(self) -> None:
        """Nothing is made."""

    @contextmanager
    def lock(self) -> Iterator[bool]:
        """Nothing is locked."""
        yield False

    def load(self) -> State:
        """The state of the other store."""
        return self._store.load()

    def save(self, state: State) -> None:
        """Nothing is saved."""

    def announce(self, decision: Decision, move: Move | None) -> None:
        """Nothing is announced."""

    def announced(self) -> tuple[Decision, Move | None] | None:
        """Nothing was announced."""
        return None

    def withdraw(self) -> None:
        """Nothing was announced."""
