"""The table of agents: what has to hold for each."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from gitclaw_py.core.presets import PRESETS, invocation
from gitclaw_py.core.printed import READERS

DOCS = (Path(__file__).parents[2] / "gitclaw_py/docs/agents.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PRESETS)
def test_each_is_whole(name: str) -> None:
    preset = PRESETS[name]
    assert preset.name == name
    assert preset.reads in READERS
    assert re.search(r"[@=]\d+\.\d+\.\d+$", preset.install[-1]), "a version that is pinned"
    assert f"| `{name}` | `{' '.join(preset.install)}` | " in DOCS
    assert '"$@"' in preset.line, "arguments can be added"
    assert "GITCLAW_PROMPT" in preset.line


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("isolated", [True, False])
def test_each_invocation_is_good_shell(name: str, *, isolated: bool) -> None:
    command = invocation(PRESETS[name], ("--model", "a b"), isolated=isolated)
    assert command[:2] == ("sh", "-c")
    assert command[-2:] == ("--model", "a b")
    assert "{rights}" not in command[2]
    subprocess.run(["sh", "-n", "-c", command[2]], check=True)


def test_rights_follow_isolation() -> None:
    preset = PRESETS["claude"]
    assert "--dangerously-skip-permissions" in invocation(preset, isolated=True)[2]
    assert "--dangerously-skip-permissions" not in invocation(preset)[2]
