"""Carrying a thread forward: from an event of the forge to what is said about it.

Everything is decided on a clone and pushed together. Who loses the race decides again; what could not be said is
said by the next run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, assert_never

from gitclaw_py.core.command_lines import (
    Apply,
    Change,
    Command,
    Help,
    Misplaced,
    Refine,
    Reject,
    Run,
    Show,
    Undo,
    Unknown,
)
from gitclaw_py.core.command_lines import Status as StatusOf
from gitclaw_py.core.commands import written
from gitclaw_py.core.replies import fitting, notices
from gitclaw_py.core.settings import DEFAULT
from gitclaw_py.core.thread import Comment, Level, PullRequest, Thread
from gitclaw_py.core.trigger import Ignored, Trigger
from gitclaw_py.errors import ConflictError, GitclawError, RefusedError, UsageError
from gitclaw_py.handlers import carry, gather, guard, in_review, pulls, recognise, review, say, unstored, work, write
from gitclaw_py.handlers.carry import Said, Turn
from gitclaw_py.handlers.context import World
from gitclaw_py.handlers.gather import Asked, Room

_TRIES = 3


class Handled(NamedTuple):
    """What was carried out, in a line each, and whether all of it went well.

    ``unsaid`` is why an answer could not be said: the token may not, and the summary of the run has it.
    """

    thread: int
    lines: tuple[str, ...]
    ok: bool
    unsaid: GitclawError | None = None


def converse(world: World, event_name: str, payload: bytes) -> Handled | Ignored:
    """Handle an event, and whatever else waits in its thread, in order.

    Raises:
        GitclawError: the thread could not be read, so that nothing was done and nothing said.
    """
    trigger = guard.possible(event_name, payload, world.bot)
    if isinstance(trigger, Ignored):
        return trigger
    if trigger.thread is None:
        settings = gather.settings_alone(world, trigger)
        strict = guard.wanted(event_name, payload, world.bot, settings)
        if isinstance(strict, Ignored):
            return strict
        trigger = strict
    thread = _thread(world, trigger)
    try:
        room = gather.room(world, trigger, thread, world.store(thread.number))
    except GitclawError as error:
        # Without the configuration it is not known whether a mention or a bot means us.
        certain = guard.wanted(event_name, payload, world.bot, DEFAULT)
        if not isinstance(certain, Ignored):
            say.stopped(world, _keyed(world, certain), thread, error)
        raise
    strict = guard.wanted(event_name, payload, world.bot, room.settings)
    if isinstance(strict, Ignored):
        return strict
    return _carried_forward(world, room._replace(trigger=_keyed(world, strict)))


def _keyed(world: World, trigger: Trigger) -> Trigger:
    """A request that is no comment and brings no key of its own is known by the run it started."""
    return trigger if trigger.comment or trigger.run_key else trigger._replace(run_key=world.run)


def _carried_forward(world: World, room: Room) -> Handled:
    comments = gather.listed(world, room)
    here = [reply for reply in room.store.load().conversation.replies if reply.thread == room.told_in]
    posted = gather.posted(world, comments)
    lines = pulls.make_up_for(world, room, here, posted)
    lines += recognise.recognise(world, room)
    reviews, pushed = in_review.read(world, room), not room.trigger.commands
    waiting = gather.waiting(world, room, comments, list(in_review.asked(world, room, reviews.threads)))
    comments = gather.read_by_agents(world, room, waiting, comments)
    say.settle(world, comments, waiting)
    ok = True
    for number, asked in enumerate(waiting):
        if number or asked.commands != room.trigger.commands:
            room = _moved_on(world, room, asked)
        conversation = _Conversation(world, room, asked, comments)
        ok = conversation.carried_out() and ok
        lines += conversation.lines
        room = conversation.room
        if conversation.unsaid is not None:
            return Handled(room.thread.number, tuple(lines), ok, conversation.unsaid)
        if conversation.proposed or conversation.took_back:
            now = _at_head(world, room, asked)
            # What this run has posted or taken back is not in what was read.
            found = in_review.read(world, now) if number or conversation.took_back else reviews
            lines += review.review(world, now, asked.key, found)
    if pushed:
        lines += review.review(world, room, f"head-{room.head[:12]}", reviews)
    elif reviews.threads:
        lines += review.settle(world, room, reviews)
    elif not waiting:
        world.note("Nothing waits in this thread: it was handled before, edited, or is gone")
    return Handled(room.thread.number, tuple(lines), ok)


def _thread(world: World, trigger: Trigger) -> Thread:
    """The thread of the event; a request that names none gets an issue of its own."""
    if trigger.thread is None:
        key = trigger.run_key or world.run
        return world.forge.open_issue(*notices.asked_elsewhere(trigger.request, who=trigger.actor.login, key=key))
    return trigger.thread if trigger.knows_thread else world.forge.thread(trigger.thread.number)


def _moved_on(world: World, room: Room, asked: Asked, *, ours: bool = False) -> Room:
    """The room for what waits, fetched again: someone or something else may have moved it.

    With ``ours`` its commits go to a branch that we make from now on; where they do already, that stays.
    """
    trigger = room.trigger._replace(commands=asked.commands)
    return gather.room(world, trigger, room.thread, room.store, ours=ours or room.target.ours)


def _at_head(world: World, room: Room, asked: Asked) -> Room:
    """The room with the head that its branch has now: a mode may have committed at once."""
    decisions = room.store.load().decisions
    moved = decisions and decisions[-1].commit not in (None, room.head)
    return _moved_on(world, room, asked) if room.pull and moved else room


class _Conversation:
    """Carries out one thing that was asked, to its end."""

    def __init__(self, world: World, room: Room, asked: Asked, comments: Sequence[Comment]) -> None:
        self.room = room
        self.lines: list[str] = []
        self._world = world
        self._asked = asked
        self._comments = [c for c in comments if asked.comment is None or c.id <= asked.comment.id]
        self._finished: dict[str, work.Finished] = {}
        self._left = comments
        self._progress: say.Progress | None = None
        self._is_unclear = False
        self._why: str | None = None
        self.took_back = False
        self.unsaid: GitclawError | None = None

    @property
    def proposed(self) -> bool:
        """Whether an agent's work became suggestions."""
        return bool(self._finished)

    def carried_out(self) -> bool:
        """Do it, bring it to the forge, and say it; whether all of it was done."""
        # In a pull request a request is spent on looking into its reviews; what is done at once is not announced.
        if self.room.pull is None or gather.needs_agent(self._asked.commands):
            say.react(self._world, self.room, self._asked, "eyes")
        said = self._as_recorded() if self._is_handled() else self._decided()
        ok = all(one.ok for one in said)
        last = self._said(carry.bodies_of(self._world, self.room, self._asked, said))
        if self.unsaid is not None:
            return False
        if self._progress is not None:
            self._progress.end(last)
        say.react(self._world, self.room, self._asked, "rocket" if ok else "confused")
        say.point(self._world, self.room, self._asked, last, ok=ok)
        return ok

    def _said(self, bodies: Sequence[str]) -> Comment | None:
        """Say it; what the token may not say is in the summary of the run."""
        try:
            return say.say(self._world, self.room, bodies)
        except RefusedError as error:
            if error.code != "PERMISSION_DENIED":
                raise
            self.unsaid = error
            self._world.publish("\n\n".join(bodies))
            return None

    def _decided(self) -> Sequence[Said]:
        """Decide on the clone and push; who loses the race decides again, on what is there then."""
        level = guard.level(self._world, self.room.settings, self._asked.author)
        for left in reversed(range(_TRIES)):
            said: list[Said] = []
            try:
                said += self._turns(level)
                return self._written(said)
            except GitclawError as error:
                refused = self._refused(error, left, said)
            if self._is_handled():
                return self._as_recorded()
            if refused is not None:
                self.took_back = False
                return [refused]
        return []

    def _refused(self, error: GitclawError, left: int, said: Sequence[Said]) -> Said | None:
        """What to say about a push that was refused; None where it is worth another try, on what is there now."""
        self._world.note(f"{error.code}: {error.what}; {left} tries left")
        self._is_unclear = self._is_unclear or error.code == "FORGE_UNAVAILABLE"
        may_pass = error.code in ("STATE_CONFLICT", "FORGE_UNAVAILABLE")
        protected = error.code == "BRANCH_PROTECTED" and self._may_use_ours()
        if protected:
            self._why = f"a rule of the repository keeps this commit off {self.room.target.branch}"
        if may_pass or protected:
            # Even where no try is left: a push that got no answer may have gone through.
            self.room = _moved_on(self._world, self.room, self._asked, ours=protected)
            return None if left else self._failed(error, "")
        if error.code == "PERMISSION_DENIED" and self.proposed:
            return self._unstored(error, said)
        self._drop()
        return self._failed(error, "")

    def _unstored(self, error: GitclawError, said: Sequence[Said]) -> Said:
        """The token may not write, so that all there is of a proposal is what can be read in the run."""
        self.lines = unstored.publish(self._world, self.room, error, said, self._finished.values())
        self._finished.clear()
        self._drop()
        return unstored.told(self._world, self._failed(error, ""))

    def _is_handled(self) -> bool:
        """Whether the state on the forge has it already: by someone who was faster, or by a push without an answer."""
        known, comment = self.room.store.load().conversation, self._asked.counted
        return comment.id <= known.handled if comment else self._asked.key in known.keys

    def _as_recorded(self) -> list[Said]:
        """What is to be said about something that is handled: nothing, unless it was us."""
        if not self._is_unclear:
            self._world.note("Someone else was faster to handle it, and answers it")
            return []
        key, replies = self._asked.key, self.room.store.load().conversation.replies
        said = [Said(reply.bodies) for reply in replies if reply.re == key]
        if any(reply.re == carry.promise(key) for reply in replies):
            said.append(pulls.open_pull(self._world, self.room, key, self._asked.author.login, self._why))
        return said

    def _written(self, said: Sequence[Said]) -> Sequence[Said]:
        world, room = self._world, self.room
        several = sum(len(one.bodies) for one in said) > 1
        # One comment is posted or it is not; of several, the state has to tell which are missing.
        if not write.changed(world, room) and not several:
            return said
        if room.pull is not None and not room.target.pushable and write.has_commit(world, room):
            return [self._as_patch(room.pull)]
        commits = write.has_commit(world, room)
        opens = commits and pulls.is_missing(world, room)
        said = write.write(world, room, self._asked, said, opens=opens)
        self.lines.append("pushed the branch and the state" if commits else "pushed the state")
        if opens:
            said = [*said, pulls.open_pull(world, room, self._asked.key, self._asked.author.login, self._why)]
        return said

    def _as_patch(self, pull: PullRequest) -> Said:
        """The branch is in a fork: nothing is decided, and whoever can push there gets the change."""
        world, room = self._world, self.room
        self.lines = ["the branch is in a fork: nothing was decided, and the reply has the patch"]
        (move,) = world.remote.moves([room.target.ref])
        patch = world.remote.patch(pull.head_oid, move.new)
        self._drop()
        bodies = notices.fork_refused(
            re=self._asked.key,
            requester=self._asked.author.login,
            patch=patch,
            head_repository=pull.head_repository,
            links=world.links,
        )
        return Said(bodies, ok=False)

    def _may_use_ours(self) -> bool:
        return self.room.pull is None and not self.room.target.ours

    def _drop(self) -> None:
        self._world.remote.reset(self.room.refs)
        self.room.store.forget()

    def _turns(self, level: Level) -> list[Said]:
        """Every command in order; the first one that fails is the last one."""
        said: list[Said] = []
        self.lines.clear()
        self.took_back = False
        for number, command in enumerate(self._asked.commands, 1):
            re = self._asked.key if number == 1 else f"{self._asked.key}.{number}"
            one = self._turn(Turn(self._asked, re, level), command)
            said.append(one)
            self.lines.append(f"{self._asked.author.login}: {_shown(command)}: {'done' if one.ok else 'not done'}")
            self.took_back = self.took_back or (one.ok and isinstance(command, Undo))
            if not one.ok:
                said[-1] = _with_the_rest(one, self._asked.commands[number:])
                break
        return said

    def _turn(self, turn: Turn, command: Command) -> Said:
        needed = carry.needed(command, self.room.settings)
        if turn.level < needed and not isinstance(command, Change):
            verb = _shown(command).split(" ")[0]
            bodies = notices.denied(re=turn.re, requester=turn.requester, verb=verb, needed=needed, has=turn.level)
            return Said(bodies, ok=False)
        try:
            return self._carried(turn, command)
        except (ConflictError, RefusedError) as error:
            if error.code == "STATE_CONFLICT":
                raise
            return self._failed(error, turn.re)
        except GitclawError as error:
            return self._failed(error, turn.re)

    def _carried(self, turn: Turn, command: Command) -> Said:
        world = self._world
        match command:
            case Run() | Refine():
                return self._worked(turn, command)
            case Apply() | Reject():
                return carry.decided(world, self.room, turn, command)
            case Undo(words):
                self._go_where_it_was_applied(words)
                return carry.decided(world, self.room, turn, command)
            case Show(words):
                return carry.shown(world, self.room, turn, words)
            case StatusOf() | Help() | Unknown() | Misplaced():
                return carry.told(world, self.room, turn, command)
            case Change(verb, _):
                raise carry.refuse_change(verb)
            case never:
                assert_never(never)

    def _go_where_it_was_applied(self, words: Sequence[str]) -> None:
        """Taking back happens on the branch that has it.

        Raises:
            UsageError: ``USAGE``: an earlier command of the comment is on another branch.
        """
        world, room = self._world, self.room
        branch = carry.branch_of_undo(room.store.load(), words)
        # Where a rule was in the way, it is taken back on a branch of our own, as a pull request.
        if branch is None or branch == room.target.branch or room.pull is not None or self._why:
            return
        if write.has_commit(world, room):
            what = f"It was applied on {branch}, and the command before goes to {room.target.branch}"
            raise UsageError("USAGE", what, "give the commands in comments of their own")
        self.room = gather.on_another_branch(world, room, Undo(tuple(words)), branch)

    def _worked(self, turn: Turn, command: Run | Refine) -> Said:
        if turn.re in self._finished:
            return work.again(self._world, self.room, turn, self._finished[turn.re])
        job = work.job_of(command, self.room.store.load())
        self._progress = self._progress or say.Progress(self._world, self.room, turn.re, turn.requester, self._left)
        said, finished = work.ran(self._world, self.room, turn, job, self._comments, self._progress)
        if finished is not None:
            self._finished[turn.re] = finished
        return said

    def _failed(self, error: GitclawError, re: str) -> Said:
        self._world.note(f"{error.code}: {error.what} ({'; '.join(error.details)})")
        bodies = notices.failed(
            error, re=re or self._asked.key, requester=self._asked.author.login, links=self._world.links
        )
        return Said(bodies, ok=False)


def _with_the_rest(said: Said, rest: Sequence[Command]) -> Said:
    """What was said, and which commands after it were not carried out."""
    if not rest or not said.bodies:
        return said
    told = fitting.with_more(said.bodies[-1], notices.not_carried_out([_shown(command) for command in rest]))
    return said._replace(bodies=(*said.bodies[:-1], told))


def _shown(command: Command) -> str:
    return written(command).partition("\n")[0]
