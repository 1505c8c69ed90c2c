"""The linters of workflow files, each with nothing to say but what is justified in the file."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.workflow.act import caller
from tests.workflow.files import ACTION, BOT, TOP, WORKFLOWS

TOOLS = ("zizmor", "actionlint", "check-jsonschema")
pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(
        not all(map(shutil.which, TOOLS)), reason=f"{', '.join(TOOLS)}: pip install --group workflow has them"
    ),
]


def lint(*command: str, cwd: Path = TOP) -> str:
    """What a linter prints; it must end well."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_zizmor_finds_nothing_but_the_one_that_is_justified() -> None:
    audit = ("zizmor", "--offline", "--no-progress", "--persona=auditor")
    assert json.loads(lint(*audit, "--format=json", ".")) == []
    ignored = [
        line for path in [*WORKFLOWS, ACTION] for line in path.read_text().split("\n") if "zizmor: ignore" in line
    ]
    assert [line.strip().partition(" #")[0] for line in ignored] == ["issue_comment: {types: [created]}"]


def test_zizmor_finds_nothing_in_what_people_are_told_to_add(tmp_path: Path) -> None:
    path = tmp_path / ".github/workflows/gitclaw.yml"
    path.parent.mkdir(parents=True)
    pinned = caller().replace("OWNER", "owner").replace("COMMIT", "0" * 40)
    path.write_text(pinned, encoding="utf-8")
    # The same one, which is justified there.
    justified = "dangerous-triggers"
    done = subprocess.run(
        ["zizmor", "--offline", "--no-progress", "--format=json", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    found = {finding["ident"] for finding in json.loads(done.stdout)}
    assert found <= {justified}, found


def test_actionlint_has_nothing_to_say() -> None:
    assert lint("actionlint", *(str(path.relative_to(TOP)) for path in WORKFLOWS)) == ""


def test_the_schemas_are_kept() -> None:
    lint("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *map(str, WORKFLOWS))
    lint("check-jsonschema", "--builtin-schema", "vendor.github-actions", str(ACTION))


def test_a_mistake_would_be_found(tmp_path: Path) -> None:
    """So that a linter that looks at nothing is not taken for one that finds nothing."""
    bad = tmp_path / ".github/workflows/bad.yml"
    bad.parent.mkdir(parents=True)
    text = BOT.read_text(encoding="utf-8")
    bad.write_text(text.replace('--head "$HEAD"', "${{ github.event.comment.body }}"), encoding="utf-8")
    for command in (["zizmor", "--offline", "--no-progress", "."], ["actionlint", str(bad)]):
        assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode != 0, command
