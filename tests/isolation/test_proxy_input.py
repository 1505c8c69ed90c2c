"""What is not HTTP, or not meant well, is refused by the key proxy, which goes on serving others."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitclaw_py.adapters.model_door import Door, door
from gitclaw_py.core.settings import Api, ModelSettings
from gitclaw_py.errors import BudgetError
from tests.isolation.model_server import Model, model

HEAD = b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\n"
GOOD = HEAD + b"Content-Length: 2\r\n\r\n{}"
BAD = (
    # Not even a version of HTTP to answer in: a page, without a status.
    (b"\x00\xff\x00\r\n\r\n", b"HTM"),
    (b"GET " + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", b"414"),
    (HEAD + b"X: y\r\n" * 200 + b"\r\n", b"431"),
    (HEAD + b"\r\n", b"400"),
    (HEAD + b"Content-Length: -5\r\n\r\n", b"400"),
    (HEAD + b"Content-Length: many\r\n\r\n", b"400"),
    (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", b"400"),
    (HEAD + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n", b"400"),
    (HEAD.replace(b"/v1/messages", b"/v1//messages") + b"\r\n", b"403"),
    (HEAD.replace(b"/v1/messages", b"/v1/messages%2f..%2ffiles") + b"\r\n", b"403"),
    (HEAD.replace(b"/v1/messages", b"/v1/messages\xc2\xa0") + b"\r\n", b"4"),
    (HEAD.replace(b"POST", b"BREW") + b"\r\n", b"501"),
)


@pytest.fixture
def upstream() -> Iterator[Model]:
    with model() as server:
        yield server


def _asked(found: Door, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", found.port or 0), 10) as calling:
        calling.sendall(request.replace(b"%s", found.word.encode()))
        calling.shutdown(socket.SHUT_WR)
        said = b""
        while data := calling.recv(65_536):
            said += data
        return said.partition(b" ")[2][:3]


def test_row_39_what_is_wrong_is_refused_and_the_next_one_is_served(tmp_path: Path, upstream: Model) -> None:
    settings = ModelSettings(Api.ANTHROPIC, "KEY", upstream.url)
    with door(settings, {"KEY": "sk"}, tmp_path, relayed=False) as found:
        for request, status in BAD:
            assert _asked(found, request).startswith(status), request[:80]
        assert upstream.requests == []
        assert _asked(found, GOOD) == b"200"
        found.check()


def test_who_only_connects_keeps_nobody_out_for_long(tmp_path: Path, upstream: Model) -> None:
    settings = ModelSettings(Api.ANTHROPIC, "KEY", upstream.url)
    with door(settings, {"KEY": "sk"}, tmp_path, relayed=False) as found:
        waiting = [socket.create_connection(("127.0.0.1", found.port or 0), 10) for _ in range(60)]
        for one in waiting:
            one.close()
        time.sleep(0.2)
        assert _asked(found, GOOD) == b"200"


def test_a_body_that_is_announced_too_big_is_not_waited_for(tmp_path: Path, upstream: Model) -> None:
    settings = ModelSettings(Api.ANTHROPIC, "KEY", upstream.url, max_bytes=1_000)
    with door(settings, {"KEY": "sk"}, tmp_path, relayed=False) as found:
        assert _asked(found, HEAD + b"Content-Length: 999999999999\r\n\r\n") == b"403"
        with pytest.raises(BudgetError, match="1000 bytes"):
            found.check()
        assert upstream.requests == []


def test_row_43_the_key_is_in_no_argument_and_no_environment(tmp_path: Path, upstream: Model) -> None:
    settings = ModelSettings(Api.ANTHROPIC, "KEY", upstream.url)
    with door(settings, {"KEY": "sk-never-seen"}, tmp_path, relayed=True) as found:
        assert found.socket is not None
        seen = b""
        for process in Path("/proc").iterdir():
            for name in ("cmdline", "environ"):
                if process.name.isdigit():
                    try:
                        seen += (process / name).read_bytes()
                    except OSError:
                        continue
        assert b"model_proxy" in seen
        assert b"sk-never-seen" not in seen
