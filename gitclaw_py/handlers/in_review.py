"""What people say in reply to our review comments: commands that need no number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gitclaw_py.core.command_lines import Apply, Command, Refine, Reject, Show, Undo
from gitclaw_py.core.commands import read_commands
from gitclaw_py.core.review import mark
from gitclaw_py.core.selection import numbers
from gitclaw_py.core.thread import Reviewed, ReviewThread
from gitclaw_py.errors import GitclawError
from gitclaw_py.handlers import gather
from gitclaw_py.handlers.gather import Asked, Place, Room
from gitclaw_py.handlers.world import World


def read(world: World, room: Room) -> Reviewed:
    """What the pull request's reviews left, where there may be one of ours; without it the run goes on."""
    if room.pull is None or not room.store.load().suggestions:
        return Reviewed()
    try:
        return world.forge.reviewed(room.pull.number)
    except GitclawError as error:
        world.note(f"the reviews could not be read: {error.what} ({'; '.join(error.details)})")
        return Reviewed()


def own(world: World, found: Iterable[ReviewThread]) -> Iterator[tuple[ReviewThread, mark.Mark]]:
    """The threads that a comment of ours began, each with the mark that it carries."""
    for thread in found:
        first = thread.comments[0] if thread.comments else None
        its = mark.find(first.body) if first and first.author.login == world.bot else None
        if its:
            yield thread, its


def asked(world: World, room: Room, found: Sequence[ReviewThread]) -> Iterator[Asked]:
    """Commands that people gave in reply to a review comment of ours: without numbers they mean that comment's.

    They are read here, from the API, because the event of such a reply runs the pull request's own workflow.
    """
    longest = room.settings.limits.comment_length
    for thread, its in own(world, found):
        for comment in thread.comments[1:]:
            ours = comment.author.login == world.bot
            commands = () if ours else read_commands(comment.body, room.settings.mention, longest)
            if commands and gather.counts(world, room.settings, comment, "review comment"):
                meant = tuple(_meaning(command, its.numbers) for command in commands)
                place = Place(comment.url, thread.comments[0].id)
                yield Asked(f"r{comment.id}", comment.author, meant, at=comment.created_at, place=place)


def _meaning(command: Command, its: tuple[str, ...]) -> Command:
    match command:
        case Apply(words) if not numbers(words):
            return Apply((*its, *words))
        case Undo(words) if not numbers(words):
            return Undo((*its, *words))
        case Show(()):
            return Show(its)
        case Reject((), reason):
            return Reject(its, reason)
        case Refine((), feedback):
            return Refine(its, feedback)
        case _:
            return command
