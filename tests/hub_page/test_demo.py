"""The page that ``gitclaw demo --serve`` leaves open, with the bot at work behind it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gitclaw_py.local.demo import scripted, staged

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_a_thread_is_carried_from_the_page_alone(browser: Browser, tmp_path: Path) -> None:
    with staged(tmp_path, scripted(), 0) as stage:
        page = browser.new_page()
        page.set_default_timeout(30_000)
        page.goto(f"{stage.hub.url}/{stage.repository.name}/issues/{stage.issue}")
        for command, answer in (
            ("/gitclaw tidy this up", "Proposal 1: 4 suggestions"),
            ("/apply 1,3.1", "Applied 1, 3.1"),
            ("/reject 2 still used", "Rejected 2"),
        ):
            page.get_by_label("Comment, in Markdown").fill(command)
            page.get_by_role("button", name="Comment").click()
            page.get_by_role("heading", name=answer).wait_for()
        assert b'f"Hello {name}"' in (stage.repository.file("main", "greeting.py") or b"")
        page.close()
