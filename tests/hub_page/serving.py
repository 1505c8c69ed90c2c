"""A server for one page: it renders what it is told to, and keeps what was asked and sent."""

from __future__ import annotations

import mimetypes
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs

import gitclaw_py.hub
from gitclaw_py.hub.page import ASSETS, POLICY, render
from gitclaw_py.hub.views import ThreadView
from tests.hub_page.sample import ISSUE

_STATIC = Path(gitclaw_py.hub.__file__).parent / "static"


class Site:
    """Shows ``view`` at every address; ``sent`` are the forms that came."""

    def __init__(self) -> None:
        self.view: ThreadView = ISSUE
        self.page: bytes | None = None
        self.asked: list[str] = []
        self.sent: list[dict[str, list[str]]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.site = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/octo/hello/issues/42"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    @property
    def site(self) -> Site:
        return self.server.site  # type: ignore[attr-defined,no-any-return]

    def do_GET(self) -> None:
        self.site.asked.append(self.path)
        if self.path.startswith(ASSETS):
            path = _STATIC / self.path.removeprefix(ASSETS)
            self._answer(path.read_bytes(), mimetypes.guess_type(path.name)[0] or "")
        else:
            self._answer(self.site.page or render(self.site.view), "text/html")

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["content-length"])).decode()
        self.site.sent.append(parse_qs(sent))
        self.send_response(303)
        self.send_header("location", self.path)
        self.send_header("content-length", "0")
        self.end_headers()

    def _answer(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.send_header("content-security-policy", POLICY)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Say nothing: the test looks at ``asked``."""
