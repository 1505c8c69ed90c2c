"""Text as it is: what a terminal would obey or hide is written out."""

from __future__ import annotations

import re

# Control characters but tab, bidirectional marks and overrides, zero-width and other invisible ones, lone surrogates.
# https://www.unicode.org/reports/tr36/ and https://trojansource.codes/
_HIDDEN = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)

_FORMS = ((0x100, r"\x%02x"), (0x10000, r"\u%04x"), (0x110000, r"\U%08x"))
"""How a character is written, by the size of its code point."""


def visible(text: str) -> str:
    r"""``text`` with every control and invisible character as an escape such as ``\x1b`` or ``\u202e``."""
    return _HIDDEN.sub(lambda found: _escape(found[0]), text)


def harmless(text: str) -> str:
    """Lines for the log of a workflow, where they can command the runner nothing.

    The runner obeys lines that start with two colons, after any space, and its older form anywhere in a line.
    https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
    """
    return "\n".join(map(_uncommanding, map(visible, text.split("\n"))))


def _uncommanding(line: str) -> str:
    shown = line.replace("##[", "## [")
    return f"| {shown}" if shown.lstrip().startswith("::") else shown


def visible_bytes(data: bytes) -> str:
    r"""Bytes to read: UTF-8 as text, every other byte as an escape such as ``\xe9``."""
    return visible(data.decode("utf-8", "backslashreplace"))


def visible_path(path: bytes) -> str:
    """A path on one line, tabs escaped too."""
    return visible_bytes(path).replace("\t", "\\t")


def _escape(character: str) -> str:
    code = ord(character)
    return next(form % code for limit, form in _FORMS if code < limit)
