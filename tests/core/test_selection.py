from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.core.number_words import with_reason
from gitclaw_py.core.selection import compact, resolve
from gitclaw_py.core.state import State
from gitclaw_py.core.suggestions import letters
from gitclaw_py.errors import UsageError
from tests.core.states import created, deleted, edit, state, states

THREAD = state(edit(1, 1, 1, 3), created(2), edit(3, 2), deleted(4))

NAMED = [
    ("1", "1.1 1.2 1.3a 1.3b 1.3c"),
    ("1.2", "1.2"),
    ("1.3", "1.3a 1.3b 1.3c"),
    ("1.3b", "1.3b"),
    ("2,4", "2 4"),
    ("4 2", "2 4"),
    ("4, 2", "2 4"),
    ("2-4", "2 3.1a 3.1b 4"),
    ("2 - 3", "2 3.1a 3.1b"),
    ("1.2-1.3", "1.2 1.3a 1.3b 1.3c"),
    ("1.1-2", "1.1 1.2"),
    ("all", "1.1 1.2 1.3a 1.3b 1.3c 2 3.1a 3.1b 4"),
    ("all except 1,4", "2 3.1a 3.1b"),
    ("all except 1.3b", "1.1 1.2 1.3a 1.3c 2 3.1a 3.1b 4"),
    ("1-3 except 2", "1.1 1.2 1.3a 1.3b 1.3c 3.1a 3.1b"),
    ("all but 1,4", "2 3.1a 3.1b"),
    ("2 and 4", "2 4"),
    ("2 & 4", "2 4"),
    ("1.1, 2, and 4", "1.1 2 4"),
    ("all but 1 and 3", "2 4"),
    ("2\u20133", "2 3.1a 3.1b"),
    ("2 \u2212 3", "2 3.1a 3.1b"),
    ("1 but 2", None),
    ("1 and", None),
    ("and 1", None),
    ("2 2 2.", None),
    ("5", None),
    ("0", None),
    ("1.4", None),
    ("1.2a", None),
    ("1.3d", None),
    ("2.1", None),
    ("3.mode", None),
    ("x", None),
    ("4-2", None),
    ("1-", None),
    ("-1", None),
    ("1.3a-1.3c", None),
    ("1-999999999", None),
    ("except 1", None),
    ("", None),
    ("١", None),
]


@pytest.mark.parametrize(("text", "expected"), NAMED)
def test_what_is_named(text: str, expected: str | None) -> None:
    if expected is not None:
        assert " ".join(resolve(THREAD, text.split()).parts) == expected
        return
    with pytest.raises(UsageError) as error:
        resolve(THREAD, text.split())
    assert error.value.code == "UNKNOWN_NUMBER"
    assert error.value.next_step


def test_what_is_named_one_by_one_is_told_from_what_came_with_a_range() -> None:
    assert resolve(THREAD, ["2-4", "3.1a"]).by_name == {"3.1a"}


def test_an_unknown_number_says_which_there_are() -> None:
    with pytest.raises(UsageError) as error:
        resolve(THREAD, ["7"])
    assert "from 1 to 4" in error.value.next_step


REASONS = [
    ("1", "1", ""),
    ("1,3 2.1a 4-5", "1,3 2.1a 4-5", ""),
    ("1,3, 2.1a still used", "1,3, 2.1a", "still used"),
    ("4 3 times the same", "4", "3 times the same"),
    ("1 - 3 no", "1 - 3", "no"),
    ("all not needed", "all", "not needed"),
    ("all except 2 not needed", "all except 2", "not needed"),
    ("1 all callers still use it", "1", "all callers still use it"),
    ("1 except that 2 is better", "1", "except that 2 is better"),
    ("1 and 2", "1 and 2", ""),
    ("1, 2 and 3 no", "1, 2 and 3", "no"),
    ("1 & 2 no", "1 & 2", "no"),
    ("1 and more", "1", "and more"),
    ("and so on", "", "and so on"),
    ("all but 2 not needed", "all but 2", "not needed"),
    ("1 but 2 is better", "1", "but 2 is better"),
    ("1\u20133 no", "1\u20133", "no"),
    ("2: use an enum", "2", "use an enum"),
    ("1 2: 3 times", "1 2", "3 times"),
    ("all: no", "all", "no"),
    ("4 no: 3 is better", "4", "no: 3 is better"),
    ("note: no", "", "note: no"),
    ("3.mode 1st", "3.mode", "1st"),
    ("not needed", "", "not needed"),
    ("#1 because", "", "#1 because"),
    ("1. no", "", "1. no"),
    (", x", "", ", x"),
    ("", "", ""),
]


@pytest.mark.parametrize(("text", "numbers", "reason"), REASONS)
def test_numbers_come_first_and_the_rest_is_the_reason(text: str, numbers: str, reason: str) -> None:
    found, rest = with_reason(text.split())
    assert (" ".join(found), rest) == (numbers, reason)


@given(states(), st.data())
def test_the_short_names_name_the_same_parts(found: State, data: st.DataObject) -> None:
    names = [name for s in found.suggestions for name in s.parts]
    if names:
        chosen = data.draw(st.sets(st.sampled_from(names), min_size=1))
        assert set(resolve(found, compact(found, chosen).split()).parts) == chosen


@given(st.integers(0, 20_000), st.integers(0, 20_000))
def test_letters_are_different_and_lower_case(one: int, other: int) -> None:
    assert (letters(one) == letters(other)) == (one == other)
    assert letters(one).islower()


def test_hostile_words_cost_little() -> None:
    started = time.process_time()
    for text in ("1," * 50_000 + "x", "1" * 200_000, "-" * 200_000, "1-2-" * 50_000):
        with pytest.raises(UsageError):
            resolve(state(created(2)), [text])
    assert time.process_time() - started < 5
