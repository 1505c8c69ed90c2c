"""The proof in small: no wrong text, no refused anchor, and nearly all inline that can be."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.reviews.run import Score, run, table

_HERE = Path(__file__).resolve().parents[2]
_LEAST_COMMITS = 15


def own_history() -> Path | None:
    """This repository, where its history is there."""
    command = ["git", "-C", str(_HERE), "rev-list", "--count", "--first-parent", "HEAD"]
    done = subprocess.run(command, capture_output=True, check=False)
    return _HERE if done.returncode == 0 and int(done.stdout) >= _LEAST_COMMITS else None


def checked(scores: dict[str, Score], least: float) -> None:
    for score in scores.values():
        assert score.faults == [], table(scores)
        assert score.placed >= least * score.possible, table(scores)
        # Of a few commits, none may change again what the one before it changed: then nothing is possible.
        assert score.comments or not score.possible, table(scores)
    assert any(score.comments for score in scores.values()), table(scores)


def test_pull_requests_of_files_full_of_equal_lines() -> None:
    checked(run(None, 25, seed=1), 0.98)


def test_pull_requests_of_this_repository() -> None:
    here = own_history()
    if here is None:
        pytest.skip("the history of this repository is not here")
    checked(run(here, 8, seed=1), 0.9)
