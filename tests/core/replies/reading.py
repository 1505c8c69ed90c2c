"""Reading a comment as a forge does: what in it would act?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from gitclaw_py.core.replies import marker
from gitclaw_py.core.replies.fitting import LIMIT
from tests.core.replies.scenes import LINKS

_PARSER = MarkdownIt("commonmark").enable("table")
_OUR_HTML = re.compile(r"</?(?:details|summary|sub|code)>")
_ACTING = re.compile(r"@|#[0-9]|://|www\.|(?<![A-Za-z0-9])gh-[0-9]|:[a-z0-9_+-]+:", re.IGNORECASE)


def tokens(body: str) -> list[Token]:
    return _PARSER.parse(body)


def fences(body: str) -> list[list[str]]:
    """The lines of each code block."""
    return [token.content.removesuffix("\n").split("\n") for token in tokens(body) if token.type == "fence"]


def plain_text(body: str) -> Iterator[str]:
    """The text of each paragraph, heading and cell, without what is code."""
    for token in tokens(body):
        if token.type == "inline":
            yield "".join(_text(child) for child in token.children or [])
        elif token.type == "html_block":
            yield _OUR_HTML.sub("", re.sub(r"<code>.*?</code>", "\0", token.content)).replace("&lt;", "<")


def _text(token: Token) -> str:
    return {"text": token.content, "softbreak": "\n"}.get(token.type, "\0")


def html(body: str) -> Iterator[str]:
    for token in tokens(body):
        if token.type == "html_block":
            yield token.content
        yield from (child.content for child in token.children or [] if child.type == "html_inline")


def check(bodies: Sequence[str], requester: str = "mona") -> None:
    """Every comment fits, is known again, and does nothing but notify the requester."""
    assert bodies
    for k, body in enumerate(bodies, 1):
        assert len(body.encode()) <= LIMIT
        found = marker.find(body)
        assert found is not None
        assert (found.part, found.parts) == (k, len(bodies))
        check_inert(body, requester)


def check_inert(body: str, requester: str) -> None:
    said = body.removesuffix(marker.write(marker.find(body) or marker.Marker("help", "x")))
    assert "<!--" not in "".join(html(said))
    for piece in html(said):
        summary = re.fullmatch(r"<details><summary>(?P<inside>.*)</summary>\n?", piece)
        assert "<" not in _OUR_HTML.sub("", summary["inside"] if summary else piece), piece
    assert body.count("\n<details><summary>") >= sum(piece.count("</details>") for piece in html(body))
    for text in plain_text(said):
        assert not _ACTING.search(re.sub(rf"@{re.escape(requester)}(?![\w-])", "", text)), text
    for token in tokens(said):
        for child in token.children or []:
            assert child.type != "image"
            if child.type == "link_open":
                assert str(child.attrs["href"]).startswith(f"{LINKS.server}/{LINKS.repository}/")
