"""Cases 78 to 96 as far as the plan decides them: one comment or many, the same change again, a head that moved on."""

from __future__ import annotations

import random

import pytest

from gitclaw_py.core import applying
from gitclaw_py.core.alignment import Alignment, Comparison
from gitclaw_py.core.applying import Target
from gitclaw_py.core.review import mark
from gitclaw_py.core.review.blocks import suggestion_blocks
from gitclaw_py.core.review.listing import document, lines
from gitclaw_py.core.review.mark import Mark
from gitclaw_py.core.review.plan import Plan
from gitclaw_py.core.review.planner import plan
from gitclaw_py.core.review.pull_diff import PullFile
from gitclaw_py.core.scripts import split_lines
from gitclaw_py.core.suggestions import Suggestion, suggest
from tests.core.review.heads import Head
from tests.core.review.look import PATH, Look, all_new, edited, in_the_middle, look, numbered, text
from tests.reviews.github import block_of
from tests.reviews.scene import Desk
from tests.trials.histories import generated

FORTY = numbered(40)


def proposed(desk: Desk, old: bytes, new: bytes, number: int = 1) -> Suggestion:
    base, fix = desk.commits({PATH: old}, {PATH: new})
    with desk.repository.open(fix) as session:
        (made,) = suggest(desk.repository.diff(base, fix), session.texts, number, number)
    return made


def on_head(
    desk: Desk, current: bytes, *wanted: tuple[Suggestion, bytes], applied: frozenset[str] = frozenset()
) -> Plan:
    """The plan of suggestions, each with the text it was made for, on a head whose every line is in the diff."""
    head = Head({PATH: current}, *(old for _, old in wanted))
    targets = [Target(s, frozenset(s.parts) - applied, applied) for s, _ in wanted]
    files = [PullFile(PATH, ((0, len(split_lines(current))),))]
    found = plan(targets, head, files, {})
    if isinstance(found, list):
        assert all(isinstance(one, Comparison) for one in found)
        known = desk.repository.compare(found)
        found = plan(targets, head, files, known)
        while isinstance(found, list):
            known |= desk.repository.compare(found)
            found = plan(targets, head, files, known)
    return found


def places(found: Plan) -> list[tuple[int, int]]:
    return [(c.start_line or c.line, c.line) for c in found.comments]


def reasons(found: Plan) -> dict[str, str]:
    return {f.number: f.reason.value for f in found.fallbacks}


def test_case_078_no_start_line_where_it_would_be_equal(desk: Desk) -> None:
    found = in_the_middle(desk, (18, 18, ["X"]))
    (said,) = document(found.seen.plan)["comments"]
    assert said.keys() == {"path", "line", "side", "body", "numbers"}


def test_case_086_ninety_five_changes(desk: Desk) -> None:
    head = numbered(950)
    found = all_new(desk, text(head), text(edited(head, *((10 * k, 10 * k, [f"X{k}"]) for k in range(1, 96)))))
    assert len(found.inline) == 95
    assert [c.numbers for c in found.seen.plan.comments] == [(f"1.{k}",) for k in range(1, 96)]


def test_case_087_too_much_for_a_comment(desk: Desk) -> None:
    found = all_new(desk, b"a\nb\n", b"a\n" + b"%b\n" % (b"x" * 100) * 2_000)
    assert (found.inline, found.fallbacks) == ([], {"1": "too_large"})


def test_case_087_a_shown_hunk_that_is_too_large_comes_in_pieces(desk: Desk) -> None:
    old = [f"{'x' * 100} {k}" for k in range(1_000)]
    new = [line.upper() if k % 2 else line for k, line in enumerate(old)]
    found = all_new(desk, text(old), text(new))
    assert 2 <= len(found.inline) <= 5
    assert not found.fallbacks


def test_case_088_the_plan_is_for_the_head_as_it_is(desk: Desk) -> None:
    old, new = text(FORTY), text(edited(FORTY, (20, 20, ["X"])))
    current = text(edited(FORTY, (1, 0, ["a", "b"])))
    found = on_head(desk, current, (proposed(desk, old, new), old))
    assert places(found) == [(22, 22)]
    assert reasons(found) == {}


def test_case_088_what_the_head_changed_too_is_a_conflict(desk: Desk) -> None:
    old, new = text(FORTY), text(edited(FORTY, (10, 10, ["X"]), (20, 20, ["Y"])))
    current = text(edited(FORTY, (1, 0, ["a"]), (20, 20, ["theirs"])))
    found = on_head(desk, current, (proposed(desk, old, new), old))
    assert places(found) == [(11, 11)]
    assert reasons(found) == {"1.2": "conflict"}


