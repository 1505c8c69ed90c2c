"""Parts of suggestions made by hand."""

from __future__ import annotations

from collections.abc import Sequence

from gitclaw_py.core.review.landing import Unit
from gitclaw_py.core.scripts import Hunk
from gitclaw_py.core.suggestions import Group, Kind, Suggestion, group_parts
from tests.core.states import NEW, OLD

Edit = tuple[int, int, Sequence[str]]
"""From and to (from 0, end exclusive), and the new lines."""


def units(*groups: Sequence[Edit], number: int = 1) -> list[Unit]:
    """The parts of one suggestion, shown in these groups."""
    made = tuple(Group(k, tuple(_hunk(edit) for edit in group)) for k, group in enumerate(groups, 1))
    s = Suggestion(number, 1, Kind.MODIFY, b"f.txt", b"f.txt", OLD, NEW, made)
    named = ((name, group, hunk) for group in made for name, hunk in _members(number, group))
    return [Unit(name, s, group, hunk) for name, group, hunk in named]


def _members(number: int, group: Group) -> list[tuple[str, Hunk]]:
    return list(zip(group_parts(number, group), group.hunks, strict=True))


def _hunk(edit: Edit) -> Hunk:
    start, end, lines = edit
    return Hunk(start, end, tuple(f"{line}\n".encode() for line in lines))
