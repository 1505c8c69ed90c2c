"""What a comment looks like: as on GitHub, and never more than that."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.hub.markdown import render

_ATTRIBUTES: dict[str, set[str]] = {
    "a": {"href", "rel", "class", "title"},
    "code": {"class"},
    "details": {"open"},
    "div": {"class"},
    "input": {"type", "disabled", "checked", "aria-label"},
    "li": {"class"},
    "ol": {"start", "class"},
    "p": {"class"},
    "span": {"class"},
    "td": {"class"},
    "th": {"class"},
    "ul": {"class"},
    **{f"h{level}": {"class"} for level in range(3, 7)},
}
_BARE = {"blockquote", "br", "em", "hr", "kbd", "pre", "s", "strong", "sub", "summary"}
_BARE |= {"table", "tbody", "thead", "tr"}
_VOID = {"br", "hr", "input"}


class Reader(HTMLParser):
    """Reads HTML and fails at the first thing that a comment may not hold."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.fenced = ""
        self.feed(html)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _BARE | set(_ATTRIBUTES), tag
        assert {name for name, _ in attrs} <= _ATTRIBUTES.get(tag, set()), attrs
        self.links += [value or "" for name, value in attrs if name == "href"]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if "pre" in self.open:
            self.fenced += data

    def handle_comment(self, data: str) -> None:
        pytest.fail(f"a comment came out: {data}")

    def handle_decl(self, decl: str) -> None:
        pytest.fail(f"a declaration came out: {decl}")

    def handle_pi(self, data: str) -> None:
        pytest.fail(f"an instruction came out: {data}")

    def unknown_decl(self, data: str) -> None:
        pytest.fail(f"a section came out: {data}")


def test_a_newline_is_a_line_break_as_in_github_s_comments() -> None:
    assert render("one\ntwo") == "<p>one<br>\ntwo</p>\n"


def test_headings_stand_below_the_comment_s_own_and_keep_their_looks() -> None:
    assert render("# One") == '<h3 class="h1">One</h3>\n'
    assert render("#### Four") == '<h4 class="h4">Four</h4>\n'


def test_table_cells_are_aligned_without_inline_style() -> None:
    html = render("| # | File |\n|--:|:--|\n| 1 | `a.py` |")
    assert '<td class="right">1</td>\n<td class="left"><code>a.py</code></td>' in html
    assert "style" not in html


def test_tasks_are_boxes_that_nobody_can_tick() -> None:
    html = render("- [x] read\n- [ ] write")
    assert '<input type="checkbox" disabled checked aria-label="Done"> read' in html
    assert '<input type="checkbox" disabled aria-label="To do"> write' in html


def test_alerts_and_struck_out_text() -> None:
    html = render("> [!IMPORTANT]\n> Press ~~no~~ button")
    assert '<p class="markdown-alert-title">Important</p>\n<p>Press <s>no</s> button</p>' in html


def test_lines_of_a_diff_carry_their_sign_as_text() -> None:
    html = render("```diff\n@@ -1 +1 @@\n-a < b\n+b\n c\n```")
    assert '<span class="place">@@ -1 +1 @@\n</span><span class="removed">-a &lt; b\n</span>' in html
    assert '<span class="added">+b\n</span><span> c\n</span>' in html


def test_only_a_newline_ends_a_line_of_a_diff() -> None:
    assert '<span class="added">+a\x0cb\u2028c\n</span>' in render("```diff\n+a\x0cb\u2028c\n```")


def test_a_suggestion_is_a_box_with_the_new_lines() -> None:
    html = render("```suggestion\nx = 1\n```")
    assert '<p class="suggestion-title">Suggested change</p>' in html
    assert '<span class="added"><span class="sign">+</span>x = 1\n</span>' in html
    assert "Delete these lines." in render("```suggestion\n```")


def test_details_fold_and_what_is_in_their_summary_is_text() -> None:
    html = render('<details open class="x"><summary>1 · a &amp; b</summary>\n\n**bold**\n</details>')
    assert html == "<details open><summary>1 · a &amp; b</summary>\n<p><strong>bold</strong></p>\n</details>"


def test_details_may_start_in_a_paragraph() -> None:
    html = render("see <details><summary>more</summary>\n\ntext\n\n</details>\n\nafter")
    assert html.startswith("<p>see </p><details><summary>more</summary>")
    assert html.endswith("<p>text</p>\n</details>\n<p>after</p>\n")


def test_a_marker_is_not_seen() -> None:
    assert render("Done.\n<!-- gitclaw:1 undo -->") == "<p>Done.</p>\n"
    assert render("a <!-- b --> c") == "<p>a  c</p>\n"
    assert render("a\n\n<!-- never closed\n\nb") == "<p>a</p>\n"


def test_other_tags_are_text() -> None:
    assert render("a <b>c</b>") == "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n"
    assert render("<script>\nalert(1)\n</script>") == "&lt;script&gt;\nalert(1)\n&lt;/script&gt;"


def test_mentions_and_numbers_stay_text() -> None:
    assert render("@mona see #5") == "<p>@mona see #5</p>\n"


@pytest.mark.parametrize(
    ("text", "address", "rest"),
    [
        ("see https://a.example/b.", "https://a.example/b", "."),
        ("(https://a.example/b_(c))", "https://a.example/b_(c)", ")"),
        ("https://a.example/?a=1&b=2", "https://a.example/?a=1&b=2", ""),
    ],
)
def test_an_address_in_the_text_is_a_link_without_the_sentence_around_it(text: str, address: str, rest: str) -> None:
    html = render(text)
    assert Reader(html).links == [address]
    assert html.endswith(f"</a>{rest}</p>\n")


