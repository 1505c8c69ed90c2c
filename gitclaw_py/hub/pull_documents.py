"""The JSON documents GitHub returns for pull requests."""

from __future__ import annotations

from collections.abc import Mapping

from gitclaw_py.hub import documents
from gitclaw_py.hub.calls import Json
from gitclaw_py.hub.changes import FileChange, changed_files
from gitclaw_py.hub.documents import Links, association, label, repository, user
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.threads import Thread

_LINKS = {
    "self": "pulls/{n}",
    "issue": "issues/{n}",
    "comments": "issues/{n}/comments",
    "review_comments": "pulls/{n}/comments",
    "review_comment": "pulls/comments{{/number}}",
    "commits": "pulls/{n}/commits",
}


def pull_simple(links: Links, repo: Repository, thread: Thread, all_repositories: Mapping[str, Repository]) -> Json:
    """A pull request in a list."""
    if thread.pull is None:
        raise TypeError(f"{repo.name}#{thread.number} is no pull request")
    pull = thread.pull
    url, page = links.repo(repo), links.page(repo, thread)
    paths = {name: f"{url}/{path.format(n=thread.number)}" for name, path in _LINKS.items()}
    paths["statuses"] = f"{url}/statuses/{pull.head_oid}"
    people = [user(links, account) for account in thread.assignees]
    return {
        "url": paths["self"],
        "id": thread.id,
        "node_id": f"PR_{thread.id}",
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": paths["issue"],
        "number": thread.number,
        "state": thread.state,
        "locked": thread.is_locked,
        "title": thread.title,
        "user": user(links, thread.author),
        "body": thread.body,
        "created_at": thread.created_at,
        "updated_at": thread.updated_at,
        "closed_at": thread.closed_at,
        "merged_at": pull.merged_at,
        "merge_commit_sha": pull.merge_oid,
        "assignee": people[0] if people else None,
        "assignees": people,
        "requested_reviewers": [],
        "requested_teams": [],
        "labels": [label(links, repo, one) | {"description": one.description or ""} for one in thread.labels],
        "milestone": None,
        "draft": pull.is_draft,
        **{
            f"{name}_url": paths[name]
            for name in ("commits", "review_comments", "review_comment", "comments", "statuses")
        },
        "head": _end(links, all_repositories.get(pull.head_repository.lower()), pull.head_branch, pull.head_oid),
        "base": _end(links, repo, pull.base_branch, pull.base_oid),
        "_links": {name: {"href": path} for name, path in {**paths, "html": page}.items()},
        "author_association": association(repo, thread.author),
        "auto_merge": None,
        "active_lock_reason": thread.lock_reason,
    }


def pull(links: Links, repo: Repository, thread: Thread, all_repositories: Mapping[str, Repository]) -> Json:
    """A pull request, as it is asked for by itself."""
    simple = pull_simple(links, repo, thread, all_repositories)
    inside = thread.pull
    if inside is None:
        raise TypeError(f"{repo.name}#{thread.number} is no pull request")
    files = changed_files(repo.git, inside.base_oid, inside.head_oid)
    commits = repo.git.git("rev-list", "--count", f"{inside.base_oid}..{inside.head_oid}")
    return {
        **simple,
        "merged": inside.merged_at is not None,
        "mergeable": None,
        "rebaseable": None,
        "mergeable_state": "unknown",
        "merged_by": user(links, inside.merged_by) if inside.merged_by else None,
        "comments": len(repo.threads.comments(thread.number)),
        "review_comments": len(repo.reviews.comments(thread.number, None)),
        "maintainer_can_modify": inside.maintainer_can_modify,
        "commits": int(commits),
        "additions": sum(file.additions for file in files),
        "deletions": sum(file.deletions for file in files),
        "changed_files": len(files),
    }


def _end(links: Links, repo: Repository | None, branch: str, oid: str) -> Json:
    if repo is None:
        return {"label": f"unknown:{branch}", "ref": branch, "sha": oid, "user": None, "repo": None}
    owner = repo.owner
    return {
        "label": f"{repo.name.partition('/')[0]}:{branch}",
        "ref": branch,
        "sha": oid,
        "user": user(links, owner),
        "repo": repository(links, repo),
    }


def file(links: Links, repo: Repository, head: str, change: FileChange) -> Json:
    """A changed file of a pull request or of a commit."""
    page = f"{links.url}/{repo.name}"
    patch = {"patch": change.patch} if change.patch is not None else {}
    former = {"previous_filename": change.former} if change.former else {}
    return {
        "sha": change.oid,
        "filename": change.path,
        "status": change.status,
        "additions": change.additions,
        "deletions": change.deletions,
        "changes": change.additions + change.deletions,
        "blob_url": f"{page}/blob/{head}/{documents.quoted(change.path)}",
        "raw_url": f"{page}/raw/{head}/{documents.quoted(change.path)}",
        "contents_url": f"{links.repo(repo)}/contents/{documents.quoted(change.path)}?ref={head}",
        **patch,
        **former,
    }
