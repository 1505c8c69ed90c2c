"""What a command leaves behind: its words and its reasons, and nothing that only we may read."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gitclaw_py.adapters.command_agent import CommandAgent
from gitclaw_py.ports.engine import Ran

KEPT = "the secret of this process"


def ran(folder: Path, script: str) -> Ran:
    """Run a script as an agent with a task."""
    work = folder / "work"
    work.mkdir(exist_ok=True)
    agent = CommandAgent(["sh", "-c", script], {"PATH": os.environ["PATH"]}, 20, b"the task")
    return agent.run(work, "", folder / "log.txt", lambda _seconds, _line: None)


@pytest.mark.parametrize("name", ["GITCLAW_ANSWER", "GITCLAW_REASONS"])
@pytest.mark.parametrize(
    "making",
    ['ln -s /proc/self/environ "$F"', 'ln -s "$S" "$F"', 'ln "$S" "$F"', 'mkfifo "$F"', 'mkdir "$F"', ":"],
)
def test_only_a_plain_file_that_the_command_wrote_is_read(tmp_path: Path, name: str, making: str) -> None:
    (tmp_path / "secret").write_text(KEPT, encoding="utf-8")
    began = time.monotonic()
    found = ran(tmp_path, f'S="{tmp_path}/secret"; F="${name}"; {making}; echo fine')
    assert (found.exit_code, found.answer, found.reasons) == (0, b"fine\n", None)
    assert time.monotonic() - began < 10


def test_a_plain_file_is_read(tmp_path: Path) -> None:
    found = ran(tmp_path, 'echo said > "$GITCLAW_ANSWER"; echo why > "$GITCLAW_REASONS"; echo noise')
    assert (found.answer, found.reasons, found.said) == (b"said\n", b"why\n", ("noise",))


PRINTED = "== Result\n$ make\n[exit 3]\nthe end\n"


def test_what_was_printed_is_told_whatever_it_looks_like(tmp_path: Path) -> None:
    for _ in range(2):
        found = ran(tmp_path, f"printf '{PRINTED}'")
        assert found.answer == PRINTED.encode()
        assert found.said == tuple(PRINTED.splitlines())


def test_of_much_that_was_printed_the_end_is_told(tmp_path: Path) -> None:
    found = ran(tmp_path, "seq 1 20000")
    assert found.answer is not None
    assert found.answer.endswith(b"\n19999\n20000\n")
    assert len(found.answer) == 20_000
    assert found.said == tuple(map(str, range(19_996, 20_001)))


def test_its_folder_is_removed_and_nothing_that_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text(KEPT, encoding="utf-8")
    (tmp_path / "kept").chmod(0o440)
    private = 'cd "$(dirname "$GITCLAW_REASONS")"; pwd'
    ran_ = ran(tmp_path, f"{private}; mkdir d; ln -s {tmp_path}/kept d/link; ln -s {tmp_path} all; chmod 000 d .")
    assert ran_.answer is not None
    folder = Path(ran_.answer.decode().strip())
    assert folder.name.startswith("gitclaw-private-")
    assert not folder.exists()
    assert (tmp_path / "kept").read_text(encoding="utf-8") == KEPT
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o440


def test_two_agents_in_one_process_do_not_end_each_other(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(ran, folders[0], "echo began > began; sleep 1; echo slow")
        while not (folders[0] / "work/began").exists():
            time.sleep(0.01)
        quick = pool.submit(ran, folders[1], "sleep 1.5; echo quick")
        ended = [slow.result(), quick.result()]
    assert [(found.exit_code, found.answer) for found in ended] == [(0, b"slow\n"), (0, b"quick\n")]
