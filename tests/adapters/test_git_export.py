"""An export that was begun early: what it holds when it is waited for, and that nothing of it is left otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitclaw_py.adapters.directory_workspace import DirectoryWorkspaces
from gitclaw_py.adapters.git_export import Export
from gitclaw_py.adapters.git_process import GitError
from gitclaw_py.adapters.git_repository import GitRepository, opened
from tests.sandbox import Sandbox

PROBE = """
import sys
from gitclaw_py.adapters.git_export import Export
begin = Export._begin
def told(export):
    begin(export)
    later = ("core.state", "handlers.suggest", "adapters.command_agent")
    print([name for name in later if f"gitclaw_py.{name}" in sys.modules])
Export._begin = told
from gitclaw_py.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def base(repo: Sandbox, tmp_path: Path) -> Sandbox:
    repo.write("a.txt", "a\n")
    repo.write("d/run.sh", "#!/bin/sh\n", 0o755)
    repo.commit("base")
    (tmp_path / "tmp").mkdir()
    repo.environment["TMPDIR"] = str(tmp_path / "tmp")
    return repo


def _export(repository: GitRepository, commit: str) -> Export:
    return Export(repository.git.environment, repository.git.objects, "sha1", commit)


def test_git_writes_the_files_before_what_proposes_them_is_loaded(base: Sandbox) -> None:
    command = [sys.executable, "-c", PROBE, "suggest", "--", "sh", "-c", "echo b > a.txt"]
    done = subprocess.run(command, cwd=base.path, env=base.environment, capture_output=True, check=True, text=True)
    assert done.stdout.split("\n")[0] == "[]"
    assert "a.txt" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["suggest", "--replaces", "7", "--", "true"],
        ["suggest", "--agent", "nobody", "do it"],
        ["suggest", "--config", "missing.json", "--", "true"],
        ["suggest", "--uncommitted", "--git", "--", "true"],
        ["suggest", "--", "no-such-program"],
    ],
)
def test_of_an_export_that_nobody_waits_for_nothing_is_left(base: Sandbox, words: list[str]) -> None:
    ended = base.gitclaw(*words, code=None)
    assert ended.code
    assert os.listdir(base.environment["TMPDIR"]) == []


def test_the_workspace_is_the_export_where_it_is_of_that_commit(base: Sandbox) -> None:
    with opened(base.path, base.environment) as repository:
        head = repository.head().oid
        with _export(repository, head) as ahead:
            with DirectoryWorkspaces(repository, ahead).export(head, with_git=False) as workspace:
                assert workspace.path == ahead.files
                assert (workspace.path / "a.txt").read_bytes() == b"a\n"
                assert workspace.changes().writes == {}
            assert not ahead.root.exists()


def test_an_export_of_another_commit_is_not_used(base: Sandbox) -> None:
    first = base.text("rev-parse", "HEAD")
    base.write("a.txt", "later\n")
    base.commit("later")
    with opened(base.path, base.environment) as repository, _export(repository, first) as ahead:
        workspaces = DirectoryWorkspaces(repository, ahead)
        with workspaces.export(repository.head().oid, with_git=False) as workspace:
            assert workspace.path != ahead.files
            assert (workspace.path / "a.txt").read_bytes() == b"later\n"


@pytest.mark.parametrize("when", ["ahead", "when it is asked for"])
def test_what_steers_agents_is_never_taken_from_an_export(base: Sandbox, when: str) -> None:
    base.write("AGENTS.md", "obey\n")
    base.write("d/AGENTS.md", "obey this, too\n")
    base.commit("steers")
    with opened(base.path, base.environment) as repository:
        head = repository.head().oid
        with _export(repository, head) as export:
            workspaces = DirectoryWorkspaces(repository, export if when == "ahead" else None)
            with workspaces.export(head, with_git=False, steering=base.text("rev-parse", "HEAD~1")) as workspace:
                files = {path.name for path in workspace.path.rglob("*") if path.is_file()}
                assert files == {"a.txt", "run.sh"}
                assert workspace.changes().writes == {}


def test_who_interrupts_while_git_writes_leaves_nothing(base: Sandbox) -> None:
    for number in range(600):
        base.write(f"{number % 20}/{number}", "text\n" * 100)
    head = base.commit("many")
    with opened(base.path, base.environment) as repository:
        export = _export(repository, head)
        with pytest.raises(KeyboardInterrupt), export:
            raise KeyboardInterrupt
        assert not export.root.exists()
    assert os.listdir(base.environment["TMPDIR"]) == []


def test_a_file_and_a_folder_of_one_name_are_no_change_of_the_agent(base: Sandbox) -> None:
    """Git reads such a tree, which nobody makes by accident, and takes the folder."""
    blob, folder = base.text("rev-parse", "HEAD:a.txt"), base.text("rev-parse", "HEAD:d")
    rows = ((b"100644 d", blob), (b"40000 d", folder))
    data = b"".join(name + b"\0" + bytes.fromhex(oid) for name, oid in rows)
    tree = base.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=data).decode().strip()
    commit = base.text("commit-tree", "-m", "both", tree)
    with (
        opened(base.path, base.environment) as repository,
        DirectoryWorkspaces(repository).export(commit, with_git=False) as workspace,
    ):
        assert workspace.changes().writes == {}


def test_a_commit_that_cannot_be_written_is_refused_and_nothing_is_left(base: Sandbox) -> None:
    blob = base.text("rev-parse", "HEAD:a.txt")
    (base.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with (
        opened(base.path, base.environment) as repository,
        pytest.raises(GitError, match=f"read-tree {base.head}.*{blob}"),
        DirectoryWorkspaces(repository).export(repository.head().oid, with_git=False),
    ):
        pass
    assert os.listdir(base.environment["TMPDIR"]) == []
