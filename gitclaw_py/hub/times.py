"""The hub's clock: ISO 8601 in UTC, and never twice the same second."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

_START = 1_767_603_600  # 2026-01-05T09:00:00Z


class Times:
    """Moments that follow each other by a second or more, so that an order by time is the order of things.

    Args:
        clock: the time in seconds since 1970; without one, time only passes by being asked for.
    """

    def __init__(self, clock: Callable[[], int] | None = None) -> None:
        self._clock = clock or (lambda: _START)
        self._last = 0

    def now(self) -> str:
        """A new moment."""
        self._last = max(self._clock(), self._last + 1)
        return iso(self._last)

    def seconds(self) -> int:
        """A new moment in seconds since 1970."""
        self._last = max(self._clock(), self._last + 1)
        return self._last


def iso(seconds: int) -> str:
    """A time as GitHub writes it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def normal(text: str) -> str:
    """Any ISO 8601 time, written as GitHub writes it.

    Raises:
        ValueError: it is none.
    """
    moment = datetime.fromisoformat(text)
    return iso(int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()))
