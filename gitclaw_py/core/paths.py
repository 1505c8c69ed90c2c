"""Paths that git or a file system would read as something else than a plain file of the repository."""

from __future__ import annotations

import re
import unicodedata

from gitclaw_py.core.visible import is_hidden

# Characters HFS+ drops from names, so that ".g<U+200C>it" is ".git" there.
# https://git-scm.com/docs/git-config#Documentation/git-config.txt-coreprotectHFS
_IGNORED = {*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF}
_STATE = b".gitclaw/state"
# Names that are plain on every file system, which are nearly all: a letter or digit first, ASCII without "~" after.
_PLAIN = re.compile(rb"[0-9A-Za-z][^/~\0\\\x80-\xff]*")
_PLAIN_PATH = re.compile(rb"%b(?:/%b)*" % (_PLAIN.pattern, _PLAIN.pattern))
_ORDINARY = re.compile(rb"[0-9A-Za-z._-]*[0-9A-Za-z_-]")
_ORDINARY_PATH = re.compile(rb"%b(?:/%b)*" % (_ORDINARY.pattern, _ORDINARY.pattern))
"""All that names are made of nearly everywhere."""
# https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file#naming-conventions
_DEVICE = r"(?i:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\..*)?"
_SHORT = r"[^.~]{1,6}~[0-9]{1,5}(?:\.[^.]{0,3})?"
_NOT_ON_WINDOWS = frozenset('\\:*?"<>|')
_MOST, _DEEPEST = 4096, 64


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
    # Windows takes a backslash for a slash: "a\.git\hooks" is inside one there.
    return any(_folded(piece) in (".git", "git~1") for piece in name.decode("utf-8", "replace").split("\\"))


def fold(path: bytes) -> bytes:
    """The path as the most forgiving file system reads it, so that two names of one file are the same.

    Case does not count, nor how an accent is written, what HFS+ drops, blanks and dots at the end of a name, what
    comes after a colon (a stream of NTFS), and which slash it is.
    """
    if _ORDINARY_PATH.fullmatch(path):
        return path.lower()
    text = path.decode("utf-8", "surrogateescape").replace("\\", "/")
    return "/".join(map(_folded, text.split("/"))).encode("utf-8", "surrogateescape")


def _folded(name: str) -> str:
    text = unicodedata.normalize("NFC", "".join(c for c in name if ord(c) not in _IGNORED)).casefold()
    kept = unicodedata.normalize("NFC", text).partition(":")[0].rstrip(" .")
    return kept or name


def oddity(path: bytes) -> str | None:
    """Why some system takes the name of ``path`` for another one, or cannot have it; None where all agree on it."""
    if len(path) > _MOST or path.count(b"/") >= _DEEPEST:
        return "too long or too deep for some systems"
    try:
        text = path.decode("utf-8")
    except UnicodeDecodeError:
        return "a name that is not UTF-8"
    if not _ORDINARY_PATH.fullmatch(path):
        if any(c == "\t" or is_hidden(c) for c in text):
            return "a name with characters that do not show"
        if unicodedata.normalize("NFC", text) != text:
            return "a name that other systems spell in another way"
    return next(filter(None, map(_oddity, text.split("/"))), None)


def _oddity(name: str) -> str | None:
    if not _NOT_ON_WINDOWS.isdisjoint(name):
        return "a name that Windows reads as another one, or cannot have"
    if name != name.rstrip(" ."):
        return "a name that ends in a blank or a dot, which Windows drops"
    if re.fullmatch(_DEVICE, name):
        return "the name of a device on Windows"
    return "a short name of Windows, which may be another file" if re.fullmatch(_SHORT, name) else None
