"""GitHub's JSON documents of reviews as our values."""

from typing import Any, NamedTuple

from gitclaw_py.adapters.github_documents import account
from gitclaw_py.core.thread import Account, Review, ReviewComment, ReviewThread

Json = Any
_BOT = "[bot]"


class ThreadPage(NamedTuple):
    """A page of threads, and the cursor of the next one, None after the last."""

    threads: tuple[ReviewThread, ...]
    after: str | None


def review(document: Json) -> Review:
    """A review, from the REST API."""
    return Review(
        int(document["id"]),
        str(document["node_id"]),
        account(document["user"]),
        str(document.get("body") or ""),
        str(document["state"]),
        str(document["commit_id"] or ""),
        str(document["html_url"]),
    )


def comment(document: Json) -> ReviewComment:
    """A comment of a review, from the REST API."""
    return ReviewComment(
        int(document["id"]),
        str(document["node_id"]),
        account(document["user"]),
        str(document.get("body") or ""),
        str(document["created_at"]),
        str(document["html_url"]),
    )


def reviews(document: Json) -> tuple[Review, ...]:
    """The reviews beside a page of threads, from GraphQL."""
    return tuple(map(_review, document["data"]["repository"]["pullRequest"]["reviews"]["nodes"]))


def _review(node: Json) -> Review:
    return Review(
        int(node["databaseId"]),
        str(node["id"]),
        _author(node["author"]),
        str(node["body"]),
        str(node["state"]),
        str(node["commit"]["oid"]) if node["commit"] else "",
        str(node["url"]),
    )


def threads(document: Json) -> ThreadPage:
    """A page of threads, from GraphQL."""
    page = document["data"]["repository"]["pullRequest"]["reviewThreads"]
    info = page["pageInfo"]
    return ThreadPage(tuple(map(_thread, page["nodes"])), str(info["endCursor"]) if info["hasNextPage"] else None)


def _thread(node: Json) -> ReviewThread:
    return ReviewThread(
        str(node["id"]),
        str(node["path"]),
        node["line"],
        node["startLine"],
        node["originalLine"],
        bool(node["isResolved"]),
        bool(node["isOutdated"]),
        bool(node["viewerCanResolve"]),
        str(node["resolvedBy"]["login"]) if node["resolvedBy"] else "",
        tuple(map(_comment, node["comments"]["nodes"])),
    )


def _comment(node: Json) -> ReviewComment:
    return ReviewComment(
        int(node["databaseId"]),
        str(node["id"]),
        _author(node["author"]),
        str(node["body"]),
        str(node["createdAt"]),
        str(node["url"]),
        bool(node["isMinimized"]),
        int(node["reactions"]["totalCount"]),
        node["lastEditedAt"] is not None,
    )


def _author(node: Json) -> Account:
    """GraphQL leaves out the end of an app's login that the REST API has.

    https://docs.github.com/en/graphql/reference/objects#bot
    """
    if node is None:
        return account(None)
    is_bot = node["__typename"] == "Bot"
    login = str(node["login"]).removesuffix(_BOT) + _BOT if is_bot else str(node["login"])
    return Account(login, int(node.get("databaseId") or 0), is_bot)


def errors(document: Json) -> list[str]:
    """What GraphQL says went wrong."""
    return [str(error["message"]) for error in document.get("errors") or ()]


def done(document: Json) -> int:
    """How many of a request's mutations were made."""
    found = (document.get("data") or {}).values()
    return sum(any(value and any(value.values()) for value in one.values()) for one in found if one)
