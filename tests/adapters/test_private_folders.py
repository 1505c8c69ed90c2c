"""Folders of our own, that go without a trace and take nothing else with them."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from gitclaw_py.adapters.private_folders import private_folder, remove_folder
from gitclaw_py.adapters.tree_removal import remove_tree


def test_a_folder_goes_with_its_links_and_not_with_what_they_lead_to(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    (kept / "in").mkdir(parents=True)
    (kept / "in/file").write_bytes(b"kept")
    with private_folder({"TMPDIR": str(tmp_path)}) as folder:
        (folder / "a/b").mkdir(parents=True)
        (folder / "a/b/file").write_bytes(b"gone")
        (folder / "a/link").symlink_to(kept)
        (folder / "link").symlink_to(kept / "in/file")
        (folder / "nowhere").symlink_to(tmp_path / "nothing")
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (kept / "in/file").read_bytes() == b"kept"


def test_a_link_is_no_folder_of_ours(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/file").write_bytes(b"kept")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    with pytest.raises(NotADirectoryError):
        remove_folder(tmp_path / "link")
    assert (tmp_path / "kept/file").read_bytes() == b"kept"


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


# What os.walk has open when a signal comes, Python itself closes only when it is collected.
@pytest.mark.filterwarnings("ignore:unclosed scandir iterator:ResourceWarning")
@pytest.mark.parametrize("remove", [remove_folder, remove_tree])
@pytest.mark.parametrize("after", [0.001, 0.003, 0.01])
def test_who_interrupts_a_removal_waits_for_it(
    tmp_path: Path, remove: Callable[[Path], None], after: float, request: pytest.FixtureRequest
) -> None:
    folder = tmp_path / "many"
    for k in range(40):
        (folder / str(k)).mkdir(parents=True)
        for name in range(50):
            (folder / str(k) / str(name)).touch()
    before = signal.signal(signal.SIGALRM, _interrupt)
    request.addfinalizer(lambda: signal.signal(signal.SIGALRM, before))
    # Python drops what is raised in that which is called when garbage is collected, as by hypothesis.
    request.addfinalizer(gc.enable)
    gc.disable()
    signal.setitimer(signal.ITIMER_REAL, after)
    told = False
    try:
        remove(folder)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        told = True
    # The interruption can come before the removal has begun, or where Python drops it; what must not be is half of it.
    assert told or not folder.exists()
    assert sum(path.is_file() for path in folder.rglob("*")) in (0, 40 * 50)
    assert not folder.exists() or (folder / "0/0").exists()
