"""The raw HTML a comment may hold: a few tags without attributes; everything else is text.

https://github.github.com/gfm/#raw-html, with a list shorter than GitHub's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

RAW = frozenset({"details", "summary", "sub", "kbd", "br", "code"})
_VOID = frozenset({"br", "hr", "input"})
_WALLS = frozenset({"li", "blockquote", "table", "td", "th", "div", "a", "pre"})
"""What a comment's own closing tag does not reach through: they are Markdown's."""
_DEPTH = 20
"""How many raw tags may be open at once; it bounds every search, so that hostile text costs no more than other text."""

# Every repeat is possessive: a tag that does not end costs one look at it.
_PIECE = re.compile(
    r"<!--(?:-?>|.*?(?:-->|\Z))"
    r"|<(?P<slash>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*+)"
    r"(?P<attributes>(?:\s++[^\s\"'<>/=]++(?:\s*+=\s*+(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s\"'=<>`]++))?+)*+)\s*+/?>",
    re.DOTALL,
)
_OPEN = re.compile(r"\sopen(?=[\s=]|\Z)", re.IGNORECASE)
_ENTITY = re.compile(r"&amp;(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)[^<>]*>")


def allowed(html: str) -> str:
    """Raw HTML with the tags of ``RAW`` kept, comments dropped and every other tag written out as text."""
    out, end = [], 0
    for piece in _PIECE.finditer(html):
        out += [_text(html[end : piece.start()]), _piece(piece)]
        end = piece.end()
    return "".join([*out, _text(html[end:])])


def balanced(html: str) -> str:
    """``html`` with every tag closed, and closing tags without an opening one left out.

    It takes what this package writes: every ``<`` and ``>`` that is no part of a tag is escaped already.
    """
    out: list[str] = []
    stack: list[str] = []
    end = 0
    for tag in _TAG.finditer(html):
        out.append(html[end : tag.start()])
        out.extend(_closed(stack, tag[2]) if tag[1] else _opened(stack, tag[2], tag[0]))
        end = tag.end()
    out.append(html[end:])
    out += [f"</{name}>" for name in reversed(stack)]
    return "".join(out)


def _piece(piece: re.Match[str]) -> str:
    name = (piece["name"] or "").lower()
    if not name:
        return ""
    if name not in RAW or (name in _VOID and piece["slash"]):
        return _text(piece[0])
    opened = " open" if name == "details" and not piece["slash"] and _OPEN.search(piece["attributes"]) else ""
    return f"<{piece['slash']}{name}{opened}>"


def _text(text: str) -> str:
    """Text of a block of HTML, in which ``&amp;`` already means an ampersand."""
    return _ENTITY.sub(r"&\1;", escape(text))


def _opened(stack: list[str], name: str, tag: str) -> Iterator[str]:
    """An opening tag; nothing when too many raw ones are open."""
    if name in _VOID:
        yield tag
        return
    if name in RAW and len(stack) >= _DEPTH and RAW.issuperset(stack[-_DEPTH:]):
        return
    if name == "details" and stack and stack[-1] == "p":
        # As browsers do: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inbody
        yield f"</{stack.pop()}>"
    stack.append(name)
    yield tag


def _closed(stack: list[str], name: str) -> Iterator[str]:
    """The closing tags up to ``name``; none when it is not open, or open outside of a wall."""
    walls = _WALLS if name in RAW else frozenset[str]()
    for depth in range(1, min(len(stack), 2 * _DEPTH) + 1):
        if stack[-depth] == name:
            yield from (f"</{stack.pop()}>" for _ in range(depth))
            return
        if stack[-depth] in walls:
            return
