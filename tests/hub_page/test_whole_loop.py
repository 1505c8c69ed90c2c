"""The button on the page of a pull request, with the bot at work behind it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gitclaw_py.hub.actions import ActionsRunner, Workflow
from gitclaw_py.hub.server import Hub
from tests.conversations.talk import AGENT, FILES

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_the_button_commits_and_the_number_is_applied(browser: Browser, tmp_path: Path) -> None:
    settings = json.dumps(
        {"agent": {"command": [sys.executable, str(AGENT), str(tmp_path / "told.txt")], "isolation": "none"}}
    )
    with Hub(tmp_path / "hub") as hub:
        mona = hub.account("mona")
        repo = hub.repository("octo/hello", {**FILES, "suggestions.json": settings.encode()}, mona)
        repo.push_files("topic", {"app.py": FILES["app.py"].replace(b"line 2\n", b"line two\n")}, mona)
        number = repo.open_pull(mona, "topic", title="A topic")
        runner = ActionsRunner(hub, tmp_path / "runs", Workflow([sys.executable, "-m", "gitclaw_py", "run"]))
        repo.comment(mona, number, "/gitclaw\n\nreplace old with new in app.py")
        assert runner.wait()
        page = browser.new_page()
        page.set_default_timeout(30_000)
        page.goto(f"{hub.url}/octo/hello/pull/{number}/files")
        page.get_by_role("button", name="Apply suggestion").first.click()
        page.wait_for_load_state()
        assert runner.wait()
        assert (repo.file("topic", "app.py") or b"").startswith(b"new = 1\nline 1\nline two\n")
        page.goto(f"{hub.url}/octo/hello/pull/{number}")
        page.get_by_role("heading", name="Applied in the pull request: 1.1").wait_for()
        page.close()
        runner.close()
