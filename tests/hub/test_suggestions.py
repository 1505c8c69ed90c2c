"""Suggestions that are applied as the button does it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.hub import suggestions
from gitclaw_py.hub.refusals import RefusalError
from gitclaw_py.hub.suggestions import Change, changed, suggested
from tests.hub.conftest import World
from tests.hub.reviews import AFTER, on, opened, post, suggestion

_LINE = st.text("ab`~ \t", max_size=6).map(str.encode)


@given(st.lists(_LINE, max_size=8), st.data())
def test_lines_are_replaced_and_all_others_stay(lines: list[bytes], data: st.DataObject) -> None:
    content = b"\n".join(lines)
    count = content.count(b"\n") + 1
    first = data.draw(st.integers(1, count))
    last = data.draw(st.integers(first, count))
    new = tuple(data.draw(st.lists(_LINE, max_size=3)))
    kept = content.split(b"\n")
    expected = b"\n".join([*kept[: first - 1], *new, *kept[last:]])
    assert changed(content, [Change("f", first, last, new)]) == expected


@given(st.lists(st.text("ab`~ \t", max_size=6), max_size=4))
def test_a_block_is_read_back_as_it_was_written(lines: list[str]) -> None:
    fence = "`" * (max(map(len, re.findall("`+", "\n".join(lines))), default=0) + 3)
    body = "\n".join(["Text", "", f"{fence}suggestion", *lines, fence, "", "more"])
    assert suggested(body) == tuple(line.encode() for line in lines)


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("no block", None),
        ("```python\nx\n```", None),
        ("text```suggestion\nx\n```", None),
        ("```suggestion\n```", ()),
        ("```suggestion\n\n```", (b"",)),
        ("```suggestion\nx", (b"x",)),
        ("`````suggestion\n````\n`````", (b"````",)),
        ("```suggestion\nx\n   ````", (b"x",)),
        ("```suggestion\r\nx\r\n```\r\n", (b"x",)),
        ("<!--\n```suggestion\nx\n```\n-->", None),
    ],
)
def test_a_fence_is_what_markdown_says(body: str, lines: tuple[bytes, ...] | None) -> None:
    assert suggested(body) == lines


@pytest.mark.parametrize(
    ("content", "change", "expected"),
    [
        (b"a\r\nb\r\nc\r\n", Change("f", 2, 2, (b"x", b"y")), b"a\r\nx\r\ny\r\nc\r\n"),
        (b"a\nb", Change("f", 2, 2, (b"b", b"")), b"a\nb\n"),
        (b"a\nb", Change("f", 2, 2, (b"c",)), b"a\nc"),
        (b"a\nb\n", Change("f", 2, 2, ()), b"a\n"),
        (b"a\x0bb\rc\xe2\x80\xa8d\n", Change("f", 1, 1, (b"x",)), b"x\n"),
    ],
)
def test_line_ends_are_those_of_the_file(content: bytes, change: Change, expected: bytes) -> None:
    assert changed(content, [change]) == expected


def ids(world: World, number: int) -> list[int]:
    return [comment.id for comment in world.repo.review_comments(number)]


def message(world: World) -> str:
    head = world.repo.branch("topic") or ""
    return world.repo.repository.git.commit(head).message


def test_a_suggestion_is_committed_by_who_applies_it(world: World) -> None:
    number = opened(world)
    post(world, number, on(6, suggestion("5", "6"), start_line=5))
    before = world.repo.branch("topic")
    commit = world.repo.apply_suggestions(world.mona, number, ids(world, number))
    assert world.repo.branch("topic") == world.repo.ref(f"refs/pull/{number}/head") == commit
    assert world.repo.file("topic", "text") == AFTER.replace(b"line five\nline 6\n", b"5\n6\n")
    made = world.repo.repository.git.commit(commit)
    assert (made.parents, made.author.name) == ((before,), "mona")
    assert message(world) == (
        "Update text\n\nCo-authored-by: github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>\n"
    )
    assert [thread.resolved_by for thread in world.repo.review_threads(number)] == [world.mona]
    assert world.events.names[-1] == "pull_request.synchronize"
    assert world.events[-1][1]["sender"]["login"] == "mona"


def test_a_batch_is_one_commit(world: World) -> None:
    number = opened(world)
    token = world.hub.token(world.rando)
    post(world, number, on(5, suggestion("a", "b", "c")), on(7, suggestion(), start_line=6), on(30, suggestion("")))
    post(world, number, on(8, suggestion("8!")), token=token)
    before = world.repo.branch("topic")
    commit = world.repo.apply_suggestions(world.hubot, number, ids(world, number))
    assert world.repo.repository.git.commit(commit).parents == (before,)
    expected = AFTER.replace(b"line five\nline 6\nline 7\nline 8\n", b"a\nb\nc\n8!\n").replace(b"line thirty", b"")
    assert world.repo.file("topic", "text") == expected
    assert message(world).startswith("Apply suggestions from code review\n\nCo-authored-by: github-actions[bot] <")
    assert message(world).count("Co-authored-by") == 2
    assert world.events.names.count("pull_request.synchronize") == 1


def test_who_applies_their_own_is_no_co_author_and_may_say_something(world: World) -> None:
    number = opened(world)
    post(world, number, on(5, suggestion("x")), token=world.hub.token(world.mona))
    world.repo.apply_suggestions(world.mona, number, ids(world, number), "fix: x")
    assert message(world) == "fix: x\n"


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(RefusalError) as caught:
        call()
    return caught.value.message


def test_what_cannot_be_applied_is_refused_in_the_pages_words(world: World) -> None:
    number = opened(world)
    post(world, number, on(5, suggestion("x")), on(6, suggestion("y"), start_line=5), on(6, suggestion("line 6")))
    post(world, number, on(7, "no"), on(5, suggestion("z"), side="LEFT"))
    one, wide, same, plain, left = ids(world, number)
    before = world.repo.branch("topic")

    def apply(*comments: int) -> str:
        return refused(lambda: world.repo.apply_suggestions(world.mona, number, comments))

    assert apply(one, wide) == suggestions.SAME_LINE
    assert apply(same) == suggestions.NO_CHANGE
    assert apply(plain) == apply() == suggestions.NO_SUGGESTION
    assert apply(left) == suggestions.ON_DELETED
    assert apply(one, same) == suggestions.NO_CHANGE
    assert refused(lambda: world.repo.apply_suggestions(world.rando, number, [one])) == suggestions.NOT_ALLOWED
    world.repo.resolve(world.mona, world.repo.review_threads(number)[0])
    assert apply(one) == suggestions.IS_RESOLVED
    world.repo.protect("topic")
    assert apply(wide) == "Changes must be made through a pull request."
    world.repo.unprotect("topic")
    assert world.repo.branch("topic") == before
    world.repo.push_files("topic", {"text": AFTER.replace(b"five", b"5")}, world.hubot)
    assert apply(wide) == suggestions.IS_OUTDATED
    world.repo.close(world.mona, number)
    assert apply(wide) == suggestions.CLOSED


def test_a_pending_suggestion_is_not_applied(world: World) -> None:
    number = opened(world)
    world.ask("POST", f"R/pulls/{number}/reviews", {"comments": [on(5, suggestion("x"))]}, world.hub.token(world.mona))
    (pending,) = world.repo.repository.reviews.comments(number, world.mona)
    assert refused(lambda: world.repo.apply_suggestions(world.mona, number, [pending.id])) == suggestions.IN_PENDING


def test_a_suggestion_follows_its_line(world: World) -> None:
    number = opened(world)
    post(world, number, on(5, suggestion("x")))
    world.repo.push_files("topic", {"text": b"new\n" + AFTER}, world.hubot)
    world.repo.apply_suggestions(world.mona, number, ids(world, number))
    assert world.repo.file("topic", "text") == b"new\n" + AFTER.replace(b"line five", b"x")


def test_a_suggestion_keeps_the_files_mode_and_lands_in_a_fork(world: World) -> None:
    world.repo.push_files("main", {"run:x": b"#!/bin/sh\nexit 1\n"}, world.mona)
    fork = world.repo.fork(world.rando)
    fork.push_files("fix", {"run:x": b"#!/bin/sh\nexit 2\n"}, world.rando)
    number = world.repo.open_pull(world.rando, "rando:fix")
    post(world, number, {"path": "run", "line": 2, "body": suggestion("exit 0")})
    commit = world.repo.apply_suggestions(world.hubot, number, ids(world, number))
    assert fork.branch("fix") == commit == world.repo.ref(f"refs/pull/{number}/head")
    assert fork.file("fix", "run") == b"#!/bin/sh\nexit 0\n"
    entry = fork.repository.git.entry(commit, "run")
    assert entry is not None
    assert entry.mode == "100755"
