"""Every reason why nothing happens, on this machine and on the forge."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from gitclaw_py.core.onboarding import WORKFLOW
from tests.sandbox import Sandbox
from tests.setting_up.conftest import SOURCE, Maintainer

Golden = Callable[[str, str], None]


def settled(text: str, maintainer: Maintainer | None = None) -> str:
    """Without what differs between machines and runs."""
    text = re.sub(r"git \d[\d.]*", "git VERSION", text)
    return text.replace(maintainer.hub.url, "https://github.com") if maintainer else text


def ready(maintainer: Maintainer) -> None:
    """All that is needed is on the default branch."""
    made = maintainer.init("--dry-run", "--json").json["files"]
    maintainer.push({path: text.encode() for path, text in made.items()})
    maintainer.repo.set_secret("ANTHROPIC_API_KEY")


def test_a_repository_without_anything(maintainer: Maintainer, golden: Golden) -> None:
    golden(
        "doctor-nothing", settled(maintainer.gitclaw("doctor", "--repository", "octo/hello", code=1).out, maintainer)
    )


def test_a_repository_where_all_is_well(maintainer: Maintainer, golden: Golden) -> None:
    ready(maintainer)
    golden("doctor-well", settled(maintainer.gitclaw("doctor", "--repository", "octo/hello").out, maintainer))


def test_without_a_token_it_says_what_it_cannot_know(repo: Sandbox, golden: Golden) -> None:
    repo.commit("base")
    golden("doctor-offline", settled(repo.gitclaw("doctor", code=1).out))


def test_in_a_job_it_says_what_its_token_may_not_know(maintainer: Maintainer, golden: Golden) -> None:
    ready(maintainer)
    maintainer.token = maintainer.repo.token()
    said = maintainer.gitclaw("doctor", GITHUB_ACTIONS="true", GITHUB_REPOSITORY="octo/hello").out
    golden("doctor-job", settled(said, maintainer))


def found(maintainer: Maintainer, code: int | None = 1) -> dict[str, str]:
    said = maintainer.gitclaw("doctor", "--json", "--repository", "octo/hello", code=code).json
    return {one["what"]: one["verdict"] for one in said}


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("  issue_comment:\n    types: [created]\n", "", f"{WORKFLOW} does not start for comments"),
        ("      issues: write\n", "", f"{WORKFLOW} does not give the bot all it needs"),
        (SOURCE, "octo/other@v1", "no workflow on main uses gitclaw"),
    ],
)
def test_a_workflow_that_cannot_work(maintainer: Maintainer, old: str, new: str, what: str) -> None:
    ready(maintainer)
    text = maintainer.repo.file("main", WORKFLOW)
    assert text is not None
    changed = (
        text.decode().replace(f"{SOURCE.replace('@', '/.github/workflows/gitclaw.yml@')}", old)
        if old == SOURCE
        else text.decode()
    )
    assert old in changed
    maintainer.push({WORKFLOW: changed.replace(old, new).encode()})
    assert found(maintainer)[what] == "FAIL"


def test_a_workflow_that_moves_is_warned_of(maintainer: Maintainer) -> None:
    ready(maintainer)
    text = maintainer.repo.file("main", WORKFLOW)
    assert text is not None
    maintainer.push({WORKFLOW: text.replace(b"a" * 40, b"v1")})
    uses = "octo/gitclaw/.github/workflows/gitclaw.yml"
    assert found(maintainer, 0)[f"{WORKFLOW} uses {uses} at v1, which can move"] == "WARN"


def test_settings_of_the_repository(maintainer: Maintainer) -> None:
    ready(maintainer)
    here = maintainer.repo.repository
    here.actions_may_open_pulls = False
    assert found(maintainer, 0)["Actions may not create pull requests"] == "WARN"
    maintainer.repo.protect("main", by_ruleset=True)
    assert found(maintainer)["Actions may not create pull requests"] == "FAIL", "now it needs to"
    here.actions_may_open_pulls = True
    what = "main takes changes by pull request only, so what is applied in an issue becomes one"
    assert found(maintainer, 0)[what] == "WARN"
    maintainer.repo.unprotect("main")
    here.workflow_states[WORKFLOW] = "disabled_manually"
    assert found(maintainer)[f"{WORKFLOW} is disabled manually"] == "FAIL"
    here.workflow_states.clear()
    here.allowed_actions = "local_only"
    assert found(maintainer)["only actions of this repository's owner may run"] == "FAIL"
    here.allowed_actions, here.actions_are_on = "all", False
    assert found(maintainer)["Actions are off in this repository"] == "FAIL"
    here.actions_are_on = True
    here.secrets.clear()
    assert found(maintainer)["there is no secret ANTHROPIC_API_KEY"] == "FAIL"


def test_the_key_may_be_kept_for_the_agents_job_alone(maintainer: Maintainer) -> None:
    ready(maintainer)
    agent = {"preset": "claude", "network": "proxy", "model": {"kind": "anthropic", "key": "LLM"}}
    maintainer.push({"suggestions.json": json.dumps({"agent": agent}).encode()})
    assert found(maintainer)[f"{WORKFLOW} can pass no LLM, which agent.model.key names"] == "FAIL"
    agent["model"] = {"kind": "anthropic", "key": "MODEL_KEY"}
    maintainer.push({"suggestions.json": json.dumps({"agent": agent}).encode()})
    assert found(maintainer)[f"{WORKFLOW} does not pass MODEL_KEY"] == "FAIL"
    maintainer.repo.set_secret("MODEL_KEY", environment="gitclaw-agent")
    assert found(maintainer, 0)["the secret MODEL_KEY is there"] == "PASS"


def test_a_broken_configuration_of_the_default_branch_is_what_counts(maintainer: Maintainer) -> None:
    ready(maintainer)
    maintainer.push({"suggestions.json": b'{"agent": {"preset": "clod"}}'})
    maintainer.clone.write("suggestions.json", json.dumps({"agent": {"preset": "claude"}}))
    said = found(maintainer)
    assert any(what.startswith("suggestions.json on main has a wrong agent.preset") for what in said)


def test_an_agent_is_asked_where_that_is_wanted(maintainer: Maintainer) -> None:
    command = ["sh", "-c", 'echo ready > "$GITCLAW_ANSWER"']
    ready(maintainer)
    maintainer.push({"suggestions.json": json.dumps({"agent": {"command": command}}).encode()})
    ask = ("doctor", "--json", "--ask", "--repository", "octo/hello")
    assert {"verdict": "PASS", "what": "the agent answers", "fix": ""} in maintainer.gitclaw(*ask).json
    maintainer.push({"suggestions.json": json.dumps({"agent": {"command": ["sh", "-c", "exit 3"]}}).encode()})
    said = maintainer.gitclaw(*ask, code=1).json
    assert "the agent did not answer: it ended with 3" in [one["what"] for one in said]
