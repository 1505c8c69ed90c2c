"""The files of a bundle, read where an agent could have written them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitclaw_py.adapters import bundle_files
from gitclaw_py.core import bundle
from gitclaw_py.errors import InternalError
from tests.core.test_bundle import BUNDLE


def test_there_and_back(tmp_path: Path) -> None:
    bundle_files.write(tmp_path / "new", BUNDLE, b"commits")
    assert bundle_files.read(tmp_path / "new", run="77") == (BUNDLE, b"commits")


def test_nothing_is_nothing(tmp_path: Path) -> None:
    assert bundle_files.read(tmp_path / "none", run="77") is None
    assert bundle_files.read(tmp_path, run="77") is None


def _link(path: Path) -> None:
    secret = path.parent.parent / "secret"
    secret.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(secret)


def _hard_link(path: Path) -> None:
    os.link(path, path.parent.parent / "second")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _huge(path: Path) -> None:
    os.truncate(path, bundle.MOST_OF_COMMITS + 1)


def _more(path: Path) -> None:
    (path.parent / "sitecustomize.py").touch()


@pytest.mark.parametrize("name", [bundle.NAME, bundle.COMMITS])
@pytest.mark.parametrize("change", [_link, _hard_link, _pipe, _folder, _huge, _more, Path.unlink])
def test_row_22_what_is_no_plain_file_is_refused(tmp_path: Path, name: str, change: object) -> None:
    folder = tmp_path / "bundle"
    bundle_files.write(folder, BUNDLE, b"commits")
    assert callable(change)
    change(folder / name)
    with pytest.raises(InternalError, match="was not taken"):
        bundle_files.read(folder, run="77")
