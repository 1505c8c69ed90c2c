"""``python -m tests.reviews --repository PATH --pulls N``: reviews planned for a history."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.reviews.run import run, table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reviews", description=__doc__)
    parser.add_argument("--repository", type=Path, help="whose history to use; without it, one is made up")
    parser.add_argument("--pulls", type=int, default=300, help="how many of each kind")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.monotonic()
    scores = run(options.repository, options.pulls, options.seed)
    print(table(scores))
    print(f"\n{time.monotonic() - started:.0f} s")
    return int(any(score.faults for score in scores.values()))


if __name__ == "__main__":
    sys.exit(main())
