"""What leaves this process is looked through for secrets: a reply that holds one gives way to one that says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitclaw_py.core.replies import marker, notices
from gitclaw_py.core.state import Status, open_parts
from gitclaw_py.core.thread import Comment
from gitclaw_py.errors import GitclawError
from gitclaw_py.handlers import gather
from gitclaw_py.handlers.carry import Said
from gitclaw_py.handlers.gather import Room
from gitclaw_py.handlers.world import World


def checked(world: World, room: Room, said: Said, comments: Sequence[Comment]) -> Said:
    """The same, if there is no secret in it that is not in the thread or the repository for all to read."""
    if not any(world.watch.in_text(body) for body in said.bodies):
        return said
    public = list(_public(world, room, comments))
    found = {body: hit.rule for body in said.bodies if (hit := world.watch.in_text(body, public)) is not None}
    if not found:
        return said
    world.note(f"a reply was withheld: it held a secret ({', '.join(sorted(set(found.values())))})")
    mark = marker.find(said.bodies[0])
    key, kind = (mark.answers, mark.kind) if mark else ("unknown", "notice")
    return said._replace(bodies=notices.withheld(sorted(set(found.values())), re=key, kind=kind), ok=False)


def _public(world: World, room: Room, comments: Sequence[Comment]) -> Iterable[bytes]:
    """What everyone who sees the thread can read anyway: what people wrote, and the files as they are."""
    yield room.thread.title.encode("utf-8", "replace")
    yield room.thread.body.encode("utf-8", "replace")
    yield from (comment.body.encode("utf-8", "replace") for comment in comments if comment.author.login != world.bot)
    state = room.store.load()
    try:
        gather.bring_parts(world, room, open_parts(state, *Status))
        oids = {s.old.oid for s in state.suggestions if s.old and s.old.is_regular}
        yield from (world.remote.blob(oid) for oid in sorted(oids))
    except GitclawError as error:
        world.note(f"the files could not be read: {error.what}")
