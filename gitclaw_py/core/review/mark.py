"""The hidden last line of a review comment of ours: which numbers it is about, and what change it is.

Whoever reads it trusts it only in comments of our own account.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gitclaw_py.core.digests import digest
from gitclaw_py.core.review.landing import Unit
from gitclaw_py.core.suggestions import group_parts

_LINE = re.compile(
    r"<!-- gitclaw:1 kind=suggestion numbers=(?P<numbers>[0-9a-z.]+(?:,[0-9a-z.]+)*)"
    r" change=(?P<change>[0-9a-f]{32}) -->"
)


_BUTTONS = re.compile(r"^<!-- gitclaw:1 buttons=(?P<changes>[0-9a-f]{32}(?:,[0-9a-f]{32})*) -->$", re.MULTILINE)


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


def write_all(fingerprints: Iterable[str]) -> str:
    """A hidden line of a review: the changes of all its comments. It stays when they are deleted."""
    return f"<!-- gitclaw:1 buttons={','.join(fingerprints)} -->"


def find_all(body: str) -> frozenset[str]:
    """The changes that a review had comments for."""
    found = _BUTTONS.search(body)
    return frozenset(found["changes"].split(",")) if found else frozenset()


class Fingerprints:
    """Fingerprints by content: the same for the same change of a file, wherever its lines are and whatever its number.

    Equal changes of one suggestion are told apart by their order in it, whatever has become of the others.
    """

    def __init__(self) -> None:
        self._orders: dict[int, dict[str, int]] = {}

    def of(self, path: bytes, text: Sequence[bytes], units: Iterable[Unit]) -> str:
        """The fingerprint of a comment; to be asked once for each, top to bottom."""
        made = digest("sha256")(b"")
        for unit in units:
            key = (path, b"".join(text[unit.hunk.start : unit.hunk.end]), b"".join(unit.hunk.lines))
            for piece in (*key, b"%d" % self._order(unit)):
                made.update(b"%d\0%b" % (len(piece), piece))
        found: str = made.hexdigest()[:32]
        return found

    def _order(self, unit: Unit) -> int:
        """How many parts before it in its suggestion put the same lines in the place of as many."""
        s = unit.suggestion
        if s.number not in self._orders:
            seen: Counter[tuple[int, tuple[bytes, ...]]] = Counter()
            order = {}
            for group in s.groups:
                for part, hunk in zip(group_parts(s.number, group), group.hunks, strict=True):
                    kind = (hunk.end - hunk.start, hunk.lines)
                    order[part] = seen[kind]
                    seen[kind] += 1
            self._orders[s.number] = order
        return self._orders[s.number].get(unit.part, 0)
