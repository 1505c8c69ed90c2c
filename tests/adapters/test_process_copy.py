"""A copy of this process: what it tells is whole or nothing, and nothing of it is left, whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from gitclaw_py.adapters.process_copy import Copy, can_copy

TELLS: tuple[Any, ...] = (["a", 1], [(b"\xff\0", 2**70)], [])
MUCH = (b"x" * 1_000_000,)
"""More than a pipe holds."""


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    def now() -> tuple[object, ...]:
        handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
        return (
            sorted(os.listdir("/proc/self/fd")),
            signal.pthread_sigmask(signal.SIG_BLOCK, ()),
            handlers,
            children,
        )

    before = now()
    yield
    assert now() == before


def failing() -> NoReturn:
    raise RuntimeError


def exiting() -> NoReturn:
    raise SystemExit(3)


def sleeping() -> tuple[int]:
    time.sleep(60)
    return (1,)


def untellable() -> tuple[object]:
    return (object(),)


def test_it_tells_what_came_of_its_work() -> None:
    with Copy(lambda: TELLS) as copy:
        assert copy.told() == TELLS
    with Copy(lambda: MUCH) as copy:
        assert copy.told() == MUCH


def test_it_works_on_what_there_was_and_changes_nothing_here() -> None:
    mine = [1]

    def work() -> tuple[list[int]]:
        mine.append(2)
        return (mine,)

    with Copy(work) as copy:
        mine.append(3)
        assert copy.told() == ([1, 2],)
    assert mine == [1, 3]


@pytest.mark.parametrize("work", [failing, exiting, untellable])
def test_one_that_fails_tells_nothing(work: Callable[[], tuple[Any, ...]], capfd: pytest.CaptureFixture[str]) -> None:
    with Copy(work) as copy:
        assert copy.told() is None
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("work", [sleeping, lambda: MUCH])
def test_nobody_waits_for_one_that_is_not_asked(work: Callable[[], tuple[Any, ...]]) -> None:
    began = time.monotonic()
    with Copy(work):
        pass
    with pytest.raises(KeyError), Copy(work):
        raise KeyError
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
def test_one_that_is_ended_by_a_signal_tells_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, number: int
) -> None:
    """None of our own handlers runs in it."""
    handled = tmp_path / "handled"
    before = {one: signal.signal(one, lambda *_: handled.touch()) for one in (signal.SIGTERM, signal.SIGHUP)}
    started = _forks(monkeypatch)
    try:
        with Copy(sleeping) as copy:
            os.kill(started[0], number)
            assert copy.told() is None
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    assert not handled.exists()


def _forks(monkeypatch: pytest.MonkeyPatch, after: Callable[[], None] = lambda: None) -> list[int]:
    started = list[int]()
    really = os.fork

    def fork() -> int:
        child = really()
        if child:
            started.append(child)
            after()
        return child

    monkeypatch.setattr(os, "fork", fork)
    return started


@pytest.mark.parametrize("work", [sleeping, lambda: MUCH])
def test_a_signal_just_as_it_is_made_ends_both(
    monkeypatch: pytest.MonkeyPatch, work: Callable[[], tuple[Any, ...]]
) -> None:
    """To this thread: there is no other one where a copy is made, but where tests run there is."""
    started = _forks(monkeypatch, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt), Copy(work):
        raise AssertionError
    assert len(started) == 1


def test_where_there_are_no_more_processes_it_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", none)
    with Copy(lambda: TELLS) as copy:
        assert copy.told() is None


def test_who_ignores_the_end_of_children_gets_the_same() -> None:
    """A process inherits that: https://man7.org/linux/man-pages/man7/signal.7.html."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with Copy(lambda: TELLS) as copy:
            assert copy.told() == TELLS
        with Copy(sleeping):
            pass
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_one_whose_maker_is_killed_ends() -> None:
    """It holds what its maker wrote to: who reads that would wait for it for ever."""
    program = (
        "import os, signal\n"
        "from gitclaw_py.adapters.process_copy import Copy\n"
        f"with Copy(lambda: (b'x' * {len(MUCH[0])},)):\n"
        "    print('made', flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGKILL, "made\n", "")


def test_there_is_none_beside_threads_or_without_a_second_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.setattr("threading.active_count", lambda: 1)
    assert can_copy()
    monkeypatch.setattr("threading.active_count", lambda: 2)
    assert not can_copy()
    monkeypatch.setattr("threading.active_count", lambda: 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3}, raising=False)
    assert not can_copy()
    monkeypatch.delattr(os, "sched_getaffinity")
    assert not can_copy()
