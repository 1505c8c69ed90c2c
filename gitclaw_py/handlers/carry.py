"""Carrying out one command of a thread on the clone, and what is to be said about it. Nothing leaves the clone here."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, assert_never

from gitclaw_py.core.access import Level
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
from gitclaw_py.core.messages import Credit
from gitclaw_py.core.replies import notices, proposals, verdicts
from gitclaw_py.core.replies.changes import To
from gitclaw_py.core.replies.fitting import with_more
from gitclaw_py.core.selection import SURE, numbers, pins, resolve
from gitclaw_py.core.settings import Settings
from gitclaw_py.core.state import Reply, State, answered, applied_by
from gitclaw_py.core.thread import Account, PullRequest, Thread
from gitclaw_py.errors import ConflictError, RefusedError, UsageError
from gitclaw_py.handlers import decide
from gitclaw_py.handlers.context import Context
from gitclaw_py.handlers.decide import NothingToDo, Rejected
from gitclaw_py.handlers.gather import Asked, Room
from gitclaw_py.handlers.guard import ACTIONS_BOT
from gitclaw_py.handlers.landing import Landed, Order, Stuck
from gitclaw_py.handlers.texts import texts
from gitclaw_py.handlers.watched import Watched
from gitclaw_py.handlers.world import World
from gitclaw_py.ports.engine import Repository


class Turn(NamedTuple):
    """One command's turn: who asked, what its replies are marked with, what the actor may do."""

    asked: Asked
    re: str
    level: Level

    @property
    def requester(self) -> str:
        """The login of who asked."""
        return self.asked.author.login

    @property
    def to(self) -> To:
        """Whom the reply is for."""
        return To(self.re, self.requester)


class Receipt(NamedTuple):
    """What landed in which turn. It becomes a reply once the forge has the commit: it may give it another id."""

    turn: Turn
    outcome: Landed
    undo: bool = False
    verified: bool | None = None


class Said(NamedTuple):
    """What to answer to one command, in one or more comments.

    ``ok`` is whether it was carried out, ``exit_code`` what it alone would end a program with.
    """

    bodies: tuple[str, ...]
    ok: bool = True
    receipt: Receipt | None = None
    exit_code: int = 0


def needed(command: Command, settings: Settings, thread: Thread) -> Level:
    """What an account needs for a command. In a locked thread, whose talk was ended, only admins command."""
    return Level.ADMIN if thread.is_locked else _needed(command, settings)


def denied(room: Room, turn: Turn, verb: str, needed: Level) -> Said:
    """Say that who asked may not do that, and who can."""
    who = "This conversation is locked, and only admins command in it." if room.thread.is_locked else None
    bodies = notices.denied(re=turn.re, requester=turn.requester, verb=verb, needed=needed, has=turn.level, who=who)
    return Said(bodies, ok=False, exit_code=RefusedError.exit_code)


def _needed(command: Command, settings: Settings) -> Level:
    permissions = settings.permissions
    match command:
        case Run() | Refine():
            return permissions.run
        case Apply() | Undo():
            return permissions.apply
        case Reject():
            return permissions.reject
        case Change(verb, _):
            of_verb = {"merge": permissions.merge, **dict.fromkeys(("pr", "update", "close"), permissions.apply)}
            return of_verb.get(verb, permissions.run)
        case StatusOf() | Help() | Show() | Unknown() | Misplaced():
            return permissions.show
        case never:
            assert_never(never)


def decided(world: World, room: Room, turn: Turn, command: Apply | Reject | Undo) -> Said:
    """Apply, reject or undo."""
    with world.remote.at(room.target.branch) as repository:
        if not isinstance(command, Reject):
            _require_pinned(world, room, repository.head().oid, command.words)
        context = context_of(world, room, repository, turn.asked.author)
        order = _order(room, turn, command)
        match command:
            case Apply(words):
                outcome: Landed | Stuck | Rejected | NothingToDo = decide.apply(context, numbers(words), order)
            case Undo(words):
                outcome = decide.undo(context, numbers(words), order)
            case Reject(words, reason):
                outcome = decide.reject(context, words, reason or None)
            case never:
                assert_never(never)
    return _told(world, turn, outcome, command)


def context_of(world: World, room: Room, repository: Repository, author: Account) -> Watched:
    """What the handlers of the engine work with: the clone, without files."""
    context = Context(repository, None, room.store, world.clock, author.login, world.note)
    return Watched(context, world.watch)


