"""Nothing of this machine's git configuration, and no clock of its own, reaches a test."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from gitclaw_py.adapters.git_repository import GitRepository, opened
from tests.sandbox import ENVIRONMENT, Sandbox, made

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("default")

for _number in (signal.SIGINT, signal.SIGHUP):
    # Started under nohup, or in the background by a script, we ignore it, and so would what a test starts and ends.
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.SIG_DFL)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew; then read the diff")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with the golden file of that name."""

    def compare(name: str, text: str) -> None:
        path = Path(__file__).parent / "golden" / f"{name}.txt"
        if request.config.getoption("--update-golden"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare


@pytest.fixture(autouse=True)
def sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that a test starts see the sealed environment, whoever starts them."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    """A repository without commits."""
    return made(tmp_path / "repo")


@pytest.fixture
def open_repo() -> Iterator[Callable[[Sandbox], GitRepository]]:
    """Opens the repository of a sandbox for as long as the test runs."""
    opens = []

    def opener(sandbox: Sandbox) -> GitRepository:
        context = opened(sandbox.path, sandbox.environment)
        opens.append(context)
        return context.__enter__()

    yield opener
    for context in reversed(opens):
        context.__exit__(None, None, None)
