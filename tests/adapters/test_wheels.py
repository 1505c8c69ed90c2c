"""Installing from the lock without pip: the same files, and nothing that the lock does not name."""

from __future__ import annotations

import hashlib
import io
import json
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gitclaw_py.adapters import wheels
from gitclaw_py.adapters.wheels import Locked, NotHereError

TOP = Path(__file__).parents[2]


class Index:
    """A package index on this machine that speaks JSON."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.pages: dict[str, bytes] = {}
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                name = self.path.strip("/").split("/")
                body = index.page(name[1]) if name[0] == "simple" else index.files.get(name[-1], b"")
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/simple"

    def page(self, name: str) -> bytes:
        if name in self.pages:
            return self.pages[name]
        files = [
            {"filename": file, "url": f"../../files/{file}", "hashes": {"sha256": hashlib.sha256(data).hexdigest()}}
            for file, data in self.files.items()
            if file.startswith(f"{name}-")
        ]
        return json.dumps({"files": files}).encode()

    def add(self, filename: str, *names: str) -> str:
        """Offer a wheel with these files; its hash."""
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as wheel:
            for name in names:
                wheel.writestr(name, filename)
        self.files[filename] = data.getvalue()
        return hashlib.sha256(data.getvalue()).hexdigest()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def index() -> Iterator[Index]:
    found = Index()
    yield found
    found.close()


def test_the_lock_names_every_dependency_with_its_hashes() -> None:
    locked = wheels.locked((TOP / "requirements.lock").read_text(encoding="utf-8"))
    names = {package.name.lower() for package in locked}
    assert {"pydantic", "unidiff", "gitpython", "pygithub", "markdown-it-py", "requests"} <= names
    assert all(package.hashes for package in locked)


def test_a_wheel_for_this_python_comes_before_one_for_any(index: Index, tmp_path: Path) -> None:
    own = f"cp{sys.version_info.major}{sys.version_info.minor}"
    hashes = [
        index.add("some-1-py3-none-any.whl", "some.py"),
        index.add(f"some-1-{own}-{own}-manylinux_2_5_x86_64.manylinux1_x86_64.whl", "some.py"),
        index.add("some-1-cp3999-abi3-manylinux_2_5_x86_64.whl", "some.py"),
        index.add(f"some-1-{own}-{own}-win_amd64.whl", "some.py"),
        index.add(f"some-1-{own}-{own}-manylinux_2_999_x86_64.whl", "some.py"),
    ]
    wheels.install([Locked("some", frozenset(hashes))], tmp_path, index.url)
    assert own in (tmp_path / "some.py").read_text()


def test_row_47_a_file_that_the_lock_does_not_name_is_not_taken(index: Index, tmp_path: Path) -> None:
    index.add("some-2-py3-none-any.whl", "some.py")
    with pytest.raises(NotHereError, match="no wheel"):
        wheels.install([Locked("some", frozenset(["0" * 64]))], tmp_path, index.url)
    assert list(tmp_path.iterdir()) == []


def test_row_47_an_index_that_lies_about_a_hash_is_found_out(index: Index, tmp_path: Path) -> None:
    sha256 = index.add("some-1-py3-none-any.whl", "some.py")
    index.pages["some"] = index.page("some")
    index.add("some-1-py3-none-any.whl", "evil.py")
    with pytest.raises(ValueError, match="not the file"):
        wheels.install([Locked("some", frozenset([sha256]))], tmp_path, index.url)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../evil.py", "/evil.py", "a/../../evil.py"])
def test_a_wheel_that_writes_elsewhere_is_refused(index: Index, tmp_path: Path, name: str) -> None:
    sha256 = index.add("some-1-py3-none-any.whl", name)
    with pytest.raises(ValueError, match="a wheel holds"):
        wheels.install([Locked("some", frozenset([sha256]))], tmp_path, index.url)


def test_what_only_pip_can_do_is_left_to_pip(index: Index, tmp_path: Path) -> None:
    sha256 = index.add("some-1-py3-none-any.whl", "some-1.data/scripts/some")
    with pytest.raises(NotHereError):
        wheels.install([Locked("some", frozenset([sha256]))], tmp_path, index.url)
    with pytest.raises(NotHereError):
        wheels.install([Locked("some", frozenset([sha256]))], tmp_path, "http://example.invalid/simple")
    with pytest.raises(NotHereError):
        wheels.locked("some==1\n")
