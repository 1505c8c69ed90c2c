"""What is pressed on the page of a pull request's changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gitclaw_py.core.access import Level
from gitclaw_py.core.thread import Account
from gitclaw_py.hub import reviewing, suggestions
from gitclaw_py.hub.refusals import RefusalError
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.reviews import ReviewThread
from gitclaw_py.hub.threads import Thread
from gitclaw_py.hub.world import Doer, World

Fields = Mapping[str, Sequence[str]]

_NOTHING = "Nothing was pressed that this page knows."


def act(world: World, repo: Repository, thread: Thread, account: Account, fields: Fields) -> str:
    """Do what was pressed; the id of what to look at then, empty when there is nothing in particular.

    Raises:
        RefusalError: it cannot be done; the text is for the person.
    """
    doer = Doer(account)
    match next((name for name in ("apply", "reply", "resolve", "unresolve") if name in fields), None):
        case "apply":
            return _apply(world, repo, doer, thread, fields)
        case "reply":
            return _reply(world, repo, doer, fields)
        case "resolve" | "unresolve" as what:
            return _resolve(world, repo, doer, fields[what][0], on=what == "resolve")
        case _:
            raise RefusalError(422, _NOTHING)


def _apply(world: World, repo: Repository, doer: Doer, thread: Thread, fields: Fields) -> str:
    is_batch = fields["apply"][0] == "batch"
    comments = [_number(text) for text in fields.get("comment" if is_batch else "apply", ())]
    if not comments:
        raise RefusalError(422, "Add suggestions to the batch first.")
    message = fields.get("message", [""])[0].replace("\r\n", "\n").strip() if is_batch else ""
    suggestions.apply(world, repo, doer, thread.number, comments, message or None)
    return f"discussion_r{comments[0]}"


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise RefusalError(422, _NOTHING)
    return int(text)


def _reply(world: World, repo: Repository, doer: Doer, fields: Fields) -> str:
    to = repo.reviews.get_comment(_number(fields["reply"][0]), doer.account)
    body = fields.get(f"reply-{to.id}", [""])[0]
    if not body.strip():
        raise RefusalError(422, "A reply needs some words.")
    return f"discussion_r{reviewing.reply(world, repo, doer, to, body).id}"


def _resolve(world: World, repo: Repository, doer: Doer, node_id: str, *, on: bool) -> str:
    found = repo.reviews.thread(node_id, doer.account)
    if found is None:
        raise RefusalError(404, "Not Found")
    if not _may_resolve(repo, doer, found):
        raise RefusalError(403, "Only people who can write, and the pull request's author, may resolve conversations.")
    reviewing.resolve(world, repo, doer, found, on=on)
    return f"discussion_r{found.comments[0].id}"


def _may_resolve(repo: Repository, doer: Doer, thread: ReviewThread) -> bool:
    author = repo.threads.get(thread.comments[0].pull).author
    return author.id == doer.account.id or repo.level(doer.account) >= Level.WRITE
