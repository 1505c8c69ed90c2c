"""What became of each part of a selection, as cells of a table and as excerpts of the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gitclaw_py.core.applying import PartFinding
from gitclaw_py.core.placing import Verdict
from gitclaw_py.core.replies.markdown import LONGEST_REASON, clip, details, fence, html_code, prose
from gitclaw_py.core.replies.wording import clipped_path, numbers, sentence
from gitclaw_py.core.state import State
from gitclaw_py.core.suggestions import Suggestion
from gitclaw_py.core.visible import visible_bytes

_EXCERPTS = 5
_LINE = 160


def by_suggestion(state: State, findings: Iterable[PartFinding]) -> list[tuple[Suggestion, list[PartFinding]]]:
    """The suggestions that findings are about, each with its own, in the order of their numbers."""
    by_part = {f.part: f for f in findings}
    pairs = [(s, [by_part[name] for name in s.parts if name in by_part]) for s in state.suggestions]
    return [(s, mine) for s, mine in pairs if mine]


def result(state: State, s: Suggestion, mine: Sequence[PartFinding], *, undo: bool) -> str:
    """What became of a suggestion: ``Applied 6.1, 6.2; left pending 6.3: the lines were changed since``."""
    words = {
        Verdict.APPLIED: "Taken back" if undo else "Applied",
        Verdict.ALREADY: "Not there before" if undo else "There already",
        Verdict.CONFLICT: "Left pending",
        Verdict.AMBIGUOUS: "Left pending",
    }
    whole = len(mine) == len(s.parts)
    said = []
    for verdict, word in words.items():
        parts = [f for f in mine if f.verdict is verdict]
        if parts:
            which = "" if whole and len(parts) == len(mine) else f" {numbers(state, [f.part for f in parts])}"
            why = f": {prose(parts[0].reason, LONGEST_REASON)}" if parts[0].reason else ""
            said.append(f"{word}{which}{why}")
    return "; ".join(said[:1] + [word[:1].lower() + word[1:] for word in said[1:]])


def where(finding: PartFinding) -> str:
    """Which line does not take a part, and why."""
    at = f"Line {finding.line}: " if finding.line else ""
    return at + prose(finding.reason if at else sentence(finding.reason), LONGEST_REASON)


def excerpts(findings: Sequence[PartFinding]) -> Iterator[str]:
    """The text as it is now where a number did not fit."""
    with_text = [f for f in findings if f.excerpt]
    for f in with_text[:_EXCERPTS]:
        last = f.first + len(f.excerpt) - 1
        lines = [
            f"{number:>5} | {clip(visible_bytes(line.rstrip()), _LINE)}".rstrip()
            for number, line in enumerate(f.excerpt, f.first)
        ]
        summary = f"{f.part} · {html_code(clipped_path(f.path))} as it is now, lines {f.first} to {last}"
        yield details(summary, fence(lines, "text"))
