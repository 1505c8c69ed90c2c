"""What an answer of GitHub is worth: a document, or a failure with all that is told about it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gitclaw_py.core.pacing import Failure

Json = Any
_BROKEN = "something went wrong while executing your query"
_OK, _NOT_OK = 200, 300
_TOO_MANY, _SERVER_FAILED = 429, 502


class Reply(NamedTuple):
    """An answer as it came; names of headers are lower case."""

    status: int
    headers: Mapping[str, str]
    text: str


class Answer(NamedTuple):
    """A good answer: its JSON document, and the headers."""

    document: Json
    headers: Mapping[str, str]


def read_reply(reply: Reply) -> Answer | Failure:
    """The document of a reply; a proxy's page or half a document is as good as no answer."""
    try:
        document = json.loads(reply.text) if reply.text else None
    except ValueError:
        document = None
    if not _OK <= reply.status < _NOT_OK:
        return _failure(reply.status, _message(document), reply.headers)
    if document is None:
        return Failure(None, f"the answer cannot be read: {reply.text[:200]!r}")
    return _failed_query(document, reply.headers) or Answer(document, reply.headers)


def linked(answer: Answer, name: str) -> int | None:
    """The number of the page that a ``Link`` header names.

    https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
    """
    from re import search

    found = search(rf'[?&]page=(\d+)[^>]*>;\s*rel="{name}"', answer.headers.get("link", ""))
    return int(found[1]) if found else None


def _failed_query(document: Json, headers: Mapping[str, str]) -> Failure | None:
    """GraphQL answers 200 also when it is over its limit or broken.

    https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
    """
    errors = document.get("errors") if isinstance(document, dict) else None
    if not isinstance(errors, list):
        return None
    text = "; ".join(_message(error) for error in errors)
    if any(isinstance(error, dict) and error.get("type") == "RATE_LIMITED" for error in errors):
        return _failure(_TOO_MANY, text, headers)
    return _failure(_SERVER_FAILED, text, headers) if _BROKEN in text.lower() else None


def _message(document: Json) -> str:
    """GitHub's own words, those for single fields too."""
    return ": ".join(dict.fromkeys(word for word in _messages(document) if isinstance(word, str)))


def _messages(document: Json) -> Iterator[Json]:
    if not isinstance(document, dict):
        return
    yield document.get("message")
    errors = document.get("errors")
    for error in errors if isinstance(errors, list) else [errors]:
        yield error.get("message") or error.get("code") if isinstance(error, dict) else error


def _failure(status: int, text: str, headers: Mapping[str, str]) -> Failure:
    remaining = _number(headers.get("x-ratelimit-remaining"))
    reset, now = _number(headers.get("x-ratelimit-reset")), _date(headers.get("date"))
    return Failure(
        status,
        text,
        _retry_after(headers, now),
        None if remaining is None else int(remaining),
        reset - now if reset is not None and now is not None else None,
    )


def _retry_after(headers: Mapping[str, str], now: float | None) -> float | None:
    """Seconds, or a date.

    https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
    """
    given = headers.get("retry-after")
    seconds, date = _number(given), _date(given)
    if seconds is None and date is not None and now is not None:
        return max(date - now, 0.0)
    return seconds


def _number(value: str | None) -> float | None:
    try:
        number = float(value) if value else None
    except ValueError:
        return None
    return number if number is not None and 0 <= number < float("inf") else None


def _date(value: str | None) -> float | None:
    """The forge's own clock, which may differ from that of this machine."""
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(value).timestamp() if value else None
    except (ValueError, OverflowError):
        return None
