"""What has to be known before a thread is carried forward: its state, its branch, the configuration, what was said."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from gitclaw_py.core.command_lines import Apply, Change, Command, Refine, Run, Show, Undo, needs_agent
from gitclaw_py.core.commands import read_commands
from gitclaw_py.core.diffs import Entry
from gitclaw_py.core.payload import readable
from gitclaw_py.core.replies import marker
from gitclaw_py.core.selection import numbers, resolve
from gitclaw_py.core.settings import DEFAULT, Destination, Settings
from gitclaw_py.core.state import State, Status, applied_by, statuses
from gitclaw_py.core.suggestions import SUBMODULE, Suggestion
from gitclaw_py.core.thread import Account, Comment, PullRequest, Review, ReviewComment, Thread
from gitclaw_py.core.trigger import OPENING, Trigger, asked_by_opening, is_their_own
from gitclaw_py.errors import GitclawError
from gitclaw_py.handlers import branches
from gitclaw_py.handlers.branches import Target, own_branch
from gitclaw_py.handlers.world import World
from gitclaw_py.ports.forge import ThreadStore

_CONFIGURATION = (b".gitclaw/suggestions.json", b".github/suggestions.json", b"suggestions.json")
_BEFORE = timedelta(hours=1)
"""How far back a thread without a state is read: runs of its first commands may have been cancelled meanwhile."""


class Room(NamedTuple):
    """A thread with all that belongs to it. ``head`` is the commit that its branch was at."""

    trigger: Trigger
    thread: Thread
    settings: Settings
    pull: PullRequest | None
    target: Target
    store: ThreadStore
    head: str

    @property
    def is_guest(self) -> bool:
        """Whether the state is another thread's: a pull request that we opened for an issue shares its numbers."""
        return self.store.load().thread != str(self.thread.number)

    @property
    def told_in(self) -> int | None:
        """Where replies are said, where that is not the state's own thread."""
        return self.thread.number if self.is_guest else None

    @property
    def refs(self) -> list[str]:
        """The refs that a command may move."""
        return [self.target.ref, self.store.ref]


class Place(NamedTuple):
    """Where something was said in a review: the address, and the id of the comment that its thread begins with."""

    url: str
    first: int


class Asked(NamedTuple):
    """Something to be carried out: a comment with commands, or a request that was none.

    ``key`` names it in markers, ``at`` is when it was said (ISO 8601) where no ``comment`` tells; empty if not known.
    ``place`` is where it was said, where that is a review.
    """

    key: str
    author: Account
    commands: tuple[Command, ...]
    comment: Comment | None = None
    is_guest: bool = False
    at: str = ""
    place: Place | None = None

    @property
    def only_cancels(self) -> bool:
        """Whether it asks for nothing but that a run be stopped."""
        return all(isinstance(command, Change) and command.verb == "cancel" for command in self.commands)

    @property
    def cancels(self) -> bool:
        """Whether it asks for a run to be stopped, among other things."""
        return any(isinstance(command, Change) and command.verb == "cancel" for command in self.commands)

    @property
    def counted(self) -> Comment | None:
        """The comment by whose id it is remembered; None where only the key is: elsewhere, or no comment at all."""
        return None if self.is_guest else self.comment


def room(world: World, trigger: Trigger, thread: Thread, store: ThreadStore, *, ours: bool = False) -> Room:
    """Fetch the thread's branch and state, and what the commands of the trigger need.

    Args:
        world: the ports.
        trigger: the event.
        thread: the thread it is about.
        store: keeps its state.
        ours: the branch of the thread does not take commits; use one that we make.

    Raises:
        GitclawError: the branch is gone, the state or the configuration cannot be read, the forge does not answer.
    """
    pull = world.forge.pull(thread.number) if thread.is_pull_request else None
    store = _store(world, trigger, pull, store)
    default = f"refs/heads/{trigger.default_branch}"
    head = default if pull is None else _head_ref(trigger, pull)
    runs = needs_agent(trigger.commands)
    # Only an agent needs all files; what another job's agent changed comes along with it.
    whole = runs and world.handed is None
    shared = [world.ledger.ref] if runs else []
    found = world.remote.fetch(list(dict.fromkeys([default, head, store.ref, *shared])), whole=whole)
    store.forget()
    tip = found.get(head) or (_kept(world, pull, whole=whole) if pull else None)
    if tip is None:
        raise branches.gone(head.removeprefix("refs/heads/"))
    settings = _settings(world, found.get(default), tip, store, trigger)
    store.rules = settings.paths._replace(portable=True)
    if pull is None:
        target = _target(world, trigger, store.load(), tip, settings, ours=ours)
    else:
        # One commit is what all of this run is about, whoever pushes between two looks.
        pull = pull._replace(head_oid=tip)
        target = branches.of_pull(world, trigger.repository, pull, tip, is_gone=head not in found)
    room = Room(trigger, thread, settings, pull, target, store, tip)
    if target.ours:
        bring(world, room, trigger.commands)
    return room


