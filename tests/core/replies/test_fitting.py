"""Replies of any size fit, and every number is in a table or counted."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from gitclaw_py.core.applying import PartFinding
from gitclaw_py.core.placing import Verdict
from gitclaw_py.core.replies import notices, proposals, verdicts
from gitclaw_py.core.replies.entries import is_machine_made
from gitclaw_py.core.replies.wording import standing
from gitclaw_py.core.state import Decision, State, Verb, decided
from tests.core.replies.reading import check, fences
from tests.core.replies.scenes import LANDED, LINKS, RUN, Scene, many
from tests.core.states import states


def told(scene: Scene, most: int = 15) -> tuple[str, ...]:
    bodies = proposals.proposal(scene.state, 1, scene.texts, LINKS, re="1", requester="mona", run=RUN, most=most)
    check(bodies)
    return bodies


def listed(bodies: tuple[str, ...]) -> list[int]:
    """The numbers in the tables, in order."""
    return [int(number) for body in bodies for number in re.findall(r"^\| \*\*(\d+)\*\* \|", body, re.MULTILINE)]


def numbered_lines(count: int, word: bytes = b"line") -> bytes:
    return b"".join(b"%b %d\n" % (word, k) for k in range(count))


@pytest.mark.parametrize(("count", "most"), [(1, 15), (15, 15), (16, 15), (60, 15), (61, 15), (500, 15), (500, 100)])
def test_every_number_is_in_a_table(count: int, most: int) -> None:
    bodies = told(many(count), most)
    assert listed(bodies) == list(range(1, count + 1))
    assert len(bodies) <= proposals.PARTS + 1


def test_numbers_that_do_not_fit_are_counted() -> None:
    long = b"d" * 3000
    scene = Scene().propose({b"%b/%04d" % (long, k): (b"a\n", b"b\n") for k in range(1, 501)})
    bodies = told(scene)
    shown = listed(bodies)
    assert shown == list(range(1, len(shown) + 1))
    assert len(shown) == 500 or f"And {500 - len(shown)} more, {len(shown) + 1} to 500" in bodies[-1]


def test_context_goes_first() -> None:
    old = numbered_lines(3000, b"a line of some length, as they are in code, and then its number")
    new = re.sub(rb"(line .*(?:00|25|50|75))\n", rb"\1 changed\n", old)
    (body,) = told(Scene().propose({b"f.txt": (old, new)}))
    assert "@@ -50,3 +50,3 @@" in body
    assert body.count("\n@@ ") == 119
    assert "not shown" not in body


def test_then_long_hunks_are_folded() -> None:
    files = {b"%d.txt" % k: (None, numbered_lines(1000, b"a line of some length")) for k in range(3)}
    (body,) = told(Scene().propose(files))
    assert body.count("962 more lines are not shown. [Read the proposed file](") == 3 or body.count("more lines") == 3
    assert all(len(block) <= 46 for block in fences(body))


def test_then_what_programs_wrote_is_left_out() -> None:
    old = numbered_lines(4000)
    lock = re.sub(rb"(line \d*[38])\n", rb"\1 \n", old)
    text = re.sub(rb"(line \d*00)\n", rb"\1 changed\n", old)
    (body,) = told(Scene().propose({b"package-lock.json": (old, lock), b"text.txt": (old, text)}))
    assert "changed lines are not shown here. [Read the proposed file](" in body
    assert body.count("diff --git") == 1


def test_then_the_largest_diffs_are_left_out() -> None:
    old = numbered_lines(4000)
    large = re.sub(rb"(line \d*0)\n", rb"\1" + b" changed" * 20 + rb"\n", old)
    (body,) = told(Scene().propose({b"large.txt": (old, large), b"small.txt": (b"a\n", b"b\n")}))
    assert "800 changed lines are not shown here" in body
    assert body.count("diff --git") == 1
    assert "/gitclaw show 1" in body


@pytest.mark.parametrize("line", [b"x" * 300_000 + b"\n", b"line\n" * 60_000, "é😀".encode() * 50_000, b"`" * 300_000])
def test_a_hunk_of_300_kb(line: bytes) -> None:
    scene = Scene().propose({b"f.txt": (b"a\n", line), b"new.txt": (None, line)})
    told(scene)
    bodies = proposals.shown(scene.state, scene.state.suggestions, scene.texts, re="1", links=LINKS)
    check(bodies)
    assert len(bodies) <= proposals.PARTS


def test_decisions_about_500_suggestions() -> None:
    state = many(500).state
    parts = [name for s in state.suggestions for name in s.parts]
    findings = [
        PartFinding(part, b"p" * 4000, Verdict.CONFLICT, "why " * 80, 1, 1, (b"x" * 5000,) * 7) for part in parts
    ]
    good = [finding._replace(verdict=Verdict.APPLIED, reason="") for finding in findings[::2]]
    odd = [(part, f"because of {part} " + "why " * 80) for part in parts[::2]]
    after = decided(state, Decision(Verb.APPLY, tuple(parts[::2]), "mona", 1, commit=LANDED, branch="main"))
    check(
        verdicts.applied(
            after,
            re="1",
            requester="mona",
            branch="main",
            commit=LANDED,
            findings=good,
            left=findings[1::2],
            skipped=odd,
            kept=odd,
            links=LINKS,
            thread=1,
            notes=["note " * 400],
        )
    )
    check(
        verdicts.stuck(state, re="1", requester="mona", branch="b" * 200, findings=findings, chosen=parts, links=LINKS)
    )
    check(verdicts.rejected(state, re="1", requester="mona", parts=parts[::2], reason="why " * 5000, links=LINKS))
    check(verdicts.nothing_to_do(state, re="1", requester="mona", skipped=odd, verb="apply"))
    check(_status(after))


def _status(state: State) -> tuple[str, ...]:
    bodies = verdicts.status(state, re="1", links=LINKS)
    assert listed(bodies) == list(range(1, len(state.suggestions) + 1))
    return bodies


def test_a_long_log_and_a_long_patch() -> None:
    from gitclaw_py.errors import AgentError

    error = AgentError("AGENT_FAILED", "w" * 5000, "n" * 5000, ("`" * 5000,) * 5000)
    check(notices.failed(error, re="1", requester="mona", log_tail=["😀" * 5000] * 500))
    check(
        notices.progress([notices.Step(False, "@x " * 500, "@y " * 500)] * 500, re="1", requester="mona", seconds=1e9)
    )
    long = b"+line\n" * 20_000
    (body,) = notices.fork_refused(re="1", requester="mona", patch=long, head_repository=None, links=LINKS)
    assert "too long for a comment (120,000 bytes)" in body
    (body,) = notices.fork_refused(re="1", requester="mona", patch=b"+\xff\n", head_repository="a/b", links=LINKS)
    assert "bytes that a comment cannot hold" in body


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (b"package-lock.json", True),
        (b"a/uv.lock", True),
        (b"yarn.lock", True),
        (b"pnpm-lock.yaml", True),
        (b"go.sum", True),
        (b"dist/app.js", True),
        (b"web/app.min.js", True),
        (b"proto/a_pb2.py", True),
        (b"src/lock.py", False),
        (b"src/locks/distance.py", False),
        (b"README.md", False),
    ],
)
def test_files_that_programs_write(path: bytes, expected: bool) -> None:  # noqa: FBT001
    assert is_machine_made(path) is expected


@settings(max_examples=40)
@given(states())
def test_the_counts_add_up(state: State) -> None:
    of, *others = standing(state).removesuffix(".").split(", ")
    applied, total = (int(word) for word in of.removesuffix(" applied").split(" of "))
    assert total == len(state.suggestions)
    assert applied + sum(int(other.split(" ")[0]) for other in others) == total


def test_what_was_left_is_told_first_when_not_everything_is() -> None:
    state = many(100).state
    findings = [PartFinding(f"{k}.1", b"f", Verdict.APPLIED) for k in range(1, 100)]
    left = PartFinding("100.1", b"f", Verdict.CONFLICT, "the lines were changed since")
    (body,) = verdicts.applied(
        state,
        re="1",
        requester="mona",
        branch="main",
        commit=LANDED,
        findings=findings,
        left=[left],
        links=LINKS,
        thread=1,
    )
    assert "| **100** | `src/module_100.py` | Left pending: the lines were changed since |" in body
    assert "And 70 more files" in body
