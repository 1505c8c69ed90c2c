"""What a suggestion is, whatever number it has: a name that follows from its content."""

from __future__ import annotations

from gitclaw_py.core.diffs import Entry
from gitclaw_py.core.digests import digest
from gitclaw_py.core.suggestions import Suggestion

_HEAD = b"gitclaw suggestion 1\n%b\n%d:%b %d:%b\n%b\n"
_HUNK = b"%d %d %d %d:%b"
"""Names and texts have their length before them: no two suggestions are the same line."""


def suggestion_id(base: str, suggestion: Suggestion) -> str:
    """The SHA-256 of what it changes: base, paths, modes, blobs and hunks."""
    path, old_path = suggestion.path, suggestion.old_path
    sides = f"{_side(suggestion.old)}\n{_side(suggestion.new)}".encode()
    pieces = [_HEAD % (base.encode(), len(path), path, len(old_path), old_path, sides)]
    for number, hunks, _ in suggestion.groups:
        for start, end, lines in hunks:
            text = b"".join(lines)
            pieces.append(_HUNK % (number, start, end, len(text), text))
    found: str = digest("sha256")(b"".join(pieces)).hexdigest()
    return found


def _side(entry: Entry | None) -> str:
    return " ".join(entry) if entry else ""
