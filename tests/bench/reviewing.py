"""Part of G12: planning a review of many hunks, in process; twice as many have to take twice as long."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from gitclaw_py.core.applying import Target
from gitclaw_py.core.diffs import Entry, blob_id
from gitclaw_py.core.review.plan import Plan
from gitclaw_py.core.review.planner import plan
from gitclaw_py.core.review.pull_diff import PullFile
from gitclaw_py.core.scripts import Hunk, splice, split_lines
from gitclaw_py.core.suggestions import Group, Kind, Suggestion
from tests.bench.bench import Bench
from tests.bench.counting import CONSOLE
from tests.bench.measure import Case, Row, alternate, process
from tests.core.review.heads import Head
from tests.sandbox import Sandbox, made

_APART = 10
"""Lines from one hunk to the next."""


class Review(NamedTuple):
    """What a plan is made from."""

    targets: list[Target]
    head: Head
    files: list[PullFile]

    def plan(self) -> Plan:
        """The plan."""
        found = plan(self.targets, self.head, self.files, {})
        assert isinstance(found, Plan)
        return found


def review(hunks: int, files: int) -> Review:
    """So many hunks, by turns a replacement, an insertion and a deletion, spread over so many files."""
    each = hunks // files
    texts = {b"f%d.txt" % k: _text(k, each) for k in range(files)}
    made = [_suggestion(k, path, text, each) for k, (path, text) in enumerate(texts.items(), 1)]
    targets = [Target(s, frozenset(s.parts), frozenset()) for s in made]
    return Review(targets, Head(texts), [PullFile(path, ((0, each * _APART),)) for path in texts])


def _text(file: int, hunks: int) -> bytes:
    return b"".join(b"line %d of %d\n" % (k, file) for k in range(hunks * _APART))


def _suggestion(number: int, path: bytes, text: bytes, count: int) -> Suggestion:
    hunks = [_hunk(k) for k in range(count)]
    base = split_lines(text)
    old, new = (Entry("100644", blob_id("sha1", data)) for data in (text, b"".join(splice(base, hunks))))
    groups = tuple(Group(k, (hunk,)) for k, hunk in enumerate(hunks, 1))
    return Suggestion(number, 1, Kind.MODIFY, path, path, old, new, groups)


def _hunk(k: int) -> Hunk:
    start = k * _APART + 3
    return Hunk(start, start + (k % 3 != 1), () if k % 3 == 2 else (b"new %d\n" % k,))


def measured(bench: Bench) -> list[Row]:
    """The rows of the planner."""
    count = 1_000 if bench.quick else 5_000
    rows = []
    for files, where in ((1, "in one file"), (count // 10, f"in {count // 10} files")):
        few, many = review(count, files), review(2 * count, files)
        assert [len(r.plan().comments) for r in (few, many)] == [count, 2 * count]
        pair = alternate({"K": _case(few), "2K": _case(many)}, bench.rounds).pair("K", "2K")
        what = f"plan {2 * count} hunks {where}, against {count}"
        rows.append(pair.row("G12", what, "<= 2.2x", met=pair.ratio <= 2.2))
    return rows


_SHAPES = ((10, 1), (100, 3), (1000, 25))
_PEERS = {
    10: "code-suggester 254 ms / 87 MiB, suggest-changes 314 / 98, one comment at a time through PyGithub 10,125 ms",
    100: "code-suggester 289 ms / 89 MiB, suggest-changes 415 / 100",
    1000: "code-suggester 299 ms / 99 MiB, suggest-changes 423 / 108",
}
"""Wall time and memory for the same shapes, requests to a local stand-in included, as measured on another machine."""


def whole(bench: Bench) -> list[Row]:
    """The rows of ``gitclaw review-plan``, a whole process, beside what peers take for a review of the same shape."""
    rows = []
    for hunks, files in _SHAPES:
        sandbox, (base, head, work) = _repository(bench, hunks, files)
        plan_it = [*CONSOLE, "review-plan", "--base", base, "--head", head, "--work", work, "--json"]
        commands = {"git": ["git", "diff", "-U0", head, work], "ours": plan_it}
        cases: dict[str, Case] = {
            name: partial(process, command, sandbox.path, sandbox.environment) for name, command in commands.items()
        }
        pair = alternate(cases, bench.rounds).pair("git", "ours")
        row = pair.row("G12", f"review-plan of {hunks} hunks in {files} files, against git diff -U0")
        rows.append(replace(row, note=_PEERS[hunks]))
    return rows


def _repository(bench: Bench, hunks: int, files: int) -> tuple[Sandbox, tuple[str, str, str]]:
    """A pull request of new files and a commit that changes them: base, head and work."""
    sandbox, each = made(bench.scratch(f"review-{hunks}") / "repo"), hunks // files
    commits = [sandbox.commit("base")]
    texts = {f"f{k}.txt": _text(k, each) for k in range(files)}
    changes = [_hunk(k) for k in range(each)]
    for done in (texts, {name: b"".join(splice(split_lines(text), changes)) for name, text in texts.items()}):
        for name, data in done.items():
            sandbox.write(name, data)
        commits.append(sandbox.commit("next"))
    base, head, work = commits
    return sandbox, (base, head, work)


def _case(one: Review) -> Case:
    return partial(_timed, one)


def _timed(one: Review) -> float:
    started = time.perf_counter()
    one.plan()
    return time.perf_counter() - started
