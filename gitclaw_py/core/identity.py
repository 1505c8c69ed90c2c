"""What a suggestion is, whatever number it has: a name that follows from its content."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from typing import Any, cast

from gitclaw_py.core.diffs import Entry
from gitclaw_py.core.suggestions import Suggestion

_OWN = "_sha2" if sys.version_info >= (3, 12) else "_sha256"
_HEAD = b"gitclaw suggestion 1\n%b\n%d:%b %d:%b\n%b\n%b\n"
_HUNK = b"%d %d %d %d:%b"
"""Names and texts have their length before them: no two suggestions are the same line."""


def suggestion_id(base: str, suggestion: Suggestion) -> str:
    """The SHA-256 of what it changes: base, paths, modes, blobs and hunks."""
    path, old_path = suggestion.path, suggestion.old_path
    sides = _side(suggestion.old), _side(suggestion.new)
    pieces = [_HEAD % (base.encode(), len(path), path, len(old_path), old_path, *sides)]
    for number, hunks, _ in suggestion.groups:
        for start, end, lines in hunks:
            text = b"".join(lines)
            pieces.append(_HUNK % (number, start, end, len(text), text))
    digest: str = sha256()(b"".join(pieces)).hexdigest()
    return digest


@lru_cache(maxsize=1)
def sha256() -> Callable[[bytes], Any]:
    """OpenSSL's SHA-256 where it is loaded, else Python's own.

    Loading OpenSSL takes longer than all ids of a usual thread, which are short. Python's ``random`` does the same
    for that reason: https://github.com/python/cpython/blob/v3.13.0/Lib/random.py#L64-L71
    """
    if "hashlib" not in sys.modules:
        with suppress(ImportError, AttributeError):
            return cast(Callable[[bytes], Any], import_module(_OWN).sha256)
    import hashlib

    return hashlib.sha256


def _side(entry: Entry | None) -> bytes:
    return " ".join(entry).encode() if entry else b""
