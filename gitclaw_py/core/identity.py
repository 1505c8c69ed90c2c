"""What a suggestion is, whatever number it has: a name that follows from its content."""

from __future__ import annotations

from collections.abc import Iterator

from gitclaw_py.core.diffs import Entry
from gitclaw_py.core.suggestions import Suggestion

_KIND = b"gitclaw suggestion 1"


def suggestion_id(base: str, suggestion: Suggestion) -> str:
    """The SHA-256 of what it changes: base, paths, modes, blobs and hunks. Each piece has its length before it."""
    import hashlib  # 5 ms, and only who has suggestions needs it

    digest = hashlib.sha256()
    for piece in _pieces(base, suggestion):
        digest.update(b"%d:%s" % (len(piece), piece))
    return digest.hexdigest()


def _pieces(base: str, suggestion: Suggestion) -> Iterator[bytes]:
    yield _KIND
    yield base.encode()
    yield suggestion.path
    yield suggestion.old_path
    yield _side(suggestion.old)
    yield _side(suggestion.new)
    for group in suggestion.groups:
        for hunk in group.hunks:
            yield b"%d %d %d" % (group.number, hunk.start, hunk.end)
            yield b"".join(hunk.lines)


def _side(entry: Entry | None) -> bytes:
    return f"{entry.mode} {entry.oid}".encode() if entry else b""
