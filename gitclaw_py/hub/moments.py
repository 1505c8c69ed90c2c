"""Points in time as a page shows them."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape


def moment(at: str) -> str:
    """A ``time`` element with the time in full; the page's script says how long ago that is."""
    return f'<time datetime="{escape(at)}">{escape(_in_full(at))}</time>'


def _in_full(at: str) -> str:
    try:
        time = datetime.fromisoformat(at).astimezone(UTC)
    except (ValueError, OverflowError):
        return at
    return f"on {time.day} {time:%b %Y, %H:%M} UTC"
