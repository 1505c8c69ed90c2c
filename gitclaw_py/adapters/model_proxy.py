"""The key proxy: a process that holds a model's key, and lets an agent use it for that model's calls and no more.

One upstream, a few paths, ``POST``. Of the agent's headers only those that say what it sends and wants are passed on,
so no key but ours gets out; of the answer, none that could lead elsewhere. Nothing that is said is kept or logged.

Started by ``model_door`` with one line of JSON on standard input; it ends when that is closed. It tells ``ready PORT``
and ``spent calls`` or ``spent bytes`` on standard output.
"""

from __future__ import annotations

import http.server
import json
import os
import re
import socketserver
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from email.message import Message
from http.cookiejar import DefaultCookiePolicy
from io import BufferedIOBase
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from gitclaw_py.core.settings import Api

if TYPE_CHECKING:
    import httpx

_MOST_AT_ONCE = 32
_IDLE = 600.0
_CONNECT = 15.0
_CHUNK = 65_536
_LONGEST_LINE = 1_024
_PASSED_ON = ("accept", "accept-encoding", "content-type", "user-agent", "openai-beta", "x-goog-api-client")
_PASSED_ON_FAMILIES = ("anthropic-", "x-stainless-")
_GIVEN_BACK = ("content-type", "content-encoding", "retry-after", "request-id", "x-request-id")
_GIVEN_BACK_FAMILIES = ("anthropic-ratelimit-", "x-ratelimit-")


class _Model(NamedTuple):
    """What one kind of API has: paths, query parameters, and the header of the key with what comes before it."""

    paths: re.Pattern[str]
    parameters: tuple[str, ...]
    header: str
    scheme: str = ""


_MODELS: Mapping[Api, _Model] = {
    # https://docs.claude.com/en/api/messages
    Api.ANTHROPIC: _Model(re.compile(r"/v1/messages(/count_tokens)?"), ("beta",), "x-api-key"),
    # https://platform.openai.com/docs/api-reference
    Api.OPENAI: _Model(re.compile(r"/v1/(responses|chat/completions)"), (), "authorization", "Bearer "),
    # https://ai.google.dev/api/generate-content
    Api.GEMINI: _Model(
        re.compile(r"/v1(beta)?/models/[A-Za-z0-9._-]+:(generateContent|streamGenerateContent|countTokens)"),
        ("alt",),
        "x-goog-api-key",
    ),
}


class _Spent(Exception):  # noqa: N818 - it is an answer, not a failure
    """The budget has nothing left."""


class Budget:
    """What may be used still; safe to be asked by many at once."""

    def __init__(self, calls: int, size: int, tell: Callable[[str], None]) -> None:
        self._calls = calls
        self._bytes = size
        self._tell = tell
        self._lock = threading.Lock()

    @property
    def bytes_left(self) -> int:
        """How many bytes may still be sent or received."""
        return self._bytes

    def call(self) -> None:
        """Count one call."""
        with self._lock:
            self._calls -= 1
            if self._calls < 0:
                self._end("calls")

    def take(self, size: int) -> None:
        """Count bytes, of either direction."""
        with self._lock:
            self._bytes -= size
            if self._bytes < 0:
                self._end("bytes")

    def _end(self, what: str) -> None:
        self._tell(f"spent {what}")
        raise _Spent(what)


class Upstream(NamedTuple):
    """Where calls go, with what key, and within what budget. With a ``word``, only who says it is served."""

    kind: Api
    url: str
    key: str
    word: str | None
    budget: Budget
    client: httpx.Client


class _Handler(http.server.BaseHTTPRequestHandler):
    """One connection of the agent."""

    protocol_version = "HTTP/1.1"
    timeout = _IDLE
    upstream: Upstream
    places: threading.BoundedSemaphore

    def handle(self) -> None:
        """Serve the connection, unless there are too many."""
        if not self.places.acquire(blocking=False):
            return
        try:
            super().handle()
        except (ConnectionError, TimeoutError):
            pass
        finally:
            self.places.release()

    def do_POST(self) -> None:
        """Pass a call on, if it is one that the model's API has."""
        self.close_connection = True
        target = _target(self.upstream, self.path)
        if target is None or not self._knows_the_word():
            self._refuse()
            return
        try:
            self.upstream.budget.call()
            body = b"".join(_body(self.headers, self.rfile, self.upstream.budget))
        except _Spent:
            self._say(403, "BUDGET_EXCEEDED", "this run has used up what it may use of its model")
        except ValueError:
            self._say(400, "BAD_REQUEST", "the length of the body is not said")
        else:
            self._forward(target, body)

    def _refuse(self) -> None:
        self.close_connection = True
        self._say(403, "PERMISSION_DENIED", "this way leads to the model's own calls only")

    do_GET = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_CONNECT = do_TRACE = _refuse  # noqa: N815

    def _knows_the_word(self) -> bool:
        word = self.upstream.word
        said = (self.headers.get(name, "") for name in ("x-api-key", "authorization", "x-goog-api-key"))
        asked = dict(parse_qsl(urlsplit(self.path).query)).get("key", "")
        return word is None or word in (asked, *(text.removeprefix("Bearer ") for text in said))

    def _forward(self, target: str, body: bytes) -> None:
        import httpx

        try:
            with self.upstream.client.stream(
                "POST", target, content=body, headers=_headers(self.upstream, self.headers)
            ) as answer:
                self._give_back(answer)
        except httpx.HTTPError:
            self._say(502, "MODEL_UNAVAILABLE", "the model's API cannot be reached")
        except _Spent:
            self.close_connection = True

    def _give_back(self, answer: httpx.Response) -> None:
        self.send_response(answer.status_code)
        for name, value in answer.headers.items():
            if name in _GIVEN_BACK or name.startswith(_GIVEN_BACK_FAMILIES):
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        for piece in answer.iter_raw():
            self.upstream.budget.take(len(piece))
            self.wfile.write(piece)
            self.wfile.flush()

    def _say(self, status: int, code: str, text: str) -> None:
        error = {"type": "error", "error": {"type": code, "code": code, "message": f"gitclaw: {text}"}}
        data = json.dumps(error).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has there
        """Nothing of what is said is written down."""

    def version_string(self) -> str:
        """Who we are, without versions."""
        return "gitclaw"