def test_case_088_a_part_that_was_applied_is_left_out(desk: Desk) -> None:
    old, new = text(FORTY), text(edited(FORTY, (10, 10, ["X", "X2"]), (20, 20, ["Y"])))
    current = text(edited(FORTY, (10, 10, ["X", "X2"])))
    made = proposed(desk, old, new)
    assert places(on_head(desk, current, (made, old), applied=frozenset({"1.1"}))) == [(21, 21)]
    someone_else = on_head(desk, current, (made, old))
    assert places(someone_else) == [(21, 21)]
    assert reasons(someone_else) == {"1.1": "already_there"}


def test_case_088_the_file_is_gone(desk: Desk) -> None:
    old, new = text(FORTY), text(edited(FORTY, (10, 10, ["X"])))
    made = proposed(desk, old, new)._replace(path=b"elsewhere", old_path=b"elsewhere")
    assert reasons(on_head(desk, old, (made, old))) == {"1": "conflict"}


@pytest.mark.parametrize("seed", range(12))
def test_case_088_a_head_that_moved_on_gets_what_applying_by_number_gives(desk: Desk, seed: int) -> None:
    rng = random.Random(seed)
    for life in generated(3, rng):
        old, current = (b"".join(version) for version in life[:2])
        fix = text([*(line.decode().rstrip("\n") for line in life[0][:-1]), f"last = {seed}"])
        fix = fix.replace(b"return", b"yield", 2).replace(b"self", b"this", 1)
        made = proposed(desk, old, fix)
        found = on_head(desk, current, (made, old))
        parts = [part for comment in found.comments for part in comment.parts]
        applied = by_number(desk, made, Head({PATH: current}, old), parts)
        assert applied is None or applied == pressed(current, found)


def by_number(desk: Desk, made: Suggestion, head: Head, parts: list[str]) -> bytes | None:
    """The file after these parts were applied; None where applying them would ask."""
    target = Target(made, frozenset(parts), frozenset())
    known: dict[Comparison, Alignment] = {}
    found = applying.plan([target], head, known)
    while isinstance(found, list):
        known |= desk.repository.compare(found)
        found = applying.plan([target], head, known)
    entry = found.writes.get(PATH)
    if found.unplaced or entry is None:
        return None
    return found.blobs[entry.oid] if entry.oid in found.blobs else head.text(entry.oid)


def pressed(current: bytes, found: Plan) -> bytes:
    lines_now = current.decode().split("\n")
    for comment in reversed(found.comments):
        lines_now[(comment.start_line or comment.line) - 1 : comment.line] = block_of(comment.body)
    return "\n".join(lines_now).encode()


def test_case_089_the_same_plan_twice_has_the_same_fingerprints(desk: Desk) -> None:
    one, other = (in_the_middle(desk, (18, 18, ["X"]), (22, 22, ["Y"])) for _ in range(2))
    assert prints(one) == prints(other)


def prints(found: Look) -> list[str]:
    marks = [mark.find(c.body) for c in found.seen.plan.comments]
    assert marks == [Mark(c.numbers, c.fingerprint) for c in found.seen.plan.comments]
    return [c.fingerprint for c in found.seen.plan.comments]


def test_case_090_the_same_change_further_down_is_the_same(desk: Desk) -> None:
    head = numbered(20)
    here = all_new(desk, text(head), text(edited(head, (10, 10, ["X"]))))
    more = ["top", *head]
    below = all_new(desk, text(more), text(edited(more, (11, 11, ["X"]))))
    assert here.inline != below.inline
    assert prints(here) == prints(below)


def test_case_090_another_change_is_another(desk: Desk) -> None:
    head = numbered(20)
    fixes = [edited(head, (10, 10, ["X"])), edited(head, (10, 10, ["Y"])), edited(head, (11, 11, ["X"]))]
    found = {prints(all_new(desk, text(head), text(fix)))[0] for fix in fixes}
    found.add(prints(all_new(desk, text(head), text(fixes[0]), b"g.txt"))[0])
    assert len(found) == 4


def test_case_090_equal_changes_of_one_file_are_told_apart(desk: Desk) -> None:
    head = edited(numbered(40), (10, 10, ["same"]), (30, 30, ["same"]))
    found = prints(all_new(desk, text(head), text(edited(head, (10, 10, ["new"]), (30, 30, ["new"])))))
    assert len(set(found)) == 2