def test_an_address_in_code_or_in_a_link_is_left_alone() -> None:
    assert "<a" not in render("`https://a.example`")
    assert Reader(render("[https://a.example](https://b.example)")).links == ["https://b.example"]


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "java&#115;cript:alert(1)",
        "vbscript:x",
        "data:text/html,x",
        "data:image/png;base64,x",
        "file:///etc/passwd",
        "x-unknown:y",
    ],
)
def test_links_to_what_is_not_the_web_are_no_links(address: str) -> None:
    texts = (f"[a]({address})", f"![a]({address})", f"<{address}>", f"[a]\n\n[a]: {address}")
    assert [Reader(render(text)).links for text in texts] == [[], [], [], []]


def test_links_within_the_page_and_the_site_stay() -> None:
    assert Reader(render("[a](#b) [c](/d) [e](mailto:f@g.example)")).links == ["#b", "/d", "mailto:f@g.example"]


def test_a_picture_is_its_words_and_a_link() -> None:
    html = render("![Flow *chart*](https://a.example/x.png)")
    assert ">Image: Flow chart</a>" in html
    assert render("![](https://a.example/x.png)").count("Image: no description") == 1


def test_a_picture_in_a_link_is_its_words() -> None:
    assert Reader(render("[![badge](https://a.example/x.svg)](https://b.example)")).links == ["https://b.example"]


def test_what_is_in_a_fence_stays_in_it() -> None:
    inner = "</code></pre><script>alert(1)</script>\n``` \n</details>\n<!-- x -->\n+ <img src=x onerror=alert(1)>\n"
    for language in ("", "diff", 'x"onload="y'):
        assert Reader(render(f"````{language}\n{inner}````\n\nafter")).fenced == inner
    suggested = Reader(render(f"````suggestion\n{inner}````\n\nafter")).fenced
    assert suggested == "".join(f"+{line}\n" for line in inner.splitlines())


def test_an_open_tag_ends_with_the_comment() -> None:
    assert render("<sub>a") == "<p><sub>a</sub></p>\n"
    assert render("a</sub></details>") == "<p>a</p>\n"


def test_a_closing_tag_does_not_reach_out_of_a_list() -> None:
    html = render("<details><summary>s</summary>\n\n- a </details> b\n\nc\n\n</details>")
    assert "<li>a  b</li>\n</ul>\n<p>c</p>\n</details>" in html


def test_tags_nest_only_so_deep() -> None:
    assert render("<sub>" * 1000 + "x").count("<sub>") < 30


HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<details ontoggle=alert(1) open>x",
    '<details open="" onclick="alert(1)"><summary onmouseover=alert(1)>x',
    "<kbd style=position:fixed>x",
    "<a href=javascript:alert(1)>x</a>",
    "<iframe src=//evil.example></iframe>",
    "<base href=//evil.example>",
    "<meta http-equiv=refresh content=0>",
    "<form action=//evil.example><button>x</button></form>",
    "<style>@import '//evil.example'</style>",
    "<textarea><script>alert(1)</script>",
    "<!--><script>alert(1)</script>-->",
    "<!---><img src=x onerror=alert(1)>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php <script>alert(1)</script> ?>",
    "<!DOCTYPE x [<script>]>",
    "<br/onload=alert(1)>",
    "<sub\n\tonclick=alert(1)\n>x",
    "<SCRIPT>alert(1)</SCRIPT>",
    "<scr<script>ipt>alert(1)</script>",
    '[a](https://x.example "\\" onclick=alert(1)")',
    "![a\" onerror=alert(1)](https://x.example/'onerror=alert(1))",
    '`````"><script>alert(1)</script>\nx',
    "| <script> |\n|--|\n| </td></table><script>alert(1)</script> |",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;img src=x&#62;",
    '<https://x.example/"onclick="alert(1)>',
    'https://x.example/"onclick="alert(1)//<script>',
    "</div></article></main><h1>x",
    "</pre></code>",
    "\x00<script\x00>",
    "\ud800<b>",
)
_PIECES = st.sampled_from(
    [
        *HOSTILE,
        *(f"<{tag}>" for tag in ("details", "summary", "sub", "kbd", "br", "script", "p", "div", "table")),
        *(f"</{tag}>" for tag in ("details", "summary", "sub", "kbd", "br", "script", "p", "div", "table")),
        *("\n", "\n\n", "> ", "- ", "1. ", "# ", "```diff\n", "```suggestion\n", "```\n", "    ", "|", "|--|\n"),
        *("*", "**", "~~", "`", "[", "](", ")", "![", "<!--", "-->", "<", ">", '"', "'", "&", "&amp;", "\\"),
        *("https://x.example/", "http://[", "javascript:", "[x]: ", "[ ] ", "[!NOTE]\n", "a", "é", "\t", " "),
    ]
)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_does_nothing(text: str) -> None:
    Reader(render(text))


@given(st.lists(_PIECES, max_size=30).map("".join))
def test_nothing_but_known_tags_comes_out_and_every_one_is_closed(text: str) -> None:
    links = Reader(render(text)).links
    assert all(":" not in link.partition("/")[0] or link.startswith(("http", "mailto:")) for link in links)


@given(st.text())
def test_any_text_can_be_shown(text: str) -> None:
    Reader(render(text)).text.encode()


@given(st.lists(_PIECES, max_size=20).map("".join).filter(lambda text: "`" not in text and "\x00" not in text))
def test_what_is_fenced_is_shown_letter_by_letter(text: str) -> None:
    text = text.replace("\ud800", "") + "\n"
    read = Reader(render(f"```\n{text}```\n"))
    assert read.fenced == read.text.removesuffix("\n") == text
