"""``python -m tests.trials --repository PATH``: who places edits right, who asks, and who is silently wrong."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.trials.run import PRODUCT, Score, run, table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.trials", description=__doc__)
    parser.add_argument("--repository", type=Path, help="whose history to use; without it, one is made up")
    parser.add_argument("--trials", type=int, default=1000, help="how many for each cell")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.monotonic()
    scores = run(options.repository, options.trials, options.seed)
    print(table(scores))
    print(f"\n{time.monotonic() - started:.0f} s")
    return int(any(wrong_of_ours(scores)))


def wrong_of_ours(scores: dict[tuple[str, str], Score]) -> list[int]:
    return [score.wrong for (method, _), score in scores.items() if method in PRODUCT and not score.undecidable]


if __name__ == "__main__":
    sys.exit(main())
