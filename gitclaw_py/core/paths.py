"""Paths that git or a file system would read as something else than a plain file of the repository."""

from __future__ import annotations

import re
import unicodedata

# Characters HFS+ drops from names, so that ".g<U+200C>it" is ".git" there.
# https://git-scm.com/docs/git-config#Documentation/git-config.txt-coreprotectHFS
_IGNORED = {*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF}
_STATE = b".gitclaw/state"
# Names that are plain on every file system, which are nearly all: a letter or digit first, ASCII without "~" after.
_PLAIN = re.compile(rb"[0-9A-Za-z][^/~\0\x80-\xff]*")
_PLAIN_PATH = re.compile(rb"%b(?:/%b)*" % (_PLAIN.pattern, _PLAIN.pattern))


def objection(path: bytes) -> str | None:
    """Why a change of ``path`` must not be applied by a program; None when nothing speaks against it."""
    if _PLAIN_PATH.fullmatch(path):
        return None
    parts = path.split(b"/")
    if any(part in (b"", b".", b"..") for part in parts) or b"\0" in path:
        return "not a path inside the repository"
    if any(is_git_directory(part) for part in parts):
        return "inside a git directory"
    if path.startswith(_STATE + b"/") or path == _STATE:
        return "the state of gitclaw itself"
    return None


def is_git_directory(name: bytes) -> bool:
    """Whether some file system takes ``name`` for ``.git``: by case, dropped characters or a short name.

    https://git-scm.com/docs/git-config#Documentation/git-config.txt-coreprotectNTFS
    """
    if _PLAIN.fullmatch(name):
        return False
    text = name.decode("utf-8", "replace")
    text = "".join(c for c in unicodedata.normalize("NFC", text) if ord(c) not in _IGNORED)
    text = text.lower().split(":")[0].rstrip(" .")
    return text in (".git", "git~1")
