"""The trials in small, on a made-up history: never silently wrong where anyone can know the right answer."""

from __future__ import annotations

from functools import cache

import pytest

from tests.trials import blocks, moved
from tests.trials.methods import OTHERS
from tests.trials.run import CELLS, PRODUCT, SHORTER, Score, Scores, is_undecidable, run, table
from tests.trials.trial import Trial

_TRIALS = 150
_COMPARED = 40
_DECIDABLE = [(method, cell) for cell in CELLS for method in PRODUCT if not is_undecidable(method, cell)]


@cache
def _scores() -> Scores:
    return run(None, _TRIALS, seed=1, compared=_COMPARED)


@pytest.mark.parametrize(("method", "cell"), _DECIDABLE)
def test_never_silently_wrong(method: str, cell: str) -> None:
    score = _scores()[method, cell]
    assert score.wrong == 0, _told(score)


@pytest.mark.parametrize("cell", moved.CELLS)
def test_seldom_asks_when_the_edits_are_apart(cell: str) -> None:
    score = _scores()[PRODUCT[0], cell]
    assert score.right >= 9 * (score.right + score.asked) // 10, str(score)


@pytest.mark.parametrize("cell", ["E2", "E2r"])
def test_never_asks_on_the_base_itself(cell: str) -> None:
    score = _scores()[PRODUCT[0], cell]
    assert (score.asked, score.wrong) == (0, 0), _told(score)


def test_the_trials_are_hard_enough_to_tell_methods_apart() -> None:
    for method in OTHERS:
        assert sum(_scores()[method, cell].wrong for _, cell in _DECIDABLE), method


def test_every_cell_has_trials() -> None:
    for method, cell in _DECIDABLE:
        score = _scores()[method, cell]
        assert score.right + score.asked + score.wrong >= _TRIALS * 9 // 10, cell


def test_the_table_has_a_row_for_each_cell() -> None:
    lines = table(_scores()).splitlines()
    assert len(lines) >= 1 + len(moved.CELLS) + len(blocks.CELLS)
    assert all(line.count("/") == 8 for line in lines[1:]), lines


def test_few_cells_are_undecidable() -> None:
    hopeless = {cell for cell in CELLS if is_undecidable(PRODUCT[0], cell)}
    assert hopeless == blocks.UNDECIDABLE | {cell + SHORTER for cell in moved.CELLS}


def _told(score: Score) -> str:
    return "\n\n".join(_story(trial) for trial, _ in score.mistakes[:2])


def _story(trial: Trial) -> str:
    case = trial.case
    return f"{trial.cell}\nown {case.own}\nforeign {case.foreign}\ninside {case.inside}\nchosen {case.chosen}"
