"""A copy of this process that works on a part of something meanwhile, and tells what came of it."""

from __future__ import annotations

import marshal
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, BinaryIO, NoReturn, Self

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def can_copy() -> bool:
    """Whether there is another processor for it, and a copy of this process is all of it: threads are not copied."""
    processors = getattr(os, "sched_getaffinity", None)
    return processors is not None and len(processors(0)) > 1 and threading.active_count() == 1


class Copy:
    """A copy of this process, doing ``work``, as a context manager; it is gone afterwards.

    What comes of the work is of plain tuples, lists, numbers and bytes.
    """

    def __init__(self, work: Callable[[], tuple[Any, ...]]) -> None:
        self._work = work
        self._process = 0
        self._source: BinaryIO | None = None

    def __enter__(self) -> Self:
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        try:
            try:
                # A signal in between would lead out of here, and nobody would know of the copy.
                signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
                with suppress(OSError):  # there may be no more processes
                    self._begin(mask)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def told(self) -> tuple[Any, ...] | None:
        """Wait for what came of it; nothing, if it failed or there is none."""
        with suppress(EOFError, ValueError, TypeError):
            return tuple(marshal.loads(self._source.read())) if self._source else None  # noqa: S302 - we wrote it
        return None

    def _begin(self, mask: set[int]) -> None:
        source, out = os.pipe()
        self._source = os.fdopen(source, "rb")
        with os.fdopen(out, "wb") as file:
            self._process = os.fork()
            if not self._process:
                self._tell(file, mask)

    def _tell(self, out: BinaryIO, mask: set[int]) -> NoReturn:
        """Work, tell, and end: no exception may lead out of here, to what is the other process's to clean up."""
        try:
            for number in _ENDING:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            if self._source:
                self._source.close()  # else it would not hear that nobody reads any more
            with out:
                marshal.dump(tuple(self._work()), out)
        finally:
            os._exit(0)

    def _end(self) -> None:
        if self._source:
            self._source.close()
        # Where whoever started us ignores SIGCHLD, it is gone without a trace as soon as it has ended.
        with suppress(ChildProcessError):
            if self._process and os.waitpid(self._process, os.WNOHANG) == (0, 0):
                os.kill(self._process, signal.SIGKILL)
                os.waitpid(self._process, 0)
