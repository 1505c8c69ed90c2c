"""A repository on the hub with its clone, in which a maintainer sets the bot up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from gitclaw_py.core.thread import Account
from gitclaw_py.hub.handle import RepositoryHandle
from gitclaw_py.hub.server import Hub
from tests.contracts.checked import checked
from tests.sandbox import Ended, Sandbox

SOURCE = f"octo/gitclaw@{'a' * 40}"


class Maintainer:
    """Ada, who owns octo/hello on the hub and has it cloned; ``token`` is her own."""

    def __init__(self, hub: Hub, repo: RepositoryHandle, who: Account, clone: Sandbox) -> None:
        self.hub = hub
        self.repo = repo
        self.who = who
        self.clone = clone
        self.token = hub.world.accounts.personal_token(who).secret

    def gitclaw(self, *words: str, code: int | None = 0, **more: str) -> Ended:
        names = {"GITHUB_API_URL": self.hub.api_url, "GITHUB_SERVER_URL": self.hub.url, "GITHUB_TOKEN": self.token}
        self.clone.environment |= {**names, **more}
        return self.clone.gitclaw(*words, code=code)

    def init(self, *words: str, code: int | None = 0) -> Ended:
        return self.gitclaw("init", "--uses", SOURCE, *words, code=code)

    def push(self, files: Mapping[str, bytes | None]) -> None:
        self.repo.push_files("main", files, self.who)


@pytest.fixture
def maintainer(tmp_path: Path) -> Iterator[Maintainer]:
    """With a first commit of a readme on main."""
    with Hub(tmp_path / "hub") as hub, checked(hub):
        ada = hub.account("ada")
        repo = hub.repository("octo/hello", {"README.md": b"# Hello\n"}, ada)
        clone = Sandbox(tmp_path / "clone")
        clone.path.mkdir()
        clone.git("clone", "-q", repo.clone_url, ".")
        yield Maintainer(hub, repo, ada, clone)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with the golden file of that name."""

    def compare(name: str, text: str) -> None:
        path = Path(__file__).parent / "golden" / f"{name}.txt"
        if request.config.getoption("--update-golden"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare
