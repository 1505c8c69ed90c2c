"""The operations on branches, history and contents.

https://docs.github.com/rest/branches, https://docs.github.com/rest/commits and https://docs.github.com/rest/repos/contents
"""

from __future__ import annotations

from gitclaw_py.core.thread import Account
from gitclaw_py.hub import git_documents as documents
from gitclaw_py.hub.bare import GitFailedError
from gitclaw_py.hub.calls import Answer, Call, Json, one_page
from gitclaw_py.hub.changes import changed_files
from gitclaw_py.hub.git_documents import Place
from gitclaw_py.hub.pulls import noreply
from gitclaw_py.hub.refusals import RefusalError
from gitclaw_py.hub.world import Doer, World

_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def _place(world: World, call: Call) -> Place:
    return Place(world.links, call.here)


def _people(world: World) -> dict[str, Account]:
    return {noreply(Doer(account)): account for account in world.accounts}


def get_history_commit(world: World, call: Call) -> Answer:
    """The commit a branch, tag or id means, with its files."""
    oid = _resolved(call, call.parameters["ref"])
    return Answer(200, _with_files(world, call, oid))


def _with_files(world: World, call: Call, oid: str) -> Json:
    commit = call.here.git.commit(oid)
    files = changed_files(call.here.git, commit.parents[0] if commit.parents else _EMPTY_TREE, oid)
    return documents.commit_with_files(_place(world, call), commit, _people(world), files)


def _resolved(call: Call, revision: str) -> str:
    oid = call.here.git.resolve(revision)
    if oid is None:
        raise RefusalError(422, f"No commit found for SHA: {revision}")
    return oid


def compare(world: World, call: Call) -> Answer:
    """Two revisions, ``base...head``: how far they are apart, and where they parted."""
    base, dots, head = call.parameters["basehead"].partition("...")
    git, place, people = call.here.git, _place(world, call), _people(world)
    ends = [git.resolve(revision) for revision in (base, head)]
    if not dots or not all(ends):
        raise RefusalError(404, "Not Found")
    old, new = (str(oid) for oid in ends)
    try:
        parted = git.git("merge-base", old, new).decode().strip()
        between = git.git("rev-list", "--reverse", f"{old}..{new}").decode().split()
    except GitFailedError as error:
        raise RefusalError(404, f"No common ancestor between {base} and {head}.") from error
    behind = len(git.git("rev-list", f"{new}..{old}").split())
    commits = [documents.commit_simple(place, git.commit(oid), people) for oid in between]
    simple = {
        name: documents.commit_simple(place, git.commit(oid), people) for name, oid in (("b", old), ("m", parted))
    }
    return Answer(
        200, documents.comparison(place, (old, new), simple, one_page(call, commits).body, (len(between), behind))
    )


def list_checks(world: World, call: Call) -> Answer:
    """The checks of a commit."""
    oid = _resolved(call, call.parameters["ref"])
    found = call.here.checks.get(oid, {}).items()
    page = one_page(
        call, [documents.check_run(_place(world, call), oid, number, one) for number, one in enumerate(found, 1)]
    )
    return page._replace(body={"total_count": len(found), "check_runs": page.body})


def combined_status(world: World, call: Call) -> Answer:
    """The statuses of a commit: the hub has none, since checks took their place."""
    return Answer(200, documents.no_status(_place(world, call), _resolved(call, call.parameters["ref"])))


def list_branches(world: World, call: Call) -> Answer:
    """The branches."""
    refs = call.here.git.refs("refs/heads")
    names = {name.removeprefix("refs/heads/"): oid for name, oid in refs.items()}
    return one_page(call, [documents.branch_short(_place(world, call), name, oid) for name, oid in names.items()])


def get_branch(world: World, call: Call) -> Answer:
    """One branch."""
    name = call.parameters["branch"]
    oid = call.here.git.ref(f"refs/heads/{name}")
    if oid is None:
        raise RefusalError(404, "Branch not found")
    return Answer(200, documents.branch(_place(world, call), name, _with_files(world, call, oid)))


def get_contents(world: World, call: Call) -> Answer:
    """What is at a path: a file with its bytes, or the list of a folder."""
    git, path = call.here.git, call.parameters.get("path", "").strip("/")
    revision = call.query.get("ref", call.here.default_branch)
    oid = git.resolve(revision)
    if oid is None:
        raise RefusalError(404, f"No commit found for the ref {revision}")
    place = _place(world, call)
    entry = git.entry(oid, path) if path else None
    if path and entry is None:
        raise RefusalError(404, "Not Found")
    if entry is None or entry.kind == "tree":
        start = f"{path}/" if path else ""
        listed = git.tree(entry.oid if entry and entry.oid else oid)
        inside = [documents.content(place, revision, one._replace(path=start + one.path), None) for one in listed]
        return Answer(200, inside)
    try:
        inside_file = git.blob(str(entry.oid)) if entry.kind == "blob" else None
    except GitFailedError:
        inside_file = None
    return Answer(200, documents.content(place, revision, entry, inside_file))