def _kept(world: World, pull: PullRequest, *, whole: bool) -> str | None:
    """The last commit of a pull request whose branch is gone; the forge keeps it under the number."""
    ref = f"refs/pull/{pull.number}/head"
    return world.remote.fetch([ref], whole=whole).get(ref)


def _store(world: World, trigger: Trigger, pull: PullRequest | None, store: ThreadStore) -> ThreadStore:
    """Where the state is: a pull request that we opened for an issue has that issue's numbers."""
    issue = branches.issue_of(pull.head_branch) if pull and pull.head_repository == trigger.repository else None
    return world.store(issue) if issue else store


def on_another_branch(world: World, room: Room, command: Command, branch: str) -> Room:
    """The room of an issue on another branch, for one command. What was done to the state here before stays.

    A branch that is gone was renamed, or is merged: then it is the default one.
    """
    target = Target(room.trigger.default_branch)
    if branch == own_branch(room.store.load().thread):
        target = branches.ours(world, room.store.load(), room.head, [command])
    elif branch != target.branch and world.remote.fetch([Target(branch).ref]):
        target = Target(branch)
    room = room._replace(target=target)
    bring(world, room, [command])
    return room


def settings_alone(world: World, trigger: Trigger) -> Settings:
    """The configuration, where there is no thread yet.

    Raises:
        GitclawError: it cannot be read.
    """
    default = f"refs/heads/{trigger.default_branch}"
    found = world.remote.fetch([default])
    tip = found.get(default)
    return _configured(world, world.remote.entries(tip, _CONFIGURATION) if tip else {}, ())


def _head_ref(trigger: Trigger, pull: PullRequest) -> str:
    """The branch of a pull request; a fork's is only known here by its number."""
    if pull.head_repository == trigger.repository:
        return f"refs/heads/{pull.head_branch}"
    return f"refs/pull/{pull.number}/head"


def _settings(world: World, default: str | None, head: str, store: ThreadStore, trigger: Trigger) -> Settings:
    """The configuration of the default branch; its content comes in one batch with what the commands need."""
    needed = list(_needed(store.load(), trigger.commands))
    paths = _paths(needed)
    if default == head:
        there = configured = world.remote.entries(head, [*paths, *_CONFIGURATION])
    else:
        there = world.remote.entries(head, paths)
        configured = world.remote.entries(default, _CONFIGURATION) if default else {}
    return _configured(world, configured, _contents(needed, [there[path] for path in paths if path in there]))


def _configured(world: World, files: Mapping[bytes, Entry], needed: Sequence[str]) -> Settings:
    """The settings in the first of the files that there is, fetched together with what else is needed."""
    name = next((path for path in _CONFIGURATION if path in files and files[path].is_regular), None)
    world.remote.bring([*needed, *([files[name].oid] if name else [])])
    return world.settings(world.remote.blob(files[name].oid), name.decode()) if name else DEFAULT


def _paths(needed: Sequence[Suggestion]) -> list[bytes]:
    """Where suggestions change something. Nothing will be written where one is blocked, and its path may be none."""
    return [path for s in needed if not s.blocked for path in dict.fromkeys((s.old_path, s.path))]


