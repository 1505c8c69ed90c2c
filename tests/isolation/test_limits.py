"""An agent that takes too much, stays too long or says too much, and what is left of it: nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from gitclaw_py.core.settings import AgentSettings, Isolation, Usage
from gitclaw_py.errors import AgentError
from tests.isolation.conftest import Making
from tests.isolation.place import KINDS, Place, place, processes, python

MIB = 1 << 20


def _mark(number: int) -> str:
    return f"3131.{os.getpid()}{number}"


def _gone(mark: str, seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while processes(mark) and time.monotonic() < end:
        time.sleep(0.02)
    return not processes(mark)


def test_row_58_a_file_grows_to_the_limit_and_no_further(made: Making) -> None:
    place = made(AgentSettings(limits=Usage(file_size=1)))
    found = place.run("truncate -s 3G sparse; head -c 3000000 /dev/zero > big; echo end")
    assert (place.work / "big").stat().st_size == MIB
    assert (place.work / "sparse").stat().st_size <= MIB
    assert "end" in found.said


def test_a_process_gets_no_more_memory_than_the_limit(made: Making) -> None:
    place = made(AgentSettings(limits=Usage(memory=100)))
    found = place.start([python(), "-c", "print(len(bytearray(300 << 20)))"])
    assert found.ran.exit_code != 0
    assert "MemoryError" in found.said


def test_processes_together_get_no_more_memory_than_the_limit(made: Making) -> None:
    place = made(AgentSettings(limits=Usage(memory=150)))
    # Orphans in sessions of their own, which is where one would hide.
    hold = f"(setsid {python()} -c 'import time; held = bytearray(b\"x\") * (70 << 20); time.sleep(20)' &)"
    with pytest.raises(AgentError, match="more than 150 MiB of memory"):
        place.run(f"{hold}\n" * 4 + f"sleep {_mark(1)}")
    assert _gone(_mark(1))


def test_a_bomb_of_processes_goes_out(made: Making) -> None:
    place = made(AgentSettings(limits=Usage(processes=60)))
    bomb = f"""
import os, time
for _ in range(1000):
    try:
        if os.fork() == 0:
            os.setsid()
            os.execvp("sleep", ["sleep", "{_mark(2)}"])
    except OSError:
        pass
time.sleep(5)
"""
    began = time.monotonic()
    # Where the kernel itself counts for the agent alone, it goes on with what it has.
    with suppress(AgentError):
        place.start([python(), "-c", bomb])
    assert time.monotonic() - began < 20
    assert _gone(_mark(2))


def test_time_is_up_for_all_of_it(made: Making) -> None:
    place = made()
    began = time.monotonic()
    with pytest.raises(AgentError) as caught:
        place.run(f"setsid sleep {_mark(3)} & trap '' TERM INT; while :; do sleep 0.1; done", 1.0)
    assert caught.value.code == "AGENT_TIMEOUT"
    assert time.monotonic() - began < 10
    assert _gone(_mark(3))


DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("alive", "w").close()
        os.execvp("sleep", ["sleep", "MARK"])
    os._exit(0)
os.wait()
while not os.path.exists("alive"):
    time.sleep(0.01)
"""


@pytest.mark.parametrize("how", [*KINDS, Isolation.NONE])
def test_row_37_a_daemon_that_left_its_group_and_holds_the_output_is_gone(tmp_path: Path, how: Isolation) -> None:
    here = place(tmp_path, how)
    began = time.monotonic()
    here.start([python(), "-c", DAEMON.replace("MARK", _mark(4))])
    assert (here.work / "alive").exists()
    assert processes(_mark(4)) == []
    assert time.monotonic() - began < 10


def test_output_is_kept_up_to_the_limit_and_that_is_said(made: Making) -> None:
    place = made(AgentSettings(limits=Usage(output=1)))
    found = place.run("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo the 'end'")
    assert found.ran.exit_code == 0
    assert MIB < len(found.log) < MIB + 1_000
    assert f"[what it said after {MIB} bytes is left out]" in found.log
    assert "the end" not in found.log


BOT = """
import sys
from pathlib import Path
from gitclaw_py.core.settings import AgentSettings, Isolation
from tests.isolation.place import Place
Place(Path(sys.argv[1]), AgentSettings(isolation=Isolation(sys.argv[2]))).run(sys.argv[3])
"""


@pytest.mark.parametrize("how", KINDS)
def test_it_ends_with_a_bot_that_is_killed(tmp_path: Path, how: Isolation) -> None:
    here = place(tmp_path, how)
    script = f"exec sleep {_mark(5)}"
    bot = subprocess.Popen(
        [sys.executable, "-c", BOT, str(here.folder), how, script], cwd=Path(__file__).resolve().parents[2]
    )
    end = time.monotonic() + 20
    while not processes(_mark(5)) and time.monotonic() < end:
        time.sleep(0.02)
    assert processes(_mark(5))
    bot.send_signal(signal.SIGKILL)
    bot.wait()
    assert _gone(_mark(5))


def test_the_person_s_own_command_leaves_nothing_either(tmp_path: Path) -> None:
    from gitclaw_py.adapters.command_agent import CommandAgent

    work = tmp_path / "work"
    work.mkdir()
    command = [python(), "-c", DAEMON.replace("MARK", _mark(6))]
    agent = CommandAgent(command, {"PATH": os.environ["PATH"]}, 20)
    ran = agent.run(work, "", tmp_path / "log", lambda _seconds, _line: None)
    assert (ran.exit_code, ran.isolation) == (0, "none")
    assert processes(_mark(6)) == []


def test_what_was_running_before_goes_on(tmp_path: Path) -> None:
    other = subprocess.Popen(["sleep", _mark(7)])
    try:
        Place(tmp_path, AgentSettings(isolation=Isolation.NONE)).run("true")
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()