def _order(room: Room, turn: Turn, command: Apply | Reject | Undo) -> Order:
    sure = not isinstance(command, Reject) and any(word in SURE for word in command.words)
    needed = room.settings.permissions.sensitive
    lacks = needed.name.lower() if turn.level < needed else ""
    return Order((), branch=room.target.branch, sure=sure, credit=credit(room, turn.asked.author), lacks=lacks)


def _require_pinned(world: World, room: Room, here: str, words: Sequence[str]) -> None:
    """See that the branch is at the commit a command was meant for.

    Raises:
        ConflictError: ``GIT_CONFLICT``: it has moved since.
    """
    # What an earlier command of the same comment did is not on the forge yet.
    at = next((move.old for move in world.remote.moves([room.target.ref]) if move.old.strip("0")), here)
    if has_moved(world, room, at):
        what = f"Someone pushed to {room.target.branch} after the command was given; it is at @{at[:7]} now"
        raise ConflictError("GIT_CONFLICT", what, "look at what is new, then give the command again")
    for pin in pins(words):
        if not at.startswith(pin):
            now = f"@{at[:7]}"
            what = f"The branch {room.target.branch} is at {now}, not at @{pin}"
            raise ConflictError("GIT_CONFLICT", what, f"look at what is new, then name {now} or no commit")


def has_moved(world: World, room: Room, at: str) -> bool:
    """Whether a pull request is at another commit than the one that was decided on, and not by what we did to it."""
    if world.pin is None or room.pull is None or at == world.pin:
        return False
    return at not in {decision.commit for decision in room.store.load().decisions}


def credit(room: Room, author: Account) -> Credit:
    """What a commit says of where it comes from and who decided.

    https://docs.github.com/en/pull-requests/committing-changes-to-your-project/creating-and-editing-commits/creating-a-commit-with-multiple-authors
    """
    who = f"{author.login} <{author.id}+{author.login}@users.noreply.github.com>"
    trailers = [f"Co-authored-by: {who}"]
    if room.settings.commit.sign_off:
        trailers.append(f"Signed-off-by: {who}")
    return Credit(title=room.thread.title, refers=f"#{room.thread.number}", trailers=tuple(trailers))


def _told(
    world: World,
    turn: Turn,
    outcome: Landed | Stuck | Rejected | NothingToDo,
    command: Apply | Reject | Undo,
) -> Said:
    undo = isinstance(command, Undo)
    re, requester, links = turn.re, turn.requester, world.links
    match outcome:
        case Landed():
            return Said(
                (), not outcome.left, Receipt(turn, outcome, undo), ConflictError.exit_code if outcome.left else 0
            )
        case Stuck(state, branch, _, findings, chosen):
            found = verdicts.stuck(
                state,
                re=re,
                requester=requester,
                branch=branch,
                findings=findings,
                chosen=chosen,
                undo=undo,
                links=links,
            )
            return Said(found, ok=False, exit_code=ConflictError.exit_code)
        case Rejected(state, parts, back):
            reason = command.reason if isinstance(command, Reject) else None
            return Said(
                verdicts.rejected(state, re=re, requester=requester, parts=parts, reason=reason, back=back, links=links)
            )
        case NothingToDo(state, skipped):
            verb = "undo" if undo else "reject" if isinstance(command, Reject) else "apply"
            return Said(verdicts.nothing_to_do(state, re=re, requester=requester, skipped=skipped, verb=verb), ok=False)
        case never:
            assert_never(never)


def bodies_of(world: World, room: Room, asked: Asked, said: Iterable[Said]) -> list[str]:
    """All that is to be said, in order, with the receipts of what landed; last, what it answers in a review."""
    bodies = [body for one in said for body in _with_receipt(world, room, one)]
    pointer = notices.answers_to(asked.place.url) if asked.place and bodies else ""
    if pointer and pointer not in bodies[-1]:
        bodies[-1] = with_more(bodies[-1], pointer)
    return bodies


