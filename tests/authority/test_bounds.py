"""Rows 55, 57 and 58 of the threat table: nothing that comes from outside costs more than it may."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gitclaw_py import config
from gitclaw_py.adapters.github_forge import GitHubForge
from gitclaw_py.core import budget
from gitclaw_py.core.bounds import ON_ONE_S_OWN, Bounds, Measured, require_few
from gitclaw_py.core.budget import Allowance, Spent, spend
from gitclaw_py.core.commands import LONGEST, Misplaced, read_commands
from gitclaw_py.core.reasons import read_reasons
from gitclaw_py.core.settings import DEFAULT
from gitclaw_py.errors import BudgetError, ConfigError, GitclawError, RefusedError
from tests.adapters.scripted_github import Says, serving
from tests.conversations.talk import Talk, talking
from tests.handlers.worlds import propose
from tests.sandbox import Sandbox

NOW = 1_800_000_000
EVERY = Allowance(2, 3, 4)


def at(seconds: int, account: int = 7, thread: int = 1) -> Spent:
    return Spent(NOW + seconds, account, thread)


def runs_out(runs: list[Spent], one: Spent, allowed: Allowance = EVERY) -> str:
    with pytest.raises(BudgetError) as error:
        spend(runs, one, allowed)
    assert (error.value.code, error.value.exit_code) == ("BUDGET_EXCEEDED", 7)
    return f"{error.value.what}. {error.value.next_step}"


def test_row_55_each_limit_holds_and_says_when_there_is_room_again() -> None:
    thread = [at(-1_200), at(-60)]
    assert "2 runs in this thread within one hour" in runs_out(thread, at(0))
    assert "ask again in 40 minutes, or raise limits.runsPerThreadPerHour" in runs_out(thread, at(0))
    assert len(spend(thread, at(0, thread=2), EVERY)) == 3
    account = [at(-5 * 3_600, thread=n) for n in range(3)]
    assert "3 runs for you within one day" in runs_out(account, at(0, thread=9))
    assert "ask again in 19 hours" in runs_out(account, at(0, thread=9))
    assert len(spend(account, at(0, account=8, thread=9), EVERY)) == 4
    everyone = [at(-5 * 3_600, account=n, thread=n) for n in range(4)]
    assert "4 runs in this repository within one day" in runs_out(everyone, at(0, account=9, thread=9))


@pytest.mark.parametrize(("age", "counts"), [(3_599, True), (3_600, False)])
def test_row_55_an_hour_is_an_hour(age: int, counts: bool) -> None:  # noqa: FBT001
    runs = [at(-age), at(-age)]
    if counts:
        runs_out(runs, at(0), Allowance(2, None, None))
    else:
        assert len(spend(runs, at(0), Allowance(2, None, None))) == 3


def test_row_55_what_is_older_than_a_day_is_forgotten_and_times_to_come_count() -> None:
    assert spend([at(-86_400), at(-86_399)], at(0), Allowance()) == (at(-86_399), at(0))
    assert "in 60 minutes" in runs_out([at(10**8), at(10**8)], at(0), Allowance(2, None, None))


def test_row_55_the_count_is_read_as_strictly_as_a_state() -> None:
    runs = (at(0), at(5, 8, 2))
    assert budget.load(budget.dump(runs)) == runs
    for data in (b"{}", b'{"version": 1, "runs": [[1, 2]]}', b'{"version": 1, "runs": [], "x": 1}', b"\xff"):
        with pytest.raises(ConfigError, match="refs/gitclaw/budget"):
            budget.load(data)


def test_row_55_runs_are_counted_across_threads_before_the_agent_starts(tmp_path: Path) -> None:
    with talking(tmp_path, {"limits": {"runsPerUserPerDay": 2}}) as talk:
        talk.say("/gitclaw\n\nfail 3")
        talk.open("Another")
        talk.say("/gitclaw\n\nwrite a.txt a")
        (reply,) = talk.say("/gitclaw\n\nwrite b.txt b")
        assert "2 runs for you within one day" in reply
        assert "`BUDGET_EXCEEDED`" in reply
        assert len(talk.prompts()) == 2
        assert "### Applied 1" in talk.say("/apply 1")[0]


def test_row_55_who_may_not_ask_spends_nothing(tmp_path: Path) -> None:
    with talking(tmp_path, {"limits": {"runsPerRepositoryPerDay": 1}}) as talk:
        for _ in range(2):
            assert "needs write access" in talk.say("/gitclaw\n\nwrite a.txt a", talk.reader)[0]
        assert talk.repo.ref("refs/gitclaw/budget") is None
        assert "### Proposal 1" in talk.say("/gitclaw\n\nwrite a.txt a")[0]


def test_row_55_what_cannot_be_counted_does_not_begin(talk: Talk) -> None:
    talk.repo.push_files("other", {"x.txt": b"x"}, talk.mona)
    talk.repo.repository.git.git("update-ref", "refs/gitclaw/budget", "refs/heads/other")
    (reply,) = talk.say("/gitclaw\n\nwrite a.txt a")
    assert "was not made by gitclaw" in reply
    assert talk.prompts() == []


def test_row_55_without_limits_nothing_is_counted(tmp_path: Path) -> None:
    endless = dict.fromkeys(("runsPerThreadPerHour", "runsPerUserPerDay", "runsPerRepositoryPerDay"))
    with talking(tmp_path, {"limits": endless}) as talk:
        talk.say("/gitclaw\n\nwrite a.txt a")
        assert talk.repo.ref("refs/gitclaw/budget") is None


SIZE = 64 * 1024
SHAPES: list[Callable[[int], str]] = [
    lambda n: "```" + "a" * n,
    lambda n: "<!--" * (n // 4),
    lambda n: "/apply " + "1 " * (n // 2) + "x",
    lambda n: "/apply " + "1," * (n // 2) + "x",
    lambda n: " " * n + "x",
    lambda n: "![" * (n // 2),
    lambda n: " data-a=" * (n // 8),
    lambda n: "[" * n,
    lambda n: "> " * (n // 2) + "/apply 1",
    lambda n: "- a\n  " * (n // 6),
    lambda n: "`" * (n // 2) + " " + "`" * (n // 2 - 1),
    lambda n: "<a " * (n // 3),
    lambda n: "@my-bot" * (n // 7),
    lambda n: "/reject " + "1 and " * (n // 6),
]


def _seconds(shape: Callable[[int], str], size: int) -> float:
    """The shortest of three readings, as processor time: others may be at work on the machine."""
    text = f"/gitclaw status\n\n{shape(size)}\n\n@my-bot x"
    took = []
    for _ in range(3):
        began = time.process_time()
        read_commands(text, "@my-bot", 10**9)
        took.append(time.process_time() - began)
    return min(took)


@pytest.mark.parametrize("number", range(len(SHAPES)))
def test_row_57_hostile_shapes_are_read_in_linear_time(number: int) -> None:
    _seconds(SHAPES[number], 100)
    small, whole = _seconds(SHAPES[number], SIZE // 4), _seconds(SHAPES[number], SIZE)
    assert whole < 4 * 2.0 * small + 0.02, (small, whole)
    assert whole < 1.0


@pytest.mark.parametrize("over", [0, 1])
def test_row_57_a_comment_over_the_limit_is_not_read_and_is_told(over: int) -> None:
    text = "/apply 1\n" + "x" * (991 + over)
    (command,) = read_commands(text, None, 1_000)
    assert isinstance(command, Misplaced) is bool(over)
    if isinstance(command, Misplaced):
        assert "1,001 characters" in command.hint
        assert "up to 1,000" in command.hint


def test_row_57_the_limit_of_a_comment_is_answered(tmp_path: Path) -> None:
    with talking(tmp_path, {"limits": {"commentLength": 100}}) as talk:
        (reply,) = talk.say("/gitclaw do it\n\n" + "x" * 100)
        assert "commands are read in comments of up to 100" in reply
        assert talk.prompts() == []
        assert talk.say("x" * 101) == []
    assert DEFAULT.limits.comment_length == LONGEST


SMALL = Bounds(files=3, file_bytes=10, proposal_bytes=20, hunks=2, depth=2)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([(b"a", 1)] * 3, None),
        ([(b"a", 1)] * 4, "more than 3 files"),
        ([(b"a", 10), (b"b", 10)], None),
        ([(b"a", 11)], "a has 11 bytes, and a file here may have 10"),
        ([(b"a", 10), (b"b", 10), (b"c", 1)], "more than 20 bytes together"),
        ([(b"a/b/c", 1)], None),
        ([(b"a/b/c/d", 1)], "in more than 2 folders"),
        ([(b"a\x1b[31m\n", 11)], "a\\"),
    ],
)
def test_row_58_bounds_hold_to_the_byte(files: list[tuple[bytes, int]], said: str | None) -> None:
    measured = Measured(SMALL)

    def count() -> None:
        for path, size in files:
            measured.add(path, size)

    if said is None:
        count()
        return
    with pytest.raises(RefusedError) as error:
        count()
    assert error.value.code == "TOO_LARGE"
    assert said in error.value.what
    assert "\n" not in error.value.what
    assert "limits." in error.value.next_step


def test_row_58_hunks_are_counted_before_they_are_cut() -> None:
    require_few(2, SMALL)
    with pytest.raises(RefusedError, match="3 places, and a proposal here may have 2"):
        require_few(3, SMALL)


@contextmanager
def bounded(folder: Path, **limits: int) -> Iterator[Talk]:
    with talking(folder, {"limits": limits}) as talk:
        yield talk


@pytest.mark.parametrize(
    ("limits", "fits", "too_much", "said"),
    [
        ({"files": 2}, "write a.txt a\nwrite b.txt b", "write a.txt a\nwrite b.txt b\ndelete notes.txt", "2 files"),
        ({"fileBytes": 300}, f"write a.txt {'x' * 299}", f"write a.txt {'x' * 300}", "`a.txt` has 301 bytes"),
        (
            {"proposalBytes": 20},
            f"write a.txt {'x' * 19}",
            "write a.txt 123456789\nwrite b.txt 12345678901",
            "20 bytes",
        ),
        ({"depth": 2}, "write a/b/c.txt c", "write a/b/c/d.txt d", "2 folders"),
        (
            {"hunks": 1},
            "replace old with new in docs/guide.md\nwrite a.txt a",
            "replace old with new in app.py",
            "2 places",
        ),
    ],
)
def test_row_58_a_proposal_that_is_too_large_is_refused_whole(
    tmp_path: Path, limits: dict[str, int], fits: str, too_much: str, said: str
) -> None:
    with bounded(tmp_path, **limits) as talk:
        (reply,) = talk.say(f"/gitclaw\n\n{too_much}")
        assert "`TOO_LARGE`" in reply
        assert said in reply
        assert "limits." in reply
        assert talk.state() is None
        assert "### Proposal 1" in talk.say(f"/gitclaw\n\n{fits}")[0]


def test_row_58_a_file_of_three_gibibytes_is_not_read(repo: Sandbox) -> None:
    def change(folder: Path) -> None:
        with (folder / "big.bin").open("wb") as file:
            file.truncate(3 << 30)

    repo.write("a.txt", "a")
    repo.commit()
    began = time.process_time()
    with pytest.raises(RefusedError, match=r"big.bin has 3,221,225,472 bytes"):
        propose(repo, change)
    assert time.process_time() - began < 5


def test_row_58_folders_within_folders_end_somewhere(repo: Sandbox) -> None:
    def change(folder: Path) -> None:
        here = os.open(folder, os.O_RDONLY)
        for _ in range(1_500):
            os.mkdir("dddd", dir_fd=here)
            there = os.open("dddd", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = there
        os.close(here)

    repo.write("a.txt", "a")
    repo.commit()
    with pytest.raises(GitclawError) as error:
        propose(repo, change)
    assert error.value.code == "TOO_LARGE"


def test_a_terminal_takes_large_changes() -> None:
    assert ON_ONE_S_OWN.files >= 100_000
    assert all(own > forge for own, forge in zip(ON_ONE_S_OWN, Bounds(), strict=True))


@pytest.mark.parametrize(
    "limits",
    [
        {"files": 0},
        {"files": True},
        {"files": "5"},
        {"unknown": 1},
        {"runsPerUserPerDay": 0},
        {"commentLength": 65_537},
    ],
)
def test_a_limit_that_is_none_is_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        config.parse(json.dumps({"limits": limits}).encode(), "suggestions.json")


@pytest.mark.parametrize("over", [0, 1])
def test_row_58_reasons_are_counted(over: int) -> None:
    data = json.dumps({f"a.py:{line}": "x" for line in range(1, 5_001 + over)}).encode()
    if over:
        with pytest.raises(ValueError, match="more than 5,000 reasons"):
            read_reasons(data)
    else:
        assert len(read_reasons(data)) == 5_000


def test_row_58_a_thread_is_not_read_without_end() -> None:
    more = {"Link": '<https://x/?page=2>; rel="next"'}
    with serving() as script:
        script.answers(*[Says([], headers=more)] * 50)
        forge = GitHubForge(script.url, "t", "octo/hello", sleep=lambda _: None, note=lambda _: None)
        with pytest.raises(RefusedError, match="more than 5,000 comments") as error:
            forge.comments(1, None)
        forge.close()
        assert error.value.code == "TOO_LARGE"
        assert len(script.asked) == 50
