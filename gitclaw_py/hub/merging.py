"""Pull requests that are merged or brought up to date, and why GitHub would not do it.

https://docs.github.com/rest/pulls/pulls#merge-a-pull-request
"""

from typing import NamedTuple

from gitclaw_py.hub.bare import Commit, GitFailedError, RefMove, Signature
from gitclaw_py.hub.events import pull_event
from gitclaw_py.hub.protection import rule_against
from gitclaw_py.hub.pulls import follow_push, noreply
from gitclaw_py.hub.refusals import RefusalError
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.threads import Pull, Thread
from gitclaw_py.hub.world import Doer, World

_NAMES = {"merge": "Merge commits", "squash": "Squash merges", "rebase": "Rebase merges"}
_CONFLICT = "Pull Request is not mergeable"
_TOO_OLD = "This GitHub of yours merges with git 2.38 or later"
_USAGE = 129
"""What git ends with where it does not know an option."""


class How(NamedTuple):
    """How to merge: ``merge``, ``squash`` or ``rebase``, and the message of the commit where there is a new one."""

    method: str
    message: str


def merge(world: World, repo: Repository, doer: Doer, thread: Thread, how: How) -> str:
    """Merge a pull request; the new tip of its base.

    Raises:
        RefusalError: it is closed, a rule is in the way, or it conflicts.
    """
    with world.deed():
        pull = thread.pull
        if pull is None or thread.closed_at or pull.is_draft:
            raise RefusalError(405, _CONFLICT)
        if how.method not in repo.merge_methods:
            raise RefusalError(405, f"{_NAMES[how.method]} are not allowed on this repository.")
        if missing := missing_check(repo, pull):
            raise RefusalError(405, missing)
        oid = _merged(world, repo, doer, pull, how)
        now = world.times.now()
        done = pull._replace(merged_at=now, merged_by=doer.account, merge_oid=oid)
        said = f"{doer.account.login} merged {pull.head_oid[:7]} into {pull.base_branch}"
        thread = repo.threads.touch(thread._replace(closed_at=now, pull=done), said)
        pull_event(world, repo, doer, thread, "closed")
        follow_push(world, repo, doer)
        return oid


def missing_check(repo: Repository, pull: Pull) -> str | None:
    """Which check the base demands has not passed, in GitHub's words."""
    found = repo.checks.get(pull.head_oid, {})
    for name in sorted(repo.required_checks):
        if name not in found or found[name] is None:
            return f'Required status check "{name}" is expected.'
        if found[name] not in ("success", "neutral", "skipped"):
            return f'Required status check "{name}" is failing.'
    return None


def state(repo: Repository, thread: Thread) -> tuple[bool | None, str]:
    """Whether a pull request can be merged, and the word for it.

    https://docs.github.com/graphql/reference/enums#mergestatestatus
    """
    pull = thread.pull
    if pull is None or thread.closed_at:
        return None, "unknown"
    if _conflicts(repo, _base(repo, pull), pull.head_oid):
        return False, "dirty"
    if pull.is_draft:
        return True, "draft"
    return True, "blocked" if missing_check(repo, pull) else "clean"


def update(world: World, repo: Repository, doer: Doer, thread: Thread) -> str:
    """Merge the base into the branch of a pull request; the branch's new tip.

    Raises:
        RefusalError: there is nothing to merge, it conflicts, or a rule is in the way.
    """
    with world.deed():
        pull = thread.pull
        source = world.repository(pull.head_repository) if pull else None
        if pull is None or source is None or thread.closed_at:
            raise RefusalError(422, "Validation Failed")
        base, name = _base(repo, pull), f"refs/heads/{pull.head_branch}"
        if repo.git.is_ancestor(base, pull.head_oid):
            raise RefusalError(422, "There are no new commits on the base branch.")
        if rule := rule_against(source, name):
            raise RefusalError(422, rule)
        tree = _tree(repo, base, pull.head_oid)
        if tree is None:
            raise RefusalError(422, "merge conflict between base and head")
        who = _signature(world, doer)
        message = f"Merge branch '{pull.base_branch}' into {pull.head_branch}"
        oid = repo.git.write_commit(tree, [pull.head_oid, base], message, who, who)
        source.git.fetch(repo.git, oid)
        source.git.move([RefMove(name, pull.head_oid, oid)])
        follow_push(world, source, doer)
        return oid


def _base(repo: Repository, pull: Pull) -> str:
    return repo.git.ref(f"refs/heads/{pull.base_branch}") or pull.base_oid


def _signature(world: World, doer: Doer) -> Signature:
    return Signature(doer.account.login, noreply(doer), world.times.seconds())


def _tree(repo: Repository, ours: str, theirs: str) -> str | None:
    """The tree of a merge, None where it conflicts: exit code 1.

    https://git-scm.com/docs/git-merge-tree
    """
    try:
        return repo.git.git("merge-tree", "--write-tree", ours, theirs).decode().splitlines()[0]
    except GitFailedError as error:
        if error.code == _USAGE:
            raise RefusalError(405, _TOO_OLD) from error
        if error.code != 1:
            raise
        return None


def _conflicts(repo: Repository, ours: str, theirs: str) -> bool:
    """Whether a merge is known to conflict; a git that is too old for merging says so to who merges."""
    try:
        return _tree(repo, ours, theirs) is None
    except RefusalError:
        return False


def _merged(world: World, repo: Repository, doer: Doer, pull: Pull, how: How) -> str:
    base, who = _base(repo, pull), _signature(world, doer)
    if how.method == "rebase":
        oid = _rebased(repo, base, pull, who)
    else:
        tree = _tree(repo, base, pull.head_oid)
        if tree is None:
            raise RefusalError(405, _CONFLICT)
        parents = [base] if how.method == "squash" else [base, pull.head_oid]
        oid = repo.git.write_commit(tree, parents, how.message, who, who)
    repo.git.move([RefMove(f"refs/heads/{pull.base_branch}", base, oid)])
    return oid


def _rebased(repo: Repository, base: str, pull: Pull, who: Signature) -> str:
    """The commits of a pull request, one by one on top of its base."""
    tip = base
    listed = repo.git.git("rev-list", "--reverse", "--no-merges", f"{base}..{pull.head_oid}").decode().split()
    for commit in map(repo.git.commit, listed):
        tree = _tree(repo, *_beside(repo, tip, commit, who))
        if tree is None:
            raise RefusalError(405, _CONFLICT)
        tip = repo.git.write_commit(tree, [tip], commit.message, commit.author, who)
    return tip


def _beside(repo: Repository, tip: str, commit: Commit, who: Signature) -> tuple[str, str]:
    """Commits of both trees on a common parent that has the tree the commit started from."""
    write, start = repo.git.write_commit, repo.git.commit(commit.parents[0]).tree
    parent = write(start, [], "", who, who)
    return write(repo.git.commit(tip).tree, [parent], "", who, who), write(commit.tree, [parent], "", who, who)
