"""One HTTP request: read, given to the API, to git or to the pages, answered, and noted in the log."""

import json
import secrets
import time
import traceback
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from gitclaw_py.hub import git_http, graphql, pages, routes
from gitclaw_py.hub.accounts import Token
from gitclaw_py.hub.calls import Answer, Call
from gitclaw_py.hub.faults import Fault, Faults
from gitclaw_py.hub.refusals import RefusalError, bad_credentials, not_found
from gitclaw_py.hub.world import World

Observe = Callable[[str, str, dict[str, str], object, int, object], None]

_JSON = "application/json; charset=utf-8"
_DIFF = "application/vnd.github.v3.diff; charset=utf-8"
_LIMITS = (
    ("X-RateLimit-Limit", "5000"),
    ("X-RateLimit-Remaining", "4999"),
    ("X-RateLimit-Used", "1"),
    ("X-RateLimit-Resource", "core"),
)


class Entry(NamedTuple):
    """A request that was answered; ``account`` is a login, or empty. A status of 0 is a dropped connection."""

    method: str
    path: str
    status: int
    account: str


class Front:
    """What every request needs.

    Attributes:
        world: what the hub knows.
        faults: what is to go wrong.
        log: every request that was answered, those of git too.
        observe: when set, sees every exchange with the API: method, path without its prefix, query, body of the
            request, status, body of the answer.
        form_token: what a page's form must bring with it.
        is_busy: tells whether a run of a thread is at work.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.faults = Faults()
        self.log: list[Entry] = []
        self.observe: Observe | None = None
        self.form_token = secrets.token_urlsafe(24)
        self.is_busy: Callable[[str, int], bool] = _never


def _never(repository: str, number: int) -> bool:
    del repository, number
    return False


class _Reply(NamedTuple):
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    account: str = ""


class Requests(BaseHTTPRequestHandler):
    """Answers what comes in on one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def _handle(self) -> None:
        body = self._body()  # always to its end: the connection is used again
        hub: Front = self.server.hub  # type: ignore[attr-defined]
        path = urlsplit(self.path).path
        fault = hub.faults.take(self.command, path)
        reply = self._met(hub, path, body, fault) if fault else self._reply(hub, path, body)
        if reply is not None:
            hub.log.append(_entry(self.command, path, reply))
            self._send(reply)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _handle  # noqa: N815 - the names http.server looks for

    def log_message(self, *_: object) -> None:
        """Nothing: the hub keeps its own log."""

    def handle_expect_100(self) -> bool:
        """Let the body come: the answer must not wait in the buffer for it."""
        goes_on = super().handle_expect_100()
        self.wfile.flush()
        return goes_on

    def _reply(self, hub: Front, path: str, body: bytes) -> _Reply:
        try:
            return self._by_kind(hub, path, body)
        except Exception:  # noqa: BLE001 - a server answers, whatever happens; the text is for whoever tests against it
            document = json.dumps({"message": traceback.format_exc(), "documentation_url": "", "status": "500"})
            return _Reply(500, (("Content-Type", _JSON),), document.encode())

    def _by_kind(self, hub: Front, path: str, body: bytes) -> _Reply:
        if git_http.is_git(path):
            call = git_http.GitCall(self.command, path, urlsplit(self.path).query, self._lower(), body)
            answer, login = git_http.answer(hub.world, call)
            return _Reply(answer.status, answer.headers, answer.body, login)
        if pages.is_page(path):
            named = pages.thread_at(path)
            is_busy = named is not None and hub.is_busy(*named)
            shown = pages.answer(
                hub.world, pages.Visit(self.command, path, self._lower(), body, hub.form_token, is_busy)
            )
            return _Reply(*shown)
        return self._api(hub, path, body)

    def _lower(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _api(self, hub: Front, path: str, body: bytes) -> _Reply:
        path = path.removeprefix("/api/v3").replace("/api/graphql", "/graphql")
        query = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        token, sent = None, None
        try:
            sent = _parsed(body)
            token = self._token(hub)
            answer = self._answer(hub, path, query, sent, token)
        except RefusalError as refusal:
            answer = Answer(refusal.status, refusal.document(), tuple(refusal.headers))
        if hub.observe is not None and not isinstance(answer.body, bytes):
            hub.observe(self.command, path, query, sent, answer.status, answer.body)
        reset = (("X-RateLimit-Reset", str(int(time.time()) + 3600)),)
        document, kind = _document(answer.body)
        headers = (("Content-Type", kind), *_LIMITS, *reset, *answer.headers)
        return _Reply(answer.status, headers, document, token.account.login if token else "")

    def _answer(self, hub: Front, path: str, query: dict[str, str], sent: object, token: Token | None) -> Answer:
        if path == "/graphql" and self.command == "POST":
            return graphql.answer(hub.world, token, sent)
        route, parameters = routes.find(self.command, path)
        repository = None
        if "repo" in parameters:
            repository = hub.world.repository(f"{parameters['owner']}/{parameters['repo']}")
            if repository is None or not repository.may_read(token):
                raise not_found()
        url, accept = f"{hub.world.links.api}{path}", self.headers.get("Accept", "")
        return routes.answer(hub.world, route, Call(url, parameters, query, sent, token, repository, accept))

    def _token(self, hub: Front) -> Token | None:
        offered = self.headers.get("Authorization", "").partition(" ")[2].strip()
        token = hub.world.accounts.token(offered)
        if offered and token is None:
            raise bad_credentials()
        return token

    def _met(self, hub: Front, path: str, body: bytes, fault: Fault) -> _Reply | None:
        if not fault.after:
            time.sleep(fault.delay)
        is_done = fault.after or not (fault.drop or fault.status)
        done = self._reply(hub, path, body) if is_done else None
        if fault.after:
            time.sleep(fault.delay)
        if fault.drop:
            hub.log.append(_entry(self.command, path, _Reply(0, (), b"")))
            self.close_connection = True
            return None
        return _spoilt(fault, done) if fault.status or done is None else done

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        whole = bytearray()
        while size := int(self.rfile.readline().split(b";")[0], 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return bytes(whole)

    def _send(self, reply: _Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)


def _spoilt(fault: Fault, done: _Reply | None) -> _Reply:
    body = {"message": "Server Error"} if fault.body is None else fault.body
    document = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    headers = (("Content-Type", _JSON), *fault.headers.items())
    return _Reply(fault.status, headers, document, done.account if done else "")


def _document(body: object) -> tuple[bytes, str]:
    if isinstance(body, bytes):
        return body, _DIFF
    return b"" if body is None else json.dumps(body).encode(), _JSON


def _parsed(body: bytes) -> object:
    if not body:
        return None
    try:
        return json.loads(body)
    except ValueError as error:
        raise RefusalError(400, "Problems parsing JSON") from error


def _entry(method: str, path: str, reply: _Reply) -> Entry:
    return Entry(method, path, reply.status, reply.account)
