"""The page as a document: what stands in it, and that nothing in it can be made up by a comment or a name."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

import gitclaw_py.hub
from gitclaw_py.hub.page import ASSETS, render
from gitclaw_py.hub.views import Entry, Happening, Reaction, ThreadView
from tests.hub_page.sample import BUSY, ISSUE, PULL


class Document(HTMLParser):
    """The tags of a page with their attributes, in order."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.mark.parametrize(("name", "view"), [("issue", ISSUE), ("busy", BUSY), ("pull", PULL)])
def test_the_page(name: str, view: ThreadView, golden_page: Callable[[str, bytes], None]) -> None:
    golden_page(name, render(view))


def test_nothing_is_inline_and_nothing_comes_from_elsewhere() -> None:
    page = Document(render(ISSUE))
    assert not page.all("style")
    assert [script.get("src") for script in page.all("script")] == [f"{ASSETS}page.js"]
    asked = [a["href"] or "" for a in page.all("link")]
    assert all(address.startswith(ASSETS) for address in asked)
    assert not [name for _, attributes in page.tags for name in attributes if name == "style" or name[:2] == "on"]
    assert not {tag for tag, _ in page.tags} & {"img", "iframe", "object", "embed", "video"}


def test_every_file_the_page_asks_for_is_there() -> None:
    page = Document(render(ISSUE))
    asked = [a["href"] or "" for a in page.all("link")] + [script["src"] or "" for script in page.all("script")]
    static = Path(gitclaw_py.hub.__file__).parent / "static"
    assert sorted(name.removeprefix(ASSETS) for name in asked) == sorted(path.name for path in static.iterdir())


def test_every_field_has_a_label_and_every_id_is_there_once() -> None:
    page = Document(render(ISSUE))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    labelled = {label["for"] for label in page.all("label")}
    assert {field["id"] for tag in ("textarea", "select") for field in page.all(tag)} <= labelled
    named = [a[name] for _, a in page.tags for name in ("aria-labelledby", "aria-describedby") if name in a]
    assert set(named) <= set(ids)


def test_the_form_carries_the_token_and_the_people() -> None:
    page = render(ISSUE).decode()
    assert '<input type="hidden" name="form_token" value="f0r&lt;m">' in page
    assert '<select id="as" name="as"><option>mona</option><option>octocat</option><option>newcomer</option>' in page


def test_a_comment_has_the_anchor_its_github_address_has() -> None:
    assert '<li class="entry" id="issuecomment-103">' in render(ISSUE).decode()


def test_in_a_locked_thread_without_people_there_is_no_box() -> None:
    page = render(PULL).decode()
    assert "This conversation is locked" in page
    assert "<form" not in page


def test_a_refused_comment_says_why_above_the_box() -> None:
    page = render(ISSUE._replace(notice="Not <now>")).decode()
    assert '<p class="notice" role="alert">Not &lt;now&gt;</p>' in page


def test_a_time_that_is_none_is_shown_as_it_is() -> None:
    page = render(ISSUE._replace(entries=(Entry(1, "a", "none", "late < noon", "x"),))).decode()
    assert "late &lt; noon</time>" in page


def test_a_happening_links_to_the_web_only() -> None:
    page = render(ISSUE._replace(entries=(Happening("", "x", "javascript:alert(1)"),))).decode()
    assert "javascript" not in page


_EVIL = "\"'><script>alert(1)</script><!--`</title></textarea>"


def test_no_value_of_a_view_can_write_markup() -> None:
    evil = ThreadView(
        repository=_EVIL,
        number=1,
        title=_EVIL,
        state=_EVIL,
        is_pull_request=True,
        branch_line=_EVIL,
        entries=(
            Entry(0, _EVIL, _EVIL, _EVIL, _EVIL, reactions=(Reaction(_EVIL, 1),)),
            Happening(_EVIL, _EVIL, "/" + _EVIL),
        ),
        people=(_EVIL,),
        form_token=_EVIL,
        labels=(_EVIL,),
        notice=_EVIL,
    )
    tame = evil._replace(
        repository="a/b",
        title="t",
        state="x",
        branch_line="b",
        entries=(Entry(0, "a", "r", "x", "b", reactions=(Reaction("r", 1),)), Happening("x", "h", "/x")),
        people=("p",),
        form_token="t",  # noqa: S106
        labels=("l",),
        notice="n",
    )
    written, expected = (Document(render(view)) for view in (evil, tame))
    assert [(tag, sorted(names)) for tag, names in written.tags] == [(t, sorted(names)) for t, names in expected.tags]
