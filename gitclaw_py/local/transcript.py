"""A comment as text for a terminal: without what only a page shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gitclaw_py.core.paint import Paint
from gitclaw_py.core.visible import visible

_SUMMARY = re.compile(r"<details><summary>(?P<text>.*)</summary>")
_TAGS = re.compile(r"</?code>")
_UNSEEN = ("<!-- ", "<sub>", "</details>")
"""How lines begin that only a page needs: the marker, the small print, the end of what is folded."""
_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\([^)]*\)")
_BOLD = re.compile(r"\*\*(?P<text>[^*]+)\*\*")
_FENCE = re.compile(r"(?P<fence>`{3,})(?P<info>[^`]*)")
_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def lines(body: str, paint: Paint) -> Iterator[str]:
    """The lines of a comment; diffs with their signs in colour, headings bold, links as their text."""
    begun = gap = False
    for info, text in _pieces(body.split("\n")):
        for line in text:
            if info is None and (not line.strip() or line.startswith(_UNSEEN)):
                gap = begun
                continue
            if gap:
                yield ""
            begun, gap = True, False
            yield _prose(line, paint) if info is None else "    " + _coded(line, info, paint)


def _pieces(body: Iterable[str]) -> Iterator[tuple[str | None, list[str]]]:
    """The lines outside and inside of code blocks by turns, the latter with the word that says what they are."""
    fence, info, found = "", "", list[str]()
    for line in body:
        mark = None if fence else _FENCE.fullmatch(line)
        if mark or (fence and line == fence):
            yield info if fence else None, found
            fence, info, found = (mark["fence"], mark["info"], []) if mark else ("", "", [])
        else:
            found.append(line)
    yield info if fence else None, found


def _coded(line: str, info: str, paint: Paint) -> str:
    if info == "diff":
        return paint(_STYLES.get(line[:1], "dim"), visible(line))
    return visible(line)


def _prose(line: str, paint: Paint) -> str:
    if summary := _SUMMARY.fullmatch(line):
        return paint("bold", visible(_TAGS.sub("", summary["text"])))
    text = visible(_LINK.sub(r"\g<text>", line)).replace("`", "")
    if text.startswith("#"):
        return paint("bold", text.lstrip("# "))
    return _BOLD.sub(lambda found: paint("bold", found["text"]), text)
