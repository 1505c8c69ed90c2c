"""The few questions of the gate to GitHub's API, with nothing but Python's own library.

A redirect is not followed, since the token would go along, and nothing is asked twice: whoever gets no answer
decides as if it had been no.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping
from http.client import HTTPException
from typing import Any
from urllib.parse import quote

from gitclaw_py.adapters import github_documents as documents
from gitclaw_py.core.access import Level
from gitclaw_py.core.admission import Remark
from gitclaw_py.core.thread import Account
from gitclaw_py.errors import GitclawError, InternalError

_TIMEOUT = 15
_HEX = frozenset("0123456789abcdef")
_LENGTHS = (40, 64)


class _Stays(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """Answer with the redirect itself, which is an error."""


class GateApi:
    """GitHub's API for one repository.

    Args:
        api_url: where it is, as ``GITHUB_API_URL`` says it.
        token: with which to ask.
        repository: ``owner/name``.
        note: hears what got no answer.
    """

    def __init__(self, api_url: str, token: str, repository: str, note: Callable[[str], None]) -> None:
        self._root = f"{api_url.rstrip('/')}/repos/{repository}"
        self._token = token
        self._note = note
        self._opener = urllib.request.build_opener(_Stays)

    def level(self, account: Account) -> Level:
        """What the account may do, by its id; ``NONE`` when that cannot be told. One request.

        https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user
        """
        try:
            answer = self._asked("GET", f"collaborators/{quote(account.login, safe='')}/permission")
            return documents.read(lambda document: documents.level(document, account.id), json.loads(answer))
        except (GitclawError, ValueError) as error:
            self._note(f"what {account.login} may do could not be told, so it counts as nothing: {error}")
            return Level.NONE

    def pull(self, number: int) -> tuple[str, bool]:
        """The commit a pull request is at, and whether there are comments of reviews in it. One request.

        Raises:
            GitclawError: ``FORGE_UNAVAILABLE``: that cannot be told.
        """
        try:
            document: Any = json.loads(self._asked("GET", f"pulls/{number}"))
        except ValueError as error:
            raise _unclear("The answer is not JSON") from error
        oid = documents.read(lambda pull: documents.pull(pull).head_oid, document)
        if len(oid) not in _LENGTHS or not _HEX.issuperset(oid):
            raise _unclear("The head of the pull request is no commit")
        return oid, bool(document.get("review_comments"))

    def remarks(self, number: int) -> list[Remark]:
        """The last hundred comments of a pull request's reviews; none when that cannot be told. One request.

        https://docs.github.com/en/rest/pulls/comments#list-review-comments-on-a-pull-request
        """
        path = f"pulls/{number}/comments?sort=created&direction=desc&per_page=100"
        try:
            document: Any = json.loads(self._asked("GET", path))
            return documents.read(lambda page: [_remark(one) for one in page], document)
        except (GitclawError, ValueError) as error:
            self._note(f"what was said in reviews could not be told: {error}")
            return []

    def files(self, paths: Iterable[str], ref: str) -> list[bytes]:
        """The first of these files that is there. One request for each until then."""
        for path in paths:
            try:
                document: Any = json.loads(self._asked("GET", f"contents/{quote(path)}?ref={quote(ref, safe='')}"))
                return [b64decode(document["content"])]
            except (GitclawError, ValueError, KeyError, TypeError):
                continue
        return []

    def comment(self, thread: int, body: str) -> None:
        """Comment in a thread; best effort. One request."""
        try:
            self._asked("POST", f"issues/{thread}/comments", {"body": body})
        except GitclawError as error:
            self._note(f"it was not told that the agent is at work: {error}")

    def react(self, thread: int, comment: int | None, content: str) -> None:
        """React to a comment, or to the thread's own text; best effort. One request."""
        path = f"issues/comments/{comment}/reactions" if comment else f"issues/{thread}/reactions"
        try:
            self._asked("POST", path, {"content": content})
        except GitclawError as error:
            self._note(f"the reaction was not made: {error}")

    def _asked(self, method: str, path: str, body: Mapping[str, str] | None = None) -> bytes:
        headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {self._token}",
            "X-GitHub-Api-Version": "2022-11-28",
            "User-Agent": "gitclaw",
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._root}/{path}", data, headers, method=method)  # noqa: S310 - the API
        try:
            with self._opener.open(request, timeout=_TIMEOUT) as answer:
                found: bytes = answer.read()
                return found
        except (OSError, HTTPException, ValueError) as error:
            raise _unclear(f"{method} {path.partition('?')[0]} got no answer: {error}") from error


def _remark(document: Mapping[str, Any]) -> Remark:
    return Remark(
        int(document["id"]),
        int(document.get("in_reply_to_id") or 0),
        documents.account(document["user"]),
        str(document["body"] or ""),
        str(document["created_at"]),
        document["updated_at"] != document["created_at"],
    )


def _unclear(what: str) -> InternalError:
    return InternalError("FORGE_UNAVAILABLE", what, "try again in a minute")
