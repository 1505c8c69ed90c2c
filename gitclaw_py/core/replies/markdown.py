"""Making text fit for a comment, so that nothing in it acts: no ping, no link, no image, no HTML, no broken fence.

A forge acts on plain text too: it notifies ``@name``, links ``#12`` (and closes it, after "fixes"), makes links of
addresses and pictures of ``:name:``. In a code span it does none of that.
https://docs.github.com/en/get-started/writing-on-github/getting-started-with-writing-and-formatting-on-github/basic-writing-and-formatting-syntax
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from gitclaw_py.core.visible import visible

LONGEST_REASON = 200
_RUN = re.compile("`+")
_ACTS = re.compile(
    r"@|#[0-9]|://|www\.|(?<![a-z0-9])gh-[0-9]|:[a-z0-9_+-]+:|(?<![a-z0-9])(?=[0-9]*[a-f])[0-9a-f]{7,64}(?![a-z0-9])",
    re.IGNORECASE,
)
"""What a forge acts on: a name, the number of an issue, an address, the name of a picture, the id of a commit."""
_BEFORE, _AFTER = "([{\"'*<", ").,;!?]}\"'*>"
"""Marks around a word that are not part of it."""
_WORD = re.compile(r"\S+")
_PLAIN = {ord(c): f"\\{c}" for c in "\\[]~_*"} | {
    ord("&"): "&amp;",
    ord("<"): "&lt;",
    ord(">"): "&gt;",
    ord("`"): "&#96;",
    ord("$"): "&#36;",
}
_LIVELY = {key: value for key, value in _PLAIN.items() if key != ord("*")} | {ord("|"): "\\|"}
"""In a quotation, stars make a word bold; that is all they can do. A table would cut code spans in two."""
_OPENING = re.compile(r"(?P<command>/[A-Za-z][\w-]*)|(?P<mark>[#+=-]+|[0-9]{1,9}(?=[.)]))")
_ITEM = re.compile(r"(?P<mark> {0,8}(?:[-*+]|[0-9]{1,9}[.)]) +)(?P<rest>.*)")
_HEADING = re.compile(r" {0,3}#{1,6} +(?P<text>.*)")
_FENCE = re.compile(r"\s*(?P<mark>`{3,}|~{3,})(?P<rest>.*)")
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})(?:\[bot\])?")


def code(text: str) -> str:
    """A code span with exactly this text, on one line."""
    text = visible(text.replace("\n", " ").replace("\t", " ")) or " "
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text.strip(" ") and (text[0] in "` " or text[-1] in "` ") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fence(lines: Iterable[str], language: str = "") -> str:
    """A code block of these lines; its fence is longer than any run of backticks in it."""
    text = "\n".join(lines)
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _RUN.findall(text)), default=0)


def clip(text: str, most: int) -> str:
    """At most that many characters, the last one an ellipsis where text is missing."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def clip_start(text: str, most: int) -> str:
    """As ``clip``, but the end is kept: of a path, that says most."""
    return text if len(text) <= most else "…" + text[len(text) - most + 1 :]


def prose(text: str, most: int = 1000) -> str:
    """Text from elsewhere as one line of plain text. Code spans in it stay code spans."""
    return _started(clip(visible(" ".join(text.split())), most), _PLAIN)


def worded(text: str, named: Iterable[str] = (), most: int = 1000) -> str:
    """As ``prose``, with what others named in it, in the order in which it stands there, as code.

    Where the text was shortened so that a name is not in it as a whole, all of it is code.
    """
    text = clip(visible(" ".join(text.split())), most)
    pieces, rest = list[str](), text
    for name in (visible(" ".join(name.split())) for name in named):
        before, found, rest = rest.partition(name) if name else ("", "", rest)
        if name and not found:
            return code(text)
        pieces += [inline(before) if pieces else _started(before, _PLAIN), code(found)] if found else []
    return _joined([*pieces, inline(rest) if pieces else _started(rest, _PLAIN)])


