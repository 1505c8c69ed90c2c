"""A repository on the hub with its clone, in which a maintainer sets the bot up."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from gitclaw_py.core.thread import Account
from gitclaw_py.hub.handle import RepositoryHandle
from gitclaw_py.hub.server import Hub
from tests.contracts.checked import checked
from tests.sandbox import ENVIRONMENT, Ended, Sandbox

STAND_IN = """\
#!{python}
# An agent called claude, which prints what claude prints: it has read its task, writes a greeting, and says why.
import json, sys
if sys.argv[1:] == ["--version"]:
    sys.exit(print("2.1.332 (Claude Code)"))
task = sys.stdin.read()
assert "add a greeting" in task, task
open("greeting.txt", "w").write("Hello\\n")
answer = 'A greeting.\\n\\n```reasons\\n{{"greeting.txt": "someone has to begin"}}\\n```'
usage = {{"input_tokens": 1200, "output_tokens": 80}}
print(json.dumps({{"type": "result", "subtype": "success", "is_error": False, "result": answer, "usage": usage,
                  "total_cost_usd": 0.05}}))
"""

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


def sealed_with(programs: Path) -> dict[str, str]:
    """The sealed environment, with these programs before all others."""
    return {**ENVIRONMENT, "PATH": f"{programs}:{ENVIRONMENT['PATH']}"}


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with gitclaw and an agent called claude."""
    folder = tmp_path / "bin"
    folder.mkdir()
    gitclaw = f'#!/bin/sh\nexec {sys.executable} -m gitclaw_py "$@"\n'
    for name, text in (("claude", STAND_IN.format(python=sys.executable)), ("gitclaw", gitclaw)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture
def maintainer(tmp_path: Path, programs: Path) -> Iterator[Maintainer]:
    """With a first commit of a readme on main."""
    with Hub(tmp_path / "hub") as hub, checked(hub):
        ada = hub.account("ada")
        repo = hub.repository("octo/hello", {"README.md": b"# Hello\n"}, ada)
        clone = Sandbox(tmp_path / "clone", sealed_with(programs))
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
