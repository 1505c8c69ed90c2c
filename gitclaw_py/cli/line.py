"""The command line with all its verbs: reads the arguments, starts a verb, and ends with its exit code.

Only what every call needs is imported here; a verb brings its own.
"""

from __future__ import annotations

import os
import signal
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gitclaw_py.cli.options import TAKE_A_COMMAND, parser
from gitclaw_py.errors import GitclawError, InternalError, UsageError

if TYPE_CHECKING:
    from gitclaw_py.adapters.terminal import Terminal


def run(words: Sequence[str]) -> int:
    """Run the command line and return its exit code."""
    cut = list(words).index("--") if "--" in words else len(words)
    options, rest = parser(words[0] if words else None).parse_known_args(list(words[:cut]))
    # Not before the arguments are read: --help and --version need none of it.
    from gitclaw_py.adapters.terminal import Terminal
    from gitclaw_py.cli import dispatch

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
        dispatch.tell_error(error, terminal, as_json=getattr(options, "json", False))
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
    from gitclaw_py.cli import dispatch

    try:
        return dispatch.run(options, command, dict(os.environ), terminal)
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
