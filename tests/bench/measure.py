"""Timing in alternation: what is compared runs in the same rounds, and its ratio is taken round by round.

Seconds differ between machines and hours; the ratio of two things that ran a moment apart hardly does.
"""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

Case = Callable[[], float]
"""Runs once and returns the seconds it took; what it prepares first does not count."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the result, and what to know about it. ``met`` is None where there is no goal, only a figure."""

    goal: str
    what: str
    limit: str
    ours: str
    ratio: str
    target: str
    met: bool | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """A thing against its limit: milliseconds, and the medians of the ratios and differences of each round."""

    limit: float
    ours: float
    ratio: float
    over: float

    def row(self, goal: str, what: str, target: str = "", *, met: bool | None = None, note: str = "") -> Row:
        """The pair as a line of the result."""
        ratio = f"{self.ratio:.2f}x {self.over:+.1f} ms"
        return Row(goal, what, f"{self.limit:.1f} ms", f"{self.ours:.1f} ms", ratio, target, met, note)


class Times:
    """The seconds of every case in every round."""

    def __init__(self, seconds: Mapping[str, Sequence[float]]) -> None:
        self._seconds = seconds

    def ms(self, name: str) -> float:
        """The median of one case, in milliseconds."""
        return 1e3 * median(self._seconds[name])

    def pair(self, limit: str, ours: str) -> Pair:
        """One case against another."""
        both = list(zip(self._seconds[limit], self._seconds[ours], strict=True))
        ratio = median(b / a for a, b in both)
        return Pair(self.ms(limit), self.ms(ours), ratio, self.over(limit, ours, 1))

    def over(self, limit: str, ours: str, factor: float) -> float:
        """How many milliseconds a case takes beyond ``factor`` times another."""
        return 1e3 * median(b - factor * a for a, b in zip(self._seconds[limit], self._seconds[ours], strict=True))


def alternate(cases: Mapping[str, Case], rounds: int, warm_up: int = 1) -> Times:
    """Run all cases in each round, each time in another order; the first round does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds + warm_up):
        for name in random.Random(number).sample(list(cases), len(cases)):
            took = cases[name]()
            if number >= warm_up:
                seconds[name].append(took)
    return Times(seconds)


def process(
    arguments: Sequence[str], directory: Path, environment: Mapping[str, str], stdin: Path | None = None
) -> float:
    """The seconds of a whole process."""
    with open(stdin or "/dev/null", "rb") as source:
        started = time.perf_counter()
        done = subprocess.run(
            arguments,
            cwd=directory,
            env=dict(environment),
            stdin=source,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        took = time.perf_counter() - started
    if done.returncode:
        raise AssertionError(f"{arguments[:4]} ended with {done.returncode}: {done.stderr.decode()}")
    return took


def together(commands: Sequence[Sequence[str]], directory: Path, environment: Mapping[str, str]) -> float:
    """The seconds until the last of several processes that start at once has ended."""
    started = time.perf_counter()
    running = [
        subprocess.Popen(command, cwd=directory, env=dict(environment), stdout=subprocess.DEVNULL)
        for command in commands
    ]
    codes = [each.wait() for each in running]
    took = time.perf_counter() - started
    assert not any(codes), codes
    return took


def table(rows: Sequence[Row]) -> str:
    """The rows in columns; a note stands on a line of its own."""
    marks = {True: "yes", False: "NO", None: "-"}
    cells = [("goal", "what", "limit", "ours", "ratio", "target", "met?")]
    cells += [(r.goal, r.what, r.limit, r.ours, r.ratio, r.target, marks[r.met]) for r in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    notes = ["", *(f"\n      {row.note}" if row.note else "" for row in rows)]
    head, *body = [line + note for line, note in zip(lines, notes, strict=True)]
    return "\n".join([head, "-" * len(head), *body])
