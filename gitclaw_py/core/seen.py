"""Markdown as a person sees it: what a page hides is cut out, and counted. The rest stays as it was typed.

Hidden are HTML comments, the attributes of tags, pictures with their texts, the titles of links, definitions of links,
entities that are written for what shows as nothing, and characters that do not show. In code nothing is hidden but
such characters. https://github.github.com/gfm/
"""

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from gitclaw_py.core.visible import is_hidden

_FENCE = re.compile(r" {0,3}(?:> ?)*(?P<mark>`{3,}(?=[^`]*$)|~{3,})")
_DEFINITION = re.compile(r" {0,3}\[[^\[\]]{1,1000}\]:.*")
_TARGET = r"\(\s{0,20}(?:<[^<>\n]{0,2000}>|[^\s()<>]{0,2000})(?:\s{1,20}(?:\"[^\"]{0,4000}\"|'[^']{0,4000}'|\([^()]{0,4000}\)))?\s{0,20}\)"  # noqa: E501
_MARKUP = re.compile(
    r"(?P<escaped>\\[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`+)"
    r"|(?P<comment><!--(?:>|->)?(?:.*?(?:-->|\Z))?|<\?.*?(?:\?>|\Z)|<![A-Za-z][^>]*>?)"
    r"|<(?P<close>/?)(?P<tag>[A-Za-z][A-Za-z0-9-]{0,40})(?P<attributes>(?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+)>"
    rf"|(?P<picture>!\[(?:[^\[\]\\]|\\.|\[[^\[\]]{{0,1000}}\]){{0,2000}}\](?:{_TARGET}|\[[^\[\]]{{0,1000}}\])?)"
    rf"|(?<=\])(?P<target>{_TARGET})"
    r"|(?P<entity>&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)",
    re.DOTALL,
)
_TITLE = re.compile(r"\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\))\s*\)\Z")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9-]*(?:://|@)")
_JOINS, _VARIANT = "\u200d", "\ufe0f"
"""Parts of one picture character, which people type without knowing."""


class Seen(NamedTuple):
    """What a person sees, and how many hidden items were cut out."""

    text: str
    hidden: int


def seen(markdown: str) -> Seen:
    """What a person sees of a text, and what was cut out of it."""
    counter = _Counter()
    text = "\n".join(_blocks(markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n"), counter))
    return Seen(_without_characters(text, counter), counter.items)


class _Counter:
    def __init__(self) -> None:
        self.items = 0


def _blocks(lines: list[str], counter: _Counter) -> Iterator[str]:
    """The lines of code as they are, all others as prose, together as far as they are."""
    prose: list[str] = []
    mark = ""
    for line in lines:
        opened = _FENCE.match(line)
        if mark:
            yield line
            mark = "" if _closes(line, mark) else mark
        elif opened and "<!--" not in "\n".join(prose).rpartition("-->")[2]:
            yield from _prose(prose, counter)
            prose, mark = [], opened["mark"]
            yield line
        else:
            prose.append(line)
    yield from _prose(prose, counter)


def _closes(line: str, mark: str) -> bool:
    found = line.lstrip("> ").rstrip()
    return len(found) >= len(mark) and not found.strip(mark[0])


def _prose(lines: list[str], counter: _Counter) -> Iterator[str]:
    kept = []
    for line in lines:
        if _DEFINITION.fullmatch(line):
            counter.items += 1
        else:
            kept.append(line)
    if kept:
        yield _inline("\n".join(kept), counter)


def _inline(text: str, counter: _Counter) -> str:
    pieces: list[str] = []
    at = 0
    closing = _closings(text)
    while found := _MARKUP.search(text, at):
        pieces.append(text[at : found.start()])
        at = found.end()
        if found["ticks"] and found.start() in closing:
            at = closing[found.start()]
            pieces.append(text[found.start() : at])
        else:
            pieces.append(_shown(found, counter))
    pieces.append(text[at:])
    return "".join(pieces)


def _closings(text: str) -> dict[int, int]:
    """Where each code span that begins at a run of backticks ends, in time that grows as the text does."""
    following: dict[int, int] = {}
    ends: dict[int, int] = {}
    for run in reversed(list(re.finditer("`+", text))):
        length = len(run[0])
        if length in following:
            ends[run.start()] = following[length]
        following[length] = run.end()
    return ends


def _shown(found: re.Match[str], counter: _Counter) -> str:
    whole = found[0]
    match found.lastgroup:
        case "comment":
            counter.items += 1
            return ""
        case "attributes":
            return _tag(found, counter)
        case "picture":
            counter.items += bool(re.match(r"!\[\s*[^\s\]]", whole)) or bool(_TITLE.search(whole))
            return "[picture]"
        case "target":
            counter.items += bool(_TITLE.search(whole))
            return _TITLE.sub(")", whole)
        case "entity":
            return html.unescape(whole)
        case _:
            return whole


def _tag(found: re.Match[str], counter: _Counter) -> str:
    """A tag shows nothing but what stands between it and its end; an address in angles is a link to itself."""
    if _ADDRESS.match(found["tag"] + found["attributes"]):
        return found[0]
    counter.items += bool(found["attributes"].strip(" /\n\t"))
    return "[picture]" if found["tag"].lower() == "img" else ""


def _without_characters(text: str, counter: _Counter) -> str:
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    pieces: list[str] = []
    in_run = False
    for at, character in enumerate(text):
        hides = character != "\n" and is_hidden(character)
        if hides and not in_run and not (at and character in (_JOINS, _VARIANT) and text[at - 1] > "\u2190"):
            counter.items += 1
        in_run = hides
        if not hides:
            pieces.append(character)
    return "".join(pieces)
