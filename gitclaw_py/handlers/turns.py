"""The commands of one thing that was asked, each in its turn: decided on the clone, with what is to be said of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from gitclaw_py.core.access import Level
from gitclaw_py.core.bundle import lost
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
    needs_agent,
)
from gitclaw_py.core.command_lines import Status as StatusOf
from gitclaw_py.core.replies import changes as replies
from gitclaw_py.core.replies import notices
from gitclaw_py.core.replies.summary import Step
from gitclaw_py.core.thread import Comment
from gitclaw_py.errors import (
    AgentError,
    CancelledError,
    ConflictError,
    GitclawError,
    RefusedError,
    UsageError,
)
from gitclaw_py.handlers import (
    branches,
    carry,
    changes,
    gather,
    guard,
    outgoing,
    pulls,
    received,
    requests,
    say,
    spend,
    work,
    write,
)
from gitclaw_py.handlers.cancel import Watch
from gitclaw_py.handlers.carry import Said, Turn
from gitclaw_py.handlers.gather import Asked, Room
from gitclaw_py.handlers.work import Job
from gitclaw_py.handlers.world import World


class Turns:
    """Decides the commands of one thing that was asked.

    ``stopped`` is the last comment that a run was cancelled by: it and those before it ask for nothing more.
    """

    def __init__(self, world: World, room: Room, asked: Asked, comments: Sequence[Comment], stopped: int = 0) -> None:
        self.room = room
        self.stopped = max(stopped, gather.last_cancelled(world, comments))
        self.steps: list[Step] = []
        self.lines: list[str] = []
        self.took_back = False
        self._world = world
        self._asked = asked
        self._comments = [c for c in comments if asked.comment is None or c.id <= asked.comment.id]
        self._finished: dict[str, work.Finished] = {}
        self._ended: dict[str, work.Finished | GitclawError] = {}
        self._left = comments
        self._progress: say.Progress | None = None
        self._counted: set[str] = set()
        self._offer = pulls.Offer()
        self._done: dict[str, Said] = {}

    def worked(self) -> dict[str, work.Finished | GitclawError]:
        """Decide, and do no more: what the agent left, or how it failed, by the command it was for."""
        self._turns()
        return self._ended

    def _turns(self) -> list[Said]:
        """Every command in order; the first one that fails is the last one.

        Raises:
            BudgetError: ``BUDGET_EXCEEDED``: a bot has said too much.
        """
        said: list[Said] = []
        self.steps.clear()
        self.lines.clear()
        self.took_back = False
        if self._asked.author.is_bot:
            self._count("")
        level = self._level()
        for number, command in enumerate(self._asked.commands, 1):
            re = self._asked.key if number == 1 else f"{self._asked.key}.{number}"
            if said and needs_agent(self._asked.commands[number - 2 : number - 1]):
                level = self._level()  # an agent may work for longer than someone may write
            one = self._turn(Turn(self._asked, re, level), command)
            one = outgoing.checked(self._world, self.room, one, self._left)
            said.append(one)
            self.steps.append(Step(self._asked.author.login, carry.in_words(command), one.ok, one.exit_code))
            self.took_back = self.took_back or (one.ok and isinstance(command, Undo))
            if not one.ok:
                said[-1] = carry.with_the_rest(one, self._asked.commands[number:])
                break
        return said

    def _level(self) -> Level:
        return guard.level(self._world, self.room.settings, self._asked.author)

    def _may_commit(self) -> bool:
        """Whether a mode may commit for who asked, without a decision: asked when it is about to."""
        moved = carry.has_moved(self._world, self.room, self.room.head)
        return not moved and self._level() >= self.room.settings.permissions.apply

    def _count(self, re: str) -> None:
        """Count what is about to be done, once: a run of the agent, or that a bot said something."""
        if re in self._counted or (re and self._asked.author.is_bot):
            return
        fetched = needs_agent(self.room.trigger.commands)
        # What another job's agent has done is spent already.
        worked = self._world.handed is not None and bool(re)
        spend.count(self._world, self.room, self._asked, fetched=fetched, worked=worked)
        self._counted.add(re)

    def _turn(self, turn: Turn, command: Command) -> Said:
        needed = carry.needed(command, self.room.settings, self.room.thread)
        if turn.level < needed:
            verb = carry.in_words(command) if isinstance(command, Change) else carry.in_words(command).split(" ")[0]
            return carry.denied(self.room, turn, verb, needed)
        try:
            return self._carried(turn, command)
        except CancelledError as error:
            self._world.note(error.what)
            self.stopped = max(self.stopped, error.comment)
            told = replies.cancelled(turn.to, error.by, error.seconds, self._world.links)
            return Said(told, ok=False, exit_code=error.exit_code)
        except (ConflictError, RefusedError) as error:
            if error.code == "STATE_CONFLICT":
                raise
            return self._failed(error, turn.re)
        except GitclawError as error:
            return self._failed(error, turn.re)

    def _carried(self, turn: Turn, command: Command) -> Said:
        world = self._world
        if self.room.target.is_gone and self.room.pull and branches.needs_branch(command):
            raise branches.gone(self.room.pull.head_branch)
        match command:
            case Run() | Refine():
                return self._worked(turn, work.job_of(command, self.room.store.load()))
            case Apply() | Reject():
                return carry.decided(world, self.room, turn, command)
            case Undo(words):
                self._go_where_it_was_applied(words)
                return carry.decided(world, self.room, turn, command)
            case Show(words):
                return carry.shown(world, self.room, turn, words)
            case StatusOf() | Help() | Unknown() | Misplaced():
                return carry.told(world, self.room, turn, command)
            case Change():
                return self._changed(turn, command)
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
        if branch is None or branch == room.target.branch or room.pull is not None or self._offer.why:
            return
        if write.has_commit(world, room):
            what = f"It was applied on {branch}, and the command before goes to {room.target.branch}"
            raise UsageError("USAGE", what, "give the commands in comments of their own")
        self.room = gather.on_another_branch(world, room, Undo(tuple(words)), branch)

    def _changed(self, turn: Turn, command: Change) -> Said:
        match command.verb:
            case "pr":
                return self._proposed_for_merging(turn, command.text)
            case "review":
                return self._reviewed(turn, command.text)
            case "retry":
                return self._retried(turn)
            case "cancel":
                is_done = turn.asked.comment and turn.asked.comment.id <= self.stopped
                return Said(()) if is_done else Said(replies.nothing_runs(turn.to), ok=False)
            case verb:
                return self._done_at_once(turn, verb)

    def _done_at_once(self, turn: Turn, verb: str) -> Said:
        """On the forge itself, and not again where the rest of the comment is decided anew.

        Raises:
            UsageError: ``USAGE``: a commit of the same comment is not there yet.
        """
        if turn.re not in self._done:
            if write.has_commit(self._world, self.room):
                what = f"The commit of the command before is not on GitHub yet, so there is nothing to {verb}"
                raise UsageError("USAGE", what, f"say /gitclaw {verb} in a comment of its own")
            self._done[turn.re] = changes.carry_out(self._world, self.room, turn, verb)
        return self._done[turn.re]

    def _proposed_for_merging(self, turn: Turn, text: str) -> Said:
        """A pull request with what is on our branch already, else with what is pending, in one commit."""
        world = self._world
        if self.room.pull is not None:
            return Said(replies.is_a_pull(turn.to), ok=False)
        apply, self._offer = pulls.wanted(text)
        has_commit = write.has_commit(world, self.room)
        if has_commit and self.room.target.ours:
            return Said(())  # its pull request follows on the commit
        self.room = pulls.go_to_ours(world, self.room, apply, has_commit=has_commit)
        there = pulls.is_there(self.room, turn)
        if there is not None and apply.words == ("all",):
            return there
        if pulls.has_something(self.room) and apply.words == ("all",):
            return pulls.open_pull(world, self.room, turn.re, turn.requester, self._offer)
        return carry.decided(world, self.room, turn, apply)

    def _reviewed(self, turn: Turn, text: str) -> Said:
        """What reviewers want, as the agent's request."""
        world = self._world
        pull = pulls.of_thread(world, self.room)
        if pull is None:
            return Said(replies.no_pull(turn.to, "review"), ok=False)
        if not pull.is_open:
            return Said(replies.not_open(turn.to, pull, "review"), ok=False)
        if self.room.pull is None:
            all_pending = Apply(("all",))
            has_commit = write.has_commit(world, self.room)
            self.room = pulls.go_to_ours(world, self.room, all_pending, has_commit=has_commit)
        found = requests.open_remarks(world, self.room, pull)
        if not found.remarks:
            return Said(replies.nothing_to_review(turn.to, pull, others=found.others), ok=False)
        return self._worked(turn, Job(found.request(text), only_suggests=True))

    def _retried(self, turn: Turn) -> Said:
        """The request of this thread that failed last, once more."""
        command = requests.last_request(self._world, self.room, self._comments)
        match command:
            case Run() | Refine():
                return self._worked(turn, work.job_of(command, self.room.store.load()))
            case Change("review", text):
                return self._reviewed(turn, text)
            case _:
                return Said(replies.nothing_to_retry(turn.to), ok=False)

    def _worked(self, turn: Turn, job: Job) -> Said:
        if turn.re in self._finished:
            return work.again(self._world, self.room, turn, self._finished[turn.re])
        try:
            self._count(turn.re)
            done = self._ran(turn, job)
        except GitclawError as error:
            self._ended[turn.re] = error
            raise
        self._ended[turn.re] = done.finished
        if done.proposed:
            self._finished[turn.re] = done.finished
        return done.said

    def _ran(self, turn: Turn, job: Job) -> work.Done:
        if self._world.handed is not None:
            return self._received(turn, job)
        watch = Watch(self._world, self.room, turn.asked, self._left)
        watch.before()
        progress = say.Progress(self._world, self.room, turn.to, self._left, watch.during)
        self._progress = self._progress or progress
        return work.ran(self._world, self.room, turn, job, self._comments, self._progress, self._may_commit)

    def _received(self, turn: Turn, job: Job) -> work.Done:
        """What the agent's job left; that it was cancelled is believed of the comment that says so."""
        try:
            return received.received(self._world, self.room, turn, job, self._may_commit)
        except AgentError as error:
            if error.code != "CANCELLED":
                raise
            Watch(self._world, self.room, turn.asked, self._left).before()
            raise lost() from error

    def _failed(self, error: GitclawError, re: str) -> Said:
        self._world.note(f"{error.code}: {error.what} ({'; '.join(error.details)})")
        bodies = notices.failed(
            error, re=re or self._asked.key, requester=self._asked.author.login, links=self._world.links
        )
        return Said(bodies, ok=False, exit_code=error.exit_code)
