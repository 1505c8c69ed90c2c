"""The command line: reads the arguments and the environment, starts a verb, and ends with its exit code.

Only what every call needs is imported here; a verb brings its own.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from gitclaw_py.cli.options import TAKE_A_COMMAND, parser
from gitclaw_py.errors import GitclawError, InternalError, UsageError

if TYPE_CHECKING:
    from gitclaw_py.adapters.terminal import Terminal


RARELY = 50_000
"""New containers between two searches for garbage that refers to itself. By default they are 700, and in a process
that lives for 100 ms and makes next to none of it, the searches take longer than reading the state."""


def command() -> NoReturn:
    """``gitclaw``: the command line of this process, which ends with it.

    Everything is closed and said by then. Python would hand back every object one by one before it ends, which takes
    5 ms after an apply and 40 ms after a suggestion in 100,000 files; the system takes the memory back at once.
    """
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    gc.set_threshold(RARELY, *gc.get_threshold()[1:])
    words = list(sys.argv[1:] if arguments is None else arguments)
    cut = words.index("--") if "--" in words else len(words)
    options, rest = parser(words[0] if words else None).parse_known_args(words[:cut])
    # Not before the arguments are read: --help and --version need none of it.
    from gitclaw_py.adapters.terminal import Terminal
    from gitclaw_py.cli import verbs

    terminal = Terminal(sys.stdout, sys.stderr, os.environ)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _stop)
    try:
        misplaced = [*rest, *(getattr(options, "request", ()) if not getattr(options, "agent", None) else ())]
        if misplaced:
            raise _misplaced(options.verb, [word for word in words[:cut] if word in misplaced], words)
        if cut < len(words) and options.verb not in TAKE_A_COMMAND:
            raise UsageError("USAGE", f"{options.verb} takes no command after --", f"see gitclaw {options.verb} --help")
        return _run(options, tuple(words[cut + 1 :]), terminal)
    except GitclawError as error:
        terminal.end_progress()
        verbs.tell_error(error, terminal, as_json=getattr(options, "json", False))
        return error.exit_code
    except BrokenPipeError:
        terminal.abandon()
        return 1
    except KeyboardInterrupt:
        terminal.end_progress()
        terminal.note(
            "Interrupted. What was begun, if anything, the next gitclaw command finishes; see gitclaw status."
        )
        return 130


def _run(options: Namespace, command: tuple[str, ...], terminal: Terminal) -> int:
    from gitclaw_py.cli import verbs

    try:
        return verbs.run(options, command, dict(os.environ), terminal)
    except BrokenPipeError:
        raise
    except OSError as error:
        what = f"{error.filename or 'The system'}: {error.strerror}"
        raise InternalError("INTERNAL", what, "see to that, then give the command again") from error


def _stop(number: int, _frame: object) -> None:
    """Whoever ends us ends the agent too, and nothing is left behind."""
    raise KeyboardInterrupt(number)


def _misplaced(verb: str, rest: Sequence[str], words: Sequence[str]) -> UsageError:
    if verb in TAKE_A_COMMAND and "--" not in words:
        return UsageError("USAGE", "The command has to stand after two dashes", f"gitclaw {verb} -- {' '.join(rest)}")
    return UsageError("USAGE", f"{verb} does not know {' '.join(rest)}", f"see gitclaw {verb} --help")
