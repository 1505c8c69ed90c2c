"""The workspace: plain bytes out, and exactly what was changed back."""

from __future__ import annotations

import gc
import os
import random
import shutil
import stat
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gitclaw_py.adapters.directory_workspace import DirectoryWorkspace, DirectoryWorkspaces, _content
from gitclaw_py.adapters.git_repository import GitRepository
from gitclaw_py.core.diffs import Entry, blob_id
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


def test_what_is_known_of_its_files_is_left_to_the_search_for_garbage(base: Sandbox, open_repo: Open) -> None:
    gc.disable()
    try:
        with exported(open_repo(base)) as workspace:
            known = weakref.ref(workspace)
            del workspace
        assert known() is not None
        gc.collect()
        assert known() is None
    finally:
        gc.enable()


def test_row_61_no_filter_or_attribute_touches_the_bytes(base: Sandbox, open_repo: Open) -> None:
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


def test_row_60_what_the_base_ignores_is_left_out_whatever_the_agent_does_to_the_rules(
    base: Sandbox, open_repo: Open
) -> None:
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


def test_only_the_time_of_the_change_betrays_an_edit_of_the_same_size(base: Sandbox, open_repo: Open) -> None:
    with exported(open_repo(base)) as workspace:
        file = workspace.path / "a.txt"
        before = file.stat()
        file.write_bytes(b"b\n")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        after = file.stat()
        assert (after.st_size, after.st_mtime_ns, after.st_ino) == (before.st_size, before.st_mtime_ns, before.st_ino)
        assert modes(workspace) == {b"a.txt": "100644"}


def test_files_folders_and_links_that_take_each_others_place(base: Sandbox, open_repo: Open, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/run.sh").write_text("#!/bin/sh\n")
    with exported(open_repo(base)) as workspace:
        shutil.rmtree(workspace.path / "d")
        (workspace.path / "d").symlink_to(tmp_path / "elsewhere")
        (workspace.path / "a.txt").unlink()
        (workspace.path / "a.txt").mkdir()
        (workspace.path / "a.txt/in.txt").write_text("a\n")
        (workspace.path / "link").unlink()
        os.mkfifo(workspace.path / "link")
        change = workspace.changes()
    found = {path: entry.mode if entry else None for path, entry in change.writes.items()}
    assert found == {
        b"d": "120000",
        b"d/.gitignore": None,
        b"d/run.sh": None,
        b"a.txt": None,
        b"a.txt/in.txt": "100644",
        b"link": None,
    }
    assert change.warnings == ("link is neither a file nor a folder and was left out",)


def test_after_any_edits_it_has_what_a_plain_comparison_finds(repo: Sandbox, open_repo: Open) -> None:
    chance = random.Random(3)
    for number in range(120):
        repo.write(f"{number % 4}/{number % 3}/f{number}", f"{number}\n")
    repo.write("top", "top\n")
    repo.commit()
    with exported(open_repo(repo)) as workspace:
        before = _contents(workspace.path)
        for name in sorted(before):
            place = workspace.path / os.fsdecode(name)
            match chance.randrange(8):
                case 0:
                    place.unlink(missing_ok=True)
                case 1:
                    place.write_bytes(before[name][::-1])
                case 2:
                    place.with_name(f"new{place.name}").write_bytes(b"new\n")
        shutil.rmtree(workspace.path / "0/1")
        after = _contents(workspace.path)
        writes = workspace.changes().writes
        differing = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        assert differing <= writes.keys()
        assert {name for name, entry in writes.items() if entry is None} == before.keys() - after.keys()
        for name in writes.keys() & after.keys():
            assert writes[name] == Entry("100644", blob_id("sha1", after[name]))


def _contents(top: Path) -> dict[bytes, bytes]:
    return {os.fsencode(file.relative_to(top)): file.read_bytes() for file in top.rglob("*") if file.is_file()}


def test_row_23_links_are_never_followed(base: Sandbox, open_repo: Open, tmp_path: Path) -> None:
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


def test_rows_23_59_a_file_that_is_replaced_while_it_is_read_is_refused(base: Sandbox, open_repo: Open) -> None:
    with exported(open_repo(base)) as workspace:
        (workspace.path / "a.txt").unlink()
        os.mkfifo(workspace.path / "a.txt")
        change = workspace.changes()
        assert change.writes == {b"a.txt": None}
        assert change.warnings == ("a.txt is neither a file nor a folder and was left out",)
        with pytest.raises(AgentError, match="changed while it was read"):
            _content(bytes(workspace.path / "a.txt"))


def _rewritten(place: Path) -> None:
    place.write_bytes(b"a\nswapped in\n")


def _linked(place: Path) -> None:
    place.unlink()
    place.symlink_to("elsewhere")


@pytest.mark.parametrize("swap", [_rewritten, _linked])
@pytest.mark.parametrize("first", ["a\n", "b\n"])
def test_rows_23_59_what_is_recorded_is_what_was_read_or_nothing(
    base: Sandbox, open_repo: Open, swap: Callable[[Path], None], first: str
) -> None:
    """Else what comes in between would be remembered, and looked into, under the id of what was there before."""
    repository = open_repo(base)
    with exported(repository) as workspace:
        (workspace.path / "a.txt").write_text(first)
        change = workspace.changes()
        swap(workspace.path / "a.txt")
        with (
            pytest.raises(AgentError, match="changed while it was read"),
            repository.open(repository.head().oid) as session,
        ):
            session.record(repository.head().oid, "swapped\n", change, 1_700_000_000)
    assert b"swapped in" not in base.git("cat-file", "--batch-all-objects", "--batch", "--unordered")


@pytest.mark.parametrize("swap", [_rewritten, _linked])
def test_rows_23_59_what_was_stored_when_it_was_read_is_what_is_recorded(
    base: Sandbox, open_repo: Open, swap: Callable[[Path], None]
) -> None:
    repository = open_repo(base)
    head = repository.head().oid
    taken = list[bytes]()
    with exported(repository) as workspace, repository.open(head) as session:

        def take(oid: str, data: bytes) -> None:
            session.store(oid, data)
            taken.append(data)

        for name in ("a.txt", "same.txt"):
            (workspace.path / name).write_text("b\n")
        (workspace.path / "d/new.txt").write_bytes(b"\xff\0")
        change = workspace.changes(taken=take)
        swap(workspace.path / "a.txt")
        swap(workspace.path / "d/new.txt")
        commit = session.record(head, "stored\n", change, 1_700_000_000)
        assert list(session.texts(entry.oid for entry in change.writes.values() if entry)) == taken
    assert sorted(taken) == [b"b\n", b"b\n", b"\xff\0"]
    for name, data in (("a.txt", b"b\n"), ("same.txt", b"b\n"), ("d/new.txt", b"\xff\0")):
        assert base.git("cat-file", "blob", f"{commit}:{name}") == data
    assert b"swapped in" not in base.git("cat-file", "--batch-all-objects", "--batch", "--unordered")