def test_case_093_two_suggestions_about_the_same_lines(desk: Desk) -> None:
    old = text(FORTY)
    one = proposed(desk, old, text(edited(FORTY, (10, 12, ["X"]))))
    other = proposed(desk, old, text(edited(FORTY, (12, 12, ["Y"]), (30, 30, ["Z"]))), 2)
    found = on_head(desk, old, (one, old), (other, old))
    assert [c.numbers for c in found.comments] == [("1",), ("2.2",)]
    assert reasons(found) == {"2.1": "overlap"}


def test_case_094_lines_that_would_touch_are_kept_apart(desk: Desk) -> None:
    old = text(FORTY)
    one = proposed(desk, old, text(edited(FORTY, (5, 6, ["X"]))))
    other = proposed(desk, old, text(edited(FORTY, (8, 7, ["NEW"]))), 2)
    found = on_head(desk, old, (one, old), (other, old))
    assert places(found) == [(5, 6), (8, 8)]


def test_case_094_lines_that_must_touch_share_a_comment_that_says_so(desk: Desk) -> None:
    old = text(FORTY)
    edits = [(5, 6, ["X"]), (8, 7, ["NEW"]), (9, 9, ["Y"])]
    made = [(proposed(desk, old, text(edited(FORTY, edit)), k), old) for k, edit in enumerate(edits, 1)]
    found = on_head(desk, old, *made)
    assert [c.numbers for c in found.comments] == [("1",), ("2", "3")]
    assert "**2, 3**" in found.comments[1].body
    assert "takes them together" in found.comments[1].body


def test_case_094_touching_hunks_of_two_suggestions(desk: Desk) -> None:
    """Taking both by number is a conflict, so no comment takes both either."""
    old = text(FORTY)
    one = proposed(desk, old, text(edited(FORTY, (5, 6, ["X"]))))
    other = proposed(desk, old, text(edited(FORTY, (7, 7, ["Y"]))), 2)
    found = on_head(desk, old, (one, old), (other, old))
    assert places(found) == [(5, 6)]
    assert reasons(found) == {"2": "overlap"}


def test_case_095_no_change(desk: Desk) -> None:
    found = look(desk.review({PATH: b"a\n"}, {PATH: b"b\n"}, {PATH: b"b\n"}))
    assert found.seen.plan == Plan()
    assert list(lines(found.seen.plan, lambda _, said: said)) == ["Nothing to plan: no changes."]


def test_hunks_that_are_not_those_that_were_proposed_are_no_comments(desk: Desk) -> None:
    old = text(FORTY)
    made = proposed(desk, old, text(edited(FORTY, (5, 6, ["X"]))))
    (group,) = made.groups
    (hunk,) = group.hunks
    for wrong in (hunk._replace(lines=(b"Y\n",)), hunk._replace(end=100)):
        tampered = made._replace(groups=(group._replace(hunks=(wrong,)),))
        assert reasons(on_head(desk, old, (tampered, old))) == {"1": "self_check"}


def test_a_blocked_suggestion_is_no_comment(desk: Desk) -> None:
    old = text(FORTY)
    made = proposed(desk, old, text(edited(FORTY, (5, 6, ["X"]))))._replace(stopped="inside a git directory")
    assert reasons(on_head(desk, old, (made, old))) == {"1": "blocked"}


def test_a_reason_is_said_and_cannot_act(desk: Desk) -> None:
    old = text(FORTY)
    made = proposed(desk, old, text(edited(FORTY, (5, 6, ["X"]))))
    why = "```suggestion @team <!-- fixes #3 --> /apply all"
    (comment,) = on_head(desk, old, (made._replace(reason=why), old)).comments
    assert comment.body.startswith(f"```` {why} ````\n\n```suggestion\n")
    assert suggestion_blocks(comment.body) == [("X",)]
    assert places(Plan((comment,))) == [(5, 6)]


@pytest.mark.parametrize("body", ["", "<!-- gitclaw:1 kind=suggestion numbers= change=00 -->", "> quoted"])
def test_other_comments_have_no_mark(body: str) -> None:
    assert mark.find(body) is None


def test_a_mark_counts_only_at_the_end() -> None:
    line = mark.write(Mark(("1", "2.1a"), "0" * 32))
    assert mark.find(f"text\n{line}") == Mark(("1", "2.1a"), "0" * 32)
    assert mark.find(f"{line}\ntext") is None
