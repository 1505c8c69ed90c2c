"""The webhook payloads of what happens, and which of it starts workflows.

https://docs.github.com/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

from gitclaw_py.core.thread import Account
from gitclaw_py.hub import documents, pull_documents, review_documents
from gitclaw_py.hub.calls import Json
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.reviews import Review, ReviewComment
from gitclaw_py.hub.threads import Comment, Label, Thread
from gitclaw_py.hub.world import Doer, World


def comment_event(world: World, repo: Repository, doer: Doer, comment: Comment, action: str) -> None:
    """A comment was created, edited or deleted."""
    thread = documents.issue(world.links, repo, repo.threads.get(comment.thread))
    said = documents.comment(world.links, repo, comment)
    _emit(world, repo, doer, "issue_comment", {"action": action, "issue": thread, "comment": said})


def issue_event(
    world: World, repo: Repository, doer: Doer, thread: Thread, action: str, label: Label | None = None
) -> None:
    """An issue was opened, labeled, closed, … On a pull request it is an event of that."""
    if thread.pull is not None:
        pull_event(world, repo, doer, thread, action, label=label)
        return
    document = documents.issue(world.links, repo, thread)
    _emit(world, repo, doer, "issues", {"action": action, "issue": document, **_labelled(world, repo, label)})


def pull_event(
    world: World,
    repo: Repository,
    doer: Doer,
    thread: Thread,
    action: str,
    *,
    label: Label | None = None,
    moved: tuple[str, str] | None = None,
) -> None:
    """A pull request was opened, synchronized, closed, …; ``moved`` are the old and new head."""
    document = pull_documents.pull(world.links, repo, thread, world.repositories())
    span = {"before": moved[0], "after": moved[1]} if moved else {}
    payload: Json = {"action": action, "number": thread.number, "pull_request": document}
    _emit(world, repo, doer, "pull_request", {**payload, **span, **_labelled(world, repo, label)})


def review_event(world: World, repo: Repository, doer: Doer, review: Review, action: str) -> None:
    """A review was submitted, edited or dismissed."""
    said = review_documents.review(world.links, repo, review)
    _emit(world, repo, doer, "pull_request_review", {"action": action, "review": said, **_pull(world, repo, review)})


def review_comment_event(world: World, repo: Repository, doer: Doer, comment: ReviewComment, action: str) -> None:
    """A comment of a review was created, edited or deleted."""
    said = review_documents.comment(world.links, repo, comment)
    payload: Json = {"action": action, "comment": said, **_pull(world, repo, comment)}
    _emit(world, repo, doer, "pull_request_review_comment", payload)


def _pull(world: World, repo: Repository, one: Review | ReviewComment) -> Json:
    thread = repo.threads.get(one.pull)
    return {"pull_request": pull_documents.pull_simple(world.links, repo, thread, world.repositories())}


def dispatch_event(world: World, repo: Repository, account: Account, event_type: str, client_payload: Json) -> None:
    """A request from elsewhere; the one kind of event that every token may cause."""
    payload: Json = {"action": event_type, "branch": repo.default_branch, "client_payload": client_payload}
    _emit(world, repo, Doer(account), "repository_dispatch", payload)


def _labelled(world: World, repo: Repository, label: Label | None) -> Json:
    return {"label": documents.label(world.links, repo, label)} if label else {}


def _emit(world: World, repo: Repository, doer: Doer, event: str, payload: Json) -> None:
    if not doer.is_quiet:
        where = documents.repository(world.links, repo)
        world.emit(event, {**payload, "repository": where, "sender": documents.user(world.links, doer.account)})
