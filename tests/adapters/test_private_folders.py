"""Folders of our own, that go without a trace and take nothing else with them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

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


# What os.walk has open when a signal comes, Python itself closes only when it is collected.
@pytest.mark.filterwarnings("ignore:unclosed scandir iterator:ResourceWarning")
@pytest.mark.parametrize("remove", [remove_folder, remove_tree])
@pytest.mark.parametrize("after", [1, 30, 1999])
def test_who_interrupts_a_removal_waits_for_it(
    tmp_path: Path, remove: Callable[[Path], None], after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The signal comes after so many files; by the clock it could come before all of them, or where Python drops it."""
    folder = tmp_path / "many"
    for k in range(40):
        (folder / str(k)).mkdir(parents=True)
        for name in range(50):
            (folder / str(k) / str(name)).touch()
    unlink, removed = os.unlink, count(1)

    def counted(*file: Any, **where: Any) -> None:
        unlink(*file, **where)
        if next(removed) == after:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "unlink", counted)
    with pytest.raises(KeyboardInterrupt):
        remove(folder)
    assert not folder.exists()
