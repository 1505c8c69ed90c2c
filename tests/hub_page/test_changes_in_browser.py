"""A pull request on the hub in a browser: press the button, see the commit, see the thread resolved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitclaw_py.hub.anchors import Draft
from gitclaw_py.hub.reviewing import Wanted
from gitclaw_py.hub.server import Hub

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BEFORE = b"".join(b"line %d\n" % number for number in range(1, 21))
AFTER = BEFORE.replace(b"line 5\n", b"line five is long: " + b"word " * 40 + b"\n")


class World:
    """A pull request with two suggestions and a question of a bot's, and a page that mona has open."""

    def __init__(self, hub: Hub, browser: Browser, *, script: bool) -> None:
        self.events: list[str] = []
        hub.deliver_to(lambda event, payload: self.events.append(f"{event}.{payload['action']}"))
        self.mona, bot = hub.account("mona"), hub.account("gitclaw[bot]")
        self.repo = hub.repository("mona/hello", {"text": BEFORE}, self.mona)
        self.repo.push_files("topic", {"text": AFTER}, self.mona)
        self.number = self.repo.open_pull(self.mona, "topic")
        drafts = [
            Draft("text", "**1** Shorter.\n\n```suggestion\nline 5!\n```\n", 5),
            Draft("text", "**2** Not needed.\n\n```suggestion\n```\n", 7),
            Draft("text", "Why?", 8),
        ]
        self.repo.review(bot, self.number, Wanted("Two suggestions.", "COMMENT", drafts))
        self.url = f"{hub.url}/mona/hello/pull/{self.number}"
        self.context = browser.new_context(viewport={"width": 1000, "height": 800}, java_script_enabled=script)
        self.context.set_default_timeout(5000)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on(
            "request", lambda request: self.complaints.append(request.url) if hub.url not in request.url else None
        )
        self.page.goto(f"{self.url}/files")

    @property
    def text(self) -> bytes:
        return self.repo.file("topic", "text") or b""

    @property
    def resolved(self) -> list[bool]:
        return [thread.resolved_by is not None for thread in self.repo.review_threads(self.number)]


@pytest.fixture(params=[True, False], ids=["script", "no script"])
def world(request: pytest.FixtureRequest, browser: Browser, tmp_path: Path) -> Iterator[World]:
    with Hub(tmp_path) as hub:
        world = World(hub, browser, script=request.param)
        yield world
        world.context.close()
        assert world.complaints == []


def pressed(page: Page, name: str, place: int = 0) -> None:
    with page.expect_navigation():
        page.get_by_role("button", name=name).nth(place).click()


def test_a_suggestion_is_applied_at_the_press_of_a_button(world: World) -> None:
    assert world.page.get_by_role("button", name="Apply suggestion").count() == 2
    before = world.repo.branch("topic")
    pressed(world.page, "Apply suggestion")
    assert world.text == BEFORE.replace(b"line 5\n", b"line 5!\n")
    commit = world.repo.repository.git.commit(world.repo.branch("topic") or "")
    assert (commit.parents, commit.author.name) == ((before,), "mona")
    assert world.resolved == [True, False, False]
    assert world.events[-1] == "pull_request.synchronize"
    assert world.page.get_by_role("button", name="Apply suggestion").count() == 1
    assert world.page.get_by_text("Resolved", exact=True).count() == 1
    world.page.get_by_role("link", name="Conversation").click()
    assert world.page.get_by_text(f"mona pushed {commit.oid[:7]} to topic").is_visible()
    assert world.page.get_by_text("Two suggestions.").is_visible()


def test_a_batch_is_committed_at_once(world: World) -> None:
    boxes = world.page.get_by_role("checkbox", name="Add suggestion to batch")
    boxes.nth(0).check()
    boxes.nth(1).check()
    world.page.get_by_label("Commit message").fill("fix: both")
    before = world.repo.branch("topic")
    pressed(world.page, "suggestions")
    assert world.text == BEFORE.replace(b"line 5\n", b"line 5!\n").replace(b"line 7\n", b"")
    commit = world.repo.repository.git.commit(world.repo.branch("topic") or "")
    assert (commit.parents, commit.message.split("\n")[0]) == ((before,), "fix: both")
    assert world.resolved == [True, True, False]


def test_a_thread_is_answered_and_resolved(world: World) -> None:
    world.page.get_by_text("Reply", exact=True).nth(4).click()
    world.page.get_by_label("Reply, in Markdown").last.fill("Because *so*.")
    pressed(world.page, "Reply", -1)
    assert world.repo.review_comments(world.number)[-1].body == "Because *so*."
    assert "pull_request_review_comment.created" in world.events
    pressed(world.page, "Resolve conversation", -1)
    assert world.resolved == [False, False, True]
    assert world.page.get_by_text("gitclaw on line 8, 2 comments").is_visible()
    pressed(world.page, "Open conversation again")
    assert world.resolved == [False, False, False]


def test_what_a_suggestion_would_put_there_is_copied(browser: Browser, tmp_path: Path) -> None:
    with Hub(tmp_path) as hub:
        world = World(hub, browser, script=True)
        world.context.grant_permissions(["clipboard-read", "clipboard-write"])
        world.page.locator(".suggestion .code").first.hover()
        world.page.get_by_role("button", name="Copy").first.click()
        world.page.get_by_role("button", name="Copied").wait_for()
        assert world.page.evaluate("navigator.clipboard.readText()") == "line 5!\n"
        world.context.close()


def test_what_cannot_be_done_says_why(world: World) -> None:
    world.repo.push_files("topic", {"text": BEFORE.replace(b"line 5", b"line V")}, world.mona)
    pressed(world.page, "Apply suggestion")
    world.complaints.clear()  # the browser's word about the status
    assert world.page.get_by_role("alert").text_content() == "Outdated suggestions cannot be applied."
    assert world.resolved == [False, False, False]


def test_nothing_is_wider_than_a_small_phone(world: World) -> None:
    world.page.set_viewport_size({"width": 320, "height": 600})
    assert world.page.evaluate("document.documentElement.scrollWidth") == 320
    wide = (
        "[...document.querySelectorAll('.talk, td > pre, .bar')].filter((e) => e.getBoundingClientRect().right > 320)"
    )
    assert world.page.evaluate(f"{wide}.length") == 0
