"""Why the agent made each change, as it left it in a file for us, made fit to be shown."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gitclaw_py.core.suggestions import Group, Suggestion
from gitclaw_py.core.visible import visible

_MOST = 5_000
LONGEST = 200
"""A reason is a sentence, not an essay; in characters."""
_RANGE = re.compile(r"(?P<path>.*):(?P<start>[1-9]\d{0,8})(?:-(?P<end>[1-9]\d{0,8}))?", re.DOTALL)


class Reason(NamedTuple):
    """Why lines ``start`` to ``end`` (from 1, of the new file, both included) changed; None: the whole file."""

    path: bytes
    lines: tuple[int, int] | None
    text: str


def read_reasons(data: bytes, folder: str = "") -> list[Reason]:
    """The reasons in a JSON object from ``path`` or ``path:line`` or ``path:first-last`` to why.

    A path may begin at the top of the repository, or at the ``folder`` the agent worked in.

    Raises:
        ValueError: it is not such an object; the message says what it is instead.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is not JSON ({error})") from error
    if not isinstance(document, dict) or not all(isinstance(why, str) for why in document.values()):
        raise ValueError('it is not an object of texts, like {"src/app.py:10-12": "why"}')
    if len(document) > _MOST:
        raise ValueError(f"it has more than {_MOST:,} reasons")
    found = [_reason(place, why) for place, why in document.items() if clean(why)]
    if folder in ("", "."):
        return found
    here = _bytes(folder) + b"/"
    return found + [reason._replace(path=here + reason.path) for reason in found]


def _reason(place: str, why: str) -> Reason:
    found = _RANGE.fullmatch(place)
    if not found:
        return Reason(_bytes(place), None, clean(why))
    start = int(found["start"])
    return Reason(_bytes(found["path"]), (start, int(found["end"] or start)), clean(why))


def _bytes(path: str) -> bytes:
    try:
        data = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a lone surrogate from a JSON escape: the name of no file
        data = path.encode("utf-8", "replace")
    return data.removeprefix(b"./")


def clean(why: str) -> str:
    """One line, without anything that a terminal or a page would act on, shortened at a word."""
    text = visible(" ".join(why.split()))
    if len(text) <= LONGEST:
        return text
    return text[: LONGEST - 1].rsplit(" ", 1)[0].rstrip(" ,.;:") + "…"


def explained(suggestions: Sequence[Suggestion], reasons: Sequence[Reason]) -> list[Suggestion]:
    """The suggestions with their reasons: a file's on the suggestion, a line range's on the hunks it meets."""
    by_path: dict[bytes, list[Reason]] = {}
    for reason in reasons:
        by_path.setdefault(reason.path, []).append(reason)
    return [_explained(s, by_path) for s in suggestions]


def _explained(suggestion: Suggestion, by_path: Mapping[bytes, list[Reason]]) -> Suggestion:
    mine = by_path.get(suggestion.path) or by_path.get(suggestion.old_path) or []
    whole = next((r.text for r in mine if r.lines is None), None)
    ranged = [r for r in mine if r.lines is not None]
    if not suggestion.groups:
        return suggestion._replace(reason=whole or next((r.text for r in ranged), None))
    groups = []
    growth = 0
    for group in suggestion.groups:
        groups.append(group._replace(reason=_reason_of(group, growth, ranged)))
        growth += sum(hunk.growth for hunk in group.hunks)
    return suggestion._replace(reason=whole, groups=tuple(groups))


def _reason_of(group: Group, growth: int, ranged: Sequence[Reason]) -> str | None:
    """The first reason whose lines meet the group's lines of the new file (a deletion meets the line before)."""
    first = group.hunks[0].start + growth + 1
    last = group.hunks[-1].end + growth + sum(hunk.growth for hunk in group.hunks)
    low, high = min(first, last), max(first, last)
    for reason in ranged:
        if reason.lines and reason.lines[0] <= high and low <= reason.lines[1]:
            return reason.text
    return None
