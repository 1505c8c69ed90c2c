"""From file diffs to numbered suggestions: what people see, choose and decide on.

A suggestion is the change of one file and has a number, ``3``. Its hunks are shown in groups a person
would choose, ``3.1``, and stored as the smallest units, so that a group can be split without a new diff:
``3.1a``. A change that cannot be taken in parts (a new file, a deletion, a link, a binary) is one part.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property, partial
from itertools import chain, islice
from typing import NamedTuple

from gitclaw_py.core.diffs import Entry, FileDiff, SameChange, Span, are_of_different_types
from gitclaw_py.core.paths import objection
from gitclaw_py.core.policy import NO_RULES, Rules, Ruling, Standing, ruling, strictest
from gitclaw_py.core.scripts import Hunk, first_lines, new_hunk

SYMLINK, SUBMODULE = "120000", "160000"
_TYPES = {"100644": "file", "100755": "executable file", SYMLINK: "link", SUBMODULE: "submodule"}
_POINTER = b"version https://git-lfs.github.com/spec/"
_NEAR = 3
"""Hunks with at most this many unchanged lines between them are one choice."""
_HOLLOW = b" \t\r\n()[]{},;"
"""Lines of nothing but these do not separate two hunks in a reader's eyes."""


class Kind(StrEnum):
    """What happens to the file."""

    CREATE = "create"
    MODIFY = "modify"
    DELETE = "delete"
    RENAME = "rename"
    MODE = "mode"
    SYMLINK = "symlink"
    BINARY = "binary"
    SUBMODULE = "submodule"


class Group(NamedTuple):
    """One shown hunk, ``3.1``: its smallest units in order, and why."""

    number: int
    hunks: tuple[Hunk, ...]
    reason: str | None = None


_new_group: Callable[[tuple[int, tuple[Hunk, ...], str | None]], Group] = partial(tuple.__new__, Group)
"""See ``new_hunk``."""


class _Fields(NamedTuple):
    number: int
    proposal: int
    kind: Kind
    path: bytes
    old_path: bytes
    old: Entry | None
    new: Entry | None
    groups: tuple[Group, ...] = ()
    reason: str | None = None
    requires: tuple[int, ...] = ()
    stopped: str | None = None
    added: int = 0
    removed: int = 0
    secret: str | None = None
    hidden: str | None = None
    ruling: Ruling | None = None


class Suggestion(_Fields):
    """The numbered change of one file.

    ``old`` and ``new`` are the entries on both sides, None where the file does not exist. ``requires``
    are the suggestions this one cannot be applied without. ``added`` and ``removed`` count lines; both are 0 where
    git shows no text.

    What was found when it was made: ``stopped`` is why nobody may apply it, ``secret`` names the rule and line of a
    secret that it adds, ``hidden`` the first character in it that does not show, or looks like another. ``ruling`` is
    what the policy says of its paths now; without one, the policy of every repository holds.

    What follows from that is worked out once, when it is first asked for: there can be thousands of them.
    """

    @property
    def blocked(self) -> str | None:
        """Why nobody may apply it here; None for nearly all."""
        if self.secret or self.stopped:
            return f"it adds a secret: {self.secret}" if self.secret else self.stopped
        return self._ruling.why if self._ruling.standing is Standing.BLOCKED else None

    @property
    def sensitive(self) -> str | None:
        """Why only some may apply it."""
        return self._ruling.why if self._ruling.standing is Standing.SENSITIVE else None

    @property
    def careful(self) -> str | None:
        """Why it is only taken by its own number, never with others."""
        return self.sensitive or (f"it has {self.hidden}, which does not show as it is" if self.hidden else None)

    @cached_property
    def _ruling(self) -> Ruling:
        return self.ruling or _ruled(self, NO_RULES)

    @property
    def is_renamed(self) -> bool:
        """Whether the file goes to another path."""
        return self.path != self.old_path

    @property
    def changes_mode(self) -> bool:
        """Whether a plain file becomes executable, or stops being it."""
        old, new = self.old, self.new
        return bool(old and new and old.mode != new.mode and old.is_regular and new.is_regular)

    @property
    def becomes(self) -> tuple[str, str] | None:
        """What is at the path and what takes its place, where these are of different types."""
        old, new = self.old, self.new
        return (_TYPES[old.mode], _TYPES[new.mode]) if old and new and are_of_different_types(old, new) else None

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """All smallest units, from the top of the file to its end."""
        return tuple(hunk for group in self.groups for hunk in group.hunks)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The parts that can be decided on, by full name; those of ``hunks`` come last, in order."""
        number = self.number
        if not self.groups:
            return (str(number),)
        names = []
        if self.is_renamed:
            names.append(f"{number}.rename")
        if self.changes_mode:
            names.append(f"{number}.mode")
        for group in self.groups:
            shown, hunks, _ = group
            # Nearly always it has one unit, and a call for each costs as much again.
            if len(hunks) == 1:
                names.append(f"{number}.{shown}")
            else:
                names += group_parts(number, group)
        return tuple(names)

    @property
    def change(self) -> SameChange:
        """What makes it the same change as another; see ``FileDiff.change``."""
        return self.path, self.old_path, self.old, self.new


def with_parts(suggestions: Iterable[Suggestion], parts: Iterable[str]) -> list[Suggestion]:
    """The suggestions that have one of the parts."""
    wanted = set(parts)
    numbers = {int(part.partition(".")[0]) for part in wanted}
    return [s for s in suggestions if s.number in numbers and not wanted.isdisjoint(s.parts)]


def group_parts(number: int, group: Group) -> tuple[str, ...]:
    """The names of a group's smallest units: ``3.1``, or ``3.1a``, ``3.1b`` and so on."""
    shown = f"{number}.{group.number}"
    if len(group.hunks) == 1:
        return (shown,)
    return tuple(shown + letters(k) for k in range(len(group.hunks)))


