"""The walk over a workspace: by one process or by two, it sees the same, and leaves nobody behind."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitclaw_py.adapters import tree_walk
from gitclaw_py.adapters.tree_walk import Stamps, half
from gitclaw_py.errors import AgentError, RefusedError

FILES = [f"{top}/{sub}/{n}.txt" for top in "abcd" for sub in "xyz" for n in range(4)] + ["top.txt", "b/own.txt"]
Edit = Callable[[Path], None]


@contextmanager
def forks(monkeypatch: pytest.MonkeyPatch, worth: int) -> Iterator[list[int]]:
    """The processes that are started when ``worth`` files are worth one; all of them are gone at the end."""
    started = list[int]()
    really = os.fork

    def fork() -> int:
        child = really()
        started.append(child)
        return child

    with monkeypatch.context() as patch:
        patch.setattr(tree_walk, "_WORTH_A_PROCESS", worth)
        patch.setattr(os, "fork", fork)
        patch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
        yield started
    for child in started:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    top = tmp_path / "work"
    for name in FILES:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(name)
    return top


def stamps(top: Path) -> Stamps:
    return Stamps(os.fsencode(top), [os.fsencode(name) for name in FILES], {b"d/z"})


def shown(walked: Stamps) -> tuple[list[bytes], list[bytes], list[str]]:
    seen = walked.compared()
    assert len(seen.entered) == len(set(seen.entered))
    return sorted(name for name, _ in seen.changed), sorted(seen.gone), sorted(seen.warnings)


def outside(top: Path) -> Path:
    there = top.parent / "outside"
    shutil.copytree(top / "a", there)
    return there


def linked(top: Path) -> None:
    """A folder becomes a link to one of the same shape."""
    there = outside(top)
    shutil.rmtree(top / "a")
    (top / "a").symlink_to(there)


def linked_with_a_locked_folder(top: Path) -> None:
    there = outside(top)
    for name in "xyz":
        (there / name).chmod(0)
    shutil.rmtree(top / "a")
    (top / "a").symlink_to(there)


def locked(top: Path) -> None:
    for folder in ("a/x", "b/x", "c", "d/y"):
        (top / folder).chmod(0)


def repositories(top: Path) -> None:
    for folder in ("a", "c/x"):
        (top / folder / ".git").mkdir()


def edited(top: Path) -> None:
    for name in FILES[::3]:
        if not name.startswith("d/z"):
            (top / name).write_text("other")


def replaced(top: Path) -> None:
    for folder in ("a", "b/y"):
        shutil.rmtree(top / folder)
        (top / folder).write_text("a file")


def new(top: Path) -> None:
    for folder in ("", "a/x", "b", "c/z"):
        (top / folder / "new.txt").write_text("new")
    shutil.copytree(top / "b", top / "a/x/again")


def gone(top: Path) -> None:
    for folder in ("a", "b/x", "c/y"):
        shutil.rmtree(top / folder)


def all_gone(top: Path) -> None:
    for folder in "abcd":
        shutil.rmtree(top / folder)


def moved(top: Path) -> None:
    (top / "a").rename(top / "b/a")


def pipes(top: Path) -> None:
    for folder in "abcd":
        os.mkfifo(top / folder / "pipe")


def modes(top: Path) -> None:
    for name in FILES[::5]:
        (top / name).chmod(0o755)


EDITS = (
    lambda _: None,
    edited,
    new,
    gone,
    all_gone,
    moved,
    replaced,
    linked,
    linked_with_a_locked_folder,
    locked,
    repositories,
    pipes,
    modes,
)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_two_processes_see_what_one_sees(tree: Path, edit: Edit, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = stamps(tree)
    with forks(monkeypatch, 2) as started:
        by_two = stamps(tree)
        assert len(started) == 1
        assert sorted(by_two) == sorted(alone) == sorted(set(map(os.fsencode, FILES)) - _in_d_z())
        edit(tree)
        found = shown(by_two)
        assert len(started) == 2
        assert found == shown(alone)
        assert len(started) == 2


def _in_d_z() -> set[bytes]:
    return {os.fsencode(name) for name in FILES if name.startswith("d/z/")}


def test_what_lies_beyond_a_link_keeps_its_mode(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with forks(monkeypatch, 2):
        walked = stamps(tree)
        linked_with_a_locked_folder(tree)
        assert {b"a/" + name for name in (b"x/0.txt", b"y/3.txt")} <= set(walked.compared().gone)
    modes = {stat.S_IMODE((tree.parent / "outside" / name).lstat().st_mode) for name in "xyz"}
    assert modes == {0}


def test_the_stamps_that_come_from_the_other_process_are_whole(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with forks(monkeypatch, 2):
        walked = stamps(tree)
        edited(tree)
        found = dict(walked.compared().changed)
    for name, stamp in found.items():
        there = os.lstat(tree / os.fsdecode(name))
        assert stamp == (there.st_mode, there.st_size, there.st_mtime_ns, there.st_ctime_ns, there.st_ino)
    assert 0 < walked.latest <= max(stamp[tree_walk.CTIME] for stamp in found.values())


def test_a_path_that_is_too_long_is_refused_wherever_it_is(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for top in "abcd":
        with forks(monkeypatch, 2) as started:
            walked = stamps(tree)
            place = os.open(tree / top, os.O_RDONLY)
            for _ in range(20):
                os.mkdir("n" * 200, dir_fd=place)
                place, above = os.open("n" * 200, os.O_RDONLY, dir_fd=place), place
                os.close(above)
            os.close(place)
            with pytest.raises(RefusedError, match="path of more than 3,000 bytes"):
                walked.compared()
            assert len(started) == 2
        os.system(f"rm -rf {tree / top}/nnn*")  # noqa: S605 - paths that long are none for Python's functions


class _Swapped:
    """Submodules, of which there are none; but who asks whether a folder is one finds it to be a link afterwards."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.there = outside(folder.parent)

    def __contains__(self, name: object) -> bool:
        if name == os.fsencode(self.folder.name) and not self.folder.is_symlink():
            self.folder.rename(self.folder.with_name("away"))
            self.folder.symlink_to(self.there)
        return False


