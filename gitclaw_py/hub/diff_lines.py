"""The lines of a pull request's diff: which hunk they are in, and where a line went with later commits."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from gitclaw_py.hub.bare import BareRepository
from gitclaw_py.hub.changes import FileChange, changed_files

RIGHT, LEFT = "RIGHT", "LEFT"

_HEAD = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class Row(NamedTuple):
    """A line of a hunk. ``sign`` is ``+``, ``-`` or a space; ``position`` counts from the file's first hunk head."""

    sign: str
    old: int | None
    new: int | None
    text: str
    position: int
    has_newline: bool = True

    def number(self, side: str) -> int | None:
        """Its line number on a side."""
        return self.new if side == RIGHT else self.old if self.sign == "-" else None


class Hunk(NamedTuple):
    """A hunk: its head and its lines."""

    head: str
    rows: tuple[Row, ...]

    def until(self, side: str, line: int) -> str:
        """The hunk down to a line, as a comment on that line carries it."""
        texts = [self.head]
        for row in self.rows:
            texts.append(row.sign + row.text)
            if row.number(side) == line:
                break
        return "\n".join(texts)


class DiffFile(NamedTuple):
    """A changed file and its hunks; none for what has no text. ``places`` has the lines by side and number."""

    change: FileChange
    hunks: tuple[Hunk, ...]
    places: Mapping[tuple[str, int], tuple[int, Row]]

    def find(self, side: str, line: int) -> tuple[int, Row] | None:
        """The number of the hunk that has a line, and the line itself. On the left only deleted lines count.

        https://docs.github.com/rest/pulls/comments#create-a-review-comment-for-a-pull-request
        """
        return self.places.get((side, line))

    def at_position(self, position: int) -> Row | None:
        """The line at an old-style position."""
        return next((row for hunk in self.hunks for row in hunk.rows if row.position == position), None)


@lru_cache(maxsize=64)
def pull_diff(git: BareRepository, base: str, head: str) -> Mapping[str, DiffFile]:
    """The changed files by their names now; from where the two histories part, with three lines of context."""
    return {change.path: _file(change) for change in changed_files(git, base, head)}


def _file(change: FileChange) -> DiffFile:
    hunks = tuple(read_hunks(change.patch))
    rows = [(number, row) for number, hunk in enumerate(hunks) for row in hunk.rows]
    # The first of a file's lines of a number counts: one that became a link has its old and its new lines.
    places = {(side, n): place for place in reversed(rows) for side in (RIGHT, LEFT) if (n := place[1].number(side))}
    return DiffFile(change, hunks, places)


def read_hunks(patch: str | None) -> Iterator[Hunk]:
    """The hunks of a file's part of a diff."""
    position = 0
    for part in re.split(r"\n(?=@@ )", patch) if patch else ():
        head, *lines = part.split("\n")
        yield Hunk(head, tuple(_rows(head, lines, position)))
        position += 1 + len(lines)


def _rows(head: str, lines: Sequence[str], position: int) -> Iterator[Row]:
    hit = _HEAD.match(head)
    old, new = (int(hit[1]), int(hit[3])) if hit else (0, 0)
    for place, line in enumerate(lines, position + 1):
        sign, text = line[:1] or " ", line[1:]
        if sign == "\\":
            continue
        following = lines[place - position] if place - position < len(lines) else ""
        in_old, in_new = sign != "+", sign != "-"
        yield Row(sign, old if in_old else None, new if in_new else None, text, place, not following.startswith("\\"))
        old, new = old + in_old, new + in_new


class _Span(NamedTuple):
    old: int
    removed: int
    added: int


class Moves(NamedTuple):
    """Where the lines of one file went from one commit to another; ``path`` is its name there, None when it is gone."""

    path: str | None
    spans: tuple[_Span, ...] = ()

    def line(self, number: int) -> int | None:
        """The number a line has now, None when it was changed or removed."""
        shift = 0
        for span in self.spans:
            if span.removed and span.old <= number < span.old + span.removed:
                return None
            # Lines that were only added stand behind the one that is named.
            if number >= span.old + (span.removed or 1):
                shift += span.added - span.removed
        return number + shift


def moves(git: BareRepository, old: str, new: str, path: str) -> Moves:
    """What became of the lines of a file."""
    return Moves(path) if old == new else _all_moves(git, old, new).get(path, Moves(path))


@lru_cache(maxsize=64)
def _all_moves(git: BareRepository, old: str, new: str) -> Mapping[str, Moves]:
    text = git.git("-c", "core.quotePath=false", "diff-tree", "-r", "-M", "--raw", "-z", old, new)
    names = iter(text.split(b"\0"))
    found: dict[str, Moves] = {}
    for word in filter(None, names):
        status = word.decode().rpartition(" ")[2]
        was = os.fsdecode(next(names))
        now = os.fsdecode(next(names)) if status.startswith("R") else was
        found[was] = Moves(None) if status == "D" else Moves(now, _spans(git, (old, was), (new, now)))
    return found


def _spans(git: BareRepository, old: tuple[str, str], new: tuple[str, str]) -> tuple[_Span, ...]:
    ends = [f"{commit}:{path}" for commit, path in (old, new)]
    if git.entry(*old) is None:
        return ()
    said = git.git("diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", *ends).decode("utf-8", "replace")
    heads = re.findall(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@", said, re.MULTILINE)
    return tuple(_Span(int(old), _count(removed), _count(added)) for old, removed, added in heads)


def _count(text: str) -> int:
    return int(text) if text else 1
