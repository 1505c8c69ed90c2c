"""Review threads in GraphQL: read, resolved, and comments hidden.

https://docs.github.com/graphql/reference/objects#pullrequestreviewthread
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from gitclaw_py.core.access import Level
from gitclaw_py.core.thread import Account
from gitclaw_py.hub.accounts import Token
from gitclaw_py.hub.anchors import now_at
from gitclaw_py.hub.calls import Json
from gitclaw_py.hub.graphql_shapes import Connection, GraphError
from gitclaw_py.hub.refusals import RefusalError
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.reviewing import resolve as resolve_thread
from gitclaw_py.hub.reviews import Review, ReviewComment, ReviewThread
from gitclaw_py.hub.threads import Reaction, Thread
from gitclaw_py.hub.world import Doer, World

_REASONS = ("ABUSE", "DUPLICATE", "LOW_QUALITY", "OFF_TOPIC", "OUTDATED", "RESOLVED", "SPAM")
_CONTENTS = {"THUMBS_UP": "+1", "THUMBS_DOWN": "-1"}
_FORBIDDEN = "Resource not accessible by integration"


def repository(world: World, token: Token, arguments: Mapping[str, object]) -> Json:
    """A repository with its pull requests.

    Raises:
        GraphError: there is none of that name.
    """
    name = f"{arguments.get('owner')}/{arguments.get('name')}"
    found = world.repository(name)
    if found is None or not found.may_read(token):
        raise GraphError("NOT_FOUND", f"Could not resolve to a Repository with the name '{name}'.")
    return {
        "__typename": "Repository",
        "id": found.node_id,
        "nameWithOwner": found.name,
        "pullRequest": partial(_pull, world, found, token),
    }


def _pull(world: World, repo: Repository, token: Token, arguments: Mapping[str, object]) -> Json:
    number = arguments.get("number")
    try:
        thread, pull = repo.threads.pull(number if isinstance(number, int) else 0)
    except RefusalError as error:
        raise GraphError("NOT_FOUND", f"Could not resolve to a PullRequest with the number of {number}.") from error
    threads, reviews = (find(thread.number, token.account) for find in (repo.reviews.threads, repo.reviews.of))
    return {
        "__typename": "PullRequest",
        "id": f"PR_{thread.id}",
        "number": thread.number,
        "headRefOid": pull.head_oid,
        "reviewThreads": Connection("reviewThreads", threads, partial(_thread, world, repo, token)),
        "reviews": Connection("reviews", reviews, partial(_review, world, repo, thread)),
    }


def _review(world: World, repo: Repository, thread: Thread, review: Review) -> Json:
    return {
        "__typename": "PullRequestReview",
        "id": review.node_id,
        "databaseId": review.id,
        "fullDatabaseId": str(review.id),
        "body": review.body,
        "state": review.state,
        "author": _actor(review.author),
        "commit": {"__typename": "Commit", "oid": review.commit},
        "url": f"{world.links.page(repo, thread)}#pullrequestreview-{review.id}",
    }


def _thread(world: World, repo: Repository, token: Token, thread: ReviewThread) -> Json:
    first = thread.comments[0]
    opened, pull = repo.threads.pull(first.pull)
    now = now_at(repo.git, pull, first)
    return {
        "__typename": "PullRequestReviewThread",
        "id": thread.id,
        "isResolved": thread.resolved_by is not None,
        "resolvedBy": _actor(thread.resolved_by) if thread.resolved_by else None,
        "isOutdated": now is None,
        "path": now.path if now else first.anchor.path,
        "line": now.line if now else None,
        "startLine": now.start_line if now else None,
        "originalLine": first.anchor.line,
        "originalStartLine": first.anchor.start_line,
        "diffSide": first.anchor.side,
        "viewerCanResolve": _may_resolve(repo, token, opened) and thread.resolved_by is None,
        "viewerCanUnresolve": _may_resolve(repo, token, opened) and thread.resolved_by is not None,
        "viewerCanReply": True,
        "comments": Connection("comments", thread.comments, partial(_comment, world, repo)),
    }


def _comment(world: World, repo: Repository, comment: ReviewComment) -> Json:
    reason = repo.reviews.hidden.get(comment.node_id)
    page = world.links.page(repo, repo.threads.get(comment.pull))
    return {
        "__typename": "PullRequestReviewComment",
        "id": comment.node_id,
        "databaseId": comment.id,
        "fullDatabaseId": str(comment.id),
        "body": comment.body,
        "author": _actor(comment.author),
        "createdAt": comment.created_at,
        "updatedAt": comment.updated_at,
        "lastEditedAt": comment.updated_at if comment.updated_at != comment.created_at else None,
        "url": f"{page}#discussion_r{comment.id}",
        "path": comment.anchor.path,
        "isMinimized": reason is not None,
        "minimizedReason": reason.lower() if reason else None,
        "reactions": partial(_reactions, comment),
    }


def _actor(account: Account) -> Json:
    # An app's login has no end here: https://docs.github.com/graphql/reference/objects#bot
    kind, login = ("Bot", account.login.removesuffix("[bot]")) if account.is_bot else ("User", account.login)
    return {"__typename": kind, "login": login, "databaseId": account.id}


def _reactions(comment: ReviewComment, arguments: Mapping[str, object]) -> Connection:
    content = arguments.get("content")
    wanted = _CONTENTS.get(content, content.lower()) if isinstance(content, str) else None
    return Connection("reactions", [one for one in comment.reactions if wanted in {None, one.content}], _reaction)


def _reaction(reaction: Reaction) -> Json:
    return {"__typename": "Reaction", "user": _actor(reaction.account), "createdAt": reaction.created_at}


def _may_resolve(repo: Repository, token: Token, pull: Thread) -> bool:
    """The pull request's author, and whoever may write; an app needs a permission that is not documented."""
    if token.permissions is not None:
        return token.repository == repo.name and token.allows(repo.reviews.resolving_needs, "write")
    return token.account.id == pull.author.id or repo.level(token.account) >= Level.WRITE


