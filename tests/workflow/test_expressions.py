"""The conditions of the workflow, evaluated by GitHub's own engine on real payloads."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.core.test_trigger import saved
from tests.workflow.files import BOT, WORKFLOWS, jobs, read

NODE = Path(os.environ.get("GITCLAW_NODE", "/nonexistent")) / "node_modules/@actions/expressions"
pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(
        not NODE.is_dir() or not shutil.which("node"),
        reason="GITCLAW_NODE names no folder with @actions/expressions and @actions/workflow-parser; .ci/run makes one",
    ),
]
NONE = {"mention": "", "label": "gitclaw", "bots": ""}


class Engine:
    """GitHub's evaluator of expressions, in a process of its own."""

    def __init__(self, folder: Path) -> None:
        # Node looks for packages beside the file.
        for script in Path(__file__).with_name("expressions").glob("*.mjs"):
            shutil.copy(script, folder)
        (folder / "node_modules").symlink_to(NODE.parents[1])
        self._folder = folder
        command = ["node", "--preserve-symlinks", "--import", "./json_hook.mjs", "gha_if.mjs", "serve"]
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def value(self, expression: str, event_name: str, event: Any, inputs: Any = NONE, needs: Any = None) -> Any:
        """What an expression is, as the workflow would find it."""
        extra = {"inputs": inputs, "needs": needs or {}}
        asked = {"expr": expression, "event_name": event_name, "event": event, "extra": extra}
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer
        return answer["value"]

    def lint(self, *paths: Path) -> subprocess.CompletedProcess[str]:
        """Read workflows by GitHub's own schema."""
        command = ["node", "--preserve-symlinks", "--import", "./json_hook.mjs", "gha_if.mjs", "lint", *map(str, paths)]
        return subprocess.run(command, cwd=self._folder, capture_output=True, text=True, check=False)

    def close(self) -> None:
        """End it."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    found = Engine(tmp_path_factory.mktemp("engine"))
    yield found
    found.close()


def commented(body: str, **comment: Any) -> Any:
    event = saved("issue_comment.created.1")
    event["comment"] |= {"body": body, **comment}
    return event


def starts(engine: Engine, event_name: str, event: Any, **inputs: str) -> bool:
    found = engine.value(jobs()["gate"]["if"], event_name, event, {**NONE, **inputs})
    # Anything else that is true, a text for one, would be a condition that always holds.
    assert found in (True, False, "", None), found
    return bool(found)


@pytest.mark.parametrize(
    ("body", "started"),
    [
        ("/apply 1,3", True),
        ("/gitclaw tidy up", True),
        ("/aply 1", True),
        ("Thanks!\r\n\r\n/apply 1", True),
        ("Thanks!\n/gitclaw status", True),
        ("/APPLY 1", True),
        ("look at\n/usr/bin/git", True),
        ("thanks!", False),
        ("", False),
        ("use a/b", False),
        ("see https://example.invalid/apply", False),
        ("try `/apply 1`", False),
        ("> /apply 1", False),
        ("@my-bot do it", False),
    ],
)
def test_row_56_a_comment_starts_a_job_only_where_a_line_could_be_a_command(
    engine: Engine, body: str, *, started: bool
) -> None:
    assert starts(engine, "issue_comment", commented(body)) is started


@pytest.mark.parametrize("number", range(5))
def test_row_56_real_comments_start_nothing(engine: Engine, number: int) -> None:
    assert not starts(engine, "issue_comment", saved(f"issue_comment.created.{number}"))


def test_row_56_bots_start_nothing_unless_the_caller_names_some(engine: Engine) -> None:
    bot = {"login": "some[bot]", "id": 5, "type": "Bot"}
    assert not starts(engine, "issue_comment", commented("/apply 1", user=bot))
    assert starts(engine, "issue_comment", commented("/apply 1", user=bot), bots="some[bot]")


def test_row_67_in_a_locked_thread_the_gate_has_to_look_who_it_is(engine: Engine) -> None:
    """Only who may write can comment there, and no expression knows who is an admin; all else starts as little."""
    for body, started in (("/apply 1", True), ("thanks!", False)):
        locked = commented(body)
        locked["issue"]["locked"] = True
        assert starts(engine, "issue_comment", locked) is started


def test_a_mention_starts_a_job_where_the_caller_names_it(engine: Engine) -> None:
    assert starts(engine, "issue_comment", commented("could @my-bot look?"), mention="@my-bot")
    assert not starts(engine, "issue_comment", commented("could @mona look?"), mention="@my-bot")


def test_issues_start_a_job_when_they_ask(engine: Engine) -> None:
    opened, labeled = saved("issues.opened.1"), saved("issues.labeled.0")
    assert not starts(engine, "issues", opened)
    opened["issue"]["body"] = "/gitclaw tidy up"
    assert starts(engine, "issues", opened)
    opened["issue"]["body"] = None
    assert not starts(engine, "issues", opened)
    assert not starts(engine, "issues", labeled)
    labeled["label"]["name"] = "gitclaw"
    assert starts(engine, "issues", labeled)
    assert not starts(engine, "issues", labeled, label="do-it")


def test_new_commits_count_where_the_token_can_write(engine: Engine) -> None:
    event = saved("pull_request.synchronize.0")
    event["pull_request"]["head"]["repo"]["full_name"] = event["repository"]["full_name"]
    assert starts(engine, "pull_request", event)
    event["pull_request"]["head"]["repo"]["full_name"] = "stranger/fork"
    assert not starts(engine, "pull_request", event)


@pytest.mark.parametrize(
    ("kind", "started"), [("ignored", []), ("act", ["act"]), ("agent", ["agent", "publish"]), ("", [])]
)
def test_what_the_gate_says_decides_which_jobs_run(engine: Engine, kind: str, started: list[str]) -> None:
    needs = {"gate": {"result": "success", "outputs": {"kind": kind, "head": ""}}}
    found = [
        name
        for name, job in jobs().items()
        if name != "gate" and engine.value(job["if"], "issue_comment", commented("/apply 1"), NONE, needs) is True
    ]
    assert found == started


def test_row_65_runs_of_one_thread_wait_for_each_other_and_for_no_others(engine: Engine) -> None:
    group = read(BOT)["concurrency"]["group"].removeprefix("gitclaw-")
    numbers = [engine.value(group, "issue_comment", commented(text)) for text in ("/apply 1", "/gitclaw x")]
    assert len(set(numbers)) == 1
    other = commented("/apply 1")
    other["issue"]["number"] += 1
    assert engine.value(group, "issue_comment", other) not in numbers
    pull = saved("pull_request.synchronize.0")
    assert engine.value(group, "pull_request", pull) == pull["pull_request"]["number"]
    labeled = saved("issues.labeled.0")
    assert engine.value(group, "issues", labeled) == labeled["issue"]["number"]
    dispatched = saved("repository_dispatch.event.0")
    assert engine.value(group, "repository_dispatch", dispatched) == "1"
    dispatched["client_payload"] = {"issue": 7}
    assert engine.value(group, "repository_dispatch", dispatched) == 7


def test_github_reads_the_workflows(engine: Engine) -> None:
    done = engine.lint(*WORKFLOWS)
    assert (done.returncode, done.stdout) == (0, ""), done