def cell(markdown: str) -> str:
    """Markdown for a cell of a table: pipes end a cell even inside code spans."""
    return markdown.replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table whose first column holds numbers."""
    lines = [_row(head), "|--:" + "|:--" * (len(head) - 1) + "|"]
    return lines + [_row(row) for row in rows]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(cell, cells)) + " |"


def link(text: str, url: str) -> str:
    """A link; ``text`` is Markdown."""
    from urllib.parse import quote

    return f"[{text}]({quote(url, safe=_IN_URL)})"


_IN_URL = "%/:=&?~#+!$,;'@"


def details(summary: str, *blocks: str) -> str:
    """Folded Markdown. ``summary`` is HTML: Markdown means nothing there.

    Without a blank line on both sides, the Markdown inside would be shown raw.
    """
    return "\n\n".join([f"<details><summary>{summary}</summary>", *blocks, "</details>"])


def html_code(text: str) -> str:
    """Text for a summary. Names in it ping as they do in Markdown, unless it is code."""
    return f"<code>{escape(visible(text), quote=False)}</code>"


def mention(login: str) -> str:
    """The one who asked, so that they are notified; a name that cannot be one stays code."""
    if not _LOGIN.fullmatch(login):
        return code(login)
    return code(login) if login.endswith("[bot]") else f"@{login}"


def quoted(text: str, room: int) -> str:
    """A person's Markdown as a quotation: lists, code and bold text stay, everything that acts is made plain.

    At most ``room`` bytes; what is left out is said.
    """
    text = text.strip().expandtabs(4)
    most = room - 100
    while True:
        lines = list(_cleaned(visible_lines(clip(text, most))))
        shortened = ["", f"(shortened: {len(text):,} characters in all)"] if len(text) > most else []
        quotation = "\n".join(f"> {line}".rstrip() for line in [*lines, *shortened])
        if len(quotation.encode("utf-8")) <= room:
            return quotation
        most = min(most, len(text)) * 2 // 3


def visible_lines(text: str) -> list[str]:
    """The lines of a text, each made visible; Windows line ends are line ends."""
    return [visible(line.removesuffix("\r")) for line in text.split("\n")]


def _cleaned(lines: Sequence[str]) -> Iterator[str]:
    rest = iter(lines)
    for line in rest:
        opened = _FENCE.fullmatch(line)
        if opened and "`" not in opened["rest"]:
            yield from fence(_inside(rest, opened["mark"])).split("\n")
        else:
            yield _line(line)


def _inside(rest: Iterator[str], mark: str) -> Iterator[str]:
    for line in rest:
        found = line.strip()
        if len(found) >= len(mark) and not found.strip(mark[0]):
            return
        yield line


def _line(line: str) -> str:
    if found := _HEADING.fullmatch(line):
        title = inline(found["text"].rstrip("# "), _PLAIN)
        return f"**{title}**" if title else ""
    if item := _ITEM.fullmatch(line):
        return item["mark"] + _started(item["rest"], _LIVELY)
    indent = line[: len(line) - len(line.lstrip(" "))]
    return indent + _started(line.lstrip(" "), _LIVELY)


def _started(text: str, table: dict[int, str]) -> str:
    """Inline text that begins a line, where marks begin a block and a slash a command of some bot."""
    found = _OPENING.match(text)
    if not found:
        return inline(text, table)
    if command := found["command"]:
        return _joined([code(command), inline(text[found.end() :], table)])
    mark = found["mark"]
    if mark.isdigit():
        return f"{mark}\\{text[found.end()]}" + inline(text[found.end() + 1 :], table)
    if _ACTS.search(text.split(maxsplit=1)[0]):
        return inline(text, table)
    return "\\" + mark[0] + inline(text[1:], table)


def inline(text: str, table: dict[int, str] = _PLAIN) -> str:
    """One line of text with code spans kept, and code spans made of what a forge would act on."""
    return _joined(
        code(_unpadded(piece)) if is_code else _WORD.sub(lambda word: _word(word[0], table), piece)
        for is_code, piece in _pieces(text)
    )


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """The text outside and inside of code spans by turns, in time that grows as the text does.

    A span goes from one run of backticks to the next one of the same length.
    https://spec.commonmark.org/0.31.2/#code-spans
    """
    runs = list(_RUN.finditer(text))
    closing: dict[int, int] = {}
    following: dict[int, int] = {}
    for k in range(len(runs) - 1, -1, -1):
        length = len(runs[k][0])
        if length in following:
            closing[k] = following[length]
        following[length] = k
    position = k = 0
    while k < len(runs):
        if k in closing:
            yield False, text[position : runs[k].start()]
            yield True, text[runs[k].end() : runs[closing[k]].start()]
            position, k = runs[closing[k]].end(), closing[k]
        k += 1
    yield False, text[position:]


def _word(word: str, table: dict[int, str]) -> str:
    core = word.lstrip(_BEFORE)
    before = word[: len(word) - len(core)]
    core = core.rstrip(_AFTER)
    if not _ACTS.search(core):
        return word.translate(table)
    after = word[len(before) + len(core) :]
    return before.translate(table) + code(core) + after.translate(table)


def _joined(pieces: Iterable[str]) -> str:
    """The pieces; two code spans side by side would be one run of backticks."""
    text = ""
    for piece in pieces:
        text += f" {piece}" if text.endswith("`") and piece.startswith("`") else piece
    return text


def _unpadded(text: str) -> str:
    padded = text.startswith(" ") and text.endswith(" ") and text.strip(" ")
    return text[1:-1] if padded else text
