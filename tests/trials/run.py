"""Runs every method on every cell and counts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.trials import blocks, histories, moved
from tests.trials.methods import OTHERS, gitclaw, gitclaw_partial
from tests.trials.trial import Case, Scratch, Text, Trial, scratch, size, trials

PRODUCT = ("gitclaw", "gitclaw --partial")
METHODS = (*PRODUCT, *OTHERS)
SHORTER = " told shorter"
"""Ends the names of cells in which git knows a shorter way to the current text than the one that was gone: two
stories for the same three texts, so that nobody can be sure which of two answers is right."""
CELLS = (*moved.CELLS, *blocks.CELLS, *(cell + SHORTER for cell in moved.CELLS))
_LIVES_FOR_A_TRIAL = 4
_LEFT_OUT = "E5 already anonymous"


@dataclass(slots=True)
class Score:
    """Counts for one method in one cell; ``mistakes`` are the trials it got silently wrong."""

    undecidable: bool
    right: int = 0
    asked: int = 0
    wrong: int = 0
    mistakes: list[tuple[Trial, Text]] = field(default_factory=list)

    def count(self, trial: Trial, expected: Text | None, answer: Text | None) -> None:
        """Asking is right where nobody can know."""
        if answer == expected:
            self.right += 1
        elif answer is None:
            self.asked += 1
        else:
            self.wrong += 1
            self.mistakes.append((trial, answer))

    def __str__(self) -> str:
        return f"{self.right}/{self.asked}/{self.wrong}" + "*" * self.undecidable


Scores = dict[tuple[str, str], Score]


def run(repository: Path | None, most: int, seed: int, compared: int | None = None) -> Scores:
    """Up to ``most`` trials for each cell; the same seed gives the same trials.

    ``compared`` limits how many of them the other methods get, which start a process for each.
    """
    rng = random.Random(seed)
    lives = most * _LIVES_FOR_A_TRIAL
    history = histories.real(repository, lives, rng) if repository else histories.generated(lives, rng)
    with scratch() as place:
        found = _apart([*moved.cases(history, place, most, rng), *blocks.cases(most, rng)], place)
        return {key: score for cell in CELLS for key, score in _scored(cell, found.get(cell, []), place, compared)}


def is_undecidable(method: str, cell: str) -> bool:
    """Whether the texts of a cell can have come about in another way that is as likely.

    So they can when the edit that others made too is left out: then it is one of many in blocks that moved.
    """
    return cell in blocks.UNDECIDABLE or cell.endswith(SHORTER) or (method, cell) == (PRODUCT[1], _LEFT_OUT)


def _apart(cases: Sequence[Case], place: Scratch) -> dict[str, list[Trial]]:
    found: dict[str, list[Trial]] = {}
    made = trials(cases, place)
    shortest = place.scripts([(trial.before, trial.current) for trial in made])
    for trial, script in zip(made, shortest, strict=True):
        shorter = trial.cell in moved.CELLS and size(script) < trial.story
        found.setdefault(trial.cell + SHORTER * shorter, []).append(trial)
    return found


def _scored(
    cell: str, found: list[Trial], place: Scratch, compared: int | None
) -> Iterator[tuple[tuple[str, str], Score]]:
    if not found:
        return
    place.known.clear()
    for name, method in {PRODUCT[0]: gitclaw, **OTHERS}.items():
        score, some = Score(is_undecidable(name, cell)), found if name in PRODUCT else found[:compared]
        for trial, answer in zip(some, method(some, place), strict=True):
            score.count(trial, trial.expected, answer)
        yield (name, cell), score
    partial = Score(is_undecidable(PRODUCT[1], cell))
    divisible = [trial for trial in found if trial.divisible]
    for trial, part in zip(divisible, gitclaw_partial(divisible, place), strict=True):
        if part is None:
            partial.count(trial, trial.expected, None)
        else:
            partial.count(trial, trial.expected_of(part[0]), part[1])
    yield (PRODUCT[1], cell), partial


def table(scores: Scores) -> str:
    """Cells as rows and methods as columns; each number is right, asked, silently wrong."""
    rows = [["right/asked/silently wrong (* undecidable)", *METHODS]]
    tried = [cell for cell in CELLS if (PRODUCT[0], cell) in scores]
    rows += [[cell, *(str(scores[method, cell]) for method in METHODS)] for cell in tried]
    widths = [max(len(row[k]) for row in rows) for k in range(len(METHODS) + 1)]
    lines = ("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
