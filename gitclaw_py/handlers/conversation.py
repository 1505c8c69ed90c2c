"""One thing that was asked, carried out to its end: decided on the clone, brought to the forge, said.

Who loses the race decides again, on what is there then; what was done on the forge already is not done twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitclaw_py.core.command_lines import needs_agent
from gitclaw_py.core.replies.changes import To
from gitclaw_py.core.thread import Comment
from gitclaw_py.errors import BudgetError, GitclawError, RefusedError
from gitclaw_py.handlers import carry, gather, pulls, say, unstored, write
from gitclaw_py.handlers.carry import Said
from gitclaw_py.handlers.gather import Asked, Room
from gitclaw_py.handlers.turns import Turns
from gitclaw_py.handlers.work import Finished
from gitclaw_py.handlers.world import World

_TRIES = 3


def moved_on(world: World, room: Room, asked: Asked, *, ours: bool = False) -> Room:
    """The room for what waits, fetched again: someone or something else may have moved it.

    With ``ours`` its commits go to a branch that we make from now on; where they do already, that stays.
    """
    trigger = room.trigger._replace(commands=asked.commands)
    return gather.room(world, trigger, room.thread, room.store, ours=ours or room.target.ours)


class Conversation(Turns):
    """Carries out one thing that was asked, to its end.

    ``unsaid`` is why its answer could not be said.
    """

    def __init__(self, world: World, room: Room, asked: Asked, comments: Sequence[Comment], stopped: int = 0) -> None:
        super().__init__(world, room, asked, comments, stopped)
        self.unsaid: GitclawError | None = None
        self._is_unclear = False

    @property
    def proposed(self) -> bool:
        """Whether an agent's work became suggestions."""
        return bool(self._finished)

    def carried_out(self) -> str:
        """Do it, bring it to the forge, and say it; where the last answer is, if there was any."""
        # In a pull request a request is spent on looking into its reviews; what is done at once is not announced.
        # What came through the gate was announced there.
        if self._world.handed is None and (self.room.pull is None or needs_agent(self._asked.commands)):
            say.react(self._world, self.room, self._asked, "eyes")
        said = self._as_recorded() if self._is_handled() else self._decided()
        ok = all(one.ok for one in said)
        last = self._said(carry.bodies_of(self._world, self.room, self._asked, said))
        if self.unsaid is not None:
            return ""
        self._end_progress(last)
        if not ok and all(step.ok for step in self.steps):
            # Each of them went well here, and then not all of it reached the forge.
            code = next((one.exit_code for one in said if one.exit_code), 1)
            self.steps = [step._replace(ok=False, code=code) for step in self.steps]
        say.react(self._world, self.room, self._asked, "rocket" if ok else "confused")
        say.point(self._world, self.room, self._asked, last, ok=ok)
        return last.url if last else ""

    def _end_progress(self, result: Comment | None) -> None:
        """Collapse what was told of the work, here or by the gate of the agent's job."""
        to = To(self._asked.key, self._asked.author.login)
        progress = self._progress or say.Progress(self._world, self.room, to, self._left, lambda _: None)
        worked = [one.work.ran.seconds for one in self._ended.values() if isinstance(one, Finished)]
        progress.end(result, sum(worked) if worked else None)

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
        for left in reversed(range(_TRIES)):
            said: list[Said] = []
            try:
                said += self._turns()
                return self._written(said)
            except BudgetError as error:
                # An answer is what a bot in a loop waits for.
                self._world.note(f"{error.code}: {error.what}; a bot is not answered")
                return []
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
            why = f"a rule of the repository keeps this commit off {self.room.target.branch}"
            self._offer = self._offer._replace(why=why)
        if may_pass or protected:
            # Even where no try is left: a push that got no answer may have gone through.
            self.room = moved_on(self._world, self.room, self._asked, ours=protected)
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
            said.append(self._opened())
        return said

    def _written(self, said: Sequence[Said]) -> Sequence[Said]:
        world, room = self._world, self.room
        several = sum(len(one.bodies) for one in said) > 1
        # One comment is posted or it is not; of several, the state has to tell which are missing.
        if not write.changed(world, room) and not several:
            return said
        if room.pull is not None and not room.target.pushable and write.has_commit(world, room):
            self.lines = ["the branch is in a fork: nothing was decided, and the reply has the patch"]
            patch = carry.as_patch(world, room, self._asked, room.pull)
            self._drop()
            return [patch]
        commits = write.has_commit(world, room)
        opens = commits and pulls.is_missing(world, room)
        said = write.write(world, room, self._asked, said, opens=opens)
        self.lines.append("pushed the branch and the state" if commits else "pushed the state")
        if opens:
            said = [*said, self._opened()]
        return said

    def _opened(self) -> Said:
        """The pull request that follows on a commit."""
        re = carry.promise(self._asked.key)
        return pulls.open_pull(self._world, self.room, re, self._asked.author.login, self._offer)

    def _may_use_ours(self) -> bool:
        return self.room.pull is None and not self.room.target.ours

    def _drop(self) -> None:
        self._world.remote.reset(self.room.refs)
        self.room.store.forget()