def letters(k: int) -> str:
    """0 is ``a``, 25 is ``z``, 26 is ``aa``."""
    text = ""
    k += 1
    while k:
        k, rest = divmod(k - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def suggest(
    diffs: Sequence[FileDiff],
    read: Callable[[Iterator[str]], Iterator[bytes]],
    first: int,
    proposal: int,
    known: Mapping[SameChange, int] | None = None,
) -> Iterator[Suggestion]:
    """Number the file diffs, in the order of their paths, from ``first``.

    ``read`` gives the contents of blobs by their ids, in order; it is asked only for files with text
    hunks. A change that is ``known`` keeps the number it has there and is not given again.
    """
    ordered = sorted(diffs, key=lambda diff: diff.path)
    numbers = _numbers(ordered, first, known or {})
    needs = _requirements(ordered, numbers)
    new = [diff for diff in ordered if numbers[diff.path] >= first]
    wanted = [_read_for(diff) for diff in new]
    texts = read(chain.from_iterable(wanted))
    for diff, oids in zip(new, wanted, strict=True):
        number = numbers[diff.path]
        groups = _groups(diff, islice(texts, len(oids))) if oids else ()
        yield _made(diff, number, proposal, groups, needs.get(number, ()))


def _made(diff: FileDiff, number: int, proposal: int, groups: tuple[Group, ...], needed: tuple[int, ...]) -> Suggestion:
    path, old_path, old, new, spans = diff
    what = (number, proposal, _kind(diff, groups), path, old_path, old, new, groups)
    return Suggestion(*what, None, needed, obstacle(path, old_path, old, new), *_counted(spans))


def _numbers(diffs: Sequence[FileDiff], first: int, known: Mapping[SameChange, int]) -> dict[bytes, int]:
    if not known:
        return {diff.path: number for number, diff in enumerate(diffs, first)}
    numbers: dict[bytes, int] = {}
    following = first
    for diff in diffs:
        number = known.get(diff.change)
        numbers[diff.path] = following if number is None else number
        following += number is None
    return numbers


def _counted(spans: Iterable[Span]) -> tuple[int, int]:
    """How many lines come, and how many go."""
    added = removed = 0
    for start, end, new_start, new_end in spans:
        added += new_end - new_start
        removed += end - start
    return added, removed


def _kind(diff: FileDiff, groups: tuple[Group, ...]) -> Kind:
    moved = Kind.RENAME if diff.path != diff.old_path else None
    if groups:  # they are of text, in a plain file that stays one
        return moved or Kind.MODIFY
    old, new = diff.old, diff.new
    modes = (old and old.mode, new and new.mode)
    if SUBMODULE in modes:
        return Kind.SUBMODULE
    if new is None:
        return Kind.DELETE
    if SYMLINK in modes:
        return Kind.SYMLINK
    if old is None:
        return Kind.CREATE
    return moved or (Kind.MODE if old.oid == new.oid else Kind.BINARY)


def obstacle(path: bytes, old_path: bytes, old: Entry | None, new: Entry | None) -> str | None:
    """Why nobody may apply the change of a file here; None when nothing speaks against it.

    Asked when a suggestion is made and again whenever it is read: what was stored may have been changed.
    """
    if new is not None and new.mode == SUBMODULE and old is None:
        return "a repository inside the repository; add it as a submodule yourself if that is meant"
    return objection(path) or (objection(old_path) if old_path != path else None)


def judged(s: Suggestion, rules: Rules) -> Suggestion:
    """The suggestion with what the policy of a repository says of it, where it is not what every policy says."""
    found = None if rules == NO_RULES else _ruled(s, rules)
    ruling = None if found is None or found == _ruled(s, NO_RULES) else found
    return s if s.ruling == ruling else s._replace(ruling=ruling)


def _ruled(s: Suggestion, rules: Rules) -> Ruling:
    """A name that is there already is nobody's new one, however odd it is."""
    there = rules._replace(portable=False) if rules.portable else rules
    found = ruling(s.path, rules if s.old is None or s.is_renamed else there)
    return strictest(found, ruling(s.old_path, there)) if s.is_renamed else found


def _requirements(diffs: Sequence[FileDiff], numbers: Mapping[bytes, int]) -> dict[int, tuple[int, ...]]:
    """A path that comes needs the paths that stand in its way to go: files below it, a file above it."""
    going = {d.old_path: numbers[d.path] for d in diffs if d.new is None or d.path != d.old_path}
    ways = _folders_of(going)
    needs = {}
    for diff in diffs:
        if diff.new is None or (diff.old is not None and diff.path == diff.old_path):
            continue
        number = numbers[diff.path]
        blockers = {going[above] for above in folders(diff.path) if above in going} | ways.get(diff.path, set())
        if found := blockers - {number}:
            needs[number] = tuple(sorted(found))
    return needs


def _folders_of(going: Mapping[bytes, int]) -> dict[bytes, set[int]]:
    below: dict[bytes, set[int]] = {}
    for path, number in going.items():
        for folder in folders(path):
            below.setdefault(folder, set()).add(number)
    return below


def folders(path: bytes) -> Iterator[bytes]:
    """The folders a path lies in, from the top: ``a``, ``a/b`` for ``a/b/c``."""
    position = path.find(b"/")
    while position >= 0:
        yield path[:position]
        position = path.find(b"/", position + 1)


def _read_for(diff: FileDiff) -> tuple[str, ...]:
    """The blobs to read for the hunks of a diff: the new one, and the old one where its first line may be another."""
    old, new = diff.old, diff.new
    if not (diff.spans and old and new and old.is_regular and new.is_regular):
        return ()
    return (new.oid,) if diff.spans[0].start > 0 else (new.oid, old.oid)


def _groups(diff: FileDiff, texts: Iterator[bytes]) -> tuple[Group, ...]:
    """The hunks of a diff, cut from its new text. A pointer to a large file is not text, whatever it looks like."""
    new = next(texts)
    is_pointer = new.startswith(_POINTER)
    for text in texts:  # of the other text only this is kept: it can be large
        is_pointer = is_pointer and text.startswith(_POINTER)
    return () if is_pointer else grouped(first_lines(new, diff.spans[-1].new_end), diff.spans)


def grouped(new: tuple[bytes, ...], spans: Iterable[Span]) -> tuple[Group, ...]:
    """The hunks of a file, as it is ``new`` down to the last of them, in the groups a person would choose."""
    groups: list[Group] = []
    hunks: list[Hunk] = []
    before = 0
    for start, end, new_start, new_end in spans:
        # Nearly always the first line between two hunks decides, and costs less than a call.
        if hunks and new_start - before > _NEAR and (new[before].strip(_HOLLOW) or _tells(new[before:new_start])):
            groups.append(_new_group((len(groups) + 1, tuple(hunks), None)))
            hunks.clear()
        hunks.append(new_hunk((start, end, new[new_start:new_end])))
        before = new_end
    return (*groups, _new_group((len(groups) + 1, tuple(hunks), None))) if hunks else ()


def _tells(lines: Iterable[bytes]) -> bool:
    """Whether any of the lines, which are the same on both sides, says something to a reader."""
    return any(line.strip(_HOLLOW) for line in lines)
