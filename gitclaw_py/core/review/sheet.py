"""A file as a suggestion block sees it: lines by number, replaced as a whole, each line of the block by itself.

The text is split at LF and at nothing else; the lines of the block take the place of the commented lines; then all
is joined with LF. So a block cannot say whether the last line has a newline.
https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/commenting-on-a-pull-request
"""

from collections.abc import Sequence
from typing import NamedTuple

from gitclaw_py.core.review.plan import Reason
from gitclaw_py.core.scripts import split_lines
from gitclaw_py.core.visible import visible

Block = tuple[str, ...]
"""The lines inside of a suggestion block, without their newlines. None at all is a deletion."""


class Sheet(NamedTuple):
    """The head's text of one file. ``flaw`` is why no comment can be exact anywhere in it."""

    lines: tuple[bytes, ...]
    flaw: Reason | None

    def block(self, start: int, end: int, wanted: Sequence[bytes]) -> Block | Reason:
        """The block that puts ``wanted`` in the place of the lines ``start:end``, at least one; or why not."""
        new = b"".join(wanted)
        if new == b"".join(self.lines[start:end]):
            return Reason.NO_OP
        if b"\r" in new:
            return Reason.CARRIAGE_RETURN
        try:
            text = new.decode()
        except UnicodeDecodeError:
            return Reason.NOT_TEXT
        if visible(text.replace("\n", "")) != text.replace("\n", ""):
            return Reason.INVISIBLE_CHARACTERS
        return self._split(start, text, ended=end < len(self.lines) or self.lines[-1].endswith(b"\n"))

    @staticmethod
    def _split(start: int, text: str, *, ended: bool) -> Block | Reason:
        """The lines of ``text``; ``ended`` is whether a newline follows the block."""
        if ended:
            return Reason.EOF_NEWLINE_REMOVED if text and not text.endswith("\n") else tuple(text.split("\n")[:-1])
        if text.endswith("\n") or (start and not text):
            # An empty last line in the block should do; that it does on GitHub has not been seen.
            return Reason.EOF_NEWLINE_ADDED
        return tuple(text.split("\n")) if text else ()


def sheet(text: bytes) -> Sheet:
    """The sheet of a file's content."""
    return Sheet(tuple(split_lines(text)), _flaw(text))


def _flaw(text: bytes) -> Reason | None:
    if not text:
        return Reason.NO_ANCHOR
    if b"\0" in text:
        return Reason.BINARY
    # A line end to Markdown, none to git; and commits made on the website can change the ends of other lines.
    if b"\r" in text:
        return Reason.CARRIAGE_RETURN
    try:
        text.decode()
    except UnicodeDecodeError:
        return Reason.NOT_TEXT
    return None