def resolve(world: World, token: Token, given: Json) -> Json:
    """Resolve a thread.

    Raises:
        GraphError: there is none, or the token may not.
    """
    return _resolved(world, token, given, on=True)


def unresolve(world: World, token: Token, given: Json) -> Json:
    """Open a thread again.

    Raises:
        GraphError: there is none, or the token may not.
    """
    return _resolved(world, token, given, on=False)


def _resolved(world: World, token: Token, given: Json, *, on: bool) -> Json:
    node_id = str(given.get("threadId"))
    for repo in _readable(world, token):
        thread = repo.reviews.thread(node_id, token.account)
        if thread is None:
            continue
        if not _may_resolve(repo, token, repo.threads.get(thread.comments[0].pull)):
            raise GraphError("FORBIDDEN", _FORBIDDEN)
        done = resolve_thread(world, repo, Doer.of(token), thread, on=on)
        return {"thread": _thread(world, repo, token, done)}
    raise _no_node(node_id)


def minimise(world: World, token: Token, given: Json) -> Json:
    """Hide a comment of a thread, or of a review, or a review.

    Raises:
        GraphError: there is none, or the token may not.
    """
    node_id, reason = str(given.get("subjectId")), given.get("classifier")
    if reason not in _REASONS:
        raise GraphError("INVALID", f"Expected classifier to be one of: {', '.join(_REASONS)}")
    for repo in _readable(world, token):
        author = _author_of(repo, token, node_id)
        if author is None:
            continue
        if not _may_hide(repo, token, author):
            raise GraphError("FORBIDDEN", _FORBIDDEN)
        repo.reviews.hidden[node_id] = str(reason)
        hidden = {"isMinimized": True, "minimizedReason": str(reason).lower(), "viewerCanMinimize": True}
        return {"minimizedComment": {"__typename": "Minimizable", **hidden}}
    raise _no_node(node_id)


def _author_of(repo: Repository, token: Token, node_id: str) -> Account | None:
    for thread in repo.threads:
        if node_id in (authors := dict(_authors(repo, token.account, thread.number))):
            return authors[node_id]
    return None


def _authors(repo: Repository, viewer: Account, number: int) -> Iterator[tuple[str, Account]]:
    yield from ((one.node_id, one.author) for one in repo.reviews.of(number, viewer))
    yield from ((one.node_id, one.author) for one in repo.reviews.comments(number, viewer))
    yield from ((f"IC_{one.id}", one.author) for one in repo.threads.comments(number))


def _may_hide(repo: Repository, token: Token, author: Account) -> bool:
    if token.permissions is not None:
        allowed = any(token.allows(name, "write") for name in ("pull_requests", "issues"))
        return token.repository == repo.name and allowed
    return token.account.id == author.id or repo.level(token.account) >= Level.WRITE


def _readable(world: World, token: Token) -> Iterator[Repository]:
    return (repo for repo in world.repositories().values() if repo.may_read(token))


def _no_node(node_id: str) -> GraphError:
    return GraphError("NOT_FOUND", f"Could not resolve to a node with the global id of '{node_id}'")
