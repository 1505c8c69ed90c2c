"""The drawings of a thread's page, as SVG within it: nobody is asked for a picture."""

from __future__ import annotations

import zlib
from html import escape

_COLOURS = 8

LOGO = (
    '<svg class="logo" viewBox="0 0 32 32" aria-hidden="true"><path d="M5 6c1 8 2 14 5 20M14 4c1 8 1 15 3 24M24 6c1 '
    '7 0 13-1 20"/></svg>'
)


def _icon(path: str) -> str:
    return f'<svg viewBox="0 0 16 16" aria-hidden="true">{path}</svg>'


_ISSUE = _icon('<circle cx="8" cy="8" r="6.5"/><circle cx="8" cy="8" r=".8"/>')
_DONE = _icon('<circle cx="8" cy="8" r="6.5"/><path d="m5.2 8.2 2 2 3.8-4"/>')
_PULL = _icon(
    '<circle cx="4" cy="3.5" r="1.8"/><circle cx="4" cy="12.5" r="1.8"/><circle cx="12" cy="12.5" r="1.8"/>'
    '<path d="M4 5.3v5.4M12 10.7V6q0-2.5-2.5-2.5H8M9.6 1.7 7.8 3.5l1.8 1.8"/>'
)
_MERGED = _icon(
    '<circle cx="4" cy="3.5" r="1.8"/><circle cx="4" cy="12.5" r="1.8"/><circle cx="12" cy="9" r="1.8"/>'
    '<path d="M4 5.3v5.4M4 5.3q.6 3.7 6.2 3.7"/>'
)
STATES = {
    ("open", False): (_ISSUE, "Open"),
    ("closed", False): (_DONE, "Closed"),
    ("open", True): (_PULL, "Open"),
    ("closed", True): (_PULL, "Closed"),
    ("merged", True): (_MERGED, "Merged"),
}
"""Drawing and word, by the thread's state and whether it is a pull request."""


def avatar(login: str, *, is_bot: bool) -> str:
    """A coloured circle with the login's first letters; a square with round corners for a bot."""
    letters = "".join(c for c in login if c.isalnum())[:2].upper() or "?"
    colour = zlib.crc32(login.encode("utf-8", "replace")) % _COLOURS
    shape = '<rect width="40" height="40" rx="9"/>' if is_bot else '<circle cx="20" cy="20" r="20"/>'
    return (
        f'<svg class="avatar tint{colour}" viewBox="0 0 40 40" aria-hidden="true">{shape}'
        f'<text x="20" y="25.5">{escape(letters)}</text></svg>'
    )
