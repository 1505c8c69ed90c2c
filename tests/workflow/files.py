"""The workflow files, read as data.

``python -m tests.workflow.files`` writes the workflow for copilot anew, after a change of the other one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

TOP = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((TOP / ".github/workflows").glob("*.yml"))
BOT = TOP / ".github/workflows/gitclaw.yml"
COPILOT = TOP / ".github/workflows/gitclaw-copilot.yml"
CALLED = (BOT, COPILOT)
"""The workflows that callers use."""
ACTION = TOP / "action.yml"


class Step(NamedTuple):
    """One step of a job, and where it is."""

    where: str
    job: str
    values: dict[str, Any]


_OWN = """\
# The bot: of this repository, and of every one whose workflow calls this file.
"""
_FOR_COPILOT = """\
# gitclaw.yml for the agent copilot, whose job's token may ask Copilot, and nothing else is different: GitHub refuses
# a call, before any if:, to a workflow with a job that wants a permission its caller does not give.
# https://github.com/actions/runner/issues/4151
"""
_EVENTS = """\
  issue_comment: {types: [created]} # zizmor: ignore[dangerous-triggers] the gate asks who may before an agent runs
  issues:
    types: [opened, labeled]
"""
_READS = "      pull-requests: read # the thread of a pull request\n"
_TAKEN = "${{ secrets.COPILOT_GITHUB_TOKEN }}"
_DIFFERENT = (
    (_OWN, _FOR_COPILOT),
    ("\nname: gitclaw\n", "\nname: gitclaw with copilot\n"),
    (_EVENTS, ""),
    (_READS, f"{_READS}      copilot-requests: write # ask Copilot, in the name of who pays for it\n"),
    (_TAKEN, "${{ secrets.COPILOT_GITHUB_TOKEN || github.token }}"),
)
"""What the workflow for copilot has otherwise, piece by piece."""


def for_copilot() -> str:
    """The text that the workflow for copilot has to have."""
    text = BOT.read_text(encoding="utf-8")
    for ours, its in _DIFFERENT:
        assert text.count(ours) == 1, ours
        text = text.replace(ours, its)
    return text


def read(path: Path) -> Any:
    """The document in a file. YAML reads the key ``on`` as true."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def triggers(path: Path) -> dict[str, Any]:
    """What starts a workflow."""
    found: dict[str, Any] = read(path)[True]
    return found


def jobs(path: Path = BOT) -> dict[str, Any]:
    """The jobs of a workflow."""
    found: dict[str, Any] = read(path)["jobs"]
    return found


def steps() -> Iterator[Step]:
    """All steps there are, those of the action too."""
    for path in WORKFLOWS:
        for name, job in jobs(path).items():
            for number, step in enumerate(job.get("steps", [])):
                yield Step(f"{path.name}: {name}: {number}", name, step)
    for number, step in enumerate(read(ACTION)["runs"]["steps"]):
        yield Step(f"action.yml: {number}", "", step)


if __name__ == "__main__":
    COPILOT.write_text(for_copilot(), encoding="utf-8")
