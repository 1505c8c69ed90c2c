"""How much an agent may change at once: counted before any of it is read."""

from typing import NamedTuple

from gitclaw_py.core.visible import visible_path
from gitclaw_py.errors import RefusedError

_MIB = 1 << 20


class Bounds(NamedTuple):
    """Of one proposal: files, bytes of one of them and of all together, hunks, and folders within one another."""

    files: int = 500
    file_bytes: int = _MIB
    proposal_bytes: int = 5 * _MIB
    hunks: int = 2_000
    depth: int = 32


ON_ONE_S_OWN = Bounds(1_000_000, 1024 * _MIB, 8 * 1024 * _MIB, 10_000_000, 256)
"""In a terminal, where people wait for their own machine: what it can take."""


class Measured:
    """What is counted of a change, file by file; refuses as soon as it is too much."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._files = 0
        self._bytes = 0

    def add(self, path: bytes, size: int) -> None:
        """One more file, which has so many bytes now; 0 for one that is gone.

        Raises:
            RefusedError: ``TOO_LARGE``.
        """
        bounds = self._bounds
        self._files += 1
        self._bytes += size
        if path.count(b"/") > bounds.depth:
            name = visible_path(path)[:200]
            raise _too_large(f"{name} lies in more than {bounds.depth} folders", "depth", name)
        if size > bounds.file_bytes:
            name = visible_path(path)[:200]
            what = f"{name} has {size:,} bytes, and a file here may have {bounds.file_bytes:,}"
            raise _too_large(what, "fileBytes", name)
        if self._files > bounds.files:
            raise _too_large(f"The agent changed more than {bounds.files:,} files", "files")
        if self._bytes > bounds.proposal_bytes:
            what = f"What the agent changed has more than {bounds.proposal_bytes:,} bytes together"
            raise _too_large(what, "proposalBytes")


def require_few(hunks: int, bounds: Bounds) -> None:
    """See that a proposal has not more hunks than anyone can look at.

    Raises:
        RefusedError: ``TOO_LARGE``.
    """
    if hunks > bounds.hunks:
        raise _too_large(f"The agent changed {hunks:,} places, and a proposal here may have {bounds.hunks:,}", "hunks")


def _too_large(what: str, key: str, *named: str) -> RefusedError:
    next_step = f"ask for less at once, or raise limits.{key} in suggestions.json"
    return RefusedError("TOO_LARGE", f"{what}; nothing was proposed", next_step, named=named)
