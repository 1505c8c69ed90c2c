"""The command line: reads the environment, starts a verb, and ends with its exit code.

The gate is decided before anything is imported that it does not need: most events are not for us.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

RARELY = 500_000
"""New containers between two searches for garbage that refers to itself. By default they are 700, and in a process
that lives for 100 ms and makes next to none of it, the searches take longer than reading the state."""


def command() -> NoReturn:
    """``gitclaw``: the command line of this process, which ends with it.

    Everything is closed and said by then. Python would hand back every object one by one before it ends, which takes
    5 ms after an apply and 40 ms after a suggestion in 100,000 files; the system takes the memory back at once.
    """
    # What nobody listens to goes nowhere: a shell may have closed it, ``>&-``, and Python has None then.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - until the end
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    gc.set_threshold(RARELY, *gc.get_threshold()[1:])
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words == ["gate"]:
        from gitclaw_py.cli.gate import main as gate

        return gate()
    from gitclaw_py.cli.line import run

    return run(words)
