"""Gives a target many inputs, and tells how many there were, how long the slowest took, and what went wrong."""

from __future__ import annotations

import time
import traceback
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.targets import Target

HANGS = 2.0
"""Seconds of processor time that no input of these sizes may take."""


class Outcome(NamedTuple):
    """What became of a target; ``failure`` is empty when nothing went wrong."""

    inputs: int
    slowest: float
    failure: str


class HungError(Exception):
    """An input took too long."""


def fuzzed(target: Target, inputs: int, start: int = 0) -> Outcome:
    """Read so many inputs; stops at the first that crashes or hangs."""
    count, slowest = 0, 0.0

    def one(given_input: Any) -> None:
        nonlocal count, slowest
        count += 1
        began = time.process_time()
        target.read(given_input)
        took = time.process_time() - began
        slowest = max(slowest, took)
        if took > HANGS:
            raise HungError(f"{took:.1f} s for {given_input!r:.200}")

    how = settings(
        max_examples=inputs,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    try:
        seed(start)(how(given(target.inputs)(one)))()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return Outcome(count, slowest, "".join(traceback.format_exception_only(error)).strip().replace("\n", " ")[:500])
    return Outcome(count, slowest, "")
