"""Requests that are not in the command itself: an earlier one of the thread, or what a review asks for."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gitclaw_py.core.access import Level
from gitclaw_py.core.command_lines import Change, Command, Run, runs_agent
from gitclaw_py.core.commands import read_commands
from gitclaw_py.core.prompt import Remark, review_request
from gitclaw_py.core.replies import marker
from gitclaw_py.core.thread import Account, Comment, PullRequest, Reviewed
from gitclaw_py.core.trigger import OPENING, asked_by_opening
from gitclaw_py.handlers import gather, guard, in_review
from gitclaw_py.handlers.gather import Room
from gitclaw_py.handlers.world import World

_DONE = frozenset(("proposal", "answer", "applied"))
_FAILED = frozenset(("error", "cancelled"))
_LABEL = "label-"
_MOST = 50
"""Remarks that are taken up at once."""


def last_request(world: World, room: Room, comments: Sequence[Comment]) -> Command | None:
    """The last request that failed or was cancelled, else the last one; of those that were carried out at all.

    What was refused for want of a permission does not count: whoever wants it again does not vouch for it.
    """
    kinds = _kinds(world, comments)
    failed = last = None
    for key, command in _requests(room, comments, kinds):
        kind = kinds.get(key, "")
        if isinstance(command, Change) and command.verb == "retry":
            failed = None if kind in _DONE else failed
        elif kind in _FAILED:
            failed = last = command
        elif kind in _DONE:
            last = command
    return failed or last


def _kinds(world: World, comments: Sequence[Comment]) -> dict[str, str]:
    """How each command was answered, by what its answer is marked with."""
    marks = filter(None, (gather.own_marker(world, comment) for comment in comments))
    return {mark.answers.removesuffix(".c"): mark.kind for mark in marks if mark.kind in _DONE | _FAILED}


def _requests(room: Room, comments: Sequence[Comment], kinds: dict[str, str]) -> Iterator[tuple[str, Command]]:
    thread = room.thread
    for command in asked_by_opening(thread.body, room.settings.mention):
        yield OPENING, command
    for key in kinds:
        if key.startswith(_LABEL):
            yield key, Run(f"{thread.title}\n\n{thread.body}".strip())
    for comment in comments:
        if comment.is_edited or marker.find(comment.body):
            continue
        for number, command in enumerate(read_commands(comment.body, room.settings.mention), 1):
            if runs_agent(command):
                yield (str(comment.id) if number == 1 else f"{comment.id}.{number}"), command


class Found(NamedTuple):
    """The open remarks of a review by people who may write, and how many there are by others."""

    remarks: tuple[Remark, ...]
    others: int

    def request(self, text: str) -> str:
        """What the agent is asked to do; ``text`` are words of who asked for it."""
        return review_request(self.remarks[:_MOST], text, left=len(self.remarks[_MOST:]))


def open_remarks(world: World, room: Room, pull: PullRequest) -> Found:
    """What people want to be different in a pull request: unresolved threads, and summaries of their reviews."""
    trusted: dict[int, bool] = {}
    found, others = list[Remark](), 0
    said = world.forge.reviewed(pull.number)
    for author, remark in [*_in_threads(world, said), *_summaries(world, said)]:
        if author.id not in trusted:
            trusted[author.id] = _may_write(world, room, author)
        if trusted[author.id]:
            found.append(remark)
        else:
            others += 1
    return Found(tuple(found), others)


def _may_write(world: World, room: Room, author: Account) -> bool:
    if author.is_bot and author.id not in room.settings.bots:
        return False
    return guard.level(world, room.settings, author) >= max(room.settings.permissions.run, Level.WRITE)


def _in_threads(world: World, reviewed: Reviewed) -> Iterator[tuple[Account, Remark]]:
    ours = {thread.id for thread, _ in in_review.own(world, reviewed.threads)}
    for thread in reviewed.threads:
        if thread.is_resolved or thread.id in ours:
            continue
        for said in thread.comments:
            line = thread.line or thread.original_line
            if said.author.login != world.bot and not said.is_minimised and not read_commands(said.body):
                yield said.author, Remark(said.author.login, said.body, thread.path, line, thread.is_outdated)


def _summaries(world: World, reviewed: Reviewed) -> Iterator[tuple[Account, Remark]]:
    for review in reviewed.reviews:
        is_open = review.state not in ("PENDING", "DISMISSED")
        if is_open and review.body.strip() and review.author.login != world.bot:
            yield review.author, Remark(review.author.login, review.body)
