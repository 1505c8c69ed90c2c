"""What has to be true of every plan, whatever it was made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

from gitclaw_py.core.review.listing import document
from gitclaw_py.core.review.plan import Comment, Plan
from gitclaw_py.core.scripts import Hunk, split_lines
from gitclaw_py.core.suggestions import Suggestion
from tests.reviews.github import Page, RefusedError, press

_AROUND = 2
_SHORT = 400
"""Lines of a file in which a pair is tried on the whole text."""
_MOST_BYTES = 65_000


@dataclass(frozen=True)
class Seen:
    """A plan, the suggestions it was made from, and the pull request it is for."""

    pull: Page
    plan: Plan
    suggestions: Sequence[Suggestion]

    def faults(self) -> Iterator[str]:
        """Everything that is wrong: a part that is lost or there twice, a refused anchor, a wrong text."""
        yield from self._lost()
        by_path: dict[str, list[tuple[Comment, dict[str, Any]]]] = {}
        for comment, said in zip(self.plan.comments, document(self.plan)["comments"], strict=True):
            sent = {key: value for key, value in said.items() if key != "numbers"}
            by_path.setdefault(said["path"], []).append((comment, sent))
            try:
                self.pull.accept(sent)
            except RefusedError as error:
                yield f"invalid anchor: {error}: {sent}"
        for path, comments in by_path.items():
            yield from self._wrong(path, comments)

    def _lost(self) -> Iterator[str]:
        wanted = sorted(part for s in self.suggestions for part in s.parts)
        planned = [part for comment in self.plan.comments for part in comment.parts]
        planned += [part for fallback in self.plan.fallbacks for part in fallback.parts]
        if sorted(planned) != wanted:
            yield f"planned {sorted(planned)} of {wanted}"

    def _wrong(self, path: str, comments: Sequence[tuple[Comment, dict[str, Any]]]) -> Iterator[str]:
        """Each alone, every pair, and all of them."""
        head = self.pull.text(path)
        hunks = dict(self._hunks(path))
        taken = [Taken(sent, tuple(hunks[part] for part in comment.parts)) for comment, sent in comments]
        for one in taken:
            yield from fault(head, [one])
        for pair in combinations(taken, 2):
            yield from fault(*((head, pair) if head.count(b"\n") < _SHORT else around(head, pair)))
        yield from fault(head, taken)

    def _hunks(self, path: str) -> Iterator[tuple[str, Hunk]]:
        for s in self.suggestions:
            if path.encode() in (s.path, s.old_path) and s.groups:
                yield from zip(s.parts[-len(s.hunks) :], s.hunks, strict=True)

    def placed(self) -> int:
        """How many hunks are inline."""
        return sum(len(comment.parts) for comment in self.plan.comments)

    def possible(self) -> int:
        """How many hunks the forge's rules let anyone put inline, each by itself, at its lines or beside them.

        What nobody may apply, or only by its own number, gets no button, wherever it is.
        """
        free = (s for s in self.suggestions if not s.blocked and not s.careful)
        return sum(self._is_possible(s, hunk) for s in free for hunk in s.hunks)

    def _is_possible(self, s: Suggestion, hunk: Hunk) -> bool:
        with suppress(UnicodeDecodeError):
            path = s.old_path.decode()
            if not self.pull.lines(path):
                return False
            head = self.pull.text(path)
            return any(self._fits(path, head, hunk, *place) for place in _places(hunk))
        return False

    def _fits(self, path: str, head: bytes, hunk: Hunk, start: int, end: int) -> bool:
        shown = self.pull.lines(path)
        hunks = {shown.get(line) for line in range(start + 1, end + 1)}
        if len(hunks) != 1 or None in hunks:
            return False
        lines, wanted = head.decode().split("\n"), after(head, [hunk]).decode().split("\n")
        rest = len(lines) - end
        block = wanted[start : len(wanted) - rest]
        same = [*lines[:start], *block, *lines[end:]] == wanted
        written = "\n".join(block)
        return same and "\r" not in written and len(written.encode()) < _MOST_BYTES


class Taken(NamedTuple):
    """A comment as it is sent, and the hunks that it is to take."""

    sent: dict[str, Any]
    hunks: tuple[Hunk, ...]

    def shifted(self, by: int) -> Taken:
        """The same, ``by`` lines further up."""
        lines: dict[str, Any] = {key: self.sent[key] - by for key in ("line", "start_line") if key in self.sent}
        return Taken({**self.sent, **lines}, tuple(hunk.moved(-by) for hunk in self.hunks))


def fault(head: bytes, chosen: Sequence[Taken]) -> Iterator[str]:
    """What is wrong with the text after one press for these comments."""
    wanted = after(head, (hunk for one in chosen for hunk in one.hunks))
    try:
        given = press(head, (one.sent for one in chosen))
    except RefusedError as error:
        given = f"{error}".encode()
    # Two that are right can undo each other; one that changes nothing is none.
    if given != wanted or (given == head and len(chosen) == 1):
        yield f"wrong text: {[one.sent for one in chosen]}: {given!r} for {wanted!r}"


def around(head: bytes, pair: Sequence[Taken]) -> tuple[bytes, list[Taken]]:
    """The lines near the comments of a pair, and the pair as it lies in them: no other line is in question.

    With these alone a pair costs as much in a long file as in a short one.
    """
    lines = split_lines(head)
    kept: list[bytes] = []
    moved, end = [], 0
    for one in sorted(pair, key=lambda one: one.sent["line"]):
        first = one.sent.get("start_line", one.sent["line"]) - 1
        start = max(end, first - _AROUND)
        moved.append(one.shifted(start - len(kept)))
        end = one.sent["line"] + _AROUND
        kept += lines[start:end]
    return b"".join(kept), moved


def _places(hunk: Hunk) -> list[tuple[int, int]]:
    if hunk.end > hunk.start:
        return [(hunk.start, hunk.end)]
    return [(hunk.start - 1, hunk.start), (hunk.start, hunk.start + 1)]


def after(text: bytes, hunks: Iterable[Hunk]) -> bytes:
    """The text with these hunks, from the bottom up."""
    lines = text.split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    for hunk in sorted(hunks, key=lambda hunk: (-hunk.start, -hunk.end)):
        lines[hunk.start : hunk.end] = hunk.lines
    return b"".join(lines)
