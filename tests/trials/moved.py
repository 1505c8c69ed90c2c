"""Trials on the histories of files: one edit is ours, what happened to the file later is other people's.

Of the later edits only those that do not touch ours are kept, so that the right answer is known line by line.

    E2   the base with some of our hunks in it; the rest is to come
    E3   others have edited the base
    E4   others have edited the base, and some of the chosen hunks are in it already
    E6   others have edited the very lines of a chosen hunk: only asking is right
    E7   all of our hunks are in, others have edited the text, and some hunks are to go again

An ``r`` after the number says that the hunks which are in were recorded.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from gitclaw_py.core.scripts import Hunk, in_order
from tests.trials.histories import Life
from tests.trials.trial import Case, Scratch, Text, touching

CELLS = ("E2", "E2r", "E3", "E4", "E4r", "E6", "E7r")


def cases(lives: Sequence[Life], place: Scratch, most: int, rng: random.Random) -> list[Case]:
    """Up to ``most`` cases for each cell."""
    later = [rng.choice(life[2:]) if len(life) > 2 else life[1] for life in lives]
    ours = place.scripts([(life[0], life[1]) for life in lives])
    theirs = place.scripts([(life[1], text) for life, text in zip(lives, later, strict=True)])
    count: Counter[str] = Counter()
    found = []
    for life, own, since in zip(lives, ours, theirs, strict=True):
        for case in _cases(life[0], own, _on_the_base(since, own), rng):
            count[case.cell] += 1
            if count[case.cell] <= most:
                found.append(case)
    return found


def _on_the_base(since: Sequence[Hunk], own: Sequence[Hunk]) -> tuple[Hunk, ...]:
    """The edits of the changed text that touch none of ours, as edits of the base."""
    placed, growth = [], 0
    for hunk in own:
        placed.append(Hunk(hunk.start + growth, hunk.start + growth + len(hunk.lines), ()))
        growth += hunk.growth
    kept = []
    for hunk in since:
        if not any(touching(hunk, mine) for mine in placed):
            before = sum(mine.growth for mine, there in zip(own, placed, strict=True) if there.end <= hunk.start)
            kept.append(hunk.moved(-before))
    return tuple(kept)


def _cases(base: Text, own: tuple[Hunk, ...], foreign: tuple[Hunk, ...], rng: random.Random) -> Iterator[Case]:
    everything = frozenset(range(len(own)))
    if not everything:
        return
    done = _some(everything, rng)
    if len(own) > 1 and done != everything:
        yield Case("E2", base, own, (), done, everything - done)
        yield Case("E2r", base, own, (), done, _some(everything, rng), recorded=True)
    if not foreign:
        return
    chosen = _some(everything, rng)
    yield Case("E3", base, own, foreign, frozenset(), chosen)
    yield Case("E4", base, own, foreign, _some(chosen, rng), chosen)
    yield Case("E4r", base, own, foreign, _some(everything, rng), _some(everything, rng), recorded=True)
    yield Case("E7r", base, own, foreign, everything, _some(everything, rng), recorded=True, undo=True)
    target = rng.choice(sorted(everything))
    other = _on_the_same_lines(base, own[target], rng)
    rest = [hunk for k, hunk in enumerate(own) if k != target]
    if other is not None and not any(touching(other, hunk) for hunk in (*foreign, *rest)):
        yield Case("E6", base, own, tuple(in_order([*foreign, other])), frozenset(), frozenset({target}))


def _some(numbers: frozenset[int], rng: random.Random) -> frozenset[int]:
    found = frozenset(k for k in sorted(numbers) if rng.random() < 0.5)
    return found or frozenset({rng.choice(sorted(numbers))})


def _on_the_same_lines(base: Text, hunk: Hunk, rng: random.Random) -> Hunk | None:
    """Someone else's edit of the lines that ``hunk`` is about; None when it would be the same edit."""
    lines = () if rng.random() < 0.5 else (b"# rewritten by somebody else\n",)
    start, end = hunk.start, hunk.end
    if start == end:
        start, end = max(0, start - 2), min(len(base), end + 2)
    other = Hunk(start, end, lines)
    return None if start == end or other == hunk else other
