"""What is said about how a command ended, for a terminal and for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gitclaw_py.core.applying import NOT_THERE, OVERLAP, TAKEN, PartFinding
from gitclaw_py.core.paint import Paint, safe
from gitclaw_py.core.placing import Verdict
from gitclaw_py.core.selection import compact
from gitclaw_py.core.state import Progress, State, Status, overall, progress, status_of, statuses
from gitclaw_py.core.visible import visible_bytes, visible_path

_SHORT = 10
_UNDONE = {Verdict.APPLIED: "taken back", Verdict.ALREADY: "not there"}
FILES = "your files"


def short(oid: str) -> str:
    """A commit id as people write it."""
    return oid[:_SHORT]


def landed(
    state: State,
    branch: str,
    commit: str | None,
    findings: Sequence[PartFinding],
    paint: Paint,
    *,
    undo: bool,
    commits: bool,
) -> Iterator[str]:
    """A selection was applied, or taken back."""
    done = compact(state, [f.part for f in findings if f.verdict is Verdict.APPLIED])
    before = compact(state, [f.part for f in findings if f.verdict is Verdict.ALREADY])
    verb = "Took back" if undo else "Applied"
    if commit:
        yield paint("green", f"{verb} {done}") + f" on {_named(branch)} as {short(commit)}."
    elif done:
        yield paint("green", f"{verb} {done}") + " in your files; nothing was committed."
    if before:
        there = _named(branch) if commits else FILES
        yield f"{before}: {'not' if undo else 'already'} {'on' if commits else 'in'} {there}."
    yield progress_line(state)


def progress_line(state: State) -> str:
    """``3 of 7 applied, 1 rejected, 3 pending``; counted in hunks too where a suggestion is partly decided."""
    found = statuses(state)
    of_each = [{found[name] for name in s.parts} for s in state.suggestions]
    line = _counted(progress(map(overall, of_each)))
    mixed = any(len(its) > 1 for its in of_each)
    return f"{line} (in parts: {_counted(progress(found.values()))})" if mixed else line


def _counted(counts: Progress) -> str:
    pieces = [f"{counts.applied} of {counts.total} applied", f"{counts.rejected} rejected"]
    if counts.replaced:
        pieces.append(f"{counts.replaced} replaced")
    return ", ".join([*pieces, f"{counts.pending} pending"])


def kept(parts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """What an undo left where it is, and why."""
    return (f"{part} {reason}." for part, reason in parts)


def _named(branch: str) -> str:
    return "a detached HEAD" if branch == "HEAD" else safe(branch)


def left(state: State, findings: Sequence[PartFinding], paint: Paint) -> Iterator[str]:
    """What ``--partial`` left pending."""
    if findings:
        yield paint("yellow", f"Left pending: {compact(state, [f.part for f in findings])}")
        yield from _reasons(findings)


def skipped(parts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """What a range or ``all`` passed over."""
    return (f"{part} was left out: {reason}" for part, reason in parts)


def stuck(
    state: State,
    branch: str,
    where: str,
    findings: Sequence[PartFinding],
    paint: Paint,
    *,
    undo: bool,
    chosen: Sequence[str],
) -> Iterator[str]:
    """A selection was refused as a whole."""
    bad = [f.part for f in findings]
    verb = "undo" if undo else "apply"
    place = _named(branch) if where == "the branch" else where
    yield paint("red", "GIT_CONFLICT") + f": nothing was changed; {place} cannot take {compact(state, bad)}."
    yield from _reasons(findings)
    good = [part for part in chosen if part not in bad]
    if all(f.verdict is Verdict.AMBIGUOUS for f in findings):
        yield f"Next: if that is the place, say so: gitclaw {verb} {_typed(compact(state, chosen))} --sure"
    elif any(f.reason in (OVERLAP, TAKEN) for f in findings) and good:
        yield f"Next: choose one of them, for example gitclaw {verb} {_typed(compact(state, good))}"
    elif where == "the branch" and all(f.reason == NOT_THERE for f in findings):
        yield f"Next: if it is only in your files yet, gitclaw {verb} {_typed(compact(state, bad))} --no-commit"
    elif where == "the index":
        yield "Next: something else is staged in these files: git add them (or git restore --staged), then try again"
    elif where == FILES:
        yield "Next: commit or stash your edits in these files, then give the command again"
    elif good:
        yield f"Next: leave it out (gitclaw {verb} {_typed(compact(state, good))}), or suggest again from here"
    else:
        yield "Next: make the change by hand (gitclaw show has it), or suggest again from here"


def _reasons(findings: Sequence[PartFinding]) -> Iterator[str]:
    for finding in findings:
        at = f" line {finding.line}" if finding.line else ""
        yield f"  {finding.part}  {visible_path(finding.path)}{at}: {finding.reason}"
        for number, line in enumerate(finding.excerpt, finding.first):
            yield f"     {number:>5} | {visible_bytes(line.rstrip())}".rstrip()


def rejected(state: State, parts: Sequence[str], *, back: bool) -> Iterator[str]:
    """Parts were turned down, or are pending again."""
    numbers = compact(state, parts)
    yield f"Pending again: {numbers}." if back else f"Rejected {numbers}."
    yield progress_line(state)
    if not back:
        yield f"Next: to have them back, gitclaw undo {_typed(numbers)}"


def nothing_to_do(state: State, others: Sequence[str]) -> str:
    """No number that was named is left to act on."""
    if state.suggestions:
        return f"Nothing to do: {progress_line(state)}."
    there = f" Other threads have some: {', '.join(map(safe, others))} (see --thread)." if others else ""
    return f"Thread {safe(state.thread)} has no suggestions yet.{there}\nNext: gitclaw suggest -- COMMAND"


def repeated(state: State, numbers: Sequence[int]) -> str:
    """Changes that were proposed before: ``2 (pending), 4 (rejected)``."""
    found = statuses(state)
    known = {s.number: status_of(s, found).value for s in state.suggestions}
    return ", ".join(f"{number} ({known[number]})" for number in numbers)


def next_steps(state: State, numbers: Sequence[int]) -> str:
    """How to go on after a proposal of these numbers."""
    found = statuses(state)
    free = [s for s in state.suggestions if not s.blocked and not s.careful]
    pending = [s.number for s in free if status_of(s, found) is Status.PENDING]
    these = set(numbers)
    wanted = [s for s in free if s.number in these]
    some = [s.number for s in wanted]
    steps = []
    if some:
        everything = "all" if pending == some else _typed(compact(state, [name for s in wanted for name in s.parts]))
        steps.append(f"gitclaw apply {everything}")
    if len(some) > 1:
        steps.append(f"gitclaw apply {','.join(map(str, [some[0], *some[2:3]]))}")
    return "Next: " + " · ".join([*steps, f"gitclaw show {numbers[0]}", f'gitclaw reject {numbers[-1]} "why"'])


def _typed(numbers: str) -> str:
    """Numbers as one word of a command."""
    return numbers.replace(", ", ",")


def findings_document(findings: Iterable[PartFinding], *, undo: bool) -> list[dict[str, Any]]:
    """Findings for a program; ``current`` is the text around ``line``, from line ``first``."""
    result = []
    for f in findings:
        outcome = _UNDONE.get(f.verdict, f.verdict.value) if undo else f.verdict.value
        item: dict[str, Any] = {"number": f.part, "path": visible_path(f.path), "outcome": outcome}
        if f.reason:
            item["reason"] = f.reason
        if f.excerpt:
            current = b"".join(f.excerpt).decode("utf-8", "backslashreplace")
            item.update({"line": f.line, "first": f.first, "current": current})
        result.append(item)
    return result
