"""What an agent that is known by its name is given."""

from __future__ import annotations

from gitclaw_py.adapters.preset_agent import variables
from gitclaw_py.core.presets import PRESETS


def test_a_secret_that_is_not_there_is_no_variable() -> None:
    """In a workflow it is one with nothing in it, and copilot would take that for its token."""
    copilot = PRESETS["copilot"]
    assert variables(copilot, {"COPILOT_GITHUB_TOKEN": "", "GITHUB_TOKEN": "x"}) == {}
    assert variables(copilot, {"COPILOT_GITHUB_TOKEN": "y"}) == {"COPILOT_GITHUB_TOKEN": "y"}