def test_a_folder_that_becomes_a_link_between_two_looks_is_not_followed(tree: Path) -> None:
    with pytest.raises(AgentError, match="/b changed while it was read"):
        Stamps(os.fsencode(tree), [], _Swapped(tree / "b"))


def test_where_threads_are_nothing_is_copied(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        with forks(monkeypatch, 2) as started:
            walked = stamps(tree)
            edited(tree)
            assert shown(walked)[0]
            assert not started
    finally:
        stop.set()
        thread.join()


def test_without_a_second_processor_nothing_is_copied(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with forks(monkeypatch, 2) as started:
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
        assert len(list(stamps(tree))) == len(FILES) - 4
        assert not started


@pytest.mark.parametrize("says", [b"", b"\xfb\x05", b"no marshal at all"])
def test_what_the_other_process_does_not_tell_is_seen_here(
    tree: Path, monkeypatch: pytest.MonkeyPatch, says: bytes
) -> None:
    def tell(out: int, _: object) -> None:
        os.write(out, says)
        os._exit(1)

    monkeypatch.setattr(tree_walk, "_tell", tell)
    with forks(monkeypatch, 2) as started:
        walked = stamps(tree)
        edited(tree)
        found = shown(walked)
        assert len(started) == 2
    assert found[0] == sorted(os.fsencode(name) for name in FILES[::3] if not name.startswith("d/z"))


def test_who_ignores_the_end_of_children_gets_the_same(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process inherits that: https://man7.org/linux/man-pages/man7/signal.7.html."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with forks(monkeypatch, 2) as started:
            walked = stamps(tree)
            edited(tree)
            assert shown(walked)[0] == sorted(os.fsencode(name) for name in FILES[::3] if not name.startswith("d/z"))
            assert len(started) == 2
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_an_interrupt_here_ends_the_other_process(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with forks(monkeypatch, 2) as started:
        walked = stamps(tree)
        monkeypatch.setattr(Stamps, "_walk", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            walked.compared()
        assert len(started) == 2


def _interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


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
