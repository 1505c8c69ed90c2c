"""What can be counted is the same on every machine, so it is a test and not a measurement."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gitclaw_py.adapters.git_place import search
from tests.bench import applying, gating, parsing, starting, suggesting
from tests.sandbox import ENVIRONMENT, Sandbox

_INDEX_COMMANDS = {
    "read-tree",
    "update-index",
    "diff-index",
    "checkout-index",
    "write-tree",
    "ls-files",
    "status",
    "add",
}


@pytest.fixture(scope="module")
def heavy(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    return starting.heavy_modules(tmp_path_factory.mktemp("modules"))


@pytest.mark.parametrize("name", starting.LIGHT)
def test_everyday_commands_import_nothing_heavy(heavy: dict[str, set[str]], name: str) -> None:
    assert not heavy[name]


@pytest.fixture(scope="module")
def suggested(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[str]]:
    return suggesting.processes(tmp_path_factory.mktemp("suggest"), 600, (1, 300))


def test_the_git_processes_of_a_suggestion_do_not_depend_on_how_much_changed(suggested: dict[int, list[str]]) -> None:
    assert suggested[1] == suggested[300]


def test_a_suggestion_needs_three_git_processes_beside_workspace_and_recording(suggested: dict[int, list[str]]) -> None:
    assert len(suggesting.others(suggested[300])) <= 3


def test_applying_to_a_branch_that_is_not_checked_out_reads_no_index(tmp_path: Path) -> None:
    few, many = (applying.processes(tmp_path / str(count), count, "other", break_index=True) for count in (1, 40))
    assert few == many
    assert not _INDEX_COMMANDS.intersection(many)
    assert len(many) <= 4


def test_applying_to_a_moved_head_needs_six_git_processes(tmp_path: Path) -> None:
    """Before git 2.44 two more: each diff algorithm is one of its own."""
    few, many = (applying.processes(tmp_path / str(count), count, "moved", break_index=True) for count in (1, 40))
    assert few == many
    diffs = 1 if search(tmp_path / "1/repo", ENVIRONMENT).found().algorithms_by_path else 3
    assert many == [*["diff-tree"] * diffs, "fast-import", "fast-import", "rev-parse", "update-ref", "var"]


def test_applying_in_a_bare_clone_makes_the_same_tree(tmp_path: Path) -> None:
    origin = starting.sample(tmp_path)
    bare = tmp_path / "bare"
    origin.git("clone", "-q", "--bare", str(origin.path), str(bare))
    one = applying.prepared(Sandbox(bare), tmp_path, 20)
    one.check(5, "other")
    one.check(5, "moved")


def test_every_byte_of_awkward_contents_survives(tmp_path: Path) -> None:
    assert parsing.mismatches(tmp_path) == []


@pytest.mark.parametrize("event", [gating.ignored, gating.accepted])
def test_the_gate_imports_nothing_that_has_to_be_installed(
    tmp_path: Path, event: Callable[[Path], dict[str, str]]
) -> None:
    assert gating.modules(event(tmp_path)) <= gating.STANDARD


def test_an_ignored_event_is_seen_without_reading_json(tmp_path: Path) -> None:
    assert not {"json", "re", "argparse", "urllib", "http", "ssl", "subprocess"} & gating.modules(
        gating.ignored(tmp_path)
    )
