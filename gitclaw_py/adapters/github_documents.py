"""GitHub's JSON documents as our values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from gitclaw_py.core.access import Level
from gitclaw_py.core.payload import app
from gitclaw_py.core.thread import Account, Check, Comment, PullRequest, Thread
from gitclaw_py.errors import GitclawError

Json = Any
_T = TypeVar("_T")

_NOBODY = Account("ghost", 0)
"""Who wrote it has no account any more. https://github.com/ghost"""

_BY_PERMISSION: Mapping[str, Level] = MappingProxyType(
    {"none": Level.NONE, "read": Level.READ, "write": Level.WRITE, "admin": Level.ADMIN}
)
_FINER: Mapping[tuple[str, str], Level] = MappingProxyType(
    {("read", "triage"): Level.TRIAGE, ("write", "maintain"): Level.MAINTAIN}
)


def read(make: Callable[[Json], _T], document: Json) -> _T:
    """The value in a document.

    Raises:
        GitclawError: ``FORGE_UNAVAILABLE``: it is not what GitHub answers.
    """
    try:
        return make(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = "GitHub answered something that it does not say it answers"
        found = f"{type(error).__name__}: {error}"
        raise GitclawError("FORGE_UNAVAILABLE", what, "see whether the API address is right", (found,)) from error


def account(document: Json) -> Account:
    """An account; a deleted one for None."""
    if document is None:
        return _NOBODY
    return Account(_text(document["login"]), int(document["id"]), document.get("type") == "Bot")


def comment(document: Json) -> Comment:
    """A comment of a thread."""
    return Comment(
        int(document["id"]),
        account(document["user"]),
        _text(document.get("body") or ""),
        _text(document["created_at"]),
        _text(document["updated_at"]),
        _text(document["html_url"]),
        app(document),
    )


def thread(document: Json) -> Thread:
    """An issue, or a pull request as the issues' part of the API shows it."""
    return Thread(
        int(document["number"]),
        _text(document["title"]),
        _text(document.get("body") or ""),
        account(document["user"]),
        _text(document["created_at"]),
        _text(document["html_url"]),
        is_pull_request=document.get("pull_request") is not None,
        is_open=document["state"] == "open",
        is_locked=bool(document.get("locked")),
        labels=tuple(map(_label, document.get("labels", ()))),
    )


def _label(document: Json) -> str:
    """A label is described as a name or as an object.

    https://docs.github.com/en/rest/issues/issues#get-an-issue
    """
    return document if isinstance(document, str) else _text(document.get("name") or "")


def parted(document: Json) -> str:
    """The merge base of a comparison."""
    return _text(document["merge_base_commit"]["sha"])


def pull(document: Json) -> PullRequest:
    """A pull request."""
    head = document["head"]
    return PullRequest(
        int(document["number"]),
        _text(document["html_url"]),
        document["state"] == "open",
        _text(head["repo"]["full_name"]) if head["repo"] else None,
        _text(head["ref"]),
        _text(head["sha"]),
        _text(document["base"]["ref"]),
        bool(document.get("draft")),
        _text(document["merge_commit_sha"]) if document.get("merged_at") else None,
        _text(document.get("mergeable_state") or "").removeprefix("unknown"),
    )


def checks(document: Json) -> list[Check]:
    """The checks of a page."""
    return [Check(_text(one["name"]), one["conclusion"]) for one in document["check_runs"]]


def statuses(document: Json) -> list[Check]:
    """The statuses of a commit, as checks.

    https://docs.github.com/en/rest/commits/statuses#get-the-combined-status-for-a-specific-reference
    """
    return [
        Check(_text(one["context"]), None if one["state"] == "pending" else _text(one["state"]))
        for one in document["statuses"]
    ]


def level(document: Json, wanted: int) -> Level:
    """What the account of that id may do; nothing when the answer is about another one.

    A role of the organization's own making counts as the permission it is built on.
    https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user
    """
    user = document["user"]
    if user is None or user["id"] != wanted:
        return Level.NONE
    permission = _text(document["permission"])
    return _FINER.get((permission, document.get("role_name") or ""), _BY_PERMISSION[permission])


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
