"""The ladder on texts that repeat: what it does silently has to be right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitclaw_py.adapters.git_repository import GitRepository, opened
from gitclaw_py.core.alignment import Comparison
from gitclaw_py.core.placing import Change, Placed, Verdict, place, recover
from gitclaw_py.core.scripts import Hunk, splice
from tests.core.strategies import changes, scripts, subset
from tests.sandbox import made

Lines = tuple[bytes, ...]
Changed = tuple[Lines, tuple[Hunk, ...]]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitRepository]:
    sandbox = made(tmp_path_factory.mktemp("placing"))
    sandbox.commit()
    with opened(Path(sandbox.path), sandbox.environment) as repository:
        yield repository


def placed(repository: GitRepository, change: Change, current: Lines) -> Placed:
    result = place(change, current, {})
    if isinstance(result, Comparison):
        result = place(change, current, repository.compare([result]))
    assert isinstance(result, Placed)
    return result


def verdicts(result: Placed) -> set[Verdict]:
    return {finding.verdict for finding in result.findings.values()}


@given(changes(), st.data())
def test_any_subset_in_any_number_of_steps(repository: GitRepository, changed: Changed, data: st.DataObject) -> None:
    base, hunks = changed
    current, applied = base, frozenset[int]()
    for _ in range(3):
        chosen = data.draw(st.composite(lambda draw: subset(draw, hunks))())
        result = placed(repository, Change(base, hunks, applied, chosen), current)
        assert verdicts(result) <= {Verdict.APPLIED, Verdict.ALREADY}
        current, applied = result.text, applied | chosen
        assert current == tuple(splice(base, [hunks[k] for k in applied]))


@given(changes(), st.data())
def test_what_is_there_is_recovered_without_being_told(changed: Changed, data: st.DataObject) -> None:
    base, hunks = changed
    done = data.draw(st.composite(lambda draw: subset(draw, hunks))())
    current = tuple(splice(base, [hunks[k] for k in done]))
    found = recover(base, hunks, current)
    assert found is None or tuple(splice(base, [hunks[k] for k in found])) == current
    others = [s for s in _subsets(len(hunks)) if tuple(splice(base, [hunks[k] for k in s])) == current]
    assert found == (others[0] if len(others) == 1 else None)


def _subsets(count: int) -> list[frozenset[int]]:
    return [frozenset(k for k in range(count) if number >> k & 1) for number in range(1 << count)]


@given(changes(), st.data())
def test_undo_gives_back_what_was(repository: GitRepository, changed: Changed, data: st.DataObject) -> None:
    base, hunks = changed
    everything = frozenset(range(len(hunks)))
    chosen = data.draw(st.composite(lambda draw: subset(draw, hunks))())
    current = tuple(splice(base, hunks))
    result = placed(repository, Change(base, hunks, everything, chosen, undo=True), current)
    assert result.text == tuple(splice(base, [hunks[k] for k in everything - chosen]))


@given(changes(), st.data())
def test_twice_is_once(repository: GitRepository, changed: Changed, data: st.DataObject) -> None:
    base, hunks = changed
    chosen = data.draw(st.composite(lambda draw: subset(draw, hunks))())
    once = placed(repository, Change(base, hunks, frozenset(), chosen), base)
    twice = placed(repository, Change(base, hunks, chosen, chosen), once.text)
    assert twice.text == once.text
    assert verdicts(twice) <= {Verdict.ALREADY}


@settings(max_examples=150)
@given(changes(), st.data())
def test_edits_of_others_that_do_not_touch_stay(
    repository: GitRepository, changed: Changed, data: st.DataObject
) -> None:
    """Whatever the ladder does silently is the text with both sets of edits, or a text that reads the same."""
    base, hunks = changed
    ours = [o for o in data.draw(scripts(base)) if not any(h.start <= o.end and o.start <= h.end for h in hunks)]
    current = tuple(splice(base, ours))
    for k, hunk in enumerate(hunks):
        result = placed(repository, Change(base, hunks, frozenset(), frozenset({k})), current)
        if verdicts(result) == {Verdict.APPLIED}:
            wanted = tuple(splice(base, [*ours, hunk]))
            assert result.text == wanted or _another_reading(base, current, hunk, result.text)


def _another_reading(base: Lines, current: Lines, hunk: Hunk, got: Lines) -> bool:
    """Whether another edit, no longer than the real one, explains ``current`` and leads to ``got``.

    Three short texts can have two truths; the ladder may take either.
    """
    budget = _distance(base, current)
    changed = tuple(splice(base, [hunk]))
    return _distance(changed, got) <= budget and _distance(current, got) <= _distance(base, changed)


def _distance(one: Lines, other: Lines) -> int:
    """Lines removed and added by the shortest script."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, right in enumerate(other, 1):
            previous, row[j] = row[j], previous if left == right else 1 + min(row[j], row[j - 1])
    return row[-1]


