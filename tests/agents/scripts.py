"""What the model does for each agent: the same work, by the tools that each of them has."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tests.agents.model_server import Tool, Turn

FILES: Mapping[str, str] = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "names.py": "NAMES = ['old']\n",
    "README.md": "# Sums\n",
}
ANSWER = "It subtracts, though it says that it adds."
REASONS = {"calc.py:2": "add adds"}
DONE = f"Mended it.\n\n```reasons\n{json.dumps(REASONS)}\n```"


class Edit(NamedTuple):
    """One text for another in a file."""

    path: str
    old: str
    new: str


ONE = (Edit("calc.py", "return a - b", "return a + b"),)
TWO = (*ONE, Edit("names.py", "'old'", "'new'"))


def _turns(edits: Sequence[Edit], tool: Callable[[Edit], Tool], look: Callable[[Edit], Tool] | None) -> list[Turn]:
    turns = []
    for edit in edits:
        turns += [Turn("", (look(edit),))] if look else []
        turns.append(Turn("Mending it.", (tool(edit),)))
    return [*turns, Turn(DONE)]


def _claude(edits: Sequence[Edit]) -> list[Turn]:
    return _turns(
        edits,
        lambda e: Tool("Edit", {"file_path": e.path, "old_string": e.old, "new_string": e.new}),
        lambda e: Tool("Read", {"file_path": e.path}),
    )


def _codex(edits: Sequence[Edit]) -> list[Turn]:
    return _turns(edits, lambda e: Tool("exec_command", {"cmd": _sed(e)}), None)


def _gemini(edits: Sequence[Edit]) -> list[Turn]:
    return _turns(
        edits,
        lambda e: Tool(
            "replace", {"file_path": e.path, "instruction": "mend", "old_string": e.old, "new_string": e.new}
        ),
        lambda e: Tool("read_file", {"file_path": e.path}),
    )


def _copilot(edits: Sequence[Edit]) -> list[Turn]:
    return _turns(
        edits,
        lambda e: Tool("edit", {"path": e.path, "old_str": e.old, "new_str": e.new}),
        lambda e: Tool("view", {"path": e.path}),
    )


def _opencode(edits: Sequence[Edit]) -> list[Turn]:
    """It offers this tool to models of OpenAI, and others to others."""
    return _turns(
        edits,
        lambda e: Tool("apply_patch", {"patchText": _patch(e)}),
        lambda e: Tool("read", {"filePath": e.path}),
    )


def _patch(edit: Edit) -> str:
    old = next(line for line in FILES[edit.path].split("\n") if edit.old in line)
    change = f"@@\n-{old}\n+{old.replace(edit.old, edit.new)}"
    return f"*** Begin Patch\n*** Update File: {edit.path}\n{change}\n*** End Patch"


def _mini(edits: Sequence[Edit]) -> list[Turn]:
    turns = [Turn("Mending it.", (Tool("bash", {"command": _sed(edit)}),)) for edit in edits]
    return [*turns, _submitted(DONE)]


def _submitted(text: str) -> Turn:
    """https://mini-swe-agent.com/latest/advanced/control_flow: the first line of an output ends it."""
    command = f"printf 'COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\\n'; cat <<'END'\n{text}\nEND"
    return Turn("Done.", (Tool("bash", {"command": command}),))


def _aider(edits: Sequence[Edit]) -> list[Turn]:
    files = [f"{e.path}\n```\n{FILES[e.path].replace(e.old, e.new)}```" for e in edits]
    return [Turn("\n\n".join(["Mended it.", *files]))]


def _sed(edit: Edit) -> str:
    return f"sed -i 's/{edit.old}/{edit.new}/' {edit.path}".replace("'old'/'new'", "old/new")


WORK: Mapping[str, Callable[[Sequence[Edit]], list[Turn]]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "copilot": _copilot,
    "opencode": _opencode,
    "aider": _aider,
    "mini-swe-agent": _mini,
}
"""The turns that make these edits, by the name of the agent."""


def answering(name: str) -> list[Turn]:
    """The turns that answer and change nothing."""
    return [_submitted(ANSWER)] if name == "mini-swe-agent" else [Turn(ANSWER)]


ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "claude": ("--model", "claude-sonnet-4-5"),
    "codex": ("--model", "scripted"),
    "gemini": ("--model", "gemini-2.5-flash"),
    "copilot": ("--model", "gpt-5"),
    "opencode": ("--model", "openai/gpt-5"),
    "aider": ("--model", "openai/scripted"),
    "mini-swe-agent": ("-m", "openai/scripted"),
}
"""A model for each of them: most know theirs, and the script plays any."""
