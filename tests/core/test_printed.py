"""What the known agents printed, as they really did, and what is read from it.

``printed/`` holds their output for a question, a change and a refused key: runs of ``tests/agents``, shortened.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.core.presets import PRESETS
from gitclaw_py.core.printed import READERS, Printed, read
from gitclaw_py.core.usage import UNKNOWN, Usage, words

FOLDER = Path(__file__).with_name("printed")
ANSWER = "It subtracts, though it says that it adds."


def printed(name: str, what: str) -> Printed:
    text = (FOLDER / f"{name}-{what}.txt").read_text(encoding="utf-8")
    return read(PRESETS[name].reads, text)


@pytest.mark.parametrize("name", PRESETS)
def test_an_answer(name: str) -> None:
    found = printed(name, "question")
    assert found.answer == ANSWER
    assert found.failure is None
    assert found.usage.read is not None
    assert found.usage.read >= 10


@pytest.mark.parametrize("name", PRESETS)
def test_a_change_with_its_reasons(name: str) -> None:
    found = printed(name, "change")
    assert found.answer == "Mended it."
    assert found.failure is None
    if PRESETS[name].explains:
        assert json.loads(found.reasons or "") == {"calc.py:2": "add adds"}


@pytest.mark.parametrize("name", PRESETS)
def test_a_refused_key_is_a_failure_of_the_model_and_no_answer(name: str) -> None:
    found = printed(name, "refused")
    assert found.answer is None
    assert found.failure is not None
    assert found.failure.code == "MODEL_UNAVAILABLE"
    assert "401" in found.failure.what


def test_limits_of_its_own() -> None:
    claude = (
        '{"type":"result","subtype":"error_max_turns","is_error":true,"usage":{"input_tokens":5,"output_tokens":2}}'
    )
    found = read("claude", claude)
    assert found.failure is not None
    assert (found.failure.code, found.usage) == ("BUDGET_EXCEEDED", Usage(5, 2))
    mini = (
        'x\n{\n  "info": {"exit_status": "LimitsExceeded", "model_stats": {"instance_cost": 3.01}}, "messages": []\n}'
    )
    found = read("mini", mini)
    assert found.failure is not None
    assert (found.failure.code, found.usage.dollars) == ("BUDGET_EXCEEDED", 3.01)


def test_cached_tokens_count_as_read() -> None:
    usage = {"input_tokens": 5, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 1000, "output_tokens": 7}
    event = {"type": "result", "subtype": "success", "is_error": False, "result": "ok", "usage": usage}
    assert read("claude", json.dumps({**event, "total_cost_usd": 0.25})).usage == Usage(1105, 7, 0.25)


def test_a_failure_that_was_overcome_is_none() -> None:
    error = '{"type":"turn.failed","error":{"message":"busy"}}'
    good = '{"type":"item.completed","item":{"type":"agent_message","text":"ok"}}\n{"type":"turn.completed","usage":{}}'
    assert read("codex", f"{error}\n{good}").failure is None
    assert read("codex", f"{good}\n{error}").failure is not None


def test_an_agent_that_printed_nothing_said_nothing() -> None:
    for kind in READERS:
        assert read(kind, "") == Printed()


@given(st.sampled_from([*READERS]), st.text(alphabet='{}[]":\n>abtype`reasons #Tokens', max_size=200))
def test_any_output_can_be_read(kind: str, text: str) -> None:
    read(kind, text)


@given(
    st.sampled_from([*READERS]),
    st.dictionaries(
        st.sampled_from(
            ["type", "item", "part", "result", "info", "usage", "data", "error", "messages", "stats", "modelMetrics"]
        ),
        st.recursive(
            st.none()
            | st.integers()
            | st.text(max_size=5)
            | st.sampled_from(["result", "turn.failed", "message", "text", "step_finish", "error", "item.completed"]),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["type", "tokens", "usage", "message", "models", "x"]), inner, max_size=3
                )
            ),
        ),
    ),
)
def test_any_event_can_be_read(kind: str, event: dict[str, object]) -> None:
    read(kind, f"x\n{json.dumps(event)}\n")
    read(kind, f"x\n{{\n{json.dumps(event)[1:]}\n")


def test_words() -> None:
    assert words(UNKNOWN) == "tokens and cost unknown"
    assert words(Usage(12_345, 840, 0.0421)) == "12.3k tokens in, 840 out · $0.04"
    assert words(Usage(20, 20)) == "20 tokens in, 20 out · cost unknown"
    assert words(Usage(dollars=0.0004)) == "tokens unknown · $0.0004"
