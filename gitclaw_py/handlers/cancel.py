"""Noticing that a run is to be stopped: by a comment that came while it worked.

The forge queues the runs of a thread, so that only the run itself can see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from gitclaw_py.core.thread import Comment
from gitclaw_py.errors import CancelledError, GitclawError
from gitclaw_py.handlers import gather, guard, say
from gitclaw_py.handlers.gather import Asked, Room
from gitclaw_py.handlers.world import World


class Watch:
    """Looks whether someone who may says ``/gitclaw cancel`` after ``asked``.

    ``known`` are the comments that were there when the run began.
    """

    def __init__(self, world: World, room: Room, asked: Asked, known: Sequence[Comment]) -> None:
        self._world = world
        self._room = room
        self._asked = asked
        self._known = known
        self._seen: set[int] = set()
        began = datetime.fromtimestamp(world.clock(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._since = max((comment.created_at for comment in known), default=began)

    def before(self) -> None:
        """Look among what was said before the run began.

        Raises:
            CancelledError: it was cancelled while it waited.
        """
        said = self._asked.comment
        if said is not None:
            stopped = gather.last_cancelled(self._world, self._known)
            self._look([comment for comment in self._known if comment.id > max(said.id, stopped)], None)

    def during(self, seconds: float) -> None:
        """Look among what was said since. One request; what it cannot be told is not worth failing for.

        Raises:
            CancelledError: it is cancelled.
        """
        known = {comment.id for comment in self._known}
        try:
            comments = self._world.forge.comments(self._room.thread.number, self._since)
        except GitclawError as error:
            self._world.note(f"it is not known whether the run was cancelled: {error.what}")
            return
        self._look([comment for comment in comments if comment.id not in known], seconds)

    def _look(self, comments: Sequence[Comment], seconds: float | None) -> None:
        for comment in comments:
            if comment.id in self._seen:
                continue
            self._seen.add(comment.id)
            for asked in gather.asked_in(self._world, self._room, comment):
                if asked.cancels and self._may(asked):
                    say.react(self._world, self._room, asked, "rocket")
                    raise CancelledError(asked.author.login, comment.id, seconds)

    def _may(self, asked: Asked) -> bool:
        settings = self._room.settings
        return guard.level(self._world, settings, asked.author) >= settings.permissions.run
