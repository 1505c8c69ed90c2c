"""The hidden last line by which we know our own comments again, and what they answer.

Whoever reads it trusts it only in comments of our own account.
"""

import re
from typing import NamedTuple

_KINDS = (
    "proposal",
    "applied",
    "rejected",
    "undone",
    "status",
    "help",
    "progress",
    "answer",
    "notice",
    "error",
    "pull",
    "cancelled",
    "review",
    "request",
)
_LINE = re.compile(
    rf"<!-- gitclaw:1 kind=(?P<kind>{'|'.join(_KINDS)}) re=(?P<answers>(?:[A-Za-z0-9_.:/]|-(?!-)){{1,100}})"
    r" part=(?P<part>[1-9][0-9]{0,3})/(?P<parts>[1-9][0-9]{0,3}) -->"
)


class Marker(NamedTuple):
    """What a comment of ours is: its kind, what it answers (a comment id, or a word), which part of how many."""

    kind: str
    answers: str
    part: int = 1
    parts: int = 1


def write(marker: Marker) -> str:
    """The line to put at the end of a comment.

    Raises:
        ValueError: ``find`` would not read it again.
    """
    line = f"<!-- gitclaw:1 kind={marker.kind} re={marker.answers} part={marker.part}/{marker.parts} -->"
    if find(line) != marker:
        raise ValueError(f"no marker can say {marker}")
    return line


def find(body: str) -> Marker | None:
    """The marker in the last line of a comment; a marker anywhere else is text that someone quoted."""
    last = body.rstrip().rpartition("\n")[2]
    found = _LINE.fullmatch(last)
    if not found or int(found["part"]) > int(found["parts"]):
        return None
    return Marker(found["kind"], found["answers"], int(found["part"]), int(found["parts"]))
