from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.core.decisions import to_apply, to_reject, to_undo
from gitclaw_py.core.selection import resolve
from gitclaw_py.core.state import State, Status, Verb, decided, overall, progress, status_of, statuses
from gitclaw_py.errors import RefusedError, UsageError
from tests.core.states import created, deleted, edit, state, word


def applied(found: State, *parts: str) -> State:
    return decided(found, word(Verb.APPLY, *parts, commit="c" * 40))


THREAD = state(edit(1, 1, 1), created(2), deleted(3), created(4, stopped="not by us"))


def chosen(found: State, text: str) -> tuple[str, ...]:
    return to_apply(found, resolve(found, text.split())).parts


def test_all_takes_what_is_pending() -> None:
    found = decided(applied(THREAD, "1.1"), word(Verb.REJECT, "3"))
    assert chosen(found, "all") == ("1.2", "2")


def test_a_range_takes_what_is_pending_and_a_name_takes_what_was_rejected() -> None:
    found = decided(THREAD, word(Verb.REJECT, "2"))
    assert chosen(found, "1-3") == ("1.1", "1.2", "3")
    assert chosen(found, "2") == ("2",)


def test_what_is_blocked_is_left_out_of_all_and_refused_by_name() -> None:
    choice = to_apply(THREAD, resolve(THREAD, ["all"]))
    assert choice.skipped == (("4", "not by us"),)
    with pytest.raises(RefusedError, match="not by us") as error:
        chosen(THREAD, "1,4")
    assert error.value.code == "BLOCKED_PATH"


def test_what_was_replaced_names_its_successor() -> None:
    found = decided(THREAD, word(Verb.REPLACE, "2", by=(5, 6)))
    with pytest.raises(UsageError, match="replaced by 5,6"):
        chosen(found, "2")
    assert "2" not in chosen(found, "all")


def test_rejecting_what_is_applied_says_undo_first() -> None:
    found = applied(THREAD, "2")
    with pytest.raises(UsageError, match="2 is applied"):
        to_reject(found, resolve(found, ["2"]))
    assert to_reject(found, resolve(found, ["all"])).parts == ("1.1", "1.2", "3", "4")


def test_undo_takes_the_last_apply_then_the_one_before() -> None:
    found = applied(applied(THREAD, "1.1", "2"), "3")
    assert to_undo(found, None).parts == ("3",)
    found = decided(found, word(Verb.UNDO, "3"))
    assert to_undo(found, None).parts == ("1.1", "2")
    found = decided(found, word(Verb.UNDO, "1.1", "2"))
    assert to_undo(found, None).parts == ()


def test_undo_of_a_suggestion_takes_its_applied_parts() -> None:
    found = applied(THREAD, "1.2", "2")
    assert to_undo(found, resolve(found, ["1"])).parts == ("1.2",)
    with pytest.raises(UsageError, match="Not applied: 3"):
        to_undo(found, resolve(found, ["3"]))


FOLDER = state(created(1, b"p", requires=(2, 3)), deleted(2, b"p/x"), deleted(3, b"p/y"))


def test_a_file_in_place_of_a_folder_needs_the_folder_s_files_gone() -> None:
    with pytest.raises(UsageError, match="1 needs 2,3") as error:
        chosen(FOLDER, "1")
    assert error.value.next_step == "take them together: apply 2,3,1"
    assert chosen(FOLDER, "1,2,3") == ("1", "2", "3")
    assert chosen(FOLDER, "2") == ("2",)
    assert chosen(applied(FOLDER, "2", "3"), "1") == ("1",)


def test_all_leaves_out_what_needs_something_that_was_rejected() -> None:
    found = decided(FOLDER, word(Verb.REJECT, "3"))
    choice = to_apply(found, resolve(found, ["all"]))
    assert choice.parts == ("2",)
    assert choice.skipped == (("1", "needs 3"),)


def test_what_made_way_cannot_come_back_alone() -> None:
    found = applied(FOLDER, "1", "2", "3")
    with pytest.raises(UsageError, match="1 needs 2") as error:
        to_undo(found, resolve(found, ["2"]))
    assert error.value.next_step == "take both back: undo 1,2"
    assert to_undo(found, resolve(found, ["1"])).parts == ("1",)


@given(
    st.lists(
        st.tuples(st.sampled_from(Verb), st.sets(st.sampled_from(["1.1", "1.2", "2", "3"]), min_size=1)), max_size=8
    )
)
def test_counts_add_up_and_numbers_stay(history: list[tuple[Verb, set[str]]]) -> None:
    found = THREAD
    for verb, parts in history:
        found = decided(found, word(verb, *sorted(parts)))
        assert found.suggestions == THREAD.suggestions
    parts_now = statuses(found)
    assert list(parts_now) == [name for s in THREAD.suggestions for name in s.parts]
    counts = progress(status_of(s, parts_now) for s in found.suggestions)
    assert counts.applied + counts.rejected + counts.replaced + counts.pending == counts.total == 4


def test_pending_wins_then_applied() -> None:
    assert overall([Status.APPLIED, Status.PENDING, Status.REJECTED]) is Status.PENDING
    assert overall([Status.REJECTED, Status.APPLIED]) is Status.APPLIED
    assert overall([Status.REPLACED, Status.REJECTED]) is Status.REJECTED
