"""Starting on a runner where nothing is installed, and what its job then says."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitclaw_py.cli import start


@pytest.mark.parametrize(
    ("code", "result", "is_green"),
    [
        (2, "failed", True),
        (4, "failed", True),
        (6, "partly", True),
        (2, "stopped", False),
        (6, "stopped", False),
        (1, "failed", False),
        (3, "stopped", False),
        (5, "failed", False),
    ],
)
def test_a_job_is_red_where_nobody_was_answered_or_something_broke(
    tmp_path: Path, code: int, result: str, *, is_green: bool
) -> None:
    output = tmp_path / "output"
    output.write_text(f"result<<end-1\n{result}\nend-1\n", encoding="utf-8")
    assert start.is_answered(code, {"GITHUB_OUTPUT": str(output)}) is is_green


def test_without_an_answer_no_job_is_green(tmp_path: Path) -> None:
    (tmp_path / "output").touch()
    assert not start.is_answered(4, {"GITHUB_OUTPUT": str(tmp_path / "output")})
    assert not start.is_answered(4, {})
