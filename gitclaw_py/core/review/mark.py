"""The hidden last line of a review comment of ours: which numbers it is about, and what change it is.

Whoever reads it trusts it only in comments of our own account.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gitclaw_py.core.review.landing import Unit

_LINE = re.compile(
    r"<!-- gitclaw:1 kind=suggestion numbers=(?P<numbers>[0-9a-z.]+(?:,[0-9a-z.]+)*)"
    r" change=(?P<change>[0-9a-f]{32}) -->"
)
Key = tuple[bytes, bytes, bytes]


class Mark(NamedTuple):
    """The numbers that a comment is about, and the fingerprint of its change."""

    numbers: tuple[str, ...]
    fingerprint: str


def write(mark: Mark) -> str:
    """The line to put at the end of a comment."""
    return f"<!-- gitclaw:1 kind=suggestion numbers={','.join(mark.numbers)} change={mark.fingerprint} -->"


def find(body: str) -> Mark | None:
    """The mark in the last line of a comment; anywhere else it is text that someone quoted."""
    found = _LINE.fullmatch(body.rstrip().rpartition("\n")[2])
    return Mark(tuple(found["numbers"].split(",")), found["change"]) if found else None


class Fingerprints:
    """Fingerprints by content: the same for the same change of a file, wherever its lines are and whatever its number.

    Equal changes of one file are told apart by their order.
    """

    def __init__(self) -> None:
        self._seen: Counter[Key] = Counter()

    def of(self, path: bytes, text: Sequence[bytes], units: Iterable[Unit]) -> str:
        """The fingerprint of a comment; to be asked once for each, top to bottom."""
        import hashlib  # 5 ms that most commands do not need

        digest = hashlib.sha256()
        for unit in units:
            key = (path, b"".join(text[unit.hunk.start : unit.hunk.end]), b"".join(unit.hunk.lines))
            for piece in (*key, b"%d" % self._seen[key]):
                digest.update(b"%d\0%b" % (len(piece), piece))
            self._seen[key] += 1
        return digest.hexdigest()[:32]
