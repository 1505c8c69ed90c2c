"""Planning what a selection does to a tree: every file's change placed, or the reason why it cannot be.

The plan is made against a *view*: the tree of a branch, an index, or a person's working tree. Nothing is
written here; whoever holds the view writes the plan when all of it is good.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from gitclaw_py.core.alignment import Alignment, Comparison
from gitclaw_py.core.diffs import Entry, blob_id
from gitclaw_py.core.placing import Change, Finding, Verdict, place
from gitclaw_py.core.scripts import splice, split_lines
from gitclaw_py.core.suggestions import SUBMODULE, SYMLINK, Suggestion, folders, with_parts
from gitclaw_py.errors import ConflictError

TREE = "040000"
NOT_THERE = "the file is not there"
OVERLAP = "another suggestion of this selection changes these lines"
TAKEN = "another suggestion of this selection is about this path"
_AROUND = 3
"""Lines of the current text shown on each side of a place that needs a decision."""


class View(Protocol):
    """A tree as it is now."""

    object_format: str

    def entry(self, path: bytes) -> Entry | None:
        """What is at ``path``; a folder has mode ``040000`` and any object id.

        In a working tree, a submodule's folder has no object id: which commit is in it is its own affair.
        """

    @property
    def text(self) -> Callable[[str], bytes]:
        """From the id of a blob to its content."""

    @property
    def files_under(self) -> Callable[[bytes], Sequence[bytes]]:
        """From a folder to the paths of all files in it."""


class Target(NamedTuple):
    """What to do to one suggestion: take its ``chosen`` parts in, or out again; ``applied`` are in already."""

    suggestion: Suggestion
    chosen: frozenset[str]
    applied: frozenset[str]
    undo: bool = False
    sure: bool = False

    @property
    def goal(self) -> Entry | None:
        """The entry the whole change leads to."""
        return self.suggestion.old if self.undo else self.suggestion.new

    @property
    def start(self) -> Entry | None:
        """The entry the whole change leads from."""
        return self.suggestion.new if self.undo else self.suggestion.old


class PartFinding(NamedTuple):
    """What became of one part. For a part in question also where, in the file as it is now (lines from 1).

    ``line`` is the place itself, ``excerpt`` the text around it, which begins at line ``first``.
    """

    part: str
    path: bytes
    verdict: Verdict
    reason: str = ""
    line: int = 0
    first: int = 0
    excerpt: tuple[bytes, ...] = ()


class Plan:
    """The findings for every chosen part; what to write (None: remove), and the new blobs in it by id."""

    def __init__(self) -> None:
        self.findings: list[PartFinding] = []
        self.writes: dict[bytes, Entry | None] = {}
        self.blobs: dict[str, bytes] = {}

    @property
    def unplaced(self) -> list[PartFinding]:
        """The findings that stop a selection."""
        return [f for f in self.findings if f.verdict in (Verdict.CONFLICT, Verdict.AMBIGUOUS)]


def targets(
    suggestions: Iterable[Suggestion], chosen: Iterable[str], applied: Iterable[str], *, undo: bool, sure: bool = False
) -> list[Target]:
    """One target for each suggestion that has a chosen part; ``sure`` answers the guards, see ``placing.Change``."""
    wanted, done = set(chosen), set(applied)
    found = []
    for s in with_parts(suggestions, wanted):
        names = frozenset(s.parts)
        found.append(Target(s, names & wanted, names & done, undo, sure))
    return found


def paths_of(targets: Iterable[Target]) -> list[bytes]:
    """Every path a plan for ``targets`` looks at, folders on the way to a new file included."""
    paths: dict[bytes, None] = {}
    for target in targets:
        s = target.suggestion
        makes_room = s.old is None or s.new is None or s.is_renamed
        for path in {s.path, s.old_path}:
            paths.update(dict.fromkeys(folders(path) if makes_room else ()))
            paths[path] = None
    return list(paths)


def texts_of(targets: Sequence[Target], view: View) -> Iterator[str]:
    """The blobs that a plan for ``targets`` reads, in its order, as far as that can be said before it is made."""
    for target in _in_order_of_need(targets):
        s = target.suggestion
        entry = view.entry(s.path) or view.entry(s.old_path)
        if s.groups and s.old and entry and not _is_taken_whole(target, entry):
            yield from (s.old.oid, entry.oid)


def _is_taken_whole(target: Target, entry: Entry) -> bool:
    """Whether all hunks go into the file they were made for: what comes out is known already."""
    s = target.suggestion
    hunks = s.parts[-len(s.hunks) :]
    fits = not target.undo and s.old is not None and entry.oid == s.old.oid
    return fits and target.chosen.issuperset(hunks) and target.applied.isdisjoint(hunks)


def plan(targets: Sequence[Target], view: View, alignments: Mapping[Comparison, Alignment]) -> Plan | list[Comparison]:
    """The plan, or the comparisons it still needs; with those answered, ask again."""
    planner = _Planner(view, alignments)
    for target in _in_order_of_need(targets):
        planner.take(target)
    return planner.wanted or planner.plan


def _in_order_of_need(targets: Sequence[Target]) -> list[Target]:
    """What makes way comes first; when taking back, it comes last."""
    by_number = {t.suggestion.number: t for t in targets}
    ordered: dict[int, Target] = {}

    def add(number: int) -> None:
        if number in by_number and number not in ordered:
            for needed in by_number[number].suggestion.requires:
                add(needed)
            ordered[number] = by_number[number]

    for number in sorted(by_number):
        add(number)
    result = list(ordered.values())
    return result[::-1] if targets and targets[0].undo else result


class _MisfitError(Exception):
    """Why the parts of a target cannot be placed."""


class _Planner:
    def __init__(self, view: View, alignments: Mapping[Comparison, Alignment]) -> None:
        self.plan = Plan()
        self.wanted: list[Comparison] = []
        self._view = view
        self._alignments = alignments

    def take(self, target: Target) -> None:
        """Add one target to the plan, or only the reason why it does not fit."""
        s, said = target.suggestion, len(self.plan.findings)
        before = {path: self.plan.writes[path] for path in (s.path, s.old_path) if path in self.plan.writes}
        try:
            if s.groups:
                self._take_parts(target)
            else:
                self._take_whole(target)
        except _MisfitError as problem:
            del self.plan.findings[said:]
            for path in {s.path, s.old_path} - before.keys():
                self.plan.writes.pop(path, None)
            self.plan.writes.update(before)
            for part in _chosen_in_order(target):
                self._say(target, part, Verdict.CONFLICT, str(problem))

    # -- a change that is one part --

    def _take_whole(self, target: Target) -> None:
        s = target.suggestion
        part = str(s.number)
        if s.is_renamed:
            self._move_whole(target, part)
            return
        found = self._entry(s.path)
        if _is(found, target.goal) or (target.goal is None and found is not None and found.mode == TREE):
            self._say(target, part, Verdict.ALREADY)
        elif _is(found, target.start):
            self._require_no_work_in_submodule(s.path, found, target.goal)
            self._write(s.path, target.goal, makes=target.start is None)
            self._say(target, part, Verdict.APPLIED)
        else:
            raise _MisfitError(TAKEN if s.path in self.plan.writes else _why_not(found, target))

    def _require_no_work_in_submodule(self, path: bytes, found: Entry | None, goal: Entry | None) -> None:
        """A file must not take the place of a folder with someone's work in it."""
        if found is None or found.mode != SUBMODULE or goal is None or goal.mode == SUBMODULE:
            return
        if any(name.startswith(path + b"/") for name in self._view.files_under(path)):
            raise _MisfitError("the files of the submodule are in the way; remove them yourself")

    def _move_whole(self, target: Target, part: str) -> None:
        """A rename without text hunks; a file edited since keeps its edits, as long as we do not change them."""
        s = target.suggestion
        source, goal = (s.path, s.old_path) if target.undo else (s.old_path, s.path)
        found, there = self._entry(source), self._entry(goal)
        if (found is None or found.mode == TREE) and there == target.goal:
            self._say(target, part, Verdict.ALREADY)
            return
        if found is None:
            raise _MisfitError(NOT_THERE)
        same_content = target.start is not None and target.goal is not None and target.start.oid == target.goal.oid
        if found != target.start and not (same_content and found.is_regular and not s.changes_mode):
            raise _MisfitError("the file was changed since")
        self._write(source, None)
        self._write(goal, target.goal if found == target.start else found, makes=True)
        self._say(target, part, Verdict.APPLIED)

    # -- a change in parts --

    def _take_parts(self, target: Target) -> None:
        s = target.suggestion
        path, entry = self._located(target)
        moves = f"{s.number}.rename" in target.chosen
        goal = (s.old_path if target.undo else s.path) if moves else path
        changed = self._with_mode(target, self._with_hunks(target, path, entry))
        if moves:
            self._say(target, f"{s.number}.rename", Verdict.ALREADY if goal == path else Verdict.APPLIED)
        if goal != path:
            self._write(path, None)
        if goal != path or changed != entry:
            self._write(goal, changed, makes=goal != path)

    def _located(self, target: Target) -> tuple[bytes, Entry]:
        """Where the file is now: under its old or its new name."""
        s = target.suggestion
        there = [path for path in dict.fromkeys((s.old_path, s.path)) if self._is_file(path)]
        if len(there) > 1:
            raise _MisfitError("both the old and the new file are there now")
        if not there:
            raise _MisfitError(NOT_THERE)
        entry = self._entry(there[0])
        if entry is None or not entry.is_regular:
            raise _MisfitError("it is no longer a plain file")
        return there[0], entry

    def _is_file(self, path: bytes) -> bool:
        entry = self._entry(path)
        return entry is not None and entry.mode != TREE

    def _with_mode(self, target: Target, entry: Entry) -> Entry:
        s = target.suggestion
        part = f"{s.number}.mode"
        if part not in target.chosen or target.goal is None:
            return entry
        verdict = Verdict.ALREADY if entry.mode == target.goal.mode else Verdict.APPLIED
        self._say(target, part, verdict)
        return entry._replace(mode=target.goal.mode)

    def _with_hunks(self, target: Target, path: bytes, entry: Entry) -> Entry:
        s = target.suggestion
        names = s.parts[-len(s.hunks) :]
        chosen = frozenset(k for k, name in enumerate(names) if name in target.chosen)
        if not chosen or s.old is None or s.new is None:
            return entry
        if _is_taken_whole(target, entry):
            self._say_all(target, names)
            return entry._replace(oid=s.new.oid)
        applied = frozenset(k for k, name in enumerate(names) if name in target.applied)
        base = tuple(split_lines(self._text(s.old.oid)))
        self._require_intact(s, base)
        change = Change(base, s.hunks, applied, chosen, target.undo, target.sure)
        current = base if entry.oid == s.old.oid else tuple(split_lines(self._text(entry.oid)))
        placed = place(change, current, self._alignments)
        if isinstance(placed, Comparison):
            self.wanted.append(placed)
            return entry
        for k in sorted(chosen):
            finding = placed.findings[k]
            if path in self.plan.writes and finding.verdict is Verdict.CONFLICT:
                finding = finding._replace(reason=OVERLAP)
            self._say_finding(names[k], path, finding, current)
        return entry if placed.text == current else entry._replace(oid=self._store(b"".join(placed.text)))

    def _require_intact(self, s: Suggestion, base: tuple[bytes, ...]) -> None:
        """All hunks must give the file that was proposed, or what was stored is not what was shown."""
        try:
            whole = b"".join(splice(base, s.hunks))
        except ValueError:
            whole = None
        if whole is None or s.new is None or blob_id(self._view.object_format, whole) != s.new.oid:
            raise ConflictError(
                "INVALID_DIFF",
                f"The stored hunks of {s.number} are not those that were proposed",
                "the state file was changed by something else; run gitclaw suggest again",
            )

    # -- the tree as it is with the plan in it --

    def _entry(self, path: bytes) -> Entry | None:
        if path in self.plan.writes:
            return self.plan.writes[path]
        found = self._view.entry(path)
        if found is not None and found.mode == TREE and not self._left_under(path):
            return None
        return found

    def _text(self, oid: str) -> bytes:
        return self.plan.blobs[oid] if oid in self.plan.blobs else self._view.text(oid)

    def _left_under(self, path: bytes) -> bool:
        """Whether a folder keeps a file; only asked of folders the plan takes files from."""
        removed = {p for p, entry in self.plan.writes.items() if entry is None and p.startswith(path + b"/")}
        return not removed or bool(set(self._view.files_under(path)) - removed)

    def _write(self, path: bytes, entry: Entry | None, *, makes: bool = False) -> None:
        if makes:
            self._require_room(path)
        self.plan.writes[path] = entry

    def _require_room(self, path: bytes) -> None:
        for folder in folders(path):
            above = self.plan.writes[folder] if folder in self.plan.writes else self._view.entry(folder)
            if above is not None and above.mode != TREE:
                raise _MisfitError("a folder that it lies in is a file now")
        if self._entry(path) is not None:
            raise _MisfitError("something else is at that path now")

    def _store(self, data: bytes) -> str:
        oid = blob_id(self._view.object_format, data)
        self.plan.blobs[oid] = data
        return oid

    # -- what is said about it --

    def _say(self, target: Target, part: str, verdict: Verdict, reason: str = "") -> None:
        self.plan.findings.append(PartFinding(part, target.suggestion.path, verdict, reason))

    def _say_all(self, target: Target, parts: Iterable[str]) -> None:
        for part in parts:
            self._say(target, part, Verdict.APPLIED)

    def _say_finding(self, part: str, path: bytes, finding: Finding, current: Sequence[bytes]) -> None:
        if finding.verdict not in (Verdict.CONFLICT, Verdict.AMBIGUOUS):
            self.plan.findings.append(PartFinding(part, path, finding.verdict, finding.reason))
            return
        first = max(0, finding.line - _AROUND)
        excerpt = tuple(current[first : finding.line + _AROUND + 1])
        where = (finding.line + 1, first + 1, excerpt)
        self.plan.findings.append(PartFinding(part, path, finding.verdict, finding.reason, *where))


def _is(found: Entry | None, wanted: Entry | None) -> bool:
    """Whether the entry is the one that is wanted; a submodule's folder without an id stands for any commit."""
    if found is not None and wanted is not None and found.mode == wanted.mode == SUBMODULE and not found.oid:
        return True
    return found == wanted


def _chosen_in_order(target: Target) -> Iterator[str]:
    return (part for part in target.suggestion.parts if part in target.chosen)


def _why_not(found: Entry | None, target: Target) -> str:
    if found is None:
        return NOT_THERE
    if target.start is None:
        return "a folder is at that path now" if found.mode == TREE else "another file is at that path now"
    kinds = {TREE: "a folder", SYMLINK: "a symbolic link", SUBMODULE: "a submodule"}
    if found.mode in kinds and found.mode != target.start.mode:
        return f"it is {kinds[found.mode]} now"
    if found.oid == target.start.oid:
        return "its mode was changed since"
    return "the file was changed since"
