"""Where the lines of one text are in another, asked from several diff algorithms at once.

One diff is an opinion: between texts that repeat themselves there are several shortest scripts, and
only some of them say what a person did. So the same question goes to histogram, patience and myers,
top to bottom and bottom to top, and whoever places a hunk can see whether they agree.

The lines are replaced by numbers first. The diffs are then about equality alone, files read bottom to
top need no care for a missing final newline, and their text is plain digits under names of our own:
the one kind of diff that unidiff reads without fault.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from gitclaw_py.core.diffs import Span, span

if TYPE_CHECKING:
    from unidiff.patch import PatchedFile

_FILE = b"diff --git "
"""No line of a numbered file has this in it."""
ALGORITHMS = ("histogram", "myers", "patience")
"""In the order of preference when two scripts are equally short."""

Script = tuple[Span, ...]


class Comparison(NamedTuple):
    """A question: how did ``base`` become ``current``, and how ``changed``? Whole texts, as lines."""

    base: tuple[bytes, ...]
    current: tuple[bytes, ...]
    changed: tuple[bytes, ...]


class Alignment(NamedTuple):
    """The answers.

    ``ours`` leads from base to current, the shortest script first. ``myers`` and ``theirs`` are what
    ``git merge-file`` would merge: from base to current and from base to changed, by myers. ``rest``
    leads from changed to current, the shortest there is.
    """

    ours: tuple[Script, ...]
    myers: Script
    theirs: Script
    rest: Script


def numbered(comparison: Comparison) -> dict[str, tuple[bytes, bytes]]:
    """The files to diff, both sides by name.

    ``f`` is base to current, ``r`` the same bottom to top, ``c`` base to changed, ``n`` changed to current.
    """
    numbers = {line: b"%d\n" % k for k, line in enumerate(dict.fromkeys(chain.from_iterable(comparison)))}
    base, current, changed = (list(map(numbers.__getitem__, lines)) for lines in comparison)
    old, now, new = map(b"".join, (base, current, changed))
    return {
        "f": (old, now),
        "r": (b"".join(reversed(base)), b"".join(reversed(current))),
        "c": (old, new),
        "n": (new, now),
    }


def import_ahead() -> None:
    """Import what ``read_numbered`` needs; there is time for it while git compares."""
    import unidiff.patch  # noqa: F401


def read_numbered(diffs: Mapping[str, bytes]) -> dict[str, dict[str, Script]]:
    """The scripts in diffs of two folders of numbered files, by file name; equal files are not in them.

    Nearly always the algorithms agree about a file: what they say alike is read once.
    """
    # unidiff builds an object per line, 17 ms to import: only where a file has moved on.
    from unidiff.patch import PatchSet

    files = {algorithm: diff.split(_FILE)[1:] for algorithm, diff in diffs.items()}
    distinct = dict.fromkeys(chain.from_iterable(files.values()))
    read = PatchSet(b"".join(_FILE + file for file in distinct).decode("latin-1"))
    named = {file: _named(patch) for file, patch in zip(distinct, read, strict=True)}
    return {algorithm: dict(named[file] for file in its) for algorithm, its in files.items()}


def _named(patch: "PatchedFile") -> tuple[str, Script]:
    script = (span(h.source_start, h.source_length, h.target_start, h.target_length) for h in patch)
    return patch.target_file.rpartition("/")[2], tuple(script)


def alignment(comparison: Comparison, scripts: Mapping[str, Mapping[str, Script]]) -> Alignment:
    """The answer, from the scripts that the algorithms, in their order, gave for the numbered files."""
    before, after = len(comparison.base), len(comparison.current)
    ours: list[Script] = []
    for found in scripts.values():
        ours.append(found.get("f", ()))
        ours.append(_turned(found.get("r", ()), before, after))
    myers = scripts["myers"]
    rest = min((found.get("n", ()) for found in scripts.values()), key=size)
    return Alignment(tuple(sorted(ours, key=size)), myers.get("f", ()), myers.get("c", ()), rest)


def _turned(script: Script, before: int, after: int) -> Script:
    turned = (Span(before - s.end, before - s.start, after - s.new_end, after - s.new_start) for s in script)
    return tuple(reversed(tuple(turned)))


def size(script: Iterable[Span]) -> int:
    """How many lines a script takes and adds."""
    return sum(s.end - s.start + s.new_end - s.new_start for s in script)


def places(script: Sequence[Span], start: int, end: int) -> tuple[int | None, ...]:
    """Where each of the lines ``start:end`` is after ``script``; None for a line that is gone."""
    found: list[int | None] = []
    position = bisect_right(script, start, key=lambda s: s.end)
    for line in range(start, end):
        while position < len(script) and script[position].end <= line:
            position += 1
        if position < len(script) and script[position].start <= line:
            found.append(None)
        else:
            found.append(line + _drift(script, position))
    return tuple(found)


def _drift(script: Sequence[Span], position: int) -> int:
    if position == 0:
        return 0
    last = script[position - 1]
    return last.new_end - last.end


def boundary(script: Sequence[Span], line: int, *, after: bool) -> int:
    """The place of the gap before ``line`` once ``script`` is applied.

    Where the script replaced the lines around the gap, its start or, with ``after``, its end.
    """
    position = bisect_left(script, line, key=lambda s: s.end)
    while position < len(script) and script[position].end == line and (after or script[position].start < line):
        position += 1
    if position < len(script) and script[position].start < line:
        return script[position].new_end if after else script[position].new_start
    return line + _drift(script, position)
