"""A server on this machine that answers as the test has written down, one answer after another."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple

NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Says(NamedTuple):
    """An answer: a document, or raw text, after some time; or none, if it ``hangs_up``."""

    document: Any = None
    status: int = 200
    headers: Mapping[str, str] = NO_HEADERS
    text: str | None = None
    seconds: float = 0.0
    hangs_up: bool = False


class Asked(NamedTuple):
    """A request as it came."""

    method: str
    path: str
    body: Any
    headers: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Script:
    """What is answered next, and what was asked so far."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[Asked] = []
        self._answers: list[Says] = []

    def answers(self, *answers: Says) -> None:
        """Add answers."""
        self._answers += answers

    @property
    def requests(self) -> list[str]:
        """Method and path of what was asked."""
        return list(map(str, self.asked))

    def next(self) -> Says:
        return self._answers.pop(0) if self._answers else Says({"message": "nothing was written for this"}, 418)


@contextmanager
def serving() -> Iterator[Script]:
    """A server for as long as the test runs; everything written down must have been asked for."""
    script = Script()
    server = _Server(("127.0.0.1", 0), _Handler)
    server.script = script
    script.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert script._answers == []


class _Server(ThreadingHTTPServer):
    script: Script
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """The client has given up waiting, as the test wants it to."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def _answer(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        self.server.script.asked.append(Asked(self.command, self.path, body, dict(self.headers)))
        says = self.server.script.next()
        time.sleep(says.seconds)
        if says.hangs_up:
            self.close_connection = True
            return
        self._say(says)

    def _say(self, says: Says) -> None:
        text = json.dumps(says.document) if says.text is None else says.text
        data = text.encode()
        self.send_response_only(says.status)
        headers = {"Content-Type": "application/json; charset=utf-8", "Content-Length": str(len(data)), **says.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Tests read what was asked; nothing is printed."""
