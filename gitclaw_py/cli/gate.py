"""The verb ``gate``: what an event starts, in milliseconds and with nothing but Python's own library.

As a file it runs before anything is installed: ``python3 -I -S gitclaw_py/cli/gate.py``.
"""

from __future__ import annotations

import sys
from os import environ

if __name__ == "__main__":
    if sys.version_info < (3, 11):  # noqa: UP036 - here it is not pip that asks
        sys.exit("gitclaw needs Python 3.11 or later as python3; actions/setup-python brings one")
    # A file that is run alone does not find its package: https://docs.python.org/3/using/cmdline.html#cmdoption-I
    sys.path.insert(0, __file__.rsplit("/", 3)[0])

_SLASHES = (b'"/', b"\\n/", b"\\r/", b"\\/", b"\\u00", b"\xef\xbb\xbf/", b"\\ufeff/")
"""How a line that starts with a slash looks like in JSON, however it was written."""
_NAMES = (b"/gitclaw", b"/apply", b"/reject", b"/refine", b"/undo")
"""Commands that may not start their line: whoever indents one is told why it is none."""


def main() -> int:
    """Decide, tell the jobs that come after, and return the exit code."""
    name, path = environ.get("GITHUB_EVENT_NAME", ""), environ.get("GITHUB_EVENT_PATH", "")
    try:
        with open(path, "rb") as file:
            payload = file.read()
    except OSError as error:
        sys.stderr.write(f"USAGE: No event was given: {error}\nNext: run it in GitHub Actions\n")
        return 2
    mention = environ.get("GITCLAW_MENTION", "")
    if name == "issue_comment" and not _may_command(payload, mention):
        from gitclaw_py.cli.told import ignored

        return ignored("Nothing in the event looks like a command of ours")
    from gitclaw_py.cli.admit import admit

    return admit(name, payload, environ)


def _may_command(payload: bytes, mention: str) -> bool:
    """Whether it is worth reading: something looks like a command, or the mention occurs."""
    if any(slash in payload for slash in _SLASHES):
        return True
    small = payload.lower()
    if any(_may_indent(before) for name in _NAMES for before in small.split(name)[:-1]):
        return True
    return bool(mention) and mention.lower().encode() in small


def _may_indent(before: bytes) -> bool:
    """Whether it ends with white space, however JSON writes it; any character that is not ASCII may be some."""
    return before.endswith((b" ", b"\\t", b"\\f")) or before[-6:-4] == b"\\u" or before[-1:] >= b"\x80"


if __name__ == "__main__":
    sys.exit(main())
