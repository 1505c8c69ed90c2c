"""GitHub-flavoured Markdown as HTML that is safe to show, whatever was written.

https://github.github.com/gfm/, with comments' line breaks, alerts, and suggested changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from gitclaw_py.hub.raw_html import allowed, balanced

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

_URL = re.compile(r"(?<![\w/])https?://[^\s<>]+")
_SCHEME = re.compile(r"[^/?#:]*:")
_SCHEMES = frozenset({"http:", "https:", "mailto:"})
_SURROGATE = re.compile("[\ud800-\udfff]")
_LANGUAGE = re.compile(r"[A-Za-z0-9+#.-]{1,30}")
_REPLACED = "replaced"
_HIGHEST = 3
"""A comment's headings stand below the page's title and the comment's own heading."""


def render(text: str, replaced: Sequence[str] = ()) -> str:
    """The HTML of a comment: only known tags, all closed, no script, no style, no image, links to the web alone.

    ``replaced`` are the lines that its suggestions would replace.
    """
    return balanced(_parser().render(_SURROGATE.sub("\ufffd", text), {_REPLACED: list(replaced)}))


def fenced(text: str, word: str) -> list[str]:
    """What stands in the fenced code blocks of a comment whose first word is ``word``, each line with its end."""
    tokens = _parser().parse(_SURROGATE.sub("\ufffd", text))
    return [token.content for token in tokens if token.type == "fence" and _language(token) == word]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("gfm-like2", {"linkify": False, "breaks": True, "xhtmlOut": False})
    parser.disable("linkify")
    parser.core.ruler.push("tidy", _tidy)
    for name, rule in _RULES.items():
        parser.add_render_rule(name, _bound(rule))
    return parser


def _bound(rule: Callable[[Token], str]) -> Callable[..., str]:
    def render_token(_: object, tokens: Sequence[Token], index: int, *_rest: object) -> str:
        return rule(tokens[index])

    return render_token


# What the parser found, made ours


def _tidy(state: StateCore) -> None:
    for token in state.tokens:
        match token.type:
            case "heading_open" | "heading_close":
                token.attrs = {"class": token.tag} if token.nesting > 0 else {}
                token.tag = f"h{max(_HIGHEST, int(token.tag[1:]))}"
            case "th_open" | "td_open":
                style = str(token.attrs.pop("style", ""))
                token.attrs |= {"class": style.removeprefix("text-align:")} if style else {}
            case "fence":
                token.meta = {_REPLACED: state.env.get(_REPLACED, [])}
            case "inline":
                token.children = list(_with_urls(list(_with_safe_links(token.children or [])), state.md))
            case _:
                pass


