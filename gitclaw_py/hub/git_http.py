"""Git over HTTP, by the ``git http-backend`` that comes with git.

https://git-scm.com/docs/git-http-backend and https://git-scm.com/docs/http-protocol
"""

import base64
import binascii
import re
import subprocess
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote

from gitclaw_py.hub import protection
from gitclaw_py.hub.accounts import Token
from gitclaw_py.hub.bare import environment
from gitclaw_py.hub.pulls import follow_push
from gitclaw_py.hub.push_report import with_reasons
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.world import Doer, World

_PATH = re.compile(r"/(?P<owner>[^/]+)/(?P<name>[^/]+?)(?:\.git)?/(?P<what>info/refs|git-upload-pack|git-receive-pack)")


class GitCall(NamedTuple):
    """A request of git's. ``headers`` are by lower-case name."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_push(self) -> bool:
        """Whether it is part of a push."""
        return "git-receive-pack" in (self.path.rpartition("/")[2], self.query.removeprefix("service="))


class GitAnswer(NamedTuple):
    """An answer for git."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def is_git(path: str) -> bool:
    """Whether a path is one of git's."""
    return _PATH.fullmatch(path) is not None


def answer(world: World, call: GitCall) -> tuple[GitAnswer, str]:
    """The answer, and the login that asked."""
    hit = _PATH.fullmatch(call.path)
    if hit is None:
        return _refused(404, "Not Found"), ""
    offered = _secret(call.headers.get("authorization", ""))
    token = next((found for found in map(world.accounts.token, offered) if found), None)
    if offered and token is None:
        return _refused(
            401, "Invalid username or token. Password authentication is not supported for Git operations."
        ), ""
    login = token.account.login if token else ""
    repository = world.repository(unquote(f"{hit['owner']}/{hit['name']}"))
    refused = _forbidden(repository, token, call)
    if refused is not None or repository is None:
        return refused or _refused(404, "Repository not found."), login
    return _carried_out(world, repository, token, call, hit["what"]), login


def _forbidden(repository: Repository | None, token: Token | None, call: GitCall) -> GitAnswer | None:
    if repository is None or not repository.may_read(token):
        return _refused(404 if token else 401, "Repository not found.")
    if not call.is_push or repository.may_push(token):
        return None
    if token is None:
        return _refused(401, "No anonymous write access.")
    if token.permissions is not None and token.repository == repository.name:
        return _refused(403, "Write access to repository not granted.")
    return _refused(403, f"Permission to {repository.name}.git denied to {token.account.login}.")


def _carried_out(world: World, repository: Repository, token: Token | None, call: GitCall, what: str) -> GitAnswer:
    extra = protection.hook_environment(repository, token) if token else {}
    done = subprocess.run(
        ["git", "http-backend"],
        env={**environment(), **extra, **_cgi(repository, token, call, what)},
        input=call.body,
        capture_output=True,
        check=False,
    )
    result = _read(done.stdout)
    if what == "git-receive-pack" and token is not None:
        follow_push(world, repository, Doer.of(token))
        return result._replace(body=with_reasons(result.body))
    return result


def _cgi(repository: Repository, token: Token | None, call: GitCall, what: str) -> dict[str, str]:
    variables = {
        "GIT_PROJECT_ROOT": str(repository.path.parent),
        "PATH_INFO": f"/{repository.path.name}/{what}",
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_PROTOCOL": call.headers.get("git-protocol", ""),
        "REQUEST_METHOD": call.method,
        "QUERY_STRING": call.query,
        "CONTENT_TYPE": call.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(call.body)),
        "HTTP_CONTENT_ENCODING": call.headers.get("content-encoding", ""),
        "REMOTE_ADDR": "127.0.0.1",
    }
    # receive-pack is only offered to someone.
    return {**variables, "REMOTE_USER": token.account.login} if token else variables


def _read(output: bytes) -> GitAnswer:
    head, found, body = output.partition(b"\r\n\r\n")
    if not found:
        return _refused(500, "git http-backend failed")
    status, headers = 200, []
    for line in head.decode("latin-1").split("\r\n"):
        name, _, value = line.partition(": ")
        if name.lower() == "status":
            status = int(value.split()[0])
        else:
            headers.append((name, value))
    return GitAnswer(status, tuple(headers), body)


def _secret(authorization: str) -> tuple[str, ...]:
    """The words that may be the token: it is taken as password, and as user name."""
    scheme, _, rest = authorization.partition(" ")
    if scheme.lower() != "basic":
        return (rest.strip(),) if rest.strip() else ()
    try:
        user, _, password = base64.b64decode(rest, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return ("",)
    return (password, user)


def _refused(status: int, text: str) -> GitAnswer:
    # git shows the text of an error only when it is plain.
    headers = [("Content-Type", "text/plain; charset=utf-8")]
    if status == 401:  # noqa: PLR2004 - git sends its credentials only after this
        headers.append(("WWW-Authenticate", 'Basic realm="GitHub"'))
    return GitAnswer(status, tuple(headers), f"{text}\n".encode())
