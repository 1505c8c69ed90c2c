r"""Patterns as in ``.gitignore``, matched as git matches them: the last one that fits decides, folders decide first.

https://git-scm.com/docs/gitignore#_pattern_format
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\t-\\r ",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
"""Git knows these for ASCII alone: https://github.com/git/git/blob/master/wildmatch.c"""
_NEVER = "(?!)"


class Pattern(NamedTuple):
    """One line: what it matches, whether only as a folder, and whether it takes back what lines before it said."""

    matches: re.Pattern[bytes]
    folder_only: bool = False
    negated: bool = False


def matches(patterns: Sequence[Pattern], path: bytes) -> bool:
    """Whether a file is one of those that the patterns name, by itself or by a folder it lies in."""
    end = path.find(b"/")
    while end >= 0:
        if _decided(patterns, path[:end], folder=True):
            return True
        end = path.find(b"/", end + 1)
    return _decided(patterns, path, folder=False)


def _decided(patterns: Sequence[Pattern], path: bytes, *, folder: bool) -> bool:
    for pattern in reversed(patterns):
        if (folder or not pattern.folder_only) and pattern.matches.fullmatch(path):
            return not pattern.negated
    return False


@lru_cache(maxsize=64)
def compiled(lines: tuple[str, ...]) -> tuple[Pattern, ...]:
    """The patterns of some lines; comments and empty ones are none."""
    return tuple(filter(None, map(pattern, lines)))


def pattern(line: str) -> Pattern | None:
    """The pattern of a line; None where it is a comment or empty."""
    text = _without_blanks(line)
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    text = text[1:] if negated else text
    folder_only = text.endswith("/")
    text = text[:-1] if folder_only else text
    if not text:
        return None
    return Pattern(re.compile(expression(text), re.DOTALL), folder_only, negated)


def _without_blanks(line: str) -> str:
    """Blanks at the end do not count, unless a backslash stands before them."""
    text = line.rstrip(" ")
    escaped = (len(text) - len(text.rstrip("\\"))) % 2
    return text + " " if escaped and len(text) < len(line) else text


def expression(glob: str) -> bytes:
    """The regular expression of a pattern's path. One without a slash but at its end fits in every folder."""
    anchored = "/" in glob
    glob = glob.removeprefix("/")
    try:
        body = "".join(_translated(glob, anchored=anchored))
    except ValueError:
        body = _NEVER
    return (body if anchored else f"(?:.*/)?{body}").encode("latin-1")


def _translated(glob: str, *, anchored: bool) -> Iterable[str]:
    data = glob.encode("utf-8").decode("latin-1")  # byte by byte, as git does it
    at = 0
    while at < len(data):
        if data[at] == "*":
            end = at
            while end < len(data) and data[end] == "*":
                end += 1
            piece, at = _stars(data, at, end, anchored=anchored)
        elif data[at] == "?":
            piece, at = "[^/]", at + 1
        elif data[at] == "[":
            piece, at = _bracket(data, at)
        else:
            at += data[at] == "\\"
            if at == len(data):
                raise ValueError(glob)
            piece, at = re.escape(data[at]), at + 1
        yield piece


def _stars(data: str, at: int, end: int, *, anchored: bool) -> tuple[str, int]:
    """Two stars between slashes are any number of folders, at the end all there is below; others are of one name."""
    opens, closes = at == 0 or data[at - 1] == "/", end == len(data) or data[end] == "/"
    if not (anchored and end - at > 1 and opens and closes):
        return "[^/]*", end
    if end == len(data):
        return ".*", end
    return "(?:.*/)?", end + 1


def _bracket(data: str, at: int) -> tuple[str, int]:
    """A set of characters, never a slash."""
    at += 1
    negated = data[at : at + 1] in ("!", "^") and data[at : at + 1] != ""
    at += negated
    first, items = at, list[str]()
    while data[at : at + 1] != "]" or at == first:
        item, at = _item(data, at)
        items.append(item)
    inside = "".join(items)
    if negated:
        return f"(?!/)[^{inside}]" if inside else "[^/]", at + 1
    return f"(?!/)[{inside}]" if inside else _NEVER, at + 1


def _item(data: str, at: int) -> tuple[str, int]:
    if data.startswith("[:", at):
        name, closed, _ = data[at + 2 :].partition(":]")
        if closed and name in _CLASSES:
            return _CLASSES[name], at + len(name) + 4
        if closed and name.isalpha():
            raise ValueError(name)
    low, at = _literal(data, at)
    if data[at : at + 1] != "-" or data[at + 1 : at + 2] in ("]", ""):
        return _in_set(low), at
    high, at = _literal(data, at + 1)
    # Of a range that goes backwards git takes its first character.
    return (f"{_in_set(low)}-{_in_set(high)}" if low <= high else _in_set(low)), at


def _literal(data: str, at: int) -> tuple[str, int]:
    at += data[at : at + 1] == "\\"
    if at >= len(data):
        raise ValueError(data)
    return data[at], at + 1


def _in_set(character: str) -> str:
    return f"\\x{ord(character):02x}"
