"""``python -m tests.bench [--quick] [--folder DIR] [GOAL ...]``: the goals for speed, measured.

Every figure is a ratio or a difference to a limit that ran in the same rounds; see ``measure``. Counts are
asserted, times only reported. A row called floor is no goal: it does nothing of what is asked, only what no process
in Python, or none that uses these libraries, can do without. Where a floor is above a goal, the goal is out of reach on
this machine.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.bench import applying, conversing, gating, parsing, reviewing, starting, suggesting
from tests.bench.bench import Bench
from tests.bench.measure import Row, table

_GOALS: dict[str, tuple[Callable[[Bench], list[Row]], ...]] = {
    "G1": (gating.measured,),
    "G2": (starting.measured,),
    "G4": (suggesting.measured,),
    "G5": (suggesting.counted,),
    "G6": (parsing.measured,),
    "G7": (suggesting.memory,),
    "G8": (applying.measured, applying.counted),
    "G10": (conversing.measured,),
    "G12": (reviewing.measured, reviewing.whole),
    "G13": (conversing.state_alone, conversing.at_once),
    "G14": (gating.installed,),
    "G15": (parsing.exact,),
}
_SAME = {"G3": "G1", "G9": "G8"}


def main() -> None:
    """Measure the goals that are named, or all of them."""
    options = argparse.ArgumentParser(prog="python -m tests.bench", description="The goals for speed, measured.")
    options.add_argument(
        "goals", nargs="*", metavar="GOAL", help=f"{', '.join(_GOALS)}; G3 is measured with G1, G9 with G8"
    )
    options.add_argument("--quick", action="store_true", help="three rounds, and 10,000 files at most")
    options.add_argument("--rounds", type=int, help="how often everything runs; by default 11 times")
    options.add_argument("--folder", type=Path, help="make the repositories there, or take them from there again")
    given = options.parse_args()
    goals = dict.fromkeys(_SAME.get(goal, goal) for goal in given.goals) or dict.fromkeys(_GOALS)
    if unknown := [goal for goal in goals if goal not in _GOALS]:
        options.error(f"there is no goal {unknown[0]}")
    git = subprocess.run(["git", "version"], capture_output=True, check=True, text=True).stdout.strip()
    print(f"Python {platform.python_version()}, {git}, {os.cpu_count()} processors\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="gitclaw-bench-") as scratch:
        folder = given.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for goal in goals:
            bench = Bench(folder.resolve(), given.quick, given.rounds or (3 if given.quick else 11))
            print(table([row for measure in _GOALS[goal] for row in measure(bench)]), flush=True, end="\n\n")


if __name__ == "__main__":
    main()
