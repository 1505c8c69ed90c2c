"""What git begins to fetch before anyone has asked for it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitclaw_py.adapters.git_clone import GitClone
from gitclaw_py.adapters.git_connection import GitConnection
from gitclaw_py.adapters.git_process import GitError
from gitclaw_py.adapters.private_folders import private_folder
from gitclaw_py.hub.handle import RepositoryHandle
from gitclaw_py.hub.server import Hub
from tests.sandbox import ENVIRONMENT

MAIN, STATE = "refs/heads/main", "refs/gitclaw/threads/1"


@pytest.fixture
def repo(tmp_path: Path) -> Iterator[tuple[Hub, RepositoryHandle]]:
    with Hub(tmp_path / "hub") as hub:
        made = hub.repository("octo/hello", {"a.txt": b"a\n"})
        made.push_files("topic", {"b.txt": b"b\n"}, made.repository.owner)
        yield hub, made


def connected(folder: Path, repo: RepositoryHandle) -> GitConnection:
    return GitConnection(repo.clone_url, repo.token(), folder, ENVIRONMENT)


def test_what_was_begun_is_not_asked_for_again(tmp_path: Path, repo: tuple[Hub, RepositoryHandle]) -> None:
    hub, made = repo
    counts = []
    for ahead in (True, False):
        folder = tmp_path / f"clone-{ahead}"
        folder.mkdir()
        connection = connected(folder, made)
        start = len(hub.log)
        if ahead:
            connection.begin([MAIN])
        assert GitClone(connection, ("bot", "bot@example.invalid")).fetch([MAIN]) == {MAIN: made.branch("main")}
        counts.append(len(hub.log) - start)
    assert counts[0] == counts[1] > 0


@pytest.mark.parametrize("begun", [[MAIN, STATE], ["refs/heads/topic"], ["refs/heads/gone"]])
def test_whatever_was_begun_what_is_asked_for_is_what_comes(
    tmp_path: Path, repo: tuple[Hub, RepositoryHandle], begun: list[str]
) -> None:
    _, made = repo
    (tmp_path / "clone").mkdir()
    connection = connected(tmp_path / "clone", made)
    connection.begin(begun)
    clone = GitClone(connection, ("bot", "bot@example.invalid"))
    assert clone.fetch([MAIN, STATE]) == {MAIN: made.branch("main")}
    assert clone.moves([MAIN, STATE]) == []


def test_what_was_begun_leaves_no_lock_behind_however_far_it_came(
    tmp_path: Path, repo: tuple[Hub, RepositoryHandle]
) -> None:
    _, made = repo
    for number in range(20):
        folder = tmp_path / f"clone-{number}"
        folder.mkdir()
        connection = connected(folder, made)
        connection.begin(["refs/heads/topic"])
        time.sleep(number / 1_000)
        clone = GitClone(connection, ("bot", "bot@example.invalid"))
        assert clone.fetch([MAIN]) == {MAIN: made.branch("main")}


def test_what_fails_is_told_to_whoever_asked(tmp_path: Path, repo: tuple[Hub, RepositoryHandle]) -> None:
    _, made = repo
    (tmp_path / "clone").mkdir()
    connection = connected(tmp_path / "clone", made)
    connection.begin([STATE])
    with pytest.raises(GitError, match="couldn't find remote ref"):
        connection.fetch([f"+{STATE}:{STATE}"])


def test_what_nobody_waits_for_ends_with_the_connection(tmp_path: Path, repo: tuple[Hub, RepositoryHandle]) -> None:
    _, made = repo
    environment = {**ENVIRONMENT, "TMPDIR": str(tmp_path)}
    with private_folder(environment, "run") as folder:
        connection = connected(folder, made)
        connection.begin([MAIN])
        begun = connection._begun
        assert begun
        connection.close()
        # A lock that git, ended early, left behind goes with the folder; nothing writes there any more.
        assert begun.process.returncode is not None
    assert not folder.exists()


def test_git_gets_what_others_cannot_read(tmp_path: Path) -> None:
    with private_folder({"TMPDIR": str(tmp_path)}, "run") as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "a/b").mkdir(parents=True)
        (folder / "a/b/c.txt").write_text("c")
        shutil.copy(folder / "a/b/c.txt", folder / "d.txt")
    assert list(tmp_path.iterdir()) == []
