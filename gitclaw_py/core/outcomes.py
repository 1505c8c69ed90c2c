"""What is said about how a command ended, for a terminal and for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gitclaw_py.core.applying import PartFinding
from gitclaw_py.core.placing import Verdict
from gitclaw_py.core.render import Paint, progress_line, safe
from gitclaw_py.core.selection import compact
from gitclaw_py.core.state import State, Status, status_of, statuses
from gitclaw_py.core.visible import visible_bytes, visible_path

_SHORT = 10
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
    parts = [f.part for f in findings]
    numbers = compact(state, parts)
    done = "Took back" if undo else "Applied"
    if commit:
        yield paint("green", f"{done} {numbers}") + f" on {safe(branch)} as {short(commit)}."
    elif commits:
        there = "not on" if undo else "already on"
        yield f"{numbers}: {there} {safe(branch)}; no commit was needed."
    else:
        yield paint("green", f"{done} {numbers}") + " in your files; nothing was committed."
    before = [f.part for f in findings if f.verdict is Verdict.ALREADY]
    if commit and before:
        yield f"{compact(state, before)} was as wanted before."
    yield progress_line(state)


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
    place = safe(branch) if where == "the branch" else where
    yield paint("red", "GIT_CONFLICT") + f": nothing was changed; {place} cannot take {compact(state, bad)}."
    yield from _reasons(findings)
    good = [part for part in chosen if part not in bad]
    if all(f.verdict is Verdict.AMBIGUOUS for f in findings):
        yield f"Next: if that is the place, say so: gitclaw {verb} {compact(state, chosen).replace(', ', ',')} --sure"
    elif where == FILES:
        yield "Next: commit or stash your edits in these files, then give the command again."
    elif good:
        rest = compact(state, good).replace(", ", ",")
        yield f"Next: leave it out (gitclaw {verb} {rest}), or suggest again from here."
    else:
        yield "Next: make the change by hand (gitclaw show has it), or suggest again from here."


def _reasons(findings: Sequence[PartFinding]) -> Iterator[str]:
    for finding in findings:
        at = f" line {finding.line}" if finding.line else ""
        yield f"  {finding.part}  {visible_path(finding.path)}{at}: {finding.reason}"
        for number, line in enumerate(finding.excerpt, finding.first):
            yield f"     {number:>5} | {visible_bytes(line.rstrip())}".rstrip()


def nothing_to_apply(state: State) -> str:
    """No number that was named is left to apply."""
    if not state.suggestions:
        return "There are no suggestions in this thread yet: gitclaw suggest -- COMMAND makes some."
    return f"Nothing to do: {progress_line(state)}."


def next_steps(state: State, numbers: Sequence[int]) -> str:
    """How to go on after a proposal."""
    first = numbers[0]
    found = statuses(state)
    pending = [s.number for s in state.suggestions if status_of(s, found) is Status.PENDING]
    some = f"gitclaw apply {','.join(map(str, pending[:1] + pending[2:3]))}" if len(pending) > 1 else ""
    steps = ["gitclaw apply all", some, f"gitclaw show {first}", f'gitclaw reject {numbers[-1]} "why"']
    return "Next: " + " · ".join(step for step in steps if step)


def findings_document(findings: Iterable[PartFinding]) -> list[dict[str, Any]]:
    """Findings for a program; ``current`` is the text around ``line``, from line ``first``."""
    result = []
    for f in findings:
        item: dict[str, Any] = {"number": f.part, "path": visible_path(f.path), "outcome": f.verdict.value}
        if f.reason:
            item["reason"] = f.reason
        if f.excerpt:
            current = b"".join(f.excerpt).decode("utf-8", "backslashreplace")
            item.update({"line": f.line, "first": f.first, "current": current})
        result.append(item)
    return result
