"""The workspace: plain bytes out, and exactly what was changed back."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gitclaw_py.adapters.directory_workspace import DirectoryWorkspace, DirectoryWorkspaces, _content
from gitclaw_py.adapters.git_repository import GitRepository
from gitclaw_py.errors import AgentError
from tests.sandbox import Sandbox

Open = Callable[[Sandbox], GitRepository]


@contextmanager
def exported(repository: GitRepository) -> Iterator[DirectoryWorkspace]:
    with DirectoryWorkspaces(repository).export(repository.head().oid, with_git=False) as workspace:
        yield workspace


def modes(workspace: DirectoryWorkspace) -> dict[bytes, str | None]:
    return {path: entry.mode if entry else None for path, entry in workspace.changes().writes.items()}


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.write("a.txt", "a\n")
    repo.write("d/run.sh", "#!/bin/sh\n", 0o755)
    os.symlink("a.txt", repo.path / "link")
    repo.write(".gitignore", "*.log\n/out/\n")
    repo.write("d/.gitignore", "!keep.log\n")
    repo.commit("base")
    return repo


def test_it_has_the_files_of_the_commit_and_no_repository(base: Sandbox, open_repo: Open) -> None:
    base.write("a.txt", "uncommitted\n")
    with exported(open_repo(base)) as workspace:
        assert (workspace.path / "a.txt").read_bytes() == b"a\n"
        assert (workspace.path / "d/run.sh").stat().st_mode & stat.S_IXUSR
        assert os.readlink(workspace.path / "link") == "a.txt"
        assert not (workspace.path / ".git").exists()
        assert workspace.changes().writes == {}
        gone = workspace.path
    assert not gone.exists()


def test_no_filter_or_attribute_touches_the_bytes(base: Sandbox, open_repo: Open) -> None:
    base.write(".gitattributes", "*.txt text eol=crlf ident working-tree-encoding=UTF-16LE\n*.bin filter=x\n")
    base.write("keyword.c", "$Id$\n")
    base.git("config", "filter.x.smudge", "false")
    base.git("config", "core.autocrlf", "true")
    base.git("add", ".gitattributes", "keyword.c")
    base.git("commit", "-q", "-m", "attributes")
    with exported(open_repo(base)) as workspace:
        assert (workspace.path / "a.txt").read_bytes() == b"a\n"
        (workspace.path / "a.txt").write_bytes(b"b\r\n$Id$\r\n")
        change = workspace.changes()
        assert list(change.blobs.values()) == [b"b\r\n$Id$\r\n"]


def test_what_the_base_ignores_is_left_out_whatever_the_agent_does_to_the_rules(base: Sandbox, open_repo: Open) -> None:
    base.write("tracked.log", "x\n")
    base.git("add", "-f", "tracked.log")
    base.git("commit", "-q", "-m", "an ignored file can be tracked")
    with exported(open_repo(base)) as workspace:
        top = workspace.path
        (top / "out").mkdir()
        for name in ("x.log", "out/y", "d/keep.log", ":x.log", "new\nline.log", "plain"):
            (top / name).write_text("x\n")
        (top / "tracked.log").write_text("changed\n")
        (top / ".gitignore").write_text("plain\n")
        assert set(modes(workspace)) == {b"d/keep.log", b"plain", b"tracked.log", b".gitignore"}


def test_every_change_is_seen_and_nothing_else(base: Sandbox, open_repo: Open) -> None:
    with exported(open_repo(base)) as workspace:
        top = workspace.path
        (top / "a.txt").chmod(0o755)
        (top / "d/run.sh").unlink()
        (top / "link").unlink()
        (top / "link").symlink_to("/etc/passwd")
        (top / "é\n").write_text("new\n")
        (top / "empty").mkdir()
        assert modes(workspace) == {
            b"a.txt": "100755", b"d/run.sh": None, b"link": "120000", "é\n".encode(): "100644",
        }  # fmt: skip
        assert workspace.changes().blobs.keys() >= {workspace.changes().writes[b"link"].oid}  # type: ignore[union-attr]


def test_links_are_never_followed(base: Sandbox, open_repo: Open, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("secret\n")
    with exported(open_repo(base)) as workspace:
        (workspace.path / "folder").symlink_to(tmp_path / "outside")
        change = workspace.changes()
        assert {p: e.mode for p, e in change.writes.items() if e} == {b"folder": "120000"}
        assert b"secret\n" not in change.blobs.values()


def test_an_agent_that_takes_away_the_right_to_read_is_read_all_the_same(base: Sandbox, open_repo: Open) -> None:
    with exported(open_repo(base)) as workspace:
        (workspace.path / "a.txt").write_text("changed\n")
        (workspace.path / "a.txt").chmod(0)
        (workspace.path / "d").chmod(0)
        assert modes(workspace) == {b"a.txt": "100644"}
    assert not workspace.path.exists()


def test_a_file_that_is_replaced_while_it_is_read_is_refused(base: Sandbox, open_repo: Open) -> None:
    with exported(open_repo(base)) as workspace:
        (workspace.path / "a.txt").unlink()
        os.mkfifo(workspace.path / "a.txt")
        change = workspace.changes()
        assert change.writes == {b"a.txt": None}
        assert change.warnings == ("a.txt is neither a file nor a folder and was left out",)
        with pytest.raises(AgentError, match="changed while it was read"):
            _content(bytes(workspace.path / "a.txt"))
