"""The JSON documents GitHub returns for reviews and their comments."""

from __future__ import annotations

from gitclaw_py.hub.anchors import now_at
from gitclaw_py.hub.calls import Json
from gitclaw_py.hub.documents import Links, association, rollup, user
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.reviews import PENDING, Review, ReviewComment

_FIRST = 1
"""The line that a comment on a whole file reads back as."""


def review(links: Links, repo: Repository, one: Review) -> Json:
    """A review."""
    page = links.page(repo, repo.threads.get(one.pull))
    html, pull = f"{page}#pullrequestreview-{one.id}", f"{links.repo(repo)}/pulls/{one.pull}"
    return {
        "id": one.id,
        "node_id": one.node_id,
        "user": user(links, one.author),
        "body": one.body,
        "state": one.state,
        "html_url": html,
        "pull_request_url": pull,
        "_links": {"html": {"href": html}, "pull_request": {"href": pull}},
        "commit_id": one.commit,
        "author_association": association(repo, one.author),
        **({} if one.state == PENDING else {"submitted_at": one.submitted_at}),
    }


def comment(links: Links, repo: Repository, one: ReviewComment) -> Json:
    """A comment of a review; one that is outdated has no ``line`` and no ``position``, but has the original ones."""
    _, pull = repo.threads.pull(one.pull)
    now = now_at(repo.git, pull, one)
    anchor = one.anchor
    reply = {"in_reply_to_id": one.reply_to} if one.reply_to else {}
    line = (now.line or _FIRST) if now else None
    links_of = _links(links, repo, one)
    return {
        "url": links_of["self"]["href"],
        "pull_request_review_id": one.review,
        "id": one.id,
        "node_id": one.node_id,
        "diff_hunk": one.hunk,
        "path": now.path if now else anchor.path,
        "commit_id": pull.head_oid if now else one.commit,
        "original_commit_id": one.commit,
        "user": user(links, one.author),
        "body": one.body,
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "html_url": links_of["html"]["href"],
        "pull_request_url": links_of["pull_request"]["href"],
        "author_association": association(repo, one.author),
        "_links": links_of,
        "start_line": now.start_line if now else None,
        "original_start_line": anchor.start_line,
        "start_side": anchor.start_side,
        "line": line,
        "original_line": anchor.line or _FIRST,
        "side": anchor.side,
        "subject_type": "file" if anchor.line is None else "line",
        "position": one.position if now else None,
        "original_position": one.position,
        "reactions": rollup(links_of["self"]["href"], one.reactions),
        **reply,
    }


def _links(links: Links, repo: Repository, one: ReviewComment) -> dict[str, dict[str, str]]:
    page = links.page(repo, repo.threads.get(one.pull))
    addresses = {
        "self": f"{links.repo(repo)}/pulls/comments/{one.id}",
        "html": f"{page}#discussion_r{one.id}",
        "pull_request": f"{links.repo(repo)}/pulls/{one.pull}",
    }
    return {name: {"href": address} for name, address in addresses.items()}
