"""What is in the way is found before anything is written, called by its name, and gone once it is removed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.sandbox import Sandbox, made


@pytest.fixture
def thread(repo: Sandbox) -> Sandbox:
    repo.write("a.txt", "".join(f"{number}\n" for number in range(40)))
    repo.write("d/b.txt", "b\n")
    repo.commit("base")
    repo.suggest("sed -i 's/^5$/five/; s/^25$/more/' a.txt; echo b >>d/b.txt; echo n >d/new")
    return repo


@pytest.mark.parametrize("lock", ["index.lock", "HEAD.lock", "refs/heads/main.lock"])
def test_a_lock_of_git_keeps_everything_as_it_was(thread: Sandbox, lock: str) -> None:
    path = thread.path / ".git" / lock
    path.touch()
    before = thread.head, thread.read("a.txt")
    for _ in range(2):
        said = thread.gitclaw("apply", "1", code=6).err
        assert said == (
            f"STATE_CONFLICT: {path} is there: a git command is at work, or one was killed.\n"
            "Next: wait for it, or if there is none remove that file; then give the command again\n"
        )
        assert (thread.head, thread.read("a.txt")) == before
    path.unlink()
    assert thread.gitclaw("apply", "1").out.startswith("Applied 1 on main")
    assert thread.status == ""


def test_what_could_not_be_committed_at_once_need_not_be_made_again(repo: Sandbox) -> None:
    repo.commit()
    lock = repo.path / ".git/index.lock"
    lock.touch()
    said = repo.suggest("echo x >x", "--mode", "commit-only", code=6).err
    assert said.startswith(f"STATE_CONFLICT: {lock} is there")
    assert said.endswith("Next: the proposal is kept: gitclaw apply 1\n")
    lock.unlink()
    repo.gitclaw("apply", "1")
    assert repo.git("show", "HEAD:x") == b"x\n"


def test_a_folder_that_takes_no_files_keeps_everything_as_it_was(thread: Sandbox, as_nobody: list[str]) -> None:
    before = thread.head
    (thread.path / "d").chmod(0o555)
    try:
        said = _as(as_nobody, thread, "apply", "all")
    finally:
        (thread.path / "d").chmod(0o755)
    assert said.returncode == 6
    assert said.stderr.decode().startswith(f"STATE_CONFLICT: The folder {thread.path}/d cannot be written to.\n")
    assert (thread.head, thread.status) == (before, "")


@pytest.fixture
def as_nobody() -> list[str]:
    """How to run a command without the right to write everywhere."""
    if os.getuid():
        return []
    command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("root can write everywhere here")
    return command


def _as(command: list[str], repo: Sandbox, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    words = [*command, sys.executable, "-m", "gitclaw_py", *arguments]
    return subprocess.run(words, cwd=repo.path, env=repo.environment, capture_output=True, check=False)


def test_commands_given_at_once_wait_for_one_another(thread: Sandbox) -> None:
    words = [sys.executable, "-m", "gitclaw_py", "apply"]
    running = [
        subprocess.Popen([*words, number], cwd=thread.path, env=thread.environment, stdout=subprocess.DEVNULL)
        for number in ("1", "2", "3")
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert thread.text("rev-list", "--count", "HEAD") == "4"
    assert thread.status == ""


def _waits(process: subprocess.Popen[bytes], lock: Path) -> bool:
    fds = Path(f"/proc/{process.pid}/fd")
    with contextlib.suppress(OSError):
        return any(fd.readlink() == lock for fd in fds.iterdir())
    return False


def test_who_waits_sees_a_branch_that_moved_meanwhile(thread: Sandbox) -> None:
    lock = thread.path / ".gitclaw/state/main/lock"
    words = [sys.executable, "-m", "gitclaw_py", "apply", "1"]
    with lock.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        waiting = subprocess.Popen(words, cwd=thread.path, env=thread.environment, stdout=subprocess.PIPE)
        while not _waits(waiting, lock):
            assert waiting.poll() is None
            time.sleep(0.005)
        thread.write("mine.txt", "mine\n")
        thread.commit("mine")
    out, _ = waiting.communicate()
    assert (waiting.returncode, out.decode()[:9]) == (0, "Applied 1")
    assert thread.text("log", "-1", "--format=%s", "HEAD^") == "mine"


@pytest.mark.parametrize("lose", [("reset", "-q", "--hard", "HEAD^"), ("commit", "-q", "--amend", "-m", "other")])
def test_what_a_branch_has_lost_is_applied_again(thread: Sandbox, lose: tuple[str, ...]) -> None:
    thread.gitclaw("apply", "1")
    thread.git(*lose)
    there = "five" in thread.read("a.txt").decode()
    said = thread.gitclaw("apply", "1").out
    assert said.startswith("1: already on main." if there else "Applied 1 on main")
    assert "five" in thread.git("show", "HEAD:a.txt").decode()
    assert thread.status == ""


def test_what_is_still_there_is_not_applied_again(thread: Sandbox) -> None:
    thread.gitclaw("apply", "1")
    thread.write("mine.txt", "mine\n")
    head = thread.commit("mine")
    assert "it is applied already" in thread.gitclaw("apply", "1").out
    assert thread.head == head


@pytest.mark.parametrize(("verb", "subject"), [("status", "base"), ("apply all", "Apply"), ("suggest -- true", "base")])
def test_nobody_has_to_listen(thread: Sandbox, verb: str, subject: str) -> None:
    script = f"{sys.executable} -m gitclaw_py {verb} >&- 2>&-"
    ended = subprocess.run(["sh", "-c", script], cwd=thread.path, env=thread.environment, check=False)
    assert ended.returncode == 0
    assert thread.text("log", "-1", "--format=%s").startswith(subject)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_where_the_result_cannot_be_written_what_was_done_is_not_to_be_done_again(thread: Sandbox) -> None:
    script = f"{sys.executable} -m gitclaw_py apply 1 >/dev/full"
    ended = subprocess.run(
        ["sh", "-c", script], cwd=thread.path, env=thread.environment, capture_output=True, check=False
    )
    assert ended.returncode == 1
    assert ended.stderr.decode() == (
        "INTERNAL: What there was to say could not be written: No space left on device.\n"
        "Next: see gitclaw status: what was to be done is done\n"
    )
    assert "five" in thread.git("show", "HEAD:a.txt").decode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_note_that_cannot_be_written_stops_nothing(thread: Sandbox) -> None:
    script = f"GIT_DIR=/nonexistent {sys.executable} -m gitclaw_py apply 1 2>/dev/full"
    ended = subprocess.run(
        ["sh", "-c", script], cwd=thread.path, env=thread.environment, capture_output=True, check=False
    )
    assert (ended.returncode, ended.stdout[:17]) == (0, b"Applied 1 on main")


def test_what_git_cannot_read_is_told_in_its_words(thread: Sandbox) -> None:
    with (thread.path / ".git/config").open("ab") as config:
        config.write(b"[foo\n")
    said = thread.gitclaw("status", code=2).err
    assert said.startswith(f"NOT_A_REPOSITORY: git cannot work in {thread.path}: bad config line")
    assert "git init" not in said


def test_a_folder_that_is_gone_is_called_that(thread: Sandbox) -> None:
    script = f"mkdir x; cd x; rmdir ../x; {sys.executable} -P -m gitclaw_py status"
    ended = subprocess.run(
        ["sh", "-c", script], cwd=thread.path, env=thread.environment, capture_output=True, check=False
    )
    assert ended.returncode == 2
    assert ended.stderr.decode() == "NOT_A_REPOSITORY: The current folder is gone.\nNext: go to one that is there\n"


def test_another_repository_that_the_environment_names_is_told_of(thread: Sandbox, tmp_path: Path) -> None:
    other = made(tmp_path / "other")
    said = thread.gitclaw("status", GIT_DIR=str(other.path / ".git")).err
    assert said == f"Note: GIT_DIR is not followed: this is about {thread.path}\n"
    assert thread.gitclaw("status", GIT_DIR=".git").err == ""
    assert thread.gitclaw("status", GIT_DIR="/nonexistent").err == said


def test_two_that_make_the_same_file_are_told_apart(repo: Sandbox) -> None:
    repo.commit()
    repo.suggest("echo 1 >v")
    repo.suggest("echo 2 >v")
    said = repo.gitclaw("apply", "all", code=6).err
    assert "  2  v: another suggestion of this selection is about this path\n" in said
    assert "Next: choose one of them, for example gitclaw apply 1\n" in said


def test_what_was_turned_down_is_seen_beside_what_was_applied(thread: Sandbox) -> None:
    thread.gitclaw("reject", "1.2")
    thread.gitclaw("apply", "1.1")
    assert "1.1–1.2 (1 of 2 applied, 1 rejected)" in thread.gitclaw("status").out


@pytest.mark.parametrize("words", [("1", "2", "not now"), ("1,2", "not now"), ("1", "and", "2", "not now")])
def test_a_reason_is_a_word_of_its_own(thread: Sandbox, words: tuple[str, ...]) -> None:
    assert thread.gitclaw("reject", *words).out.startswith("Rejected 1, 2.\n")
    assert thread.state()["decisions"][0]["reason"] == "not now"


def test_only_what_may_be_applied_is_suggested_to_be(repo: Sandbox) -> None:
    repo.commit()
    said = repo.suggest("echo x >a; mkdir -p .github/workflows; echo x >.github/workflows/w.yml; echo x >b").out
    assert "Next: gitclaw apply" in said
    assert repo.gitclaw(*said.rpartition("Next: gitclaw ")[2].split(" · ")[0].split()).code == 0
    again = repo.suggest("echo x >a; mkdir -p .github/workflows; echo x >.github/workflows/w.yml; echo x >b").out
    assert "Nothing new" in again
