"""What a step tells its runner; what others said commands it nothing."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from gitclaw_py.adapters.actions import Actions
from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.core.visible import harmless

HOSTILE = [
    "::error::x",
    "  ::add-path::/evil",
    "\t::stop-commands::x",
    "text ##[add-path]/evil",
    "##[command]x",
    "\r::warning::x",
    "a\n::set-env name=PATH::x",
    "\u2028::error::x",
]
_LEGACY = "##["


def obeyed(text: str) -> list[str]:
    """The lines that the runner would take for commands."""
    lines = re.split(r"\r\n|\r|\n", text)
    return [line for line in lines if line.lstrip().startswith("::") or _LEGACY in line]


def made(folder: Path, **more: str) -> tuple[Actions, io.StringIO]:
    out = io.StringIO()
    names = {name: str(folder / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    environment = {"GITHUB_ACTIONS": "true", **names, **more}
    terminal = Terminal(out, out, environment)
    return Actions(environment, terminal.command, terminal.say), out


@pytest.mark.parametrize("text", HOSTILE)
def test_row_63_nothing_that_is_printed_is_a_command(text: str) -> None:
    assert obeyed(harmless(text)) == []
    out = io.StringIO()
    terminal = Terminal(out, out, {"GITHUB_ACTIONS": "true"})
    terminal.say(text)
    terminal.note(text)
    assert obeyed(out.getvalue()) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_row_63_what_an_agent_printed_is_shown_where_commands_are_stopped(tmp_path: Path, text: str) -> None:
    actions, out = made(tmp_path)
    actions.said("The agent", [text])
    commands = obeyed(out.getvalue())
    stop = commands[1].removeprefix("::stop-commands::")
    assert len(stop) > 32
    assert commands == ["::group::The agent", f"::stop-commands::{stop}", f"::{stop}::", "::endgroup::"]


@pytest.mark.parametrize("text", HOSTILE)
def test_row_63_a_remark_is_one_command(tmp_path: Path, text: str) -> None:
    actions, out = made(tmp_path)
    actions.error(text)
    assert out.getvalue().startswith("::error title=gitclaw::")
    assert out.getvalue().count("\n") == 1
    assert "\r" not in out.getvalue()


def test_row_64_an_output_cannot_hold_another(tmp_path: Path) -> None:
    actions, _ = made(tmp_path)
    actions.output(result="done\nkind<<E\nagent\nE")
    actions.output(result="done")
    ends = re.findall(r"^result<<(.*)$", (tmp_path / "GITHUB_OUTPUT").read_text(), re.MULTILINE)
    assert len(set(ends)) == 2
    for end in ends:
        assert (tmp_path / "GITHUB_OUTPUT").read_text().count(f"\n{end}\n") == 1


def test_outside_of_actions_there_are_no_commands(tmp_path: Path) -> None:
    actions, out = made(tmp_path, GITHUB_ACTIONS="")
    with actions.group("x"):
        actions.warning("x")
    assert out.getvalue() == ""
