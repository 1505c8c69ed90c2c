"""Putting hunks into a text that may have moved on since they were made: exactly, or with a question.

The ladder, from the surest rung down:

1. the text is as we left it: splice;
2. the text is the base with some of the stored hunks in it, in one way only: splice their union;
3. merge three ways, with the stored hunks as one side and what others did as the other side, and ask
   instead of guessing wherever the place of a hunk is not the only reasonable one.

Never by context and fuzz, as patches are applied: in a file with equal functions that puts a hunk into
the wrong one and reports success.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from gitclaw_py.core import guards
from gitclaw_py.core.alignment import Alignment, Comparison, Script, size
from gitclaw_py.core.scripts import Hunk, inverses, onto, slid_up, splice, touches_any


class Verdict(Enum):
    """What became of one hunk."""

    APPLIED = "applied"
    ALREADY = "already applied"
    CONFLICT = "conflict"
    AMBIGUOUS = "ambiguous"


class Finding(NamedTuple):
    """The verdict on one hunk; ``reason`` says why not, ``line`` (from 0) where it is in the current text."""

    verdict: Verdict
    reason: str = ""
    line: int = 0


class Placed(NamedTuple):
    """A finding for each chosen hunk, and the text with all that were applied in it."""

    findings: Mapping[int, Finding]
    text: tuple[bytes, ...]


class Change(NamedTuple):
    """A question to the ladder: take the ``chosen`` of ``hunks`` in (or, with ``undo``, out).

    ``base`` is the text the hunks were made for, ``applied`` the ones known to be in the current text.
    ``sure`` is a person's answer to the guards: the place that was shown is right.
    """

    base: tuple[bytes, ...]
    hunks: tuple[Hunk, ...]
    applied: frozenset[int]
    chosen: frozenset[int]
    undo: bool = False
    sure: bool = False


def place(
    change: Change, current: tuple[bytes, ...], alignments: Mapping[Comparison, Alignment]
) -> Placed | Comparison:
    """The current text with the change in it, or the comparison that is needed first to say.

    The caller looks a comparison up and asks again. When any finding is neither applied nor already
    applied, the text holds only the rest.
    """
    found = _state_of(change, current)
    if found is not None:
        return _exact(change, found)
    return _merge(change, current, alignments)


def _state_of(change: Change, current: tuple[bytes, ...]) -> frozenset[int] | None:
    """Which stored hunks are in the current text, if it holds nothing but the base and them."""
    known = [change.hunks[k] for k in sorted(change.applied)]
    if tuple(splice(change.base, known)) == current:
        return change.applied
    return recover(change.base, change.hunks, current)


def _exact(change: Change, found: frozenset[int]) -> Placed:
    wanted = found - change.chosen if change.undo else found | change.chosen
    text = splice(change.base, [change.hunks[k] for k in wanted])
    done = change.chosen - found if change.undo else change.chosen & found
    verdicts = {k: Finding(Verdict.ALREADY if k in done else Verdict.APPLIED) for k in change.chosen}
    return Placed(verdicts, tuple(text))


def recover(
    base: tuple[bytes, ...], hunks: Sequence[Hunk], current: tuple[bytes, ...], limit: int = 40_000
) -> frozenset[int] | None:
    """The one set of hunks that makes ``base`` into ``current``; None when there is none or more than one.

    Reads both texts together, each hunk either in or out. ``limit`` bounds the steps on texts that
    repeat themselves so much that many sets look right for long.
    """
    order = sorted(range(len(hunks)), key=lambda k: (hunks[k].start, hunks[k].end))
    found: list[frozenset[int]] = []
    stack: list[tuple[int, int, int, _Chain]] = [(0, 0, 0, None)]
    for _ in range(limit):
        if not stack or len(found) > 1:
            break
        n, base_at, current_at, chosen = stack.pop()
        stop = hunks[order[n]].start if n < len(order) else len(base)
        length = stop - base_at
        if current[current_at : current_at + length] != base[base_at:stop]:
            continue
        current_at += length
        if n == len(order):
            if current_at == len(current):
                found.append(_members(chosen))
            continue
        hunk = hunks[order[n]]
        stack.append((n + 1, stop, current_at, chosen))
        if current[current_at : current_at + len(hunk.lines)] == hunk.lines:
            stack.append((n + 1, hunk.end, current_at + len(hunk.lines), (order[n], chosen)))
    return found[0] if len(found) == 1 and not stack else None


_Chain = tuple[int, "_Chain"] | None


def _members(chain: _Chain) -> frozenset[int]:
    members = []
    while chain is not None:
        member, chain = chain
        members.append(member)
    return frozenset(members)


def _merge(
    change: Change, current: tuple[bytes, ...], alignments: Mapping[Comparison, Alignment]
) -> Placed | Comparison:
    text, theirs, skipped = _wanted(change)
    changed = tuple(splice(text, theirs.values()))
    comparison = Comparison(text, current, changed)
    aligned = alignments.get(comparison)
    if aligned is None:
        return comparison
    findings = dict(skipped)
    ours = hunks_of(aligned.ours[0], current)
    findings.update(_findings(comparison, theirs, ours, aligned, sure=change.sure))
    if change.undo and not change.sure:
        findings.update(_not_surely_gone(comparison, theirs, findings, aligned))
    clean = [theirs[k] for k, f in findings.items() if f.verdict is Verdict.APPLIED]
    merged = tuple(splice(text, [*ours, *clean]))
    if not (change.sure or unplaced(findings.values())):
        # Only a whole answer can be checked against a second opinion about the whole.
        findings.update(_nearer_with_it(theirs, findings, aligned))
        findings.update(_second_opinion(comparison, merged, findings, aligned))
    return Placed(findings, merged)


def _wanted(change: Change) -> tuple[tuple[bytes, ...], dict[int, Hunk], dict[int, Finding]]:
    """The text as we left it, the chosen hunks (or their inverses) in its coordinates, and those not to do."""
    known = sorted(change.applied, key=lambda k: change.hunks[k].start)
    todo = sorted(
        change.chosen & change.applied if change.undo else change.chosen - change.applied,
        key=lambda k: change.hunks[k].start,
    )
    done = [change.hunks[k] for k in known]
    text = tuple(splice(change.base, done))
    if change.undo:
        back = dict(zip(known, inverses(change.base, done), strict=True))
        theirs = {k: back[k] for k in todo}
    else:
        theirs = dict(zip(todo, onto([change.hunks[k] for k in todo], done), strict=True))
    return text, theirs, {k: Finding(Verdict.ALREADY) for k in change.chosen - theirs.keys()}


def hunks_of(script: Script, new: Sequence[bytes]) -> list[Hunk]:
    """A script with the lines of the new text in it."""
    return [Hunk(s.start, s.end, tuple(new[s.new_start : s.new_end])) for s in script]


def _findings(
    comparison: Comparison, theirs: Mapping[int, Hunk], ours: list[Hunk], aligned: Alignment, *, sure: bool
) -> dict[int, Finding]:
    text = comparison.base
    same = {slid_up(text, hunk) for hunk in ours}
    doubts = guards.Doubts(text, comparison.current, aligned)
    findings = {}
    for k, hunk in theirs.items():
        line = doubts.line_of(hunk)
        if slid_up(text, hunk) in same:
            findings[k] = Finding(Verdict.ALREADY, line=line)
        elif touches_any(hunk, ours):
            findings[k] = Finding(Verdict.CONFLICT, "these lines were changed since", line)
        elif doubt := "" if sure else doubts.about(hunk):
            findings[k] = Finding(Verdict.AMBIGUOUS, doubt, line)
        else:
            findings[k] = Finding(Verdict.APPLIED, line=line)
    return findings


def _not_surely_gone(
    comparison: Comparison, theirs: Mapping[int, Hunk], findings: Mapping[int, Finding], aligned: Alignment
) -> dict[int, Finding]:
    """Those that one script says were taken back, but not every script.

    Where blocks moved, what is still there can look as if it had been taken out here and put in there.
    """
    text = comparison.base
    said = [{slid_up(text, hunk) for hunk in hunks_of(script, comparison.current)} for script in aligned.ours]
    return {
        k: Finding(Verdict.AMBIGUOUS, "it is not certain that it is gone", findings[k].line)
        for k, hunk in theirs.items()
        if findings[k].verdict is Verdict.ALREADY and not all(slid_up(text, hunk) in hunks for hunks in said)
    }


def _nearer_with_it(
    theirs: Mapping[int, Hunk], findings: Mapping[int, Finding], aligned: Alignment
) -> dict[int, Finding]:
    """When the current text is nearer to the changed text than to the base, the change is probably in it."""
    there = sum(len(h.lines) + h.end - h.start for k, h in theirs.items() if findings[k].verdict is Verdict.ALREADY)
    if size(aligned.rest) >= size(aligned.ours[0]) - there:
        return {}
    return {
        k: Finding(Verdict.AMBIGUOUS, "the text is as if this was done already", finding.line)
        for k, finding in findings.items()
        if finding.verdict is Verdict.APPLIED
    }


def _second_opinion(
    comparison: Comparison, merged: tuple[bytes, ...], findings: Mapping[int, Finding], aligned: Alignment
) -> dict[int, Finding]:
    """The same merge with both sides cut by myers, as ``git merge-file`` does it, must give the same text."""
    ours = hunks_of(aligned.myers, comparison.current)
    theirs = hunks_of(aligned.theirs, comparison.changed)
    if merge_scripts(comparison.base, ours, theirs) == merged:
        return {}
    return {
        k: Finding(Verdict.AMBIGUOUS, "two ways to merge it give different results", finding.line)
        for k, finding in findings.items()
        if finding.verdict is Verdict.APPLIED
    }


def merge_scripts(text: Sequence[bytes], ours: Sequence[Hunk], theirs: Sequence[Hunk]) -> tuple[bytes, ...] | None:
    """``text`` with both scripts in it; equal hunks count once. None when two others touch."""
    mine = set(ours)
    extra = [hunk for hunk in theirs if hunk not in mine]
    if any(touches_any(hunk, ours) for hunk in extra):
        return None
    return tuple(splice(text, [*ours, *extra]))


def unplaced(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that stop a selection."""
    return [f for f in findings if f.verdict in (Verdict.CONFLICT, Verdict.AMBIGUOUS)]