def _target(upstream: Upstream, path: str) -> str | None:
    """The address of a call upstream; None for what is not one."""
    model = _MODELS[upstream.kind]
    place, _, query = path.partition("?")
    if not model.paths.fullmatch(place):
        return None
    kept = [(name, value) for name, value in parse_qsl(query[:_LONGEST_LINE]) if name in model.parameters]
    return f"{upstream.url.rstrip('/')}{place}{'?' + urlencode(kept) if kept else ''}"


def _headers(upstream: Upstream, given: Message) -> dict[str, str]:
    model = _MODELS[upstream.kind]
    passed = {
        name.lower(): value
        for name, value in given.items()
        if name.lower() in _PASSED_ON or name.lower().startswith(_PASSED_ON_FAMILIES)
    }
    return {**passed, model.header: f"{model.scheme}{upstream.key}"}


def _body(headers: Message, source: BufferedIOBase, budget: Budget) -> Iterator[bytes]:
    """The body of a request, piece by piece, each counted before it is read.

    Raises:
        ValueError: it says no length, or a wrong one.
    """
    if "chunked" not in headers.get("Transfer-Encoding", "").lower():
        yield from _pieces(source, int(headers["Content-Length"] or "none"), budget)
        return
    while size := int(source.readline(_LONGEST_LINE).partition(b";")[0], 16):
        yield from _pieces(source, size, budget)
        source.readline(_LONGEST_LINE)
    while source.readline(_LONGEST_LINE).strip():
        pass


def _pieces(source: BufferedIOBase, size: int, budget: Budget) -> Iterator[bytes]:
    if size < 0:
        raise ValueError(size)
    budget.take(size)
    while size:
        data = source.read(min(size, _CHUNK))
        if not data:
            raise ValueError(size)
        size -= len(data)
        yield data


class _AtSocket(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = _MOST_AT_ONCE


class _AtPort(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    request_queue_size = _MOST_AT_ONCE


def listening(path: str | None) -> tuple[socketserver.BaseServer, int]:
    """A server that nobody has called yet, at the path of a socket or at a free port of the loopback, which is told."""
    if path is None:
        at_port = _AtPort(("127.0.0.1", 0), _Handler)
        return at_port, int(at_port.socket.getsockname()[1])
    at_socket = _AtSocket(path, _Handler)
    # The folder it lies in says who may come near.
    os.chmod(path, 0o666)  # noqa: S103
    return at_socket, 0


def serve(server: socketserver.BaseServer, upstream: Upstream) -> None:
    """Serve for ever."""
    told = {"upstream": upstream, "places": threading.BoundedSemaphore(_MOST_AT_ONCE)}
    server.RequestHandlerClass = type("Handler", (_Handler,), told)
    server.serve_forever()


def client() -> httpx.Client:
    """A client that does nothing by itself: no redirects, no cookies, no proxies or keys of its surroundings."""
    import httpx

    timeout = httpx.Timeout(_IDLE, connect=_CONNECT)
    made = httpx.Client(follow_redirects=False, trust_env=False, timeout=timeout)
    made.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return made


def main() -> None:
    """Read the order, serve, and end with whoever gave it."""
    order = json.loads(sys.stdin.buffer.readline())
    server, port = listening(order["socket"])
    _tell(f"ready {port}")
    budget = Budget(order["max_calls"], order["max_bytes"], _tell)
    word = None if order["socket"] else order["word"]
    upstream = Upstream(Api(order["kind"]), order["upstream"], order["key"], word, budget, client())
    threading.Thread(target=serve, args=(server, upstream), daemon=True).start()
    sys.stdin.buffer.read()
    os._exit(0)


def _tell(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
