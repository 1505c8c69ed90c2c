"""The page in a browser: what a person can do with it, and what it must not do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from gitclaw_py.hub.views import Entry, ThreadView
from tests.hub_page.sample import BUSY, ISSUE, PULL
from tests.hub_page.serving import Site
from tests.hub_page.test_markdown import HOSTILE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    """The sample thread, opened. At the end nothing was complained about, and nobody else was asked."""
    context = browser.new_context(viewport={"width": 1000, "height": 800})
    context.set_default_timeout(5000)
    page = context.new_page()
    complaints: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(site.url)
    yield page
    context.close()
    assert not complaints
    assert asked
    assert [url for url in asked if not url.startswith(site.origin)] == []


def test_a_comment_is_sent_as_the_chosen_person(page: Page, site: Site) -> None:
    page.get_by_label("Comment, in Markdown").fill("Fine.\n\n/apply 1,3")
    page.get_by_label("Comment as").select_option("octocat")
    with page.expect_navigation():
        page.get_by_role("button", name="Comment").click()
    assert site.sent == [{"form_token": ["f0r<m"], "body": ["Fine.\r\n\r\n/apply 1,3"], "as": ["octocat"]}]
    assert page.url == site.url
    assert page.get_by_label("Comment as").input_value() == "octocat"


def test_control_and_enter_send_it_too(page: Page, site: Site) -> None:
    page.get_by_label("Comment, in Markdown").fill("/undo")
    with page.expect_navigation():
        page.get_by_label("Comment, in Markdown").press("Control+Enter")
    assert [form["body"] for form in site.sent] == [["/undo"]]


def test_an_empty_comment_is_not_sent(page: Page, site: Site) -> None:
    page.get_by_label("Comment, in Markdown").press("Control+Enter")
    assert site.sent == []


def test_a_command_can_be_pressed_instead_of_typed(page: Page) -> None:
    box = page.get_by_label("Comment, in Markdown")
    box.fill("Thanks")
    page.get_by_role("button", name="/apply 1,3").click()
    page.get_by_role("button", name="/reject 2").click()
    assert box.input_value() == "Thanks\n/apply 1,3\n/reject 2 "


def test_details_unfold(page: Page) -> None:
    folded = page.get_by_text("+def render(rows, kind):")
    assert not folded.is_visible()
    page.get_by_text("2 · src/formats.py · new file, 41 lines").click()
    assert folded.is_visible()


def test_code_is_copied_as_it_is(page: Page, site: Site) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    site.view = PULL
    page.goto(site.url)
    page.locator(".code").hover()
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == '    if row is None:\n        return ""\n'


@pytest.mark.parametrize("view", [BUSY, PULL], ids=["issue", "pull"])
def test_nothing_is_wider_than_a_small_phone(page: Page, site: Site, view: ThreadView) -> None:
    long = view._replace(title="x" * 300, repository=f"{'o' * 39}/{'r' * 100}", labels=("l" * 50,))
    site.view = long._replace(entries=(*view.entries, Entry(200, "m" * 39, "maintain", "", "y" * 500, edited=True)))
    page.set_viewport_size({"width": 320, "height": 600})
    page.goto(site.url)
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_while_a_run_is_at_work_its_answer_appears_and_what_is_typed_stays(page: Page, site: Site) -> None:
    site.view = BUSY
    page.goto(site.url)
    page.get_by_text("2 · src/formats.py · new file, 41 lines").click()
    page.get_by_text("1 · src/report.py · edit, 3 hunks").click()
    box = page.get_by_label("Comment, in Markdown")
    box.fill("half a sent")
    edited = BUSY.entries[2]
    assert isinstance(edited, Entry)
    entries = (*BUSY.entries[:2], edited._replace(body="Step 7 now."), *BUSY.entries[3:])
    site.view = ISSUE._replace(entries=(*entries, Entry(300, "gitclaw[bot]", "bot", "2026-11-27T10:00:00Z", "Done.")))
    page.locator("#issuecomment-300").wait_for()
    assert page.get_by_text("Step 7 now.").is_visible()
    assert page.get_by_text("Finished in 1 min 52 s").count() == 0
    assert page.get_by_role("status").filter(has_text="New comment by gitclaw").count() == 1
    assert page.get_by_text("A run is at work").count() == 0
    assert page.get_by_text("7 comments").is_visible()
    assert box.input_value() == "half a sent"
    assert box.evaluate("(box) => box === document.activeElement")
    assert page.get_by_text("+def render(rows, kind):").is_visible()
    assert not page.get_by_text("+from .formats import render").is_visible()


def test_when_nothing_is_at_work_the_page_is_quiet(page: Page, site: Site) -> None:
    page.wait_for_timeout(100)
    asked = len(site.asked)
    page.clock.install()
    page.goto(site.url)
    page.clock.run_for(60_000)
    assert len([path for path in site.asked[asked:] if "static" not in path]) == 1


def test_times_say_how_long_ago_and_keep_the_full_one(page: Page, site: Site) -> None:
    page.clock.install(time="2026-11-27T11:05:00Z")
    page.goto(site.url)
    time = page.locator("#issuecomment-104 time")
    assert time.text_content() == "2 hours ago"
    assert time.get_attribute("title") == "on 27 Nov 2026, 09:05 UTC"


def test_a_long_line_can_be_reached_by_keyboard(page: Page) -> None:
    lines = page.locator("#issuecomment-103 pre[tabindex='0']")
    assert lines.count() == 0
    page.set_viewport_size({"width": 500, "height": 600})
    lines.first.wait_for()
    lines.first.focus()
    page.keyboard.press("ArrowRight")
    # Not by wait_for_function: what it evaluates again and again, the page's own policy forbids.
    for _ in range(100):
        if page.evaluate("document.activeElement.scrollLeft") > 0:
            return
        page.wait_for_timeout(50)
    pytest.fail("the line did not move")


def test_hostile_comments_run_nothing_and_stay_in_their_place(page: Page, site: Site) -> None:
    entries = tuple(Entry(at, "eve", "none", "", text) for at, text in enumerate(HOSTILE, 1))
    site.view = ISSUE._replace(entries=entries)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(site.url)
    strange = page.evaluate(
        "[...document.querySelectorAll('.markdown *')].filter((e) => [...e.attributes].some((a) => "
        "a.name.startsWith('on') || a.name === 'style') || e.matches('script, img, iframe, form, style, meta, base'))"
        ".map((e) => e.outerHTML)"
    )
    assert strange == []
    assert page.locator("#timeline > .entry > .comment > .markdown").count() == len(HOSTILE)
    assert page.locator("main > #timeline, main > #reply").count() == 2


def test_without_script_everything_can_be_read_and_sent(browser: Browser, site: Site) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site.url)
    page.get_by_label("Comment, in Markdown").fill("/gitclaw help")
    page.get_by_role("button", name="Comment", exact=True).click()
    page.wait_for_url(site.url)
    context.close()
    assert [form["body"] for form in site.sent] == [["/gitclaw help"]]
