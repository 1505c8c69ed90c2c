"""What a plan comes to, short enough to stand in a test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tests.reviews.github import block_of
from tests.reviews.oracle import Seen
from tests.reviews.scene import Desk

PATH = b"f.txt"
At = tuple[int, int, tuple[str, ...]]
"""First line, last line, and the lines of the block."""


class Look(NamedTuple):
    """The inline comments, top to bottom, and the reasons for the rest by number."""

    inline: list[At]
    fallbacks: dict[str, str]
    seen: Seen


def look(seen: Seen) -> Look:
    inline = [(c.start_line or c.line, c.line, tuple(block_of(c.body))) for c in seen.plan.comments]
    return Look(inline, {f.number: f.reason.value for f in seen.plan.fallbacks}, seen)


def numbered(count: int) -> list[str]:
    """l1, l2 and so on."""
    return [f"l{k}" for k in range(1, count + 1)]


def text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def edited(lines: Sequence[str], *changes: tuple[int, int, Sequence[str]]) -> list[str]:
    """The lines with some of them replaced: from and to (from 1, both included; to = from - 1 inserts)."""
    result = list(lines)
    for first, last, new in sorted(changes, reverse=True):
        result[first - 1 : last] = new
    return result


def all_new(desk: Desk, head: bytes, fix: bytes, path: bytes = PATH) -> Look:
    """A pull request that adds the file, so that every line is in its diff."""
    return look(desk.review({b"other": b"x\n"}, {b"other": b"x\n", path: head}, {b"other": b"x\n", path: fix}))


def in_the_middle(desk: Desk, *changes: tuple[int, int, Sequence[str]]) -> Look:
    """A pull request that changed line 20 of 40, so that its diff shows 17 to 23; and a fix."""
    head = numbered(40)
    base = edited(head, (20, 20, ["before"]))
    return look(desk.review({PATH: text(base)}, {PATH: text(head)}, {PATH: text(edited(head, *changes))}))
