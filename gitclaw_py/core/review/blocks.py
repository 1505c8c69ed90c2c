"""Reading a comment back as the forge does: which suggestion blocks are in it, and what they do to a text.

Written on its own, not by turning round what writes comments: it is what our comments are checked with.
https://spec.commonmark.org/0.31.2/#fenced-code-blocks
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

_LINE_END = re.compile(r"\r\n|\n|\r")
_OPENING = re.compile(r"(?P<indent> {0,3})(?P<fence>`{3,}(?=[^`]*$)|~{3,})[ \t]*(?P<info>.*?)[ \t]*")
_CLOSING = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})[ \t]*")


class Change(NamedTuple):
    """Lines ``start:end`` (from 0) of a text, and the lines of the block that takes their place."""

    start: int
    end: int
    lines: tuple[str, ...]


def suggestion_blocks(body: str) -> list[tuple[str, ...]]:
    """The lines of each suggestion block of a comment. Quotations and lists are not looked into: we write none."""
    found = []
    lines = iter(_LINE_END.split(body))
    for line in lines:
        opening = _OPENING.fullmatch(line)
        if opening is None:
            continue
        inside = tuple(_inside(lines, opening["fence"], len(opening["indent"])))
        if opening["info"].split(" ")[0] == "suggestion":
            found.append(inside)
    return found


def _inside(lines: Iterator[str], fence: str, indent: int) -> Iterator[str]:
    for line in lines:
        closing = _CLOSING.fullmatch(line)
        if closing and closing["fence"].startswith(fence):
            return
        lead = len(line) - len(line.lstrip(" "))
        yield line[min(lead, indent) :]


def taken(text: str, changes: Iterable[Change]) -> str:
    """``text`` after all these suggestions, which do not overlap, were taken in one commit."""
    lines: Sequence[str] = text.split("\n")
    result: list[str] = []
    position = 0
    for change in sorted(changes):
        result += lines[position : change.start]
        result += change.lines
        position = change.end
    result += lines[position:]
    return "\n".join(result)
