"""What is remembered about one thread: proposals, their suggestions, and the decisions about them.

Decisions are only ever added. What the status of a part is follows from them, never from a field.
"""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from gitclaw_py.core import suggestions
from gitclaw_py.core.policy import Rules
from gitclaw_py.core.suggestions import Suggestion

VERSION = 2


class Status(StrEnum):
    """What has been decided about a part, last."""

    PENDING = "pending"
    APPLIED = "applied"
    REJECTED = "rejected"
    REPLACED = "replaced"


class Verb(StrEnum):
    """What a decision does to its parts."""

    APPLY = "apply"
    REJECT = "reject"
    UNDO = "undo"
    REPLACE = "replace"


_AFTER = {
    Verb.APPLY: Status.APPLIED,
    Verb.REJECT: Status.REJECTED,
    Verb.UNDO: Status.PENDING,
    Verb.REPLACE: Status.REPLACED,
}


class Proposal(NamedTuple):
    """What one run proposed: the commit ``commit`` on top of ``base``.

    ``at`` is the time in seconds since 1970 (UTC), ``risk`` the level and ``score`` the points behind it.
    ``isolation`` is what kept the agent apart, where one ran. ``apart`` is a commit of the files that ``commit`` leaves
    out because the forge would not let it be pushed with them: below ``before/`` and ``after/``.
    """

    number: int
    base: str
    commit: str
    at: int
    command: tuple[str, ...]
    exit_code: int
    mode: str
    risk: str
    score: int
    isolation: str | None = None
    apart: str | None = None


class Decision(NamedTuple):
    """Who did what to which parts, when and why.

    ``commit`` is the commit that did it on ``branch``, None for one that needed none (a rejection, or a
    change left in the working tree). ``replaced_by`` are the numbers that took the place of replaced parts.
    ``on_branch``, ``in_index`` and ``in_files`` are parts that were there before they were applied, by someone
    else's hand: taking them back leaves them there.
    """

    verb: Verb
    parts: tuple[str, ...]
    actor: str
    at: int
    reason: str | None = None
    commit: str | None = None
    branch: str | None = None
    replaced_by: tuple[int, ...] = ()
    on_branch: tuple[str, ...] = ()
    in_index: tuple[str, ...] = ()
    in_files: tuple[str, ...] = ()


class Reply(NamedTuple):
    """What was to be said in answer to ``re`` (a comment's id, or what stands for one), in one or more comments.

    ``thread`` is the number of the one it is said in, where that is not the state's own.
    """

    re: str
    bodies: tuple[str, ...]
    thread: int | None = None


class Conversation(NamedTuple):
    """How far the thread on the forge has been carried.

    ``handled`` is the last comment that changed something, ``since`` its time (ISO 8601); ``keys`` are requests
    that were no comment. ``replies`` have not been seen in the thread yet: whoever comes next posts what is missing.
    """

    handled: int = 0
    since: str | None = None
    keys: tuple[str, ...] = ()
    replies: tuple[Reply, ...] = ()


class State(NamedTuple):
    """All that is remembered about one thread."""

    thread: str
    proposals: tuple[Proposal, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    decisions: tuple[Decision, ...] = ()
    conversation: Conversation = Conversation()

    @property
    def next_number(self) -> int:
        """The first number that no suggestion of this thread ever had."""
        return max((s.number for s in self.suggestions), default=0) + 1

    def suggestion(self, number: int) -> Suggestion | None:
        """The suggestion with that number."""
        # They are in the order of their numbers, from 1, and none is missing unless someone wrote the state by hand.
        expected = self.suggestions[number - 1] if 0 < number <= len(self.suggestions) else None
        if expected and expected.number == number:
            return expected
        return next((s for s in self.suggestions if s.number == number), None)

    def proposal(self, number: int) -> Proposal:
        """The proposal a suggestion of this state belongs to."""
        return next(p for p in self.proposals if p.number == number)


class Progress(NamedTuple):
    """How many suggestions (or parts) have which status; the four add up to ``total``."""

    total: int
    applied: int
    rejected: int
    replaced: int
    pending: int


def proposed(state: State, proposal: Proposal, suggestions: Iterable[Suggestion]) -> State:
    """The state with one more proposal."""
    return state._replace(proposals=(*state.proposals, proposal), suggestions=(*state.suggestions, *suggestions))


def decided(state: State, decision: Decision) -> State:
    """The state with one more decision."""
    return state._replace(decisions=(*state.decisions, decision))


def answered(state: State, reply: Reply, comment: int | None, at: str | None) -> State:
    """The state with one more thing handled, and what is to be said about it.

    ``comment`` is the comment's id and ``at`` its time; without, ``reply.re`` is kept as the key of the request.
    Replies from before in the same thread are dropped: whoever gets this far has posted them.
    """
    before = state.conversation
    replies = (*(other for other in before.replies if other.thread != reply.thread), reply)
    if comment is None:
        after = before._replace(keys=(*before.keys, reply.re), replies=replies)
    else:
        after = before._replace(handled=max(before.handled, comment), since=at, replies=replies)
    return state._replace(conversation=after)


def statuses(state: State) -> dict[str, Status]:
    """The status of every part of every suggestion, by its full name, in order."""
    found = {name: Status.PENDING for s in state.suggestions for name in s.parts}
    for decision in state.decisions:
        found.update(dict.fromkeys(decision.parts, _AFTER[decision.verb]))
    # What was applied in two places and taken back in one is applied still.
    found.update(dict.fromkeys(applied_by(state), Status.APPLIED))
    return found


def judged(state: State, rules: Rules) -> State:
    """The state with what the policy says of every suggestion now."""
    return state._replace(suggestions=tuple(suggestions.judged(s, rules) for s in state.suggestions))


def open_parts(state: State, *wanted: Status) -> tuple[str, ...]:
    """The parts with one of these statuses that a command may apply, in order: not those of blocked suggestions."""
    found = statuses(state)
    return tuple(name for s in state.suggestions if not s.blocked for name in s.parts if found[name] in wanted)


def overall(parts: Iterable[Status]) -> Status:
    """The status of a whole with these parts: pending while anything is left to decide."""
    found = set(parts)
    for status in (Status.PENDING, Status.APPLIED, Status.REJECTED):
        if status in found:
            return status
    return Status.REPLACED


def status_of(suggestion: Suggestion, found: dict[str, Status]) -> Status:
    """The status of a suggestion, ``found`` being the statuses of all parts."""
    return overall(found[name] for name in suggestion.parts)


def progress(found: Iterable[Status]) -> Progress:
    """Counts of the statuses given."""
    count = Counter(found)
    return Progress(
        count.total(), count[Status.APPLIED], count[Status.REJECTED], count[Status.REPLACED], count[Status.PENDING]
    )


def applied_by(state: State) -> dict[str, int]:
    """The applied parts, each with the place in ``decisions`` of the last one that applied it and still holds."""
    owners: dict[str, list[int]] = {}
    for place, decision in enumerate(state.decisions):
        for part in decision.parts:
            held = owners.setdefault(part, [])
            if decision.verb is Verb.APPLY:
                held.append(place)
            elif decision.verb is Verb.UNDO:
                del held[-1:]
            else:
                held.clear()
    return {part: held[-1] for part, held in owners.items() if held}


def last_word(state: State, part: str) -> Decision | None:
    """The decision a part's status comes from."""
    return next((d for d in reversed(state.decisions) if part in d.parts), None)
