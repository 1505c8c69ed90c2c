"""What linters do not look for in the workflow files, by the rows of the list of threats."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from gitclaw_py.core import caller as callers
from gitclaw_py.core.presets import NAMES, PRESETS
from tests.workflow.act import caller
from tests.workflow.files import (
    ACTION,
    BOT,
    CALLED,
    COPILOT,
    TOP,
    WORKFLOWS,
    for_copilot,
    jobs,
    read,
    steps,
    triggers,
)

READS = {"contents": "read", "issues": "read", "pull-requests": "read"}
WRITES = {"contents": "write", "issues": "write", "pull-requests": "write"}
PINNED = re.compile(r"actions/[a-z-]+@[0-9a-f]{40}")


def test_row_09_nothing_follows_an_agent_but_the_upload() -> None:
    after = jobs()["agent"]["steps"]
    worked = next(k for k, step in enumerate(after) if "start.py work" in step.get("run", ""))
    assert [step.get("uses", "").partition("@")[0] for step in after[worked + 1 :]] == ["actions/upload-artifact"]


def test_row_09_the_agents_job_cannot_write_and_no_other_has_a_key() -> None:
    assert jobs()["agent"]["permissions"] == READS
    assert jobs(COPILOT)["agent"]["permissions"] == {**READS, "copilot-requests": "write"}
    assert jobs()["agent"]["environment"] == callers.ENVIRONMENT
    keys = {(found.job, key) for found in steps() for key in re.findall(r"secrets\.(\w+)", str(found.values))}
    assert {job for job, key in keys if key != "GITCLAW_STATE_KEY"} <= {"agent"}
    assert {job for job, key in keys if key == "GITCLAW_STATE_KEY"} == {"act", "publish"}
    assert "secrets: inherit" not in BOT.read_text(encoding="utf-8")
    assert jobs()["act"]["permissions"] == jobs()["publish"]["permissions"] == WRITES
    assert jobs()["gate"]["permissions"] == {**WRITES, "contents": "read"}


def test_row_10_no_workflow_runs_someone_elses_code_with_our_secrets() -> None:
    for path in WORKFLOWS:
        assert not {"pull_request_target", "workflow_run"} & set(triggers(path)), path
    checkouts = [step.values["with"] for step in steps() if "checkout" in step.values.get("uses", "")]
    assert {str(given.get("ref", "")) for given in checkouts} <= {"", "${{ job.workflow_sha }}"}
    bot = [step["with"] for job in jobs().values() for step in job["steps"] if "checkout" in step.get("uses", "")]
    assert len(bot) == 4
    for given in bot:
        assert given["repository"] == "${{ job.workflow_repository }}"
        assert given["ref"] == "${{ job.workflow_sha }}"


def test_row_12_no_expression_becomes_shell() -> None:
    assert [step.where for step in steps() if "${{" in step.values.get("run", "")] == []
    assert [step.where for step in steps() if "github-script" in step.values.get("uses", "")] == []
    texts = ("github.event.comment.body", "github.event.issue", "head_ref", "github.event.pull_request.title")
    given = [str(step.values.get(key, "")) for step in steps() for key in ("env", "with")]
    assert [value for value in given if any(text in value for text in texts)] == []


def test_row_13_only_githubs_own_actions_by_their_full_commit() -> None:
    used = [step.values["uses"] for step in steps() if "uses" in step.values]
    assert used
    assert [use for use in used if not PINNED.fullmatch(use)] == []


def test_row_13_no_job_has_a_permission_that_it_does_not_name() -> None:
    for path in WORKFLOWS:
        assert read(path)["permissions"] == {}, path
        for name, job in jobs(path).items():
            assert isinstance(job["permissions"], Mapping), (path, name)


def test_row_19_commands_come_from_issue_comments_only() -> None:
    assert set(triggers(BOT)) == {"issue_comment", "issues", "workflow_call"}
    assert triggers(BOT)["issue_comment"] == {"types": ["created"]}
    assert "review_comment" not in caller()


def test_row_20_no_token_is_left_in_a_checkout() -> None:
    for step in steps():
        if "actions/checkout" in step.values.get("uses", ""):
            assert step.values["with"]["persist-credentials"] is False, step.where


def test_row_21_no_job_has_a_cache() -> None:
    for path in [*WORKFLOWS, ACTION]:
        assert "cache" not in path.read_text(encoding="utf-8").replace("--no-cache-dir", ""), path


def test_row_41_python_looks_for_modules_in_no_folder_of_anyone() -> None:
    ours = [line for step in steps() for line in step.values.get("run", "").split("\n") if "gitclaw_py/cli" in line]
    assert len(ours) >= 6
    assert [line for line in ours if not line.strip().startswith("python3 -I -S ")] == []


def test_row_47_nothing_is_installed_that_is_not_locked() -> None:
    for step in steps():
        run = step.values.get("run", "")
        installs = [line for line in run.split("\n") if re.search(r"\b(pipx?|npm|curl|wget|uvx) ", line)]
        assert [line for line in installs if "--require-hashes" not in line] == [], step.where


def test_row_56_every_job_ends_and_every_thread_waits_its_turn() -> None:
    for path in WORKFLOWS:
        for name, job in jobs(path).items():
            assert 0 < job["timeout-minutes"] <= 60, (path, name)
    concurrency = read(BOT)["concurrency"]
    assert (concurrency["cancel-in-progress"], concurrency["queue"]) == (False, "max")
    assert "github.event.issue.number" in concurrency["group"]
    assert "concurrency" not in caller()


def test_row_64_what_one_job_tells_another_is_a_word_or_hex() -> None:
    assert jobs()["gate"]["outputs"].keys() == {"kind", "head"}
    assert [name for name, job in jobs().items() if "outputs" in job] == ["gate"]


def test_row_68_what_is_handed_over_is_kept_for_a_day() -> None:
    (upload,) = [step for job in jobs().values() for step in job["steps"] if "upload" in step.get("uses", "")]
    assert upload["with"]["retention-days"] == 1


def test_the_workflow_for_copilot_is_the_same_but_for_its_permission() -> None:
    written = "python -m tests.workflow.files writes it anew"
    assert COPILOT.read_text(encoding="utf-8") == for_copilot(), written
    assert set(triggers(COPILOT)) == {"workflow_call"}


@pytest.mark.parametrize("agent", NAMES)
def test_the_caller_that_init_writes_is_short_and_both_ends_agree(agent: str) -> None:
    assert len(caller(agent).strip().split("\n")) <= 18
    written = yaml.safe_load(caller(agent))
    (job,) = written["jobs"].values()
    path = TOP / job["uses"].removeprefix("OWNER/gitclaw/").removesuffix("@COMMIT")
    assert path in CALLED
    call = triggers(path)["workflow_call"]
    assert set(job.get("with", {})) <= set(call["inputs"])
    assert set(job.get("secrets", {})) <= set(call["secrets"])
    assert written["permissions"] == {}
    assert job["permissions"] == asked_for(path), "GitHub starts no call that gives less, and more is not needed"
    assert set(written[True]) <= set(triggers(BOT))
    preset = PRESETS.get(agent)
    assert list(job.get("secrets", {})) == ([preset.secret] if preset and preset.secret else [])
    assert ("copilot-requests" in job["permissions"]) == (agent == "copilot")


def asked_for(path: Path) -> dict[str, str]:
    """The most that any job of a workflow wants: what its caller has to give."""
    most: dict[str, str] = {}
    for job in jobs(path).values():
        for name, access in job["permissions"].items():
            most[name] = max(most.get(name, "read"), access)  # "write" comes after "read"
    return most


@pytest.mark.parametrize("path", CALLED, ids=lambda path: path.name)
def test_every_secret_that_is_taken_reaches_its_variable_in_the_agents_job_alone(path: Path) -> None:
    taken = triggers(path)["workflow_call"]["secrets"]
    assert set(taken) == {*callers.TAKEN, "GITCLAW_STATE_KEY"}
    assert not [name for name, about in taken.items() if about["required"]]
    used: dict[str, set[str]] = {name: set() for name in taken}
    for job, step in [(name, step) for name, one in jobs(path).items() for step in one["steps"]]:
        assert "secrets." not in str({**step, "env": {}}), job
        for variable, value in step.get("env", {}).items():
            for name in re.findall(r"secrets\.(\w+)", str(value)):
                assert variable == name, "each arrives under its own name"
                used[name].add(job)
    assert used == {**{name: {"agent"} for name in callers.TAKEN}, "GITCLAW_STATE_KEY": {"act", "publish"}}


def test_every_presets_key_is_taken() -> None:
    keys = {preset.secret for preset in PRESETS.values() if preset.secret}
    tokens = {name for preset in PRESETS.values() for name in preset.environment if name.endswith("_TOKEN")}
    assert keys | tokens | {callers.ANY_KEY} == set(callers.TAKEN)


def test_the_lock_has_what_the_project_needs() -> None:
    import tomllib

    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lock = (TOP / "requirements.lock").read_text(encoding="utf-8").lower()
    for dependency in project["dependencies"]:
        name = re.split(r"[<>=~! ]", dependency)[0].lower()
        assert f"\n{name}==" in lock, name
    constraints = (TOP / ".ci/constraints.txt").read_text(encoding="utf-8").lower()
    for pinned in re.findall(r"^([a-z0-9._-]+==[^ ;\\]+)", lock, re.MULTILINE):
        assert pinned.replace("-", "_") in constraints.replace("-", "_"), pinned
