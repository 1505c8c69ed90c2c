"""A sample; the full size is a command in the README."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from tests.fuzz.run import fuzzed
from tests.fuzz.targets import TARGETS, Target


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_crashes_or_hangs(name: str) -> None:
    outcome = fuzzed(TARGETS[name], 200)
    assert outcome.failure == ""
    assert outcome.inputs >= 100


def test_a_crash_is_found_and_told() -> None:
    outcome = fuzzed(Target(st.integers(0, 20), lambda value: 1 // (value - 7)), 500)
    assert "ZeroDivisionError" in outcome.failure
