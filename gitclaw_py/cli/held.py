"""Which values of the environment are secrets: those whose names say so, and the key that the configuration names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitclaw_py.core.settings import AgentSettings

_SAYS_SO = re.compile(r"TOKEN|SECRET|PASSW|CREDENTIAL|PRIVATE|APIKEY|(?:^|_)(?:KEY|PAT|PWD|AUTH)(?:_|$)", re.IGNORECASE)
_SHORTEST = 12
"""A shorter one is a flag or a name, and would be found in every text."""


def held(environment: Mapping[str, str]) -> Iterator[str]:
    """The values of the variables that hold a token, a key or a password; what names a file holds none."""
    for name, value in environment.items():
        if _SAYS_SO.search(name) and len(value.strip()) >= _SHORTEST and not value.startswith("/"):
            yield value


def named(environment: Mapping[str, str], agent: AgentSettings) -> Iterator[str]:
    """The key of the agent's model, whatever the variable is called that ``agent.model.key`` names."""
    if agent.model and (value := environment.get(agent.model.key)):
        yield value
