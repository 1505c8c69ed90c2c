"""Which lines of a comment a person typed as plain text: not quoted, not code, not HTML, not in a list.

Only the blocks of CommonMark are parsed. What inside a paragraph is no text (code spans, tags, HTML comments)
is found in one pass here: link and emphasis rules cost more than they tell.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

_LINE_END = re.compile(r"\r\n?")
_SPECIAL = re.compile(r"\\.|`+|<!--|</?[A-Za-z]", re.DOTALL)
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*)(?:[\s/][^<>]*)?>")
_TICKS = re.compile(r"`+")
_NO_TEXT = re.compile(r"(?: {0,3}>)+ {0,4}(?:|`{3,}[^`]*|~{3,}.*|#{1,6}(?:[ \t].*)?)[ \t]*")
"""A quoted line that is empty, a fence or a heading: no paragraph that the next line could continue."""
_HOLDS_MORE = frozenset(
    (
        "article",
        "blockquote",
        "code",
        "details",
        "div",
        "dl",
        "figure",
        "ol",
        "pre",
        "section",
        "summary",
        "table",
        "ul",
    )
)
"""Elements that stay open over the empty line that ends an HTML block."""


class Place(StrEnum):
    """Where a line stands."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    """Plain text that a line of dashes below made a heading, often the start of a mail's signature."""
    CONTINUED = "continued"
    """Right below a quote or list item: without an empty line between, it is still part of it."""


class TypedLine(NamedTuple):
    """A line outside quotes, code, HTML and lists, or right below one of them.

    ``number`` counts from 0, ``first`` is that of its paragraph's first line, ``text`` is the line with code spans,
    tags and HTML comments blanked out.
    """

    number: int
    first: int
    text: str
    place: Place


def lines_of(text: str) -> list[str]:
    """The lines as CommonMark counts them, whatever ends them."""
    return _LINE_END.sub("\n", text.removeprefix("\ufeff")).split("\n")


def typed_lines(lines: Sequence[str]) -> Iterator[TypedLine]:
    """The lines that are plain text of the comment itself, in order; in time linear in their size."""
    still_open: Counter[str] = Counter()
    for token in _parser().parse("\n".join(lines)):
        if token.level or token.map is None or token.nesting < 0:
            continue
        first, end = token.map
        inside = any(still_open.values())
        if token.type == "html_block":
            _blanked("\n".join(lines[first:end]), still_open, code=False)
        elif token.type in ("paragraph_open", "heading_open"):
            texts = _blanked("\n".join(lines[first:end]), still_open, code=True).split("\n")
            place = Place.PARAGRAPH if token.type == "paragraph_open" else Place.HEADING
            if not inside and not _has_number_signs(token):
                yield from (TypedLine(first + n, first, text, place) for n, text in enumerate(texts))
        elif token.type in ("blockquote_open", "bullet_list_open", "ordered_list_open") and not inside:
            yield from (TypedLine(n, first, lines[n], Place.CONTINUED) for n in range(first, end))


def _has_number_signs(token: Token) -> bool:
    return token.type == "heading_open" and token.markup.startswith("#")


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    """A parser of blocks alone, with the tables of https://github.github.com/gfm/#tables-extension-."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.at("blockquote", _quote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    return parser


def _quote(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - called so by the parser
    """A rule for quotes that finds where one ends and leaves its content alone.

    The parser's own rule reads on to the end of the text for every quote, which costs quadratic time. Where only the
    content could tell whether the quote goes on without its sign, it is taken to: a hint is better than a command
    that was quoted.
    """
    if state.is_code_block(first) or not _line(state, first).startswith(">"):
        return False
    if silent:
        return True
    line, open_text = first, False
    while line < end and not state.isEmpty(line):
        if _line(state, line).startswith(">") and state.sCount[line] >= state.blkIndent:
            open_text = not _NO_TEXT.fullmatch(_line(state, line))
        elif not open_text or _starts_block(state, line, end):
            break
        line += 1
    token = state.push("blockquote_open", "blockquote", 1)
    token.map = [first, line]
    state.push("blockquote_close", "blockquote", -1)
    state.line = line
    return True


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _starts_block(state: StateBlock, line: int, end: int) -> bool:
    return any(rule(state, line, end, True) for rule in state.md.block.ruler.getRules("blockquote"))


def _blanked(text: str, still_open: Counter[str], *, code: bool) -> str:
    """The text with spaces for code spans (where ``code``), tags and HTML comments; counts what stays open."""
    closers = _closers(text) if code else {}
    kept, at = [], 0
    while found := _SPECIAL.search(text, at):
        kept.append(text[at : found.start()])
        end = _end(text, found, closers, still_open)
        piece = text[found.start() : end]
        is_text = piece == found[0]
        kept.append(piece if is_text else re.sub(r"[^\n]", " ", piece))
        at = end
    return "".join([*kept, text[at:]])


def _end(text: str, found: re.Match[str], closers: dict[int, list[int]], still_open: Counter[str]) -> int:
    """Where what begins at ``found`` ends; right behind it when it is only text."""
    match found[0][:2]:
        case "<!":
            end = _comment_ends(text, closers, found.end())
            return end if end >= 0 else found.end()
        case tag if tag[0] == "<":
            element = _TAG.match(text, found.start())
            if element is None:
                return found.end()
            _count(element, still_open)
            return element.end()
        case ticks if ticks[0] == "`":
            length = len(found[0])
            starts = closers.get(length, [])
            after = bisect_left(starts, found.end())
            return starts[after] + length if after < len(starts) else found.end()
        case _:
            return found.end()


def _comment_ends(text: str, closers: dict[int, list[int]], start: int) -> int:
    """Behind the end of the comment, -1 if it has none; key 0 keeps that, so that it is looked for once."""
    if 0 in closers:
        return -1
    end = text.find("-->", start - 2)
    if end < 0:
        closers[0] = []
        return -1
    return end + len("-->")


def _count(element: re.Match[str], still_open: Counter[str]) -> None:
    name = element["name"].lower()
    if name not in _HOLDS_MORE:
        return
    if element["close"]:
        still_open[name] = max(0, still_open[name] - 1)
    else:
        still_open[name] += 1


def _closers(text: str) -> dict[int, list[int]]:
    """Where runs of backticks start, by their length: a code span ends at one as long as the one it began with."""
    found: dict[int, list[int]] = {}
    for run in _TICKS.finditer(text):
        found.setdefault(len(run[0]), []).append(run.start())
    return found