def _contents(needed: Sequence[Suggestion], there: Iterable[Entry]) -> list[str]:
    """The blobs of both sides of suggestions, and of what is there now."""
    # What has a secret in it was never brought to the forge.
    entries = [*there, *(entry for s in needed for entry in (s.old, None if s.secret else s.new) if entry)]
    return [entry.oid for entry in entries if entry.mode != SUBMODULE]


def _bring(world: World, head: str, needed: Sequence[Suggestion]) -> None:
    """Bring both sides of suggestions, and what a branch has at their places."""
    world.remote.bring(_contents(needed, world.remote.entries(head, _paths(needed)).values()))


def _target(world: World, trigger: Trigger, state: State, head: str, settings: Settings, *, ours: bool) -> Target:
    if not (ours or settings.commit.to is Destination.PULL_REQUEST or branches.uses_ours(state)):
        return Target(trigger.default_branch)
    return branches.ours(world, state, head, trigger.commands)


def _needed(state: State, commands: Sequence[Command]) -> Iterator[Suggestion]:
    """The suggestions whose contents the commands will look at; wrong numbers are told later."""
    found = statuses(state)
    for command in commands:
        match command:
            case Apply(words) | Show(words):
                yield from _named(state, words)
            case Undo(words) if words:
                yield from _named(state, words)
            case Undo(_):
                owners = applied_by(state)
                last = max(owners.values(), default=None)
                yield from _owning(state, {part for part, owner in owners.items() if owner == last})
            case Refine() | Run() | Change("pr" | "review" | "retry"):
                yield from _owning(state, {part for part, status in found.items() if status is Status.PENDING})
            case _:
                pass


def _named(state: State, words: Sequence[str]) -> Iterator[Suggestion]:
    try:
        parts = set(resolve(state, numbers(words)).parts)
    except GitclawError:
        return
    yield from _owning(state, parts)


def _owning(state: State, parts: set[str]) -> Iterator[Suggestion]:
    return (s for s in state.suggestions if parts.intersection(s.parts))


def bring(world: World, room: Room, commands: Sequence[Command]) -> None:
    """Bring the contents that these commands look at, on the branch that they are about."""
    _bring(world, room.target.ref, list(_needed(room.store.load(), commands)))


def bring_parts(world: World, room: Room, parts: Collection[str]) -> None:
    """Bring both sides of the suggestions that these parts are of, and what the head has there."""
    _bring(world, room.head, list(_owning(room.store.load(), set(parts))))


def listed(world: World, room: Room) -> list[Comment]:
    """The comments that may hold something to do, and our replies; all there are where an agent will read them."""
    if needs_agent(room.trigger.commands):
        return world.forge.comments(room.thread.number, None)
    since = _since(room)
    if since is None and not any(reply.thread == room.told_in for reply in room.store.load().conversation.replies):
        since = _some_time_before(world, room.trigger)
    # Where something was said and its time is not known, only all comments tell whether it is there.
    return world.forge.comments(room.thread.number, since)


def _since(room: Room) -> str | None:
    """The time of the last comment of this thread that is remembered."""
    return None if room.is_guest else room.store.load().conversation.since


def read_by_agents(world: World, room: Room, waiting: Sequence[Asked], known: list[Comment]) -> list[Comment]:
    """The comments that were listed, or all there are where only something else that waits needs an agent."""
    if not needs_agent([command for asked in waiting for command in asked.commands]):
        return known
    return known if needs_agent(room.trigger.commands) else world.forge.comments(room.thread.number, None)


def _some_time_before(world: World, trigger: Trigger) -> str:
    said = trigger.comment
    at = datetime.fromisoformat(said.created_at) if said else datetime.fromtimestamp(world.clock(), UTC)
    return (at - _BEFORE).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def waiting(world: World, room: Room, comments: Sequence[Comment], in_reviews: Sequence[Asked] = ()) -> list[Asked]:
    """What nobody has answered yet, oldest first; the trigger among it, and what was said in reviews."""
    answered = {key for found in _own(world, comments) if found.kind != "progress" for key in _keys(found.answers)}
    stopped = last_cancelled(world, comments)
    asked = [a for c in comments for a in asked_in(world, room, c) if a.key not in answered]
    asked = [a for a in asked if not (a.only_cancels and int(a.key) < stopped)]
    handled = {*answered, *room.store.load().conversation.keys}
    asked += [a for a in (*_opening(world, room), *in_reviews) if a.key not in handled]
    asked.sort(key=lambda a: a.comment.created_at if a.comment else a.at)
    trigger = room.trigger
    if trigger.comment is None and trigger.commands and trigger.run_key not in handled:
        asked.append(Asked(trigger.run_key, trigger.actor, trigger.commands))
    return asked


