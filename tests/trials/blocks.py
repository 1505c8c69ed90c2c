"""Trials on files that repeat one block, where a line's text does not say which line it is (E5).

The generator knows. With a header of its own on each block the place of every edit can be found; with all
blocks the same it often cannot, and then the only right answer is to ask.

    moved           other blocks were deleted, copied or edited
    gone            the block that our edit is in was deleted
    changed         the line that our edit is about was edited by others
    already         one of our edits was made by others too
    undone          ours are in and recorded, other blocks have moved, and one of ours is to go again
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from gitclaw_py.core.scripts import Hunk, in_order
from tests.trials.trial import Case, Text, touching

MODES = ("moved", "gone", "changed", "already", "undone")
KINDS = ("unique", "anonymous")
CELLS = tuple(f"E5 {mode} {kind}" for mode in MODES for kind in KINDS)
UNDECIDABLE = frozenset({"E5 moved anonymous", "E5 undone anonymous"})
"""Here a shorter story than the true one often explains the texts: a block was copied and another deleted."""


@dataclass(frozen=True, slots=True)
class _File:
    lines: Text
    blocks: int
    height: int

    def block(self, k: int) -> tuple[int, int]:
        return k * self.height, (k + 1) * self.height


def cases(most: int, rng: random.Random) -> list[Case]:
    """``most`` cases for each cell."""
    return [case for mode in MODES for kind in KINDS for case in _of_cell(mode, kind, most, rng)]


def _of_cell(mode: str, kind: str, most: int, rng: random.Random) -> list[Case]:
    found: list[Case] = []
    while len(found) < most:
        case = _case(mode, kind, rng)
        if case is not None:
            found.append(case)
    return found


def _case(mode: str, kind: str, rng: random.Random) -> Case | None:
    file = _file(kind, rng)
    touched = sorted(rng.sample(range(file.blocks), rng.randint(1, 2)))
    own = tuple(_own_edit(file, k, rng) for k in touched)
    others = [k for k in range(file.blocks) if k not in touched]
    rng.shuffle(others)
    foreign = tuple(_apart(_foreign(mode, file, touched, own, others, rng)))
    clash = any(touching(theirs, mine) and theirs != mine for theirs in foreign for mine in own)
    if clash != (mode in ("gone", "changed")) or (len(own) > 1 and touching(own[0], own[1])):
        return None
    cell, everything = f"E5 {mode} {kind}", frozenset(range(len(own)))
    if mode == "undone":
        one = frozenset({rng.randrange(len(own))})
        return Case(cell, file.lines, own, foreign, everything, one, recorded=True, undo=True)
    return Case(cell, file.lines, own, foreign, frozenset(), everything)


def _file(kind: str, rng: random.Random) -> _File:
    body = [b"    stmt%d = value\n" % rng.randint(0, 4) for _ in range(rng.randint(3, 7))]
    blocks = rng.randint(4, 12)
    lines: list[bytes] = []
    for k in range(blocks):
        lines += [b"case %d:\n" % k if kind == "unique" else b"begin\n", *body, b"end\n", b"\n"]
    return _File(tuple(lines), blocks, len(body) + 3)


def _own_edit(file: _File, k: int, rng: random.Random) -> Hunk:
    start, end = file.block(k)
    line = rng.randrange(start + 1, end - 2)
    return rng.choice(
        [
            Hunk(line, line + 1, (b"    CHANGED%d\n" % k,)),
            Hunk(line, line + 1, (b"    CHANGED%d\n" % k,)),
            Hunk(line, line, (b"    INSERTED%d\n" % k,)),
            Hunk(line, line + 1, ()),
        ]
    )


def _foreign(
    mode: str, file: _File, touched: Sequence[int], own: Sequence[Hunk], others: list[int], rng: random.Random
) -> list[Hunk]:
    start, end = file.block(touched[0])
    if mode == "gone":
        return [Hunk(start, end, ())]
    if mode == "changed":
        return [Hunk(own[0].start, own[0].end, (b"    theirs-not-mine\n",))]
    if mode == "already":
        return [rng.choice(own), *(_move(file, k, rng, (1, 0, 1)) for k in others[:1])]
    return [_move(file, k, rng, (4, 3, 3)) for k in others[: rng.randint(1, 3)]]


def _move(file: _File, k: int, rng: random.Random, weights: tuple[int, int, int]) -> Hunk:
    start, end = file.block(k)
    deleted = Hunk(start, end, ())
    copied = Hunk(start, start, file.lines[start:end])
    edited = Hunk(start + 1, start + 2, (b"    ours%d\n" % k,))
    return rng.choices([deleted, copied, edited], weights)[0]


def _apart(hunks: list[Hunk]) -> list[Hunk]:
    """Without those that touch the one before, as one person's diff has none."""
    kept: list[Hunk] = []
    for hunk in in_order(hunks):
        if not kept or hunk.start > kept[-1].end:
            kept.append(hunk)
    return kept
