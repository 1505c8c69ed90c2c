"""The JSON documents GitHub returns for refs, objects and branches."""

import base64
from typing import NamedTuple

from gitclaw_py.core.thread import Account
from gitclaw_py.hub.bare import Commit, Signature, TreeEntry
from gitclaw_py.hub.calls import Json
from gitclaw_py.hub.changes import FileChange
from gitclaw_py.hub.documents import Links, quoted, repository, user
from gitclaw_py.hub.pull_documents import file
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.times import iso

_LINE = 60


class Place(NamedTuple):
    """A repository, and where the hub answers for it."""

    links: Links
    repo: Repository

    @property
    def api(self) -> str:
        """The repository in the API."""
        return self.links.repo(self.repo)

    @property
    def page(self) -> str:
        """Its page."""
        return f"{self.links.url}/{self.repo.name}"


def ref(place: Place, name: str, oid: str, kind: str) -> Json:
    """A ref."""
    target = {"type": kind, "sha": oid, "url": f"{place.api}/git/{kind}s/{oid}"}
    return {
        "ref": name,
        "node_id": f"REF_{name}",
        "url": f"{place.api}/git/{quoted(name)}",
        "object": target,
    }


def verification(repo: Repository, oid: str) -> Json:
    """What GitHub says of a commit's signature.

    https://docs.github.com/authentication/managing-commit-signature-verification/about-commit-signature-verification
    """
    if oid not in repo.verified:
        return {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}
    when = iso(repo.git.commit(oid).committer.date)
    signed = {
        "signature": "-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----\n",
        "payload": f"commit {oid}\n",
    }
    return {"verified": True, "reason": "valid", **signed, "verified_at": when}


def _who(who: Signature) -> Json:
    return {"name": who.name, "email": who.email, "date": iso(who.date)}


def git_commit(place: Place, commit: Commit) -> Json:
    """A commit, as git knows it."""
    return {
        "sha": commit.oid,
        "node_id": f"C_{commit.oid}",
        "url": f"{place.api}/git/commits/{commit.oid}",
        "html_url": f"{place.page}/commit/{commit.oid}",
        "author": _who(commit.author),
        "committer": _who(commit.committer),
        "tree": {"sha": commit.tree, "url": f"{place.api}/git/trees/{commit.tree}"},
        "message": commit.message.removesuffix("\n"),
        "parents": [
            {"sha": oid, "url": f"{place.api}/git/commits/{oid}", "html_url": f"{place.page}/commit/{oid}"}
            for oid in commit.parents
        ],
        "verification": verification(place.repo, commit.oid),
    }


def commit_with_files(place: Place, commit: Commit, people: dict[str, Account], files: list[FileChange]) -> Json:
    """A commit, as the repository's history shows it; ``people`` are accounts by their address."""
    added, removed = sum(one.additions for one in files), sum(one.deletions for one in files)
    return {
        **commit_simple(place, commit, people),
        "stats": {"total": added + removed, "additions": added, "deletions": removed},
        "files": [file(place.links, place.repo, commit.oid, change) for change in files],
    }


def commit_simple(place: Place, commit: Commit, people: dict[str, Account]) -> Json:
    """A commit without its files."""
    authors = [people.get(who.email) for who in (commit.author, commit.committer)]
    accounts = [user(place.links, account) if account else None for account in authors]
    inner = git_commit(place, commit)
    return {
        "sha": commit.oid,
        "node_id": f"C_{commit.oid}",
        "commit": {name: inner[name] for name in ("author", "committer", "message", "tree", "url", "verification")}
        | {"comment_count": 0},
        "url": f"{place.api}/commits/{commit.oid}",
        "html_url": f"{place.page}/commit/{commit.oid}",
        "comments_url": f"{place.api}/commits/{commit.oid}/comments",
        "author": accounts[0],
        "committer": accounts[1],
        "parents": [
            {"sha": oid, "url": f"{place.api}/commits/{oid}", "html_url": f"{place.page}/commit/{oid}"}
            for oid in commit.parents
        ],
    }


def check_run(place: Place, oid: str, number: int, check: tuple[str, str | None]) -> Json:
    """A check of a commit: its name, and how it ended."""
    name, conclusion = check
    page = f"{place.page}/runs/{number}"
    return {
        "id": number,
        "node_id": f"CR_{number}",
        "head_sha": oid,
        "name": name,
        "url": f"{place.api}/check-runs/{number}",
        "html_url": page,
        "details_url": page,
        "external_id": "",
        "status": "completed" if conclusion else "in_progress",
        "conclusion": conclusion,
        "started_at": place.repo.created_at,
        "completed_at": place.repo.created_at if conclusion else None,
        "output": {
            "title": None,
            "summary": None,
            "text": None,
            "annotations_count": 0,
            "annotations_url": f"{place.api}/check-runs/{number}/annotations",
        },
        "check_suite": None,
        "app": None,
        "pull_requests": [],
    }