def functions(*names: str) -> Lines:
    return tuple(
        line for name in names for line in (f"def {name}():\n".encode(), b"    x = 1\n", b"    return x\n", b"\n")
    )


def test_the_function_that_was_meant_or_none(repository: GitRepository) -> None:
    """Three functions with equal bodies, the edited one deleted since: a patch with fuzz edits its neighbour."""
    base = functions("one", "two", "three")
    hunk = Hunk(5, 6, (b"    x = 2\n",))
    gone = functions("one", "three")
    result = placed(repository, Change(base, (hunk,), frozenset(), frozenset({0})), gone)
    assert verdicts(result) == {Verdict.CONFLICT}
    assert result.text == gone


def test_the_hunk_follows_its_function(repository: GitRepository) -> None:
    base = functions("one", "two", "three")
    hunk = Hunk(5, 6, (b"    x = 2\n",))
    moved = (b"import os\n", b"\n", *base, *functions("four"))
    result = placed(repository, Change(base, (hunk,), frozenset(), frozenset({0})), moved)
    assert result.text == (b"import os\n", b"\n", *splice(base, [hunk]), *functions("four"))


def test_an_insertion_someone_made_by_hand_is_not_made_again(repository: GitRepository) -> None:
    base = tuple(f"line {k}\n".encode() for k in range(20))
    hunk = Hunk(10, 10, (b"check()\n", b"report()\n"))
    merged = (*base[:9], b"changed\n", *hunk.lines, *base[10:])
    result = placed(repository, Change(base, (hunk,), frozenset(), frozenset({0})), merged)
    assert verdicts(result) <= {Verdict.CONFLICT, Verdict.AMBIGUOUS}
    assert result.text == merged


def test_the_same_edit_by_hand_is_already_applied(repository: GitRepository) -> None:
    base = tuple(f"line {k}\n".encode() for k in range(20))
    hunk = Hunk(10, 11, (b"better\n",))
    current = (b"new first line\n", *splice(base, [hunk]))
    result = placed(repository, Change(base, (hunk,), frozenset(), frozenset({0})), current)
    assert verdicts(result) == {Verdict.ALREADY}
    assert result.text == current


def test_a_partial_selection_keeps_the_clean_rest(repository: GitRepository) -> None:
    base = tuple(f"line {k}\n".encode() for k in range(30))
    hunks = (Hunk(5, 6, (b"five\n",)), Hunk(20, 21, (b"twenty\n",)))
    current = (*base[:5], b"mine\n", *base[6:])
    result = placed(repository, Change(base, hunks, frozenset(), frozenset({0, 1})), current)
    assert [result.findings[k].verdict for k in (0, 1)] == [Verdict.CONFLICT, Verdict.APPLIED]
    assert result.findings[0].line == 5


def test_only_the_last_line_may_lack_its_newline(repository: GitRepository) -> None:
    base = (b"a\n", b"b\n", b"c")
    hunk = Hunk(2, 3, (b"c\n", b"d"))
    current = (b"zero\n", *base)
    result = placed(repository, Change(base, (hunk,), frozenset(), frozenset({0})), current)
    assert b"".join(result.text) in (b"zero\na\nb\nc\nd", b"zero\na\nb\nc")
    assert all(line.endswith(b"\n") for line in result.text[:-1])


def test_a_person_who_saw_the_place_can_say_so(repository: GitRepository) -> None:
    block = (b"begin\n", b"    x = 1\n", b"end\n", b"\n")
    base, current = block * 6, block * 5
    hunk = Hunk(9, 10, (b"    x = 2\n",))
    asked = placed(repository, Change(base, (hunk,), frozenset(), frozenset({0})), current)
    assert verdicts(asked) == {Verdict.AMBIGUOUS}
    line = asked.findings[0].line
    answered = placed(repository, Change(base, (hunk,), frozenset(), frozenset({0}), sure=True), current)
    assert answered.text == (*current[:line], *hunk.lines, *current[line + 1 :])
