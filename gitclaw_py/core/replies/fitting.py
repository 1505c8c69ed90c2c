"""Bodies that fit: a comment holds at most ``LIMIT`` bytes, so long replies become numbered parts.

GitHub's error text says 65,536 characters; other readings of the limit are smaller for some texts.
https://github.com/dead-claudia/github-limits
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gitclaw_py.core.replies import marker
from gitclaw_py.core.replies.marker import Marker

LIMIT = 60_000
ROOM = 58_500
"""What the blocks of a part may take together; the rest is for its heading, footer and marker."""


def size(text: str) -> int:
    """In bytes, as sent."""
    return len(text.encode("utf-8"))


def total(blocks: Iterable[str]) -> int:
    """The size of blocks with the blank lines between them."""
    return sum(size(block) + 2 for block in blocks)


def body(blocks: Iterable[str], mark: Marker, footer: str = "") -> str:
    """One comment: blocks of Markdown, then the footer in small print, then the marker."""
    small = f"<sub>{footer}</sub>\n" if footer else ""
    return "\n\n".join([*(block for block in blocks if block), small + marker.write(mark)])


def with_more(text: str, block: str) -> str:
    """A comment made by ``body``, with a short block more in front of its marker."""
    above, _, mark = text.rpartition("\n")
    return f"{above.rstrip()}\n\n{block}\n\n{mark}"


def single(kind: str, re: str, blocks: Iterable[str], footer: str = "") -> tuple[str, ...]:
    """A reply that is short by construction."""
    return (body(blocks, Marker(kind, re), footer),)


def numbered(
    mark: Marker, heading: str, parts: Sequence[Sequence[str]], footer: Callable[[int], str] | None = None
) -> tuple[str, ...]:
    """The parts of one reply, each with the heading; from two parts on, it says which one it is."""
    count = len(parts)
    bodies = []
    for k, blocks in enumerate(parts, 1):
        title = f"### {heading}" + (f" (part {k} of {count})" if count > 1 else "")
        bodies.append(body([title, *blocks], mark._replace(part=k, parts=count), footer(k) if footer else ""))
    return tuple(bodies)


def packed(blocks: Iterable[str], room: int = ROOM) -> list[list[str]]:
    """Blocks in as few parts as their order allows; none of them may be larger than a part."""
    parts: list[list[str]] = [[]]
    taken = 0
    for block in blocks:
        needed = size(block) + 2
        if parts[-1] and taken + needed > room:
            parts.append([])
            taken = 0
        parts[-1].append(block)
        taken += needed
    return parts


def fitting_rows(rows: Sequence[Sequence[str]], room: int) -> int:
    """How many rows of a table fit."""
    taken = 0
    for count, row in enumerate(rows):
        taken += sum(size(column) + column.count("|") + 3 for column in row) + 2
        if taken > room:
            return count
    return len(rows)
