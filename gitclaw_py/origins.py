"""Where each key of the configuration gets its value from: the file, the agent's name, or the default."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from gitclaw_py import config
from gitclaw_py.core.presets import COMMAND, PRESETS, invocation
from gitclaw_py.core.settings import AgentSettings, Isolation

Json = Any


class Origin(NamedTuple):
    """One key with its value, and where that comes from: ``default``, the file, or the preset of the agent."""

    key: str
    value: Any
    origin: str


def origins(data: bytes, name: str) -> list[Origin]:
    """Every key of a configuration, as it holds.

    Raises:
        ConfigError: ``CONFIG_INVALID``.
    """
    agent = config.parse(data, name).agent
    found = config.Config.model_validate(json.loads(data))
    stands_for = _of_preset(agent) if agent.preset != COMMAND else {}
    every = (one for one in _origins(found, "", name) if one.key != "$schema")
    return [stands_for.get(one.key, one) if one.origin == "default" else one for one in every]


def _origins(model: Json, start: str, name: str) -> Iterator[Origin]:
    for field, info in type(model).model_fields.items():
        value, key = getattr(model, field), start + (info.alias or field)
        if hasattr(type(value), "model_fields"):
            yield from _origins(value, f"{key}.", name)
        else:
            plain = model.model_dump(mode="json", include={field}, by_alias=False)[field]
            yield Origin(key, plain, name if field in model.model_fields_set else "default")


def _of_preset(agent: AgentSettings) -> dict[str, Origin]:
    """What the agent's name stands for, where the file says nothing else."""
    isolated = agent.isolation is not Isolation.NONE
    values = {
        "command": list(invocation(PRESETS[agent.preset], agent.arguments, isolated=isolated)),
        "network": agent.network.value,
        "model": agent.model and {"kind": agent.model.kind.value, "key": agent.model.key},
        "limits.output": agent.limits.output,
        "git": agent.git,
    }
    return {f"agent.{key}": Origin(f"agent.{key}", value, f"preset {agent.preset}") for key, value in values.items()}
