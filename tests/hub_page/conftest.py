"""The page in a browser, when there is one, and golden pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.hub_page.serving import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture
def golden_page(request: pytest.FixtureRequest) -> Callable[[str, bytes], None]:
    """Compares a page with the golden file of that name."""

    def compare(name: str, page: bytes) -> None:
        path = Path(__file__).parent / "golden" / f"{name}.html"
        if request.config.getoption("--update-golden"):
            path.write_bytes(page)
        assert page.decode() == path.read_text(encoding="utf-8")

    return compare


@pytest.fixture
def site() -> Iterator[Site]:
    """A server that shows one thread."""
    with Site() as site:
        yield site


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A headless Chromium."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip(f"no Chromium is installed (looked for {', '.join(_NAMES)})")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    home = str(tmp_path_factory.mktemp("browser"))
    with playwright.sync_playwright() as driver:
        # Chromium refuses its own sandbox to root, as which containers often run.
        browser = driver.chromium.launch(
            executable_path=program, args=["--no-sandbox"], env={"PATH": os.environ["PATH"], "HOME": home}
        )
        yield browser
        browser.close()
