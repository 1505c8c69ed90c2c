"""A person's terminal, or the pipe or file that stands in for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TextIO

from gitclaw_py.core.paint import Paint, coloured, plain, safe
from gitclaw_py.errors import InternalError

_WIDTH = 80


class Terminal:
    """Results go to ``out``; what happens meanwhile, warnings and errors go to ``err``."""

    def __init__(self, out: TextIO, err: TextIO, environment: Mapping[str, str]) -> None:
        self._out = out
        self._err = err
        self._environment = environment
        self._lively = err.isatty() and environment.get("TERM") != "dumb"
        self._shown = False

    @property
    def paint(self) -> Paint:
        """Colours on a terminal that has them; see https://no-color.org and https://force-color.org."""
        return coloured if self._has_colours(self._out) else plain

    def _has_colours(self, stream: TextIO) -> bool:
        if self._environment.get("NO_COLOR"):
            return False
        if self._environment.get("FORCE_COLOR"):
            return True
        return stream.isatty() and self._environment.get("TERM") != "dumb"

    @property
    def width(self) -> int | None:
        """How many columns there are; None where lines may be as long as they are."""
        given = self._environment.get("COLUMNS", "")
        if given.isdigit() and int(given):
            return int(given)
        return os.get_terminal_size(self._out.fileno()).columns if self._out.isatty() else None

    def say(self, text: str = "") -> None:
        """One part of the result."""
        self._print(self._out, text)

    def command(self, line: str) -> None:
        """A line that the runner of GitHub Actions obeys."""
        print(line, file=self._out, flush=True)

    def say_json(self, document: object) -> None:
        """The result for a program."""
        self._print(self._out, _in_lines(document))

    def note(self, text: str) -> None:
        """Something to know beside the result."""
        self._print(self._err, text)

    def warn(self, text: str) -> None:
        """Something that is not as one would expect."""
        self.note(f"Note: {safe(text)}")

    def _print(self, stream: TextIO, text: str) -> None:
        encoding = stream.encoding or "utf-8"
        if self._environment.get("GITHUB_ACTIONS") == "true":
            from gitclaw_py.core.visible import harmless

            text = harmless(text)
        try:
            print(text.encode(encoding, "backslashreplace").decode(encoding), file=stream, flush=True)
        except BrokenPipeError:
            raise
        except OSError as error:
            _to_nowhere(stream)
            if stream is self._err:
                return  # the exit code tells of errors, too, and a note is no reason to stop half-way
            raise InternalError(
                "INTERNAL",
                f"What there was to say could not be written: {error.strerror}",
                "see gitclaw status: what was to be done is done",
            ) from error

    def progress(self, what: str) -> Callable[[float, str], None]:
        """Shows, in one line of a terminal, how long ``what`` has been running and what it said last."""

        def show(seconds: float, line: str) -> None:
            if self._lively:
                text = safe(f"{what} · {seconds:.0f} s · {line}" if line else f"{what} · {seconds:.0f} s")
                self._err.write("\r\x1b[2K" + text[: (self.width or _WIDTH) - 1])
                self._err.flush()
                self._shown = True

        return show

    def end_progress(self) -> None:
        """Take the progress line away."""
        if self._shown:
            self._err.write("\r\x1b[2K")
            self._err.flush()
            self._shown = False

    def abandon(self) -> None:
        """Say nothing more: the reader went away."""
        _to_nowhere(self._out)


def _to_nowhere(stream: TextIO) -> None:
    """What Python still holds for the stream would fail once more when it is written at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _in_lines(document: object) -> str:
    """JSON with a line for each key and for each item of a list: to be read, too, and written by C."""
    from json import dumps

    if isinstance(document, dict):
        fields = [f"  {dumps(key)}: {_items(value, '  ')}" for key, value in document.items()]
        return "{\n" + ",\n".join(fields) + "\n}"
    return _items(document, "")


def _items(value: object, indent: str) -> str:
    from json import dumps

    if not isinstance(value, list) or not value:
        return dumps(value)
    return "[\n" + ",\n".join(f"{indent}  {dumps(item)}" for item in value) + f"\n{indent}]"
