"""The walk over a workspace: with a copy of the process or without, it sees the same."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitclaw_py.adapters import tree_walk
from gitclaw_py.adapters.process_copy import Copy
from gitclaw_py.adapters.tree_walk import Seen, Stamps, half
from gitclaw_py.errors import RefusedError

FILES = [f"p/{top}/{sub}/{n}.txt" for top in "abcd" for sub in "xyz" for n in range(4)] + ["top.txt", "p/b/own.txt"]
SHARE = [b"p/a", b"p/b"]
"""What a copy walks through: about half of all files, none of it at the top."""
SUBMODULE = "p/d/z"
NAMES = [os.fsencode(name) for name in FILES if not name.startswith(SUBMODULE)]
Edit = Callable[[Path], object]


@contextmanager
def copies(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[list[bytes]]]:
    """Few files are worth a process, and there may be one; the folders that each walk of this process began with."""
    walks = list[list[bytes]]()
    really = Stamps._walk

    def walk(self: Stamps, stack: list[bytes], *left: Any, **how: Any) -> Seen:
        walks.append(stack.copy())
        return really(self, stack, *left, **how)

    with monkeypatch.context() as patch:
        patch.setattr(tree_walk, "_WORTH_A_PROCESS", 2)
        patch.setattr(tree_walk, "can_copy", lambda: True)
        patch.setattr(Stamps, "_walk", walk)
        yield walks


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    top = tmp_path / "work"
    for name in FILES:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(name)
    return top


def stamps(top: Path) -> Stamps:
    return Stamps(os.fsencode(top), list(map(os.fsencode, FILES)), {os.fsencode(SUBMODULE)})


def shown(walked: Stamps) -> tuple[list[bytes], list[bytes], list[str]]:
    seen = walked.compared()
    assert len(seen.entered) == len(set(seen.entered))
    assert len(seen.gone) == len(set(seen.gone))
    return sorted(name for name, _ in seen.changed), sorted(seen.gone), sorted(seen.warnings)


def edited(top: Path) -> None:
    for name in FILES[::3]:
        (top / name).write_text("other")


def modes(top: Path) -> None:
    for name in FILES[::5]:
        (top / name).chmod(0o755)


def new(top: Path) -> None:
    for folder in ("", "p", "p/a/x", "p/b", "p/c/z"):
        (top / folder / "new.txt").write_text("new")
    shutil.copytree(top / "p/b", top / "p/a/x/again")
    (top / os.fsdecode(b"p/a/\xff")).mkdir()
    (top / os.fsdecode(b"p/a/\xff/\xfe")).write_text("odd")


def pipes(top: Path) -> None:
    for folder in ("p", "p/a", "p/b/x"):
        os.mkfifo(top / folder / "pipe")


def above(edit: Callable[[Path], object]) -> list[Edit]:
    """The same done to a folder of the share, to one below, to one of the rest, and to the one that has them all."""

    def at(folder: str) -> Edit:
        def done(top: Path) -> None:
            edit(top / folder)

        done.__name__ = f"{edit.__name__} {folder}"
        return done

    return [at(folder) for folder in ("p/a", "p/b/y", "p/c", "p")]


def removed(folder: Path) -> None:
    shutil.rmtree(folder)


def renamed(folder: Path) -> None:
    folder.rename(folder.with_name("other"))


def swapped(folder: Path) -> None:
    """Away, and another one of that name in its place."""
    folder.rename(folder.with_name("other"))
    shutil.copytree(folder.with_name("other"), folder)


def into_a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("a file")


def into_a_link(folder: Path) -> None:
    """To a folder of the same shape, with something in it that may not be seen."""
    there = next(above for above in folder.parents if above.name == "work").parent / "outside"
    shutil.copytree(folder, there)
    for inner in there.rglob("*"):
        if inner.is_file():
            inner.write_text("not ours")
    shutil.rmtree(folder)
    folder.symlink_to(there)


def into_a_repository(folder: Path) -> None:
    (folder / ".git").mkdir()


def locked(folder: Path) -> None:
    folder.chmod(0)


EDITS: list[Edit] = [
    *(lambda _: None, edited, modes, new, pipes),
    *above(removed),
    *above(renamed),
    *above(swapped),
    *above(into_a_file),
    *above(into_a_link),
    *above(into_a_repository),
    *above(locked),
]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_two_processes_see_what_one_sees(tree: Path, edit: Edit, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = stamps(tree)
    with copies(monkeypatch) as walks:
        by_two = stamps(tree)
        assert sorted(by_two) == sorted(alone) == sorted(NAMES)
        edit(tree)
        found = shown(by_two)
    assert walks[:2] == [[b""], [b""]]
    assert found == shown(alone)


@pytest.mark.parametrize("edit", [edited, modes, new, pipes], ids=lambda edit: edit.__name__)
def test_what_the_copy_saw_is_not_looked_at_again(tree: Path, edit: Edit, monkeypatch: pytest.MonkeyPatch) -> None:
    with copies(monkeypatch) as walks:
        walked = stamps(tree)
        edit(tree)
        assert any(shown(walked))
    assert walks == [[b""], [b""]]


@pytest.mark.parametrize("says", [None, (), ([], [], [], [], []), ([], [], [], [b"p/a"], [])])
def test_what_the_copy_does_not_tell_is_seen_here(tree: Path, monkeypatch: pytest.MonkeyPatch, says: Any) -> None:
    monkeypatch.setattr(Copy, "told", lambda _: says)
    with copies(monkeypatch) as walks:
        walked = stamps(tree)
        edited(tree)
        assert shown(walked)[0] == sorted(os.fsencode(name) for name in FILES[::3] if os.fsencode(name) in NAMES)
    assert walks == [[b""], SHARE, [b""], SHARE]


def test_nothing_beyond_a_link_is_looked_at_or_changed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither here nor in the copy, which goes by names and may be there first."""
    looked = tree.parent / "looked"
    really = os.scandir

    def scandir(place: Any) -> Any:
        with looked.open("a") as file:
            file.write(os.path.realpath(os.fsdecode(place)) + "\n")
        return really(place)

    with copies(monkeypatch):
        walked = stamps(tree)
        into_a_link(tree / "p")
        monkeypatch.setattr(os, "scandir", scandir)
        walked.compared()
    assert [line for line in looked.read_text().split("\n") if "outside" in line] == []


