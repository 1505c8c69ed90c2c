"""What is done with pull requests: opened, and kept up with their branch."""

from typing import NamedTuple

from gitclaw_py.hub.bare import ZERO, RefMove
from gitclaw_py.hub.events import pull_event
from gitclaw_py.hub.references import note_references
from gitclaw_py.hub.refusals import RefusalError, invalid
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.threads import Pull, Thread
from gitclaw_py.hub.world import Doer, World


class Offer(NamedTuple):
    """A pull request to be opened, ``branch`` of ``source`` into ``base``."""

    source: Repository
    branch: str
    base: str
    title: str
    body: str | None
    is_draft: bool = False
    maintainer_can_modify: bool = True


def open_pull(world: World, repo: Repository, doer: Doer, offer: Offer) -> Thread:
    """Open a pull request.

    Raises:
        RefusalError: a branch is not there, there is nothing between them, or there is a pull request already.
    """
    with world.deed():
        head = offer.source.git.ref(f"refs/heads/{offer.branch}")
        base = repo.git.ref(f"refs/heads/{offer.base}")
        if head is None or base is None:
            raise invalid("PullRequest", "head" if head is None else "base", "invalid")
        repo.git.fetch(offer.source.git, head)
        _check_new(repo, offer, head, base)
        is_fork = offer.source is not repo
        pull = Pull(
            offer.source.name,
            offer.branch,
            head,
            offer.base,
            base,
            offer.is_draft,
            offer.maintainer_can_modify and is_fork,
        )
        thread = repo.threads.open(doer.account, offer.title, offer.body, pull)
        repo.git.move([RefMove(f"refs/pull/{thread.number}/head", ZERO, head)])
        pull_event(world, repo, doer, thread, "opened")
        return thread


def _check_new(repo: Repository, offer: Offer, head: str, base: str) -> None:
    label = f"{offer.source.name.partition('/')[0]}:{offer.branch}"
    for thread in repo.threads:
        if thread.pull and not thread.closed_at and _same(thread.pull, offer):
            said = f"A pull request already exists for {label}."
            raise RefusalError(
                422, "Validation Failed", [{"resource": "PullRequest", "code": "custom", "message": said}]
            )
    if repo.git.is_ancestor(head, base):
        said = f"No commits between {offer.base} and {label if offer.source is not repo else offer.branch}"
        raise RefusalError(422, "Validation Failed", [{"resource": "PullRequest", "code": "custom", "message": said}])


def _same(pull: Pull, offer: Offer) -> bool:
    return (pull.head_repository, pull.head_branch, pull.base_branch) == (offer.source.name, offer.branch, offer.base)


def follow_push(world: World, source: Repository, doer: Doer) -> None:
    """Bring the open pull requests from this repository, and to it, up to where its branches are now."""
    with world.deed():
        branches = source.git.refs("refs/heads")
        note_references(world, source, branches)
        for repo in world.repositories().values():
            for thread in repo.threads:
                if thread.pull and not thread.closed_at:
                    _follow(world, repo, thread, source, branches, doer)


def _follow(
    world: World, repo: Repository, thread: Thread, source: Repository, branches: dict[str, str], doer: Doer
) -> None:
    pull = thread.pull
    if pull is None:
        return
    head = branches.get(f"refs/heads/{pull.head_branch}") if pull.head_repository == source.name else None
    if head is not None and head != pull.head_oid:
        repo.git.fetch(source.git, head)
        repo.git.move([RefMove(f"refs/pull/{thread.number}/head", None, head)])
        moved = thread._replace(pull=pull._replace(head_oid=head))
        said = f"{doer.account.login} pushed {head[:7]} to {pull.head_branch}"
        thread = repo.threads.touch(moved, said, f"{world.links.url}/{source.name}/commit/{head}")
        pull_event(world, repo, doer, thread, "synchronize", moved=(pull.head_oid, head))
    base = branches.get(f"refs/heads/{pull.base_branch}") if repo is source else None
    if base is not None and base != pull.base_oid and thread.pull:
        repo.threads.put(thread._replace(pull=thread.pull._replace(base_oid=base)))


def noreply(doer: Doer) -> str:
    """The address GitHub writes into commits.

    https://docs.github.com/account-and-profile/reference/email-addresses-reference#your-noreply-email-address
    """
    return f"{doer.account.id}+{doer.account.login}@users.noreply.github.com"