def _opening(world: World, room: Room) -> Iterator[Asked]:
    """What a new issue asked for, where its own run may have been lost: told only while all its comments are read.

    What a label asked for is not: who set it, and whether they may ask, is in its own event only.
    """
    trigger, thread = room.trigger, room.thread
    if trigger.comment is None or thread.is_pull_request or thread.created_at < _some_time_before(world, trigger):
        return
    if (_since(room) or thread.created_at) > thread.created_at or thread.author.is_bot:
        return
    commands = asked_by_opening(thread.body, room.settings.mention)
    if commands:
        yield Asked(OPENING, thread.author, commands, at=thread.created_at)


def last_cancelled(world: World, comments: Sequence[Comment]) -> int:
    """The last comment in which we said that a run was cancelled: the words to do so before it are answered by it."""
    said = [c.id for c in comments if (mark := own_marker(world, c)) and mark.kind == "cancelled"]
    return max(said, default=0)


def _keys(answers: str) -> tuple[str, ...]:
    """What a marker may answer: itself, or what comes before the number of a command or a letter for a receipt."""
    words = answers.split(".")
    return tuple(".".join(words[:end]) for end in range(len(words), 0, -1)[:3])


def _own(world: World, comments: Sequence[Comment]) -> Iterator[marker.Marker]:
    return filter(None, (own_marker(world, comment) for comment in comments))


def own_marker(world: World, said: Comment | Review) -> marker.Marker | None:
    """The marker of something that we said; None where it is another's, whatever it says."""
    return marker.find(said.body) if said.author.login == world.bot else None


def posted(world: World, comments: Sequence[Comment]) -> set[tuple[str, int]]:
    """Which parts of which replies are in the thread: what they answer, and the number of the part."""
    return {(found.answers, found.part) for found in _own(world, comments) if found.kind != "progress"}


def asked_in(world: World, room: Room, comment: Comment) -> Iterator[Asked]:
    """The commands of a comment that counts: by a person, as it was posted, and after what was handled."""
    state, settings, trigger = room.store.load(), room.settings, room.trigger
    if comment.author.login == world.bot or marker.find(comment.body) or _is_handled(room, state, comment):
        return
    if _since(room) is None and comment.created_at < _some_time_before(world, trigger):
        return
    commands = read_commands(comment.body, settings.mention, settings.limits.comment_length)
    if commands and counts(world, settings, comment, "comment", trigger.comment):
        yield Asked(str(comment.id), comment.author, commands, comment, room.is_guest)


def counts(
    world: World, settings: Settings, said: Comment | ReviewComment, what: str, sent: Comment | None = None
) -> bool:
    """Whether commands in it are carried out; ``sent`` is the comment as the event had it."""
    why = _objection(settings, said, sent)
    if why:
        world.note(f"{what} {said.id} {why}: ignored")
    return not why


def _objection(settings: Settings, said: Comment | ReviewComment, sent: Comment | None) -> str:
    """Why it does not command, though it holds commands; empty when it does."""
    if said.author.is_bot and said.author.id not in settings.bots:
        return "is by a bot that is not listed in bots"
    if isinstance(said, Comment) and not is_their_own(said.author, said.app, settings.apps):
        return "was posted by an app in someone's name, and the app is not listed in apps"
    if said.is_edited:
        return "was edited after it was posted"
    # Within the second in which it was posted an edit leaves no other trace.
    if sent and sent.id == said.id and (readable(said.body), said.author.id) != (sent.body, sent.author.id):
        return "is not what the event said it was"
    return ""


def _is_handled(room: Room, state: State, comment: Comment) -> bool:
    if room.is_guest:
        return str(comment.id) in state.conversation.keys
    return comment.id <= state.conversation.handled
