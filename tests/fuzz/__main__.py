"""``python -m tests.fuzz --inputs 20000``: every target with so many inputs; no crash and no hang."""

from __future__ import annotations

import argparse
import sys
import time

from tests.fuzz.run import fuzzed
from tests.fuzz.targets import TARGETS


def main() -> int:
    """Print a line for each target; 1 when one of them failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000, help="inputs for each target")
    parser.add_argument("--seed", type=int, default=0, help="another one gives other inputs")
    parser.add_argument("targets", nargs="*", choices=[[], *TARGETS], help=", ".join(TARGETS))
    options = parser.parse_args()
    failed = 0
    print(f"{'target':<11}{'inputs':>9}{'seconds':>9}{'slowest':>10}  result")
    for name in options.targets or TARGETS:
        began = time.monotonic()
        outcome = fuzzed(TARGETS[name], options.inputs, options.seed)
        seconds, failed = time.monotonic() - began, failed + bool(outcome.failure)
        slowest = f"{outcome.slowest * 1_000:.0f} ms"
        print(f"{name:<11}{outcome.inputs:>9,}{seconds:>9.1f}{slowest:>10}  {outcome.failure or 'ok'}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
