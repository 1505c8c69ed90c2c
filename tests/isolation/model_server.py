"""A model's API on this machine that notes what reaches it, and answers as a stream."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

PIECES = ("Hello", " from", " the model")


class Request(NamedTuple):
    """What reached it."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Model(ThreadingHTTPServer):
    """Listens at ``url``; sends everyone to ``elsewhere`` where that is set."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[Request] = []
        self.elsewhere: str | None = None
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(Request("POST", self.path, headers, body))
        if self.server.elsewhere:
            self.send_response(307)
            self.send_header("Location", self.server.elsewhere)
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Set-Cookie", "session=1")
        self.end_headers()
        for piece in PIECES:
            self.wfile.write(f"data: {json.dumps({'text': piece})}\n\n".encode())
            self.wfile.flush()
            time.sleep(0.05)

    def do_GET(self) -> None:
        self.server.requests.append(Request("GET", self.path, dict(self.headers), b""))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has there
        pass


@contextmanager
def model() -> Iterator[Model]:
    """A server for as long as it is needed."""
    with Model() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.shutdown()
