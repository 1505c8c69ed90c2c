"""Fields of a webhook payload, read with care: what is missing or of another kind is said, not guessed."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from gitclaw_py.core.refnames import is_branch
from gitclaw_py.core.thread import Account, Comment, Thread

_LARGEST = 32 * 1024 * 1024
"""Bytes of a payload; GitHub sends at most 25 MB. https://docs.github.com/en/webhooks/webhook-events-and-payloads"""
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}")
_SURROGATES = re.compile("[\ud800-\udfff]")


class UnreadableError(Exception):
    """A payload lacks something; the text is one sentence."""


class Repository(NamedTuple):
    """Where it happened; ``name`` is ``owner/name``."""

    name: str
    id: int
    default_branch: str
    url: str


def parsed(payload: bytes) -> Mapping[str, Any]:
    """The JSON object of a payload.

    Raises:
        UnreadableError: it is none.
    """
    if len(payload) > _LARGEST:
        raise UnreadableError(f"The event is larger than {_LARGEST} bytes")
    try:
        document = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise UnreadableError("The event is not JSON") from error
    if not isinstance(document, dict):
        raise UnreadableError("The event is not a JSON object")
    return document


def child(parent: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The object at ``key``.

    Raises:
        UnreadableError: there is none.
    """
    found = parent.get(key)
    if not isinstance(found, dict):
        raise UnreadableError(f"The event has no {key}")
    return found


def text(parent: Mapping[str, Any], key: str) -> str:
    """The text at ``key``, "" when there is none; half a character becomes the sign for an unreadable one."""
    found = parent.get(key)
    return readable(found) if isinstance(found, str) else ""


def readable(said: str) -> str:
    """A text with the sign for an unreadable character instead of half ones."""
    return _SURROGATES.sub("\ufffd", said)


def number(parent: Mapping[str, Any], key: str) -> int:
    """The positive number at ``key``.

    Raises:
        UnreadableError: there is none.
    """
    found = parent.get(key)
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise UnreadableError(f"The event has no number in {key}")
    return found


def account(parent: Mapping[str, Any], key: str) -> Account:
    """The account at ``key``.

    Raises:
        UnreadableError: it is missing, as it is of a deleted account.
    """
    found = child(parent, key)
    login = text(found, "login")
    if not login:
        raise UnreadableError(f"The event names no login in {key}")
    is_bot = text(found, "type") == "Bot" or login.casefold().endswith("[bot]")
    return Account(login, number(found, "id"), is_bot)


def repository(document: Mapping[str, Any]) -> Repository:
    """The repository of an event.

    Raises:
        UnreadableError: it lacks a field.
    """
    found = child(document, "repository")
    name, branch = text(found, "full_name"), text(found, "default_branch")
    if not _NAME.fullmatch(name) or not is_branch(branch):
        raise UnreadableError("The event does not say which repository and default branch it is of")
    return Repository(name, number(found, "id"), branch, text(found, "html_url"))


def thread(document: Mapping[str, Any]) -> Thread:
    """The issue or pull request of an event; pull requests are issues that have ``pull_request``.

    https://docs.github.com/en/webhooks/webhook-events-and-payloads#issue_comment

    Raises:
        UnreadableError: it lacks a field.
    """
    issue = child(document, "issue")
    labels = issue.get("labels")
    return Thread(
        number=number(issue, "number"),
        title=text(issue, "title"),
        body=text(issue, "body"),
        author=account(issue, "user") if issue.get("user") else Account("ghost", 0),
        created_at=text(issue, "created_at"),
        url=text(issue, "html_url"),
        is_pull_request=isinstance(issue.get("pull_request"), dict),
        is_open=text(issue, "state") != "closed",
        is_locked=issue.get("locked") is True,
        labels=tuple(_label(label) for label in labels) if isinstance(labels, list) else (),
    )


def comment(document: Mapping[str, Any]) -> Comment:
    """The comment of an event.

    Raises:
        UnreadableError: it lacks a field.
    """
    found = child(document, "comment")
    created = text(found, "created_at")
    return Comment(
        id=number(found, "id"),
        author=account(found, "user"),
        body=text(found, "body"),
        created_at=created,
        updated_at=text(found, "updated_at") or created,
        url=text(found, "html_url"),
        app=app(found),
    )


def app(parent: Mapping[str, Any]) -> int | None:
    """The id of the app through which something was said, 0 if that cannot be told, None for no app.

    https://docs.github.com/en/rest/issues/comments#get-an-issue-comment
    """
    found = parent.get("performed_via_github_app")
    if found is None:
        return None
    its_id = found.get("id") if isinstance(found, dict) else None
    return its_id if isinstance(its_id, int) and not isinstance(its_id, bool) and its_id > 0 else 0


def _label(label: object) -> str:
    return text(label, "name") if isinstance(label, dict) else ""
