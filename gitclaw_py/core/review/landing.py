"""Where the parts of a suggestion lie in the head of the pull request, or why they do not."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gitclaw_py.core.alignment import Alignment, Comparison
from gitclaw_py.core.applying import TREE, Target, View
from gitclaw_py.core.diffs import blob_id
from gitclaw_py.core.placing import Change, Placed, Verdict, hunks_of, place, recover
from gitclaw_py.core.review.plan import Reason
from gitclaw_py.core.scripts import Hunk, onto, splice, split_lines
from gitclaw_py.core.suggestions import Group, Kind, Suggestion

Lines = tuple[bytes, ...]

_WHOLE = {
    Kind.CREATE: Reason.NEW_FILE,
    Kind.DELETE: Reason.DELETED_FILE,
    Kind.RENAME: Reason.RENAMED,
    Kind.MODE: Reason.MODE_ONLY,
    Kind.SYMLINK: Reason.SYMLINK,
    Kind.SUBMODULE: Reason.SUBMODULE,
    Kind.BINARY: Reason.BINARY,
    Kind.MODIFY: Reason.BINARY,
}
"""Why a change that is one part is no comment; an edit without hunks is one that git shows no text of."""
_MISFITS = {
    Verdict.CONFLICT: Reason.CONFLICT,
    Verdict.AMBIGUOUS: Reason.CONFLICT,
    Verdict.ALREADY: Reason.ALREADY_THERE,
}


class Unit(NamedTuple):
    """One part with text: its hunk in coordinates of the head."""

    part: str
    suggestion: Suggestion
    group: Group
    hunk: Hunk


class Refusal(NamedTuple):
    """One part that will be no comment; ``line`` of the head, from 1, 0 where there is none."""

    part: str
    suggestion: Suggestion
    reason: Reason
    line: int = 0


def refusals(units: Iterable[Unit], reason: Reason) -> list[Refusal]:
    """Parts that have a place in the head, and will be no comments all the same."""
    return [Refusal(unit.part, unit.suggestion, reason, unit.hunk.start + 1) for unit in units]


class Landing(NamedTuple):
    """A suggestion on the head: the file it lies in, what can be a comment, and what cannot."""

    path: bytes
    units: tuple[Unit, ...]
    refusals: tuple[Refusal, ...]


def land(target: Target, view: View, alignments: Mapping[Comparison, Alignment]) -> Landing | Comparison:
    """The chosen parts of a suggestion on the head that ``view`` shows, or the comparison needed first to say."""
    s = target.suggestion
    if s.blocked or s.careful or not s.groups:
        return _refused(target, _why_whole(target, view))
    path = _located(s, view)
    if path is None:
        return _refused(target, Reason.CONFLICT)
    base = tuple(split_lines(view.text(s.old.oid if s.old else "")))
    if not _is_intact(s, base, view.object_format):
        return _refused(target, Reason.SELF_CHECK)
    return _landed(target, path, base, view, alignments)


def _why_whole(target: Target, view: View) -> Reason:
    s = target.suggestion
    if s.blocked:
        return Reason.BLOCKED
    if s.careful and not s.sensitive:
        return Reason.INVISIBLE_CHARACTERS
    if s.careful:
        return Reason.SENSITIVE
    if not s.is_renamed and view.entry(s.path) == s.new:
        return Reason.ALREADY_THERE
    return _WHOLE[s.kind]


def _refused(target: Target, reason: Reason) -> Landing:
    s = target.suggestion
    return Landing(s.path, (), tuple(Refusal(part, s, reason) for part in s.parts if part in target.chosen))


def _located(s: Suggestion, view: View) -> bytes | None:
    """The name the file has in the head: the old one or the new one."""
    entries = {path: view.entry(path) for path in (s.old_path, s.path)}
    there = [path for path, entry in entries.items() if entry is not None and entry.mode != TREE]
    entry = entries[there[0]] if len(there) == 1 else None
    return there[0] if entry is not None and entry.is_regular else None


def _is_intact(s: Suggestion, base: Lines, object_format: str) -> bool:
    """Whether all hunks together give the file that was proposed: the wanted text, known from elsewhere."""
    try:
        whole = b"".join(splice(base, s.hunks))
    except ValueError:
        return False
    return s.new is not None and blob_id(object_format, whole) == s.new.oid


def _landed(
    target: Target, path: bytes, base: Lines, view: View, alignments: Mapping[Comparison, Alignment]
) -> Landing | Comparison:
    s = target.suggestion
    names = s.parts
    attributes, texts = names[: -len(s.hunks)], names[-len(s.hunks) :]
    chosen, applied = (
        frozenset(k for k, name in enumerate(texts) if name in of) for of in (target.chosen, target.applied)
    )
    entry = view.entry(path)
    head = tuple(split_lines(view.text(entry.oid))) if entry else ()
    found = moved(Change(base, s.hunks, applied, chosen), head, alignments)
    if isinstance(found, Comparison):
        return found
    groups = [group for group in s.groups for _ in group.hunks]
    units = tuple(Unit(texts[k], s, groups[k], found.hunks[k]) for k in sorted(found.hunks))
    return Landing(path, units, (*_attributes(target, attributes), *_misfits(s, texts, found)))


def _attributes(target: Target, names: Iterable[str]) -> Iterator[Refusal]:
    for name in names:
        if name in target.chosen:
            reason = Reason.RENAMED if name.endswith(".rename") else Reason.MODE_ONLY
            yield Refusal(name, target.suggestion, reason)


def _misfits(s: Suggestion, texts: Sequence[str], found: "Moved") -> Iterator[Refusal]:
    return (Refusal(texts[k], s, reason, line) for k, (reason, line) in sorted(found.misfits.items()))


class Moved(NamedTuple):
    """The chosen hunks by their place among all: where they lie in the head, or why not, and near which line."""

    hunks: Mapping[int, Hunk]
    misfits: Mapping[int, tuple[Reason, int]]


def moved(change: Change, head: Lines, alignments: Mapping[Comparison, Alignment]) -> Moved | Comparison:
    """The chosen hunks in coordinates of ``head``, by the same ladder that applies them.

    What others changed too is left out, and the rest is asked about once more: only a whole answer is certain.
    """
    placed = place(change, head, alignments)
    if isinstance(placed, Comparison):
        return placed
    bad = {k: (_MISFITS[f.verdict], f.line + 1) for k, f in placed.findings.items() if f.verdict in _MISFITS}
    good = change.chosen - bad.keys()
    if any(reason is Reason.CONFLICT for reason, _ in bad.values()) and good:
        rest = moved(change._replace(chosen=good), head, alignments)
        return rest if isinstance(rest, Comparison) else Moved(rest.hunks, {**bad, **rest.misfits})
    hunks = _on_head(change, good, head, alignments) if good else {}
    if good and tuple(splice(head, hunks.values())) != placed.text:
        return Moved({}, {**bad, **dict.fromkeys(good, (Reason.SELF_CHECK, 0))})
    return Moved(hunks, bad)


def _on_head(
    change: Change, good: frozenset[int], head: Lines, alignments: Mapping[Comparison, Alignment]
) -> dict[int, Hunk]:
    """The hunks that the ladder has placed, where it has placed them."""
    order = sorted(good, key=lambda k: change.hunks[k].start)
    theirs = [change.hunks[k] for k in order]
    known = [change.hunks[k] for k in change.applied]
    comparison = place(change, head, {})
    if isinstance(comparison, Placed):
        there = change.applied if tuple(splice(change.base, known)) == head else None
        found = there if there is not None else recover(change.base, change.hunks, head) or frozenset()
        placed = onto(theirs, [change.hunks[k] for k in found])
    else:
        ours = hunks_of(alignments[comparison].ours[0], head)
        placed = onto(onto(theirs, known), ours)
    return dict(zip(order, placed, strict=True))
