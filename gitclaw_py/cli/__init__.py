"""The command line: reads the arguments and the environment, starts a verb, and ends with its exit code.

Only what every call needs is imported here; a verb brings its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from gitclaw_py.cli.options import parser
from gitclaw_py.errors import GitclawError, UsageError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    cut = words.index("--") if "--" in words else len(words)
    options = parser(words[0] if words else None).parse_args(words[:cut])
    # Not before the arguments are read: --help and --version need none of it.
    from gitclaw_py.adapters.terminal import Terminal
    from gitclaw_py.cli import verbs

    terminal = Terminal(sys.stdout, sys.stderr, os.environ)
    try:
        if cut < len(words) and options.verb != "suggest":
            raise UsageError("USAGE", f"{options.verb} takes no command after --", f"see gitclaw {options.verb} --help")
        return verbs.run(options, tuple(words[cut + 1 :]), dict(os.environ), terminal)
    except GitclawError as error:
        terminal.end_progress()
        verbs.tell_error(error, terminal, as_json=getattr(options, "json", False))
        return error.exit_code
    except BrokenPipeError:
        terminal.abandon()
        return 1
    except KeyboardInterrupt:
        terminal.end_progress()
        terminal.note("Interrupted; nothing was changed that is not in gitclaw status.")
        return 130
