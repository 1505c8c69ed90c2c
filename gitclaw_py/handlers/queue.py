"""Which of what waits in a thread this run is for: in jobs of their own, what came later has runs of its own."""

from __future__ import annotations

from collections.abc import Sequence

from gitclaw_py.core.command_lines import needs_agent
from gitclaw_py.core.trigger import Trigger
from gitclaw_py.handlers.gather import Asked
from gitclaw_py.handlers.world import World


def for_here(world: World, trigger: Trigger, waiting: list[Asked]) -> list[Asked]:
    """All that waits, unless an agent's work was handed over: then what needs an agent and came later waits on."""
    return waiting if world.handed is None else _without_later_runs(trigger, waiting)


def up_to(trigger: Trigger, waiting: Sequence[Asked]) -> list[Asked]:
    """What waits, without what came after the event: that has a run of its own."""
    keys = [asked.key for asked in waiting]
    return list(waiting[: keys.index(trigger.key) + 1]) if trigger.key in keys else []


def _without_later_runs(trigger: Trigger, waiting: Sequence[Asked]) -> list[Asked]:
    """What waits, up to what came after the event and needs an agent: that has a run of its own."""
    kept = up_to(trigger, waiting)
    for asked in waiting[len(kept) :]:
        if needs_agent(asked.commands):
            break
        kept.append(asked)
    return kept
