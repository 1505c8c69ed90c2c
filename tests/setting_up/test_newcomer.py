"""Someone new with an empty repository and the README: from ``gitclaw init`` to the first applied suggestion."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitclaw_py.hub import protection
from gitclaw_py.hub.actions import ActionsRunner, Workflow
from gitclaw_py.hub.handle import RepositoryHandle
from gitclaw_py.hub.server import Hub
from tests.contracts.checked import checked
from tests.sandbox import Sandbox
from tests.setting_up.conftest import SOURCE, Maintainer, sealed_with

TOP = Path(__file__).resolve().parents[2]


@pytest.fixture
def newcomer(tmp_path: Path, programs: Path) -> Iterator[Maintainer]:
    """With a repository that nothing was ever pushed to, a clone of it, and both programs on the path."""
    with Hub(tmp_path / "hub") as hub, checked(hub):
        ada = hub.account("ada")
        with hub.world.deed():
            fresh = hub.world.found("ada/fresh", ada)
            protection.install(fresh)
        repo = RepositoryHandle(hub.world, fresh)
        clone = Sandbox(tmp_path / "fresh", sealed_with(programs))
        clone.path.mkdir()
        maintainer = Maintainer(hub, repo, ada, clone)
        address = repo.clone_url.replace("://", f"://x:{maintainer.token}@")
        clone.git("clone", "-q", address, ".")
        yield maintainer


def steps() -> list[str]:
    """The commands that the README gives for GitHub, one a line."""
    text = (TOP / "README.md").read_text(encoding="utf-8").partition("## On GitHub")[2]
    found = re.search(r"```sh\n(.*?)\n```", text, re.DOTALL)
    assert found is not None
    return found[1].split("\n")


def test_from_nothing_to_the_first_applied_suggestion(newcomer: Maintainer, tmp_path: Path) -> None:
    done = {step: _do(newcomer, step) for step in steps()}
    doctor = done["gitclaw doctor"]
    assert doctor.returncode == 1
    assert "FAIL · there is no secret ANTHROPIC_API_KEY" in doctor.stdout
    assert doctor.stdout.count("FAIL") == 1, doctor.stdout
    newcomer.repo.set_secret("ANTHROPIC_API_KEY")
    assert "FAIL" not in _do(newcomer, "gitclaw doctor").stdout

    # The program of this test lies where an agent that is kept apart cannot see it.
    configuration = json.loads(newcomer.clone.read("suggestions.json"))
    configuration["agent"]["isolation"] = "none"
    newcomer.push({"suggestions.json": json.dumps(configuration).encode()})
    environment = {**newcomer.clone.environment, "ANTHROPIC_API_KEY": "sk-ant-of-ada"}
    runner = ActionsRunner(newcomer.hub, tmp_path / "runs", Workflow(["gitclaw", "run"], environment=environment))
    try:
        number = newcomer.repo.open_issue(newcomer.who, "It says nothing")
        newcomer.repo.comment(newcomer.who, number, "/gitclaw add a greeting")
        assert runner.wait(60), runner.runs
        proposal = newcomer.repo.comments(number)[-1].body
        assert "Proposal 1: 1 suggestion" in proposal, (proposal, runner.runs)
        assert "someone has to begin" in proposal
        assert "claude · 0 s · 1200 tokens in, 80 out · $0.05" in re.sub(r"\d+ s", "0 s", proposal)
        newcomer.repo.comment(newcomer.who, number, "/apply 1")
        assert runner.wait(60), runner.runs
    finally:
        runner.close()
    assert newcomer.repo.file("main", "greeting.txt") == b"Hello\n"
    assert len(steps()) == 3, "three commands, a secret, and two comments"


def _do(newcomer: Maintainer, step: str) -> subprocess.CompletedProcess[str]:
    """As written, but that this gitclaw does not know where it is from."""
    environment = {
        **newcomer.clone.environment,
        "GITHUB_API_URL": newcomer.hub.api_url,
        "GH_TOKEN": newcomer.token,
    }
    return subprocess.run(
        ["bash", "-euc", step.replace("gitclaw init", f"gitclaw init --uses {SOURCE}")],
        cwd=newcomer.clone.path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