def test_the_copy_gives_nobody_rights(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is for whoever got there by way of the folder above."""
    changed = tree.parent / "changed"
    really, ours = os.scandir, os.getpid()

    def scandir(place: Any) -> Any:
        if os.getpid() != ours:
            raise PermissionError(13, "no", place)
        return really(place)

    with copies(monkeypatch) as walks:
        walked = stamps(tree)
        monkeypatch.setattr(os, "scandir", scandir)
        monkeypatch.setattr(os, "chmod", lambda *_: changed.touch())
        assert shown(walked) == ([], [], [])
    assert walks == [[b""], [b""], SHARE]
    assert not changed.exists()


def test_the_stamps_that_come_from_the_copy_are_whole(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with copies(monkeypatch) as walks:
        walked = stamps(tree)
        edited(tree)
        found = dict(walked.compared().changed)
    assert len(walks) == 2
    assert [name for name in found if name.startswith(SHARE[0])]
    for name, stamp in found.items():
        there = os.lstat(tree / os.fsdecode(name))
        assert stamp == (there.st_mode, there.st_size, there.st_mtime_ns, there.st_ctime_ns, there.st_ino)
    assert 0 < walked.latest <= max(stamp[tree_walk.CTIME] for stamp in found.values())


@pytest.mark.parametrize("folder", ["p", "p/a/x", "p/b"])
def test_a_path_that_is_too_long_is_refused_wherever_it_is(
    tree: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    with copies(monkeypatch):
        walked = stamps(tree)
        place = os.open(tree / folder, os.O_RDONLY)
        for _ in range(20):
            os.mkdir("n" * 200, dir_fd=place)
            place, above = os.open("n" * 200, os.O_RDONLY, dir_fd=place), place
            os.close(above)
        os.close(place)
        with pytest.raises(RefusedError, match="path of more than 3,000 bytes"):
            walked.compared()
    os.system(f"rm -rf {tree / folder}/nnn*")  # noqa: S605 - paths that long are none for Python's functions


def test_few_files_are_worth_no_process(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[object]()
    monkeypatch.setattr(tree_walk, "can_copy", lambda: made.append(1))
    assert sorted(stamps(tree)) == sorted(NAMES)
    assert not made


_FOLDERS = st.lists(st.sampled_from([b"a", b"b", b"cc", b"d"]), max_size=4).map(b"/".join)


@given(st.dictionaries(_FOLDERS, st.integers(1, 2000), max_size=40))
@settings(max_examples=300)
def test_half_is_about_half_and_never_twice(sizes: dict[bytes, int]) -> None:
    taken = half(sizes)
    total = sum(sizes.values())
    inside = {f for f in sizes for t in taken if f == t or f.startswith(t + b"/")}
    assert sum(sizes[f] for f in inside) <= total // 2
    assert not [1 for t in taken for other in taken if t != other and t.startswith(other + b"/")]
    assert b"" not in taken
    if total < 2000:
        assert not taken


def test_half_of_many_equal_folders_is_half() -> None:
    sizes = {b"src/part%d/%d" % (part, n): 10 for part in range(10) for n in range(100)}
    taken = half(sizes)
    assert taken == {b"src/part%d" % part for part in range(5)}
