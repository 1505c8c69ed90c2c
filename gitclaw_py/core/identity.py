"""What a suggestion is, whatever number it has: a name that follows from its content."""

from __future__ import annotations

from gitclaw_py.core.diffs import Entry
from gitclaw_py.core.suggestions import Suggestion

_KIND = b"gitclaw suggestion 1"


def suggestion_id(base: str, suggestion: Suggestion) -> str:
    """The SHA-256 of what it changes: base, paths, modes, blobs and hunks. Each piece has its length before it."""
    import hashlib  # 5 ms, and only who has suggestions needs it

    s = suggestion
    pieces = [_pair(_KIND, base.encode()), _pair(s.path, s.old_path), _pair(_side(s.old), _side(s.new))]
    for number, hunks, _ in s.groups:
        for start, end, lines in hunks:
            pieces.append(_pair(b"%d %d %d" % (number, start, end), b"".join(lines)))
    return hashlib.sha256(b"".join(pieces)).hexdigest()


def _pair(one: bytes, other: bytes) -> bytes:
    return b"%d:%b%d:%b" % (len(one), one, len(other), other)


def _side(entry: Entry | None) -> bytes:
    return " ".join(entry).encode() if entry else b""
