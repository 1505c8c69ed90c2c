"""What init shows, writes and leaves alone."""

from __future__ import annotations

import json
from collections.abc import Callable

import jsonschema
import pytest

from gitclaw_py import config
from gitclaw_py.core.onboarding import CONFIGURATION, WORKFLOW
from gitclaw_py.core.presets import NAMES, PRESETS
from tests.setting_up.conftest import SOURCE, Maintainer

Golden = Callable[[str, str], None]


def test_it_shows_what_it_writes_and_ends_with_one_next_step(maintainer: Maintainer, golden: Golden) -> None:
    said = maintainer.init().out
    golden("init", said)
    assert said.count("Next: ") == 1
    for path in (WORKFLOW, CONFIGURATION):
        shown = "".join(f"  {line}".rstrip() + "\n" for line in maintainer.clone.read(path).decode().splitlines())
        assert shown in said, "what is shown is what is written"


def test_nothing_is_overwritten(maintainer: Maintainer, golden: Golden) -> None:
    maintainer.clone.write(WORKFLOW, "mine\n")
    maintainer.clone.write(".github/suggestions.json", "{}\n")
    golden("init-kept", maintainer.init("--agent", "codex").out)
    assert maintainer.clone.read(WORKFLOW) == b"mine\n"
    assert maintainer.clone.status.count("\n") == 2, "and no second configuration is written"


def test_a_dry_run_writes_nothing(maintainer: Maintainer) -> None:
    shown = maintainer.init("--dry-run").out
    assert maintainer.clone.status == ""
    assert shown.partition("Next: ")[0] == maintainer.init().out.partition("Next: ")[0]


@pytest.mark.parametrize("agent", NAMES)
def test_each_agent_gets_a_configuration_that_is_valid_and_its_own_secret(maintainer: Maintainer, agent: str) -> None:
    made = maintainer.init("--agent", agent, "--json").json
    settings = config.parse(made["files"][CONFIGURATION].encode(), CONFIGURATION)
    jsonschema.validate(json.loads(made["files"][CONFIGURATION]), config.schema())
    workflow, preset = made["files"][WORKFLOW], PRESETS.get(agent)
    assert settings.agent.preset == agent
    assert settings.agent.name
    assert ("secrets:" in workflow) == bool(preset and preset.secret)
    assert preset is None or f"install: {' '.join(preset.install)}\n" in workflow
    assert "{" not in workflow.replace("${{ secrets.", "").replace("permissions: {}", "")
    assert len(workflow.splitlines()) <= 20


def test_what_cannot_be_known_is_asked_for(maintainer: Maintainer) -> None:
    assert "the names are claude, codex" in maintainer.init("--agent", "clod", code=2).err
    assert "by its full id" in maintainer.gitclaw("init", "--uses", "octo/gitclaw@v1", code=2).err


def test_a_pull_request_brings_the_same_files(maintainer: Maintainer, golden: Golden) -> None:
    said = maintainer.init("--pr").out
    golden("init-pull-request", said.replace(maintainer.hub.url, "https://github.com"))
    assert maintainer.clone.status == "", "nothing is written here"
    for path, text in maintainer.init("--dry-run", "--json").json["files"].items():
        assert maintainer.repo.file("gitclaw/init", path) == text.encode()
    assert maintainer.repo.file("main", WORKFLOW) is None
    assert "open already" in maintainer.init("--pr").out, "a second time it opens none"


def test_a_token_of_a_job_may_not_write_workflows(maintainer: Maintainer) -> None:
    maintainer.token = maintainer.repo.token()
    refused = maintainer.init("--pr", code=4)
    assert "workflow" in refused.err
    assert maintainer.repo.branch("gitclaw/init") is None


def test_it_knows_where_it_is_from_only_as_far_as_pip_wrote_it_down(maintainer: Maintainer) -> None:
    ended = maintainer.gitclaw("init", "--dry-run", code=None)
    assert ended.code in (0, 2)
    assert SOURCE.partition("@")[0] not in ended.out