def _with_receipt(world: World, room: Room, said: Said) -> tuple[str, ...]:
    if said.receipt is None:
        return said.bodies
    turn, outcome, undo, verified = said.receipt
    in_pull = room.pull is not None or room.target.ours
    receipt = verdicts.applied(
        outcome.state,
        re=turn.re,
        requester=turn.requester,
        branch=outcome.branch,
        commit=outcome.commit,
        findings=outcome.findings,
        left=outcome.left,
        skipped=outcome.skipped,
        kept=outcome.kept,
        undo=undo,
        links=world.links,
        thread=room.thread.number,
        notes=_notes(world, room, in_pull=in_pull) if outcome.commit else [],
        verified=verified,
        pull=(room.pull.number, room.pull.url) if room.pull else None,
    )
    return (*said.bodies, *receipt)


def _notes(world: World, room: Room, *, in_pull: bool) -> list[str]:
    """That the commit is in no open pull request; what starts checks on it, where the token of Actions made it."""
    if room.pull is not None and not room.pull.is_open:
        return ["The pull request is closed: the commit is on its branch, and goes nowhere from there by itself."]
    if world.bot != ACTIONS_BOT:
        return []
    return [notices.CI_PULL if in_pull else notices.CI_PUSH]


def promise(key: str) -> str:
    """What the reply about a pull request is marked with, which follows on what was asked."""
    return f"{key}.p"


def remembered(state: State, room: Room, asked: Asked, bodies: Sequence[str], *, opens: bool) -> State:
    """The state that knows that ``asked`` was handled, what is to be said, and whether a pull request follows."""
    comment = asked.counted
    at = comment.created_at if comment else None
    reply = Reply(asked.key, tuple(bodies), room.told_in)
    after = answered(state, reply, comment.id if comment else None, at)
    if not opens:
        return after
    known = after.conversation
    promised = Reply(promise(asked.key), (), room.told_in)
    return after._replace(conversation=known._replace(replies=(*known.replies, promised)))


def shown(world: World, room: Room, turn: Turn, words: Sequence[str]) -> Said:
    """Suggestions in full."""
    state = room.store.load()
    parts = set(resolve(state, words).parts)
    chosen = [s for s in state.suggestions if parts.intersection(s.parts)]
    with world.remote.at(room.target.branch) as repository, repository.open(repository.head().oid) as session:
        bodies = proposals.shown(state, chosen, texts(session), re=turn.re, links=world.links, only=parts)
    return Said(bodies)


def told(world: World, room: Room, turn: Turn, command: StatusOf | Help | Unknown | Misplaced) -> Said:
    """What needs no look at files."""
    match command:
        case StatusOf():
            branch = room.target.branch if room.target.pushable else None
            return Said(verdicts.status(room.store.load(), re=turn.re, links=world.links, branch=branch))
        case Help():
            return Said(notices.help(re=turn.re, level=turn.level, links=world.links))
        case Unknown(word, meant):
            return Said(notices.unknown(word, meant, re=turn.re), ok=False, exit_code=UsageError.exit_code)
        case Misplaced(_, hint):
            return Said(notices.misplaced(hint, re=turn.re), ok=False, exit_code=UsageError.exit_code)
        case never:
            assert_never(never)


def branch_of_undo(state: State, words: Sequence[str]) -> str | None:
    """The branch that something to be taken back was applied on."""
    owners = applied_by(state)
    if words:
        named = resolve(state, numbers(words)).parts
        places = [owners[part] for part in named if part in owners]
    else:
        places = list(owners.values())
    return state.decisions[max(places)].branch if places else None


def as_patch(world: World, room: Room, asked: Asked, pull: PullRequest) -> Said:
    """What is said where the branch is in a fork: whoever can push there gets the change as a patch."""
    (move,) = world.remote.moves([room.target.ref])
    bodies = notices.fork_refused(
        re=asked.key,
        requester=asked.author.login,
        patch=world.remote.patch(pull.head_oid, move.new),
        head_repository=pull.head_repository,
        links=world.links,
    )
    return Said(bodies, ok=False, exit_code=RefusedError.exit_code)


def with_the_rest(said: Said, rest: Sequence[Command]) -> Said:
    """What was said, and which commands after it were not carried out."""
    if not rest or not said.bodies:
        return said
    told = with_more(said.bodies[-1], notices.not_carried_out([in_words(command) for command in rest]))
    return said._replace(bodies=(*said.bodies[:-1], told))


def in_words(command: Command) -> str:
    """A command as it may be written, on one line."""
    return written(command).partition("\n")[0]
