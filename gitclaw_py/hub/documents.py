"""The JSON documents GitHub returns for people, repositories, threads and comments.

Their keys are those of https://docs.github.com/rest; what the hub has no notion of is there and empty.
"""

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote

from gitclaw_py.core.access import Level
from gitclaw_py.core.thread import Account
from gitclaw_py.hub.calls import Json
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.threads import CONTENTS, Comment, Label, Pull, Reaction, Thread

_USER_LINKS = {
    "followers": "/followers",
    "following": "/following{/other_user}",
    "gists": "/gists{/gist_id}",
    "starred": "/starred{/owner}{/repo}",
    "subscriptions": "/subscriptions",
    "organizations": "/orgs",
    "repos": "/repos",
    "events": "/events{/privacy}",
    "received_events": "/received_events",
}
_REPOSITORY_LINKS = {
    "forks": "/forks",
    "keys": "/keys{/key_id}",
    "collaborators": "/collaborators{/collaborator}",
    "teams": "/teams",
    "hooks": "/hooks",
    "issue_events": "/issues/events{/number}",
    "events": "/events",
    "assignees": "/assignees{/user}",
    "branches": "/branches{/branch}",
    "tags": "/tags",
    "blobs": "/git/blobs{/sha}",
    "git_tags": "/git/tags{/sha}",
    "git_refs": "/git/refs{/sha}",
    "trees": "/git/trees{/sha}",
    "statuses": "/statuses/{sha}",
    "languages": "/languages",
    "stargazers": "/stargazers",
    "contributors": "/contributors",
    "subscribers": "/subscribers",
    "subscription": "/subscription",
    "commits": "/commits{/sha}",
    "git_commits": "/git/commits{/sha}",
    "comments": "/comments{/number}",
    "issue_comment": "/issues/comments{/number}",
    "contents": "/contents/{+path}",
    "compare": "/compare/{base}...{head}",
    "merges": "/merges",
    "archive": "/{archive_format}{/ref}",
    "downloads": "/downloads",
    "issues": "/issues{/number}",
    "pulls": "/pulls{/number}",
    "milestones": "/milestones{/number}",
    "notifications": "/notifications{?since,all,participating}",
    "labels": "/labels{/name}",
    "releases": "/releases{/id}",
    "deployments": "/deployments",
}
# https://docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user
_OLD_ROLES = {Level.TRIAGE: "read", Level.MAINTAIN: "write"}


class Links(NamedTuple):
    """Where the hub answers."""

    url: str

    @property
    def api(self) -> str:
        """The API, where GitHub Enterprise Server has it."""
        return f"{self.url}/api/v3"

    def repo(self, repository: Repository) -> str:
        """A repository in the API."""
        return f"{self.api}/repos/{repository.name}"

    def page(self, repository: Repository, thread: Thread) -> str:
        """A thread's page."""
        return f"{self.url}/{repository.name}/{'pull' if thread.pull else 'issues'}/{thread.number}"


def quoted(path: str) -> str:
    """A path in an address, whatever bytes its name holds."""
    return quote(path.encode("utf-8", "surrogateescape"))


def user(links: Links, account: Account) -> Json:
    """An account, as it stands in other documents."""
    url = f"{links.api}/users/{quote(account.login)}"
    return {
        "login": account.login,
        "id": account.id,
        "node_id": f"{'BOT' if account.is_bot else 'U'}_{account.id}",
        "avatar_url": f"{links.url}/avatars/u/{account.id}",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{links.url}/{quote(account.login)}",
        **{f"{name}_url": url + rest for name, rest in _USER_LINKS.items()},
        "type": "Bot" if account.is_bot else "User",
        "user_view_type": "public",
        "site_admin": False,
    }


def profile(links: Links, account: Account, since: str) -> Json:
    """An account, as it is asked for by itself."""
    unknown = ("name", "company", "location", "email", "hireable", "bio", "twitter_username")
    counts = ("public_repos", "public_gists", "followers", "following")
    return {
        **user(links, account),
        **dict.fromkeys(unknown),
        "blog": "",
        **dict.fromkeys(counts, 0),
        "created_at": since,
        "updated_at": since,
    }


def role_name(level: Level) -> str:
    """The role as the API names it."""
    return level.name.lower()


def permission(links: Links, repo: Repository, account: Account) -> Json:
    """What an account may do in a repository."""
    level = repo.level(account)
    name = repo.role_names.get(account.id, role_name(level)) if repo.roles.get(account.id) else role_name(level)
    return {
        "permission": _OLD_ROLES.get(level, role_name(level)),
        "role_name": name,
        "user": {**user(links, account), "permissions": rights(level), "role_name": name},
    }


def rights(level: Level) -> Json:
    """A role, spelt out."""
    names = {"admin": Level.ADMIN, "maintain": Level.MAINTAIN, "push": Level.WRITE}
    return {name: level >= least for name, least in {**names, "triage": Level.TRIAGE, "pull": Level.READ}.items()}