def _with_safe_links(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens without links to what is not the web; their text stays. Images know whether they are in a link."""
    inside, dropped = False, False
    for token in tokens:
        match token.type:
            case "link_open":
                dropped = not _is_safe(str(token.attrs["href"]))
                inside = not dropped
                token.attrs = {"href": token.attrs["href"], "rel": "nofollow noopener noreferrer"}
            case "image":
                token.meta = {"linked": not inside and _is_safe(str(token.attrs["src"]))}
            case _:
                pass
        if not (dropped and token.type in {"link_open", "link_close"}):
            yield token
        inside = inside and token.type != "link_close"


def _is_safe(address: str) -> bool:
    scheme = _SCHEME.match(address)
    return scheme is None or scheme[0].lower() in _SCHEMES


def _with_urls(tokens: Sequence[Token], parser: MarkdownIt) -> Iterator[Token]:
    """The tokens with addresses in plain text as links. https://github.github.com/gfm/#autolinks-extension-."""
    inside = False
    for token in tokens:
        inside = token.type == "link_open" or (inside and token.type != "link_close")
        if token.type == "text" and not inside and "://" in token.content:
            yield from _split(token.content, parser)
        else:
            yield token


def _split(text: str, parser: MarkdownIt) -> Iterator[Token]:
    from markdown_it.token import Token

    end = 0
    for found in _URL.finditer(text):
        address = _without_tail(found[0])
        attributes: dict[str, str | int | float] = {
            "href": parser.normalizeLink(address),
            "rel": "nofollow noopener noreferrer",
        }
        yield Token("text", "", 0, content=text[end : found.start()])
        yield Token("link_open", "a", 1, attrs=attributes)
        yield Token("text", "", 0, content=address)
        yield Token("link_close", "a", -1)
        end = found.start() + len(address)
    yield Token("text", "", 0, content=text[end:])


def _without_tail(address: str) -> str:
    """The address without the punctuation of the sentence it stands in, and without a bracket it did not open."""
    surplus = address.count(")") - address.count("(")
    end = len(address)
    while address[end - 1] in "?!.,:;*_~'\"" or (address[end - 1] == ")" and surplus > 0):
        surplus -= address[end - 1] == ")"
        end -= 1
    return address[:end]


# What is written for a token


def _html(token: Token) -> str:
    return allowed(token.content)


def _language(token: Token) -> str:
    return token.info.strip().partition(" ")[0]


def _fence(token: Token) -> str:
    language = _language(token)
    if language == "suggestion":
        return _suggestion(token.content, token.meta[_REPLACED])
    if language == "diff":
        return _code("".join(map(_diff_line, _lines(token.content))), "diff")
    known = _LANGUAGE.fullmatch(language)
    return _code(escape(token.content), f"language-{language}" if known else "")


def _code(html: str, kind: str) -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<div class="code"><pre><code{named}>{html}</code></pre></div>\n'


def _lines(content: str) -> list[str]:
    """The lines with their ends; other characters that some call a line's end are part of a line."""
    return re.findall(r"[^\n]*\n|[^\n]+", content)


def _diff_line(line: str) -> str:
    kind = {"+": "added", "-": "removed", "@": "place"}.get(line[:1])
    return f'<span class="{kind}">{escape(line)}</span>' if kind else f"<span>{escape(line)}</span>"


def _suggestion(content: str, replaced: Sequence[str]) -> str:
    title = '<p class="suggestion-title">Suggested change</p>'
    if not content and not replaced:
        return f'<div class="suggestion">{title}<p class="suggestion-empty">Delete these lines.</p></div>\n'
    old = (_changed_line("removed", "-", f"{line}\n") for line in replaced)
    new = (_changed_line("added", "+", line) for line in _lines(content))
    return f'<div class="suggestion">{title}{_code("".join((*old, *new)), "diff")}</div>\n'


def _changed_line(kind: str, sign: str, line: str) -> str:
    return f'<span class="{kind}"><span class="sign">{sign}</span>{escape(line)}</span>'


def _image(token: Token) -> str:
    """The words for the picture, as a link to it: the page itself asks nobody for anything."""
    words = escape(f"Image: {_words(token.children or []).strip() or 'no description'}")
    if not token.meta["linked"]:
        return words
    address = escape(str(token.attrs["src"]))
    return f'<a class="image" href="{address}" rel="nofollow noopener noreferrer">{words}</a>'


def _words(tokens: Sequence[Token]) -> str:
    return "".join(" " if token.type == "softbreak" else token.content for token in tokens)


def _item(token: Token) -> str:
    if "checked" not in token.meta:
        return "<li>"
    done = token.meta["checked"]
    label = "Done" if done else "To do"
    return f'<li class="task"><input type="checkbox" disabled{" checked" if done else ""} aria-label="{label}"> '


_RULES: dict[str, Callable[[Token], str]] = {
    "html_block": _html,
    "html_inline": _html,
    "fence": _fence,
    "code_block": lambda token: _code(escape(token.content), ""),
    "image": _image,
    "list_item_open": _item,
    "table_open": lambda _: '<div class="table"><table>\n',
    "table_close": lambda _: "</table></div>\n",
}
