"""The workflow files, read as data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

TOP = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((TOP / ".github/workflows").glob("*.yml"))
BOT = TOP / ".github/workflows/gitclaw.yml"
ACTION = TOP / "action.yml"


class Step(NamedTuple):
    """One step of a job, and where it is."""

    where: str
    job: str
    values: dict[str, Any]


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