def repository(links: Links, repo: Repository) -> Json:
    """A repository, as it stands in other documents and in events."""
    url, page = links.repo(repo), f"{links.url}/{repo.name}"
    owner, _, name = repo.name.partition("/")
    open_threads = sum(1 for thread in repo.threads if not thread.closed_at)
    return {
        "id": repo.id,
        "node_id": repo.node_id,
        "name": name,
        "full_name": repo.name,
        "private": repo.is_private,
        "owner": user(links, repo.owner),
        "html_url": page,
        "description": None,
        "fork": repo.fork_of is not None,
        "url": url,
        **{f"{link}_url": url + rest for link, rest in _REPOSITORY_LINKS.items()},
        "created_at": repo.created_at,
        "updated_at": repo.created_at,
        "pushed_at": repo.created_at,
        "git_url": f"git://{page.partition('://')[2]}.git",
        "ssh_url": f"git@127.0.0.1:{owner}/{name}.git",
        "clone_url": f"{page}.git",
        "svn_url": page,
        "homepage": None,
        **dict.fromkeys(("size", "stargazers_count", "watchers_count", "forks_count", "forks", "watchers"), 0),
        "language": None,
        "has_issues": True,
        **dict.fromkeys(("has_projects", "has_downloads", "has_wiki", "has_pages", "has_discussions"), False),
        "mirror_url": None,
        "archived": False,
        "disabled": False,
        "open_issues_count": open_threads,
        "open_issues": open_threads,
        "license": None,
        "allow_forking": True,
        "is_template": False,
        "web_commit_signoff_required": False,
        "topics": [],
        "visibility": "private" if repo.is_private else "public",
        "default_branch": repo.default_branch,
    }


def full_repository(links: Links, repo: Repository, level: Level) -> Json:
    """A repository, as it is asked for by itself."""
    return {
        **repository(links, repo),
        "permissions": rights(level),
        "network_count": 0,
        "subscribers_count": 0,
    }


def label(links: Links, repo: Repository, one: Label) -> Json:
    """A label."""
    return {
        "id": one.id,
        "node_id": f"LA_{one.id}",
        "url": f"{links.repo(repo)}/labels/{one.name}",
        "name": one.name,
        "color": one.color,
        "default": False,
        "description": one.description,
    }


def association(repo: Repository, account: Account) -> str:
    """How the author stands to the repository; no authority follows from it."""
    if account.id == repo.owner.id:
        return "OWNER"
    return "COLLABORATOR" if repo.roles.get(account.id, Level.NONE) > Level.NONE else "NONE"


def reaction(links: Links, one: Reaction) -> Json:
    """A reaction."""
    return {
        "id": one.id,
        "node_id": f"REA_{one.id}",
        "user": user(links, one.account),
        "content": one.content,
        "created_at": one.created_at,
    }


def rollup(url: str, reactions: Sequence[Reaction]) -> Json:
    """How many reactions of each kind there are at an address."""
    counts = {content: sum(one.content == content for one in reactions) for content in CONTENTS}
    return {"url": f"{url}/reactions", "total_count": len(reactions), **counts}


def comment(links: Links, repo: Repository, one: Comment) -> Json:
    """A comment."""
    url = f"{links.repo(repo)}/issues/comments/{one.id}"
    thread = repo.threads.get(one.thread)
    return {
        "url": url,
        "html_url": f"{links.page(repo, thread)}#issuecomment-{one.id}",
        "issue_url": f"{links.repo(repo)}/issues/{one.thread}",
        "id": one.id,
        "node_id": f"IC_{one.id}",
        "user": user(links, one.author),
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "author_association": association(repo, one.author),
        "body": one.body,
        "reactions": rollup(url, one.reactions),
        "performed_via_github_app": None,
    }


def issue(links: Links, repo: Repository, thread: Thread) -> Json:
    """An issue, or a pull request seen as one."""
    url = f"{links.repo(repo)}/issues/{thread.number}"
    people = [user(links, account) for account in thread.assignees]
    return {
        "url": url,
        "repository_url": links.repo(repo),
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "timeline_url": f"{url}/timeline",
        "html_url": links.page(repo, thread),
        "id": thread.id,
        "node_id": f"{'PR' if thread.pull else 'I'}_{thread.id}",
        "number": thread.number,
        "title": thread.title,
        "user": user(links, thread.author),
        "labels": [label(links, repo, one) for one in thread.labels],
        "state": thread.state,
        "locked": thread.is_locked,
        "assignee": people[0] if people else None,
        "assignees": people,
        "milestone": None,
        "comments": len(repo.threads.comments(thread.number)),
        "created_at": thread.created_at,
        "updated_at": thread.updated_at,
        "closed_at": thread.closed_at,
        "author_association": association(repo, thread.author),
        "active_lock_reason": thread.lock_reason,
        "body": thread.body,
        "reactions": rollup(url, thread.reactions),
        "performed_via_github_app": None,
        "state_reason": thread.state_reason,
        **(
            {"pull_request": _as_pull(links, repo, thread, thread.pull), "draft": thread.pull.is_draft}
            if thread.pull
            else {}
        ),
    }


def _as_pull(links: Links, repo: Repository, thread: Thread, pull: Pull) -> Json:
    page = links.page(repo, thread)
    return {
        "url": f"{links.repo(repo)}/pulls/{thread.number}",
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "merged_at": pull.merged_at,
    }
