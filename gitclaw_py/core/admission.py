"""What a workflow has to start for an event, decided without anything that has to be installed first.

It errs to one side only: what it lets through is read again, exactly, by the job that carries it out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from gitclaw_py.core.command_lines import runs_agent
from gitclaw_py.core.commands import read_loosely
from gitclaw_py.core.thread import Level
from gitclaw_py.core.trigger import Ignored, Rules, Trigger, read_trigger

CONFIGURATION = (".gitclaw/suggestions.json", ".github/suggestions.json", "suggestions.json")
"""Where the configuration may be, the first that is there."""


class Kind(StrEnum):
    """Which jobs an event starts."""

    IGNORED = "ignored"
    ACT = "act"
    """One job that can write, and runs no agent."""
    AGENT = "agent"
    """A job that runs the agent and cannot write, and then one that publishes what came out of it."""


class Admission(NamedTuple):
    """What the gate tells the jobs after it. Nothing of it is text that someone typed.

    ``head`` is the commit a pull request was at, "" elsewhere; ``thread`` is 0 where a dispatch names none.
    """

    kind: Kind
    thread: int = 0
    head: str = ""


def found(event_name: str, payload: bytes, rules: Rules) -> Trigger | Ignored:
    """The event, by what could be a command in it at most."""
    return read_trigger(event_name, payload, rules._replace(reading=read_loosely))


def asks_for_an_agent(trigger: Trigger) -> bool:
    """Whether an agent has to work for any command of it."""
    return any(map(runs_agent, trigger.commands))


def needed_to_run(configurations: Sequence[bytes]) -> Level:
    """What an account needs to start an agent, by the configuration that counts; as by default where it cannot be read.

    Whoever carries it out reads the whole of it, and says what is wrong with it.
    """
    try:
        document: Any = json.loads(configurations[0]) if configurations else {}
        permissions = document.get("permissions", {}) if isinstance(document, Mapping) else {}
        return Level[str(permissions["run"]).upper()] if "run" in permissions else Level.WRITE
    except (ValueError, KeyError, TypeError, RecursionError):
        return Level.WRITE
