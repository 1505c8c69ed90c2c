"""A comment as text for a terminal: without what only a page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitclaw_py.core.render import Paint
from gitclaw_py.core.visible import visible

_MARKER = re.compile(r"<!--.*?-->", re.DOTALL)
_SMALL = re.compile(r"<sub>(?P<text>.*?)</sub>", re.DOTALL)
_SUMMARY = re.compile(r"<details><summary>(?P<text>.*?)</summary>")
_TAGS = re.compile(r"</?(?:code|details|summary|sub|br)\s*/?>")
_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\([^)]*\)")
_BOLD = re.compile(r"\*\*(?P<text>[^*]+)\*\*")
_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def lines(body: str, paint: Paint) -> Iterator[str]:
    """The lines of a comment; diffs with their signs in colour, headings bold, links as their text."""
    fence = ""
    before = ""
    for line in _plain(body).split("\n"):
        mark = re.match(r"`{3,}", line)
        if fence:
            fence = "" if mark and line.startswith(fence) else fence
            before = "of the fence"
            if fence:
                yield "    " + paint(_STYLES.get(line[:1], "dim"), visible(line))
            continue
        if mark:
            fence = mark[0]
        elif line.strip() or before.strip():
            yield _prose(line, paint)
            before = line


def _plain(body: str) -> str:
    text = _SMALL.sub("", _MARKER.sub("", body))
    return _TAGS.sub("", _SUMMARY.sub(r"**\g<text>**", text)).rstrip()


def _prose(line: str, paint: Paint) -> str:
    text = visible(_LINK.sub(r"\g<text>", line)).replace("`", "")
    if text.startswith("#"):
        return paint("bold", text.lstrip("# "))
    return _BOLD.sub(lambda found: paint("bold", found["text"]), text)