def no_status(place: Place, oid: str) -> Json:
    """The combined status of a commit that has none.

    https://docs.github.com/rest/commits/statuses#get-the-combined-status-for-a-specific-reference
    """
    return {
        "state": "pending",
        "statuses": [],
        "sha": oid,
        "total_count": 0,
        "repository": repository(place.links, place.repo),
        "commit_url": f"{place.api}/commits/{oid}",
        "url": f"{place.api}/commits/{oid}/status",
    }


def comparison(
    place: Place, ends: tuple[str, str], commits: dict[str, Json], page: object, apart: tuple[int, int]
) -> Json:
    """Two commits beside each other: ``apart`` are the commits that the second is ahead and behind."""
    ahead, behind = apart
    status = {(False, False): "identical", (True, False): "ahead", (False, True): "behind"}
    name = f"{ends[0]}...{ends[1]}"
    return {
        "url": f"{place.api}/compare/{name}",
        "html_url": f"{place.page}/compare/{name}",
        "permalink_url": f"{place.page}/compare/{name}",
        "diff_url": f"{place.page}/compare/{name}.diff",
        "patch_url": f"{place.page}/compare/{name}.patch",
        "base_commit": commits["b"],
        "merge_base_commit": commits["m"],
        "status": status.get((bool(ahead), bool(behind)), "diverged"),
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": ahead,
        "commits": page,
        "files": [],
    }


def _is_protected(place: Place, name: str) -> bool:
    return name in place.repo.protected or name in place.repo.ruled


def branch_short(place: Place, name: str, oid: str) -> Json:
    """A branch in a list."""
    tip = {"sha": oid, "url": f"{place.api}/commits/{oid}"}
    return {"name": name, "commit": tip, "protected": _is_protected(place, name)}


def branch(place: Place, name: str, tip: Json) -> Json:
    """A branch."""
    url, is_protected = f"{place.api}/branches/{quoted(name)}", _is_protected(place, name)
    checks: Json = {"enforcement_level": "off", "contexts": [], "checks": []}
    return {
        "name": name,
        "commit": tip,
        "_links": {"self": url, "html": f"{place.page}/tree/{quoted(name)}"},
        "protected": is_protected,
        "protection": {"enabled": is_protected, "required_status_checks": checks},
        "protection_url": f"{url}/protection",
    }


def blob(place: Place, oid: str, content: bytes) -> Json:
    """A blob."""
    return {
        "sha": oid,
        "node_id": f"B_{oid}",
        "size": len(content),
        "url": f"{place.api}/git/blobs/{oid}",
        "content": _base64(content),
        "encoding": "base64",
    }


def tree(place: Place, oid: str, entries: list[TreeEntry]) -> Json:
    """A tree."""
    listed = []
    for entry in entries:
        size = {} if entry.size is None else {"size": entry.size}
        url = {} if entry.kind == "commit" else {"url": f"{place.api}/git/{entry.kind}s/{entry.oid}"}
        listed.append({"path": entry.path, "mode": entry.mode, "type": entry.kind, "sha": entry.oid, **size, **url})
    return {"sha": oid, "url": f"{place.api}/git/trees/{oid}", "tree": listed, "truncated": False}


def content(place: Place, revision: str, entry: TreeEntry, inside: bytes | None) -> Json:
    """What is at a path; ``inside`` are a file's bytes, None in a list."""
    path = quoted(entry.path)
    url = f"{place.api}/contents/{path}?ref={revision}"
    page = f"{place.page}/blob/{revision}/{path}"
    kinds = {"tree": ("dir", "trees"), "commit": ("submodule", "trees"), "blob": ("file", "blobs")}
    kind, folder = kinds[entry.kind]
    kind = "symlink" if entry.mode == "120000" else kind
    git = f"{place.api}/git/{folder}/{entry.oid}"
    return {
        "name": entry.path.rpartition("/")[2],
        "path": entry.path,
        "sha": entry.oid,
        "size": entry.size or 0,
        "url": url,
        "html_url": page,
        "git_url": git,
        "download_url": f"{place.page}/raw/{revision}/{path}" if entry.kind == "blob" else None,
        "type": kind,
        **_inside(kind, inside),
        "_links": {"self": url, "git": git, "html": page},
    }


def _inside(kind: str, inside: bytes | None) -> Json:
    if inside is None:
        return {}
    if kind == "symlink":
        return {"target": inside.decode("utf-8", "replace")}
    return {"content": _base64(inside), "encoding": "base64"}


def _base64(content: bytes) -> str:
    text = base64.b64encode(content).decode()
    return "".join(f"{text[start : start + _LINE]}\n" for start in range(0, len(text), _LINE))
