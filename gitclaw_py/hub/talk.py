"""What people and bots do in threads. Each function is one deed: the change, and the event of it."""

from __future__ import annotations

from collections.abc import Sequence

from gitclaw_py.core.access import Level
from gitclaw_py.hub.events import comment_event, issue_event
from gitclaw_py.hub.refusals import locked
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.threads import Comment, Thread
from gitclaw_py.hub.world import Doer, World


def open_issue(
    world: World, repo: Repository, doer: Doer, title: str, body: str | None, labels: Sequence[str] = ()
) -> Thread:
    """Open an issue, with these labels on it.

    Raises:
        RefusalError: the title is blank or the body too long.
    """
    with world.deed():
        thread = repo.threads.open(doer.account, title, body)
        thread = repo.threads.put(thread._replace(labels=tuple(repo.threads.label(name) for name in labels)))
        issue_event(world, repo, doer, thread, "opened")
        for label in thread.labels:
            issue_event(world, repo, doer, thread, "labeled", label)
        return thread


def comment(world: World, repo: Repository, doer: Doer, number: int, body: str) -> Comment:
    """Comment in a thread.

    Raises:
        RefusalError: there is no such thread, it is locked for this account, or the body is blank or too long.
    """
    with world.deed():
        thread = repo.threads.get(number)
        # https://docs.github.com/communities/moderating-comments-and-conversations/locking-conversations
        if thread.is_locked and not doer.account.is_bot and repo.level(doer.account) < Level.WRITE:
            raise locked()
        written = repo.threads.comment(number, doer.account, body)
        comment_event(world, repo, doer, written, "created")
        return written


def edit_comment(world: World, repo: Repository, doer: Doer, identity: int, body: str) -> Comment:
    """Replace a comment's text.

    Raises:
        RefusalError: there is no such comment, or the text is blank or too long.
    """
    with world.deed():
        written = repo.threads.edit_comment(identity, body)
        comment_event(world, repo, doer, written, "edited")
        return written


def delete_comment(world: World, repo: Repository, doer: Doer, identity: int) -> None:
    """Remove a comment.

    Raises:
        RefusalError: there is no such comment.
    """
    with world.deed():
        comment_event(world, repo, doer, repo.threads.get_comment(identity), "deleted")
        repo.threads.delete_comment(identity)


def label(world: World, repo: Repository, doer: Doer, number: int, names: Sequence[str]) -> Thread:
    """Put labels on a thread; those it has already stay as they are.

    Raises:
        RefusalError: there is no such thread.
    """
    with world.deed():
        thread = repo.threads.get(number)
        new = [one for one in map(repo.threads.label, dict.fromkeys(names)) if one not in thread.labels]
        for one in new:
            said = f"{doer.account.login} added the label {one.name}"
            thread = repo.threads.touch(thread._replace(labels=(*thread.labels, one)), said)
            issue_event(world, repo, doer, thread, "labeled", one)
        return thread


def close(world: World, repo: Repository, doer: Doer, thread: Thread, reason: str | None = None) -> Thread:
    """Close a thread that is open."""
    with world.deed():
        closed = thread._replace(
            closed_at=world.times.now(), state_reason=None if thread.pull else reason or "completed"
        )
        closed = repo.threads.touch(closed, f"{doer.account.login} closed this")
        issue_event(world, repo, doer, closed, "closed")
        return closed


def reopen(world: World, repo: Repository, doer: Doer, thread: Thread) -> Thread:
    """Open a thread that is closed."""
    with world.deed():
        opened = thread._replace(closed_at=None, state_reason=None if thread.pull else "reopened")
        opened = repo.threads.touch(opened, f"{doer.account.login} reopened this")
        issue_event(world, repo, doer, opened, "reopened")
        return opened


def lock(world: World, repo: Repository, doer: Doer, number: int, *, on: bool, reason: str | None = None) -> Thread:
    """Lock a thread, so that only those who can write may comment, or unlock it.

    Raises:
        RefusalError: there is no such thread.
    """
    with world.deed():
        thread = repo.threads.get(number)._replace(is_locked=on, lock_reason=reason if on else None)
        return repo.threads.touch(thread, f"{doer.account.login} {'locked' if on else 'unlocked'} this conversation")
