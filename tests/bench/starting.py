"""G2: what a start costs, and that nothing heavy is imported on the way."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.bench import repositories
from tests.bench.bench import Bench
from tests.bench.counting import CONSOLE, HEAVY, modules
from tests.bench.measure import Case, Row, alternate, process
from tests.sandbox import ENVIRONMENT, Sandbox

LIGHT: dict[str, tuple[str, ...]] = {
    "--help": ("--help",),
    "--version": ("--version",),
    "status": ("status",),
    "apply": ("apply", "1,2.1", "--branch", "other"),
    "apply, checked out": ("apply", "3"),
    "reject": ("reject", "4"),
}
"""The commands that import nothing heavy, in an order in which each has something to do."""


def measured(bench: Bench) -> list[Row]:
    """The rows of the goal."""
    commands = {
        "bare": [sys.executable, "-c", "pass"],
        "import": [sys.executable, "-c", "import gitclaw_py"],
        "--help": [*CONSOLE, "--help"],
        "--version": [*CONSOLE, "--version"],
        "status": [*CONSOLE, "status"],
    }
    folder = sample(bench.scratch("start")).path
    times = alternate({name: _case(command, folder) for name, command in commands.items()}, max(bench.rounds, 11))
    imported = times.pair("bare", "import")
    rows = [imported.row("G2", "import gitclaw_py, over python -c pass", "<= +3 ms", met=imported.over <= 3)]
    rows += [times.pair("bare", name).row("G2", f"gitclaw {name}, whole process") for name in list(commands)[2:]]
    for name, heavy in heavy_modules(bench.scratch("modules")).items():
        found = ", ".join(sorted(heavy)) or "none"
        rows.append(Row("G2", f"heavy modules after {name}", "", found, "", "none", not heavy))
    return rows


def _case(command: list[str], folder: Path) -> Case:
    return lambda: process(command, folder, ENVIRONMENT)


def sample(folder: Path) -> Sandbox:
    """A small repository with a proposal of four suggestions and a branch that is not checked out."""
    sandbox = repositories.made_of(folder / "repo", 20)
    sandbox.git("reset", "-q", "--hard")
    sandbox.git("branch", "other")
    repositories.propose(sandbox, {repositories.path_of(k): repositories.edited(k) for k in range(4)})
    return sandbox


def heavy_modules(folder: Path) -> dict[str, set[str]]:
    """The heavy modules that each of the light commands has imported."""
    sandbox = sample(folder)
    return {name: modules(sandbox, *arguments) & HEAVY for name, arguments in LIGHT.items()}
