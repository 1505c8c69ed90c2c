"""The agent that the settings name, ready to be started."""

from __future__ import annotations

from collections.abc import Mapping

from gitclaw_py.adapters.command_agent import CommandAgent, passed
from gitclaw_py.adapters.isolation.box import Box
from gitclaw_py.adapters.preset_agent import PresetAgent, variables
from gitclaw_py.core.presets import COMMAND, PRESETS, invocation
from gitclaw_py.core.settings import AgentSettings, Isolation
from gitclaw_py.ports.engine import Agent


def agent_of(environment: Mapping[str, str], settings: AgentSettings, prompt: bytes) -> Agent:
    """The agent with an environment that holds nothing it was not given by name."""
    chosen, box = passed(settings, environment), Box(settings, environment)
    if settings.preset == COMMAND:
        return CommandAgent(settings.command, chosen, settings.timeout, prompt, box)
    preset = PRESETS[settings.preset]
    command = settings.command or invocation(
        preset, settings.arguments, isolated=settings.isolation is not Isolation.NONE
    )
    given = chosen | variables(preset, environment)
    return PresetAgent(preset, CommandAgent(command, given, settings.timeout, prompt, box))
