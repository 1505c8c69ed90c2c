"""Plans many reviews and counts: wrong texts, refused anchors, and how much could have been inline at all."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.borrowed import borrowing
from tests.reviews import histories, scene
from tests.reviews.histories import Commits
from tests.reviews.scene import Desk
from tests.sandbox import made

_OF_A_REPOSITORY, _AROUND_A_CHANGE, _MADE_UP = "the next commit", "edits around the change", "made-up files"


@dataclass(slots=True)
class Score:
    """Counts over some pull requests. ``faults`` must not be; ``reasons`` are why hunks are not inline."""

    pulls: int = 0
    hunks: int = 0
    comments: int = 0
    placed: int = 0
    possible: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def count(self, desk: Desk, commits: Commits) -> None:
        """Plan one review and look at it."""
        seen = desk.plan(*commits)
        self.pulls += 1
        self.hunks += sum(len(s.hunks) for s in seen.suggestions)
        self.comments += len(seen.plan.comments)
        self.placed += seen.placed()
        self.possible += seen.possible()
        self.reasons.update(f.reason.value for f in seen.plan.fallbacks for part in f.parts if "." in part)
        self.faults += [f"{' '.join(commits)}: {fault}" for fault in seen.faults()]


def run(repository: Path | None, pulls: int, seed: int) -> dict[str, Score]:
    """So many pull requests of each kind; the same seed gives the same ones."""
    rng = random.Random(seed)
    with _desk(repository) as desk:
        if repository is None:
            return {_MADE_UP: _scored(desk, histories.made_up(desk, pulls, rng))}
        both = list(histories.real(desk, pulls, rng))
        mixed = (histories.mixed(desk, commits, rng) for commits in both)
        return {_OF_A_REPOSITORY: _scored(desk, both), _AROUND_A_CHANGE: _scored(desk, mixed)}


@contextmanager
def _desk(repository: Path | None) -> Iterator[Desk]:
    with TemporaryDirectory(prefix="reviews-") as folder:
        path = Path(folder) / "repo"
        sandbox = borrowing(path, repository) if repository else made(path)
        if repository is None:
            sandbox.commit()
        with scene.desk(sandbox) as desk:
            yield desk


def _scored(desk: Desk, pulls: Iterable[Commits]) -> Score:
    score = Score()
    for commits in pulls:
        score.count(desk, commits)
    return score


def table(scores: dict[str, Score]) -> str:
    """A row for each kind of fix, and the reasons for what is not inline."""
    lines = [
        f"{'fix':24} {'pulls':>6} {'hunks':>7} {'comments':>9} {'inline':>7} {'possible':>9} {'share':>7} {'faults':>7}"
    ]
    for name, s in scores.items():
        share = f"{100 * s.placed / s.possible:.1f} %" if s.possible else "-"
        row = (
            f"{name:24} {s.pulls:6} {s.hunks:7} {s.comments:9} {s.placed:7} {s.possible:9} {share:>7} {len(s.faults):7}"
        )
        lines.append(row)
    for name, s in scores.items():
        lines.append(f"{name}: " + ", ".join(f"{reason} {count}" for reason, count in s.reasons.most_common()))
    return "\n".join([*lines, *(fault for s in scores.values() for fault in s.faults[:20])])
