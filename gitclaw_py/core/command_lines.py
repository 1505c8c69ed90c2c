"""The commands, and how one is read from the line it starts and the text below.

/apply 1,3                    a verb of ours, then what it selects
/reject 4 not needed          the rest of the line, and the text below, is the reason
/gitclaw show 2               any verb behind our name, when what follows can belong to it
/gitclaw show all errors      otherwise it is a request
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from gitclaw_py.core.number_words import DASHES, with_reason
from gitclaw_py.core.spelling import nearest

CHANGE_VERBS = ("pr", "review", "update", "merge", "close", "cancel", "retry")
"""The verbs of a change request's life, written as ``/gitclaw pr``."""
NAMES = ("apply", "reject", "refine", "undo", "gitclaw")
"""What may follow a slash; every other verb only follows ``/gitclaw``, because bots share these words."""
_VERBS = ("apply", "reject", "refine", "undo", "status", "help", "show", *CHANGE_VERBS)
_OPTIONS = {"pr": ("draft",), "merge": ("squash", "rebase", "merge"), "help": _VERBS}
"""The one word that may follow a verb on its line."""
_OTHERS = frozenset(("define",))
"""Commands of other bots that are one letter from ours."""
_HEAD = re.compile(rf"/(?P<name>[A-Za-z]+)(?:[:,]|(?P<glued>[0-9][0-9.,a-z{DASHES}]*))?(?=\s|$)(?P<rest>.*)")
_NUMBERS = re.compile(rf"#?[0-9][0-9a-z.,#{DASHES}]*")
_GARBLED = re.compile(rf"[.,;#{DASHES}]*\d[\d.,;#{DASHES}]*")
"""What was meant as a number and is none, such as ``-1``, ``3.`` or ``1--3``: never a request, or a reason for all."""
_BESIDE_ALL = frozenset(("all", "except", "but", "and", "&", *DASHES))
_EMPTY_LINES = re.compile(r"\A(?:[^\S\n]*\n)+")


class Run(NamedTuple):
    """Let the agent answer or propose. ``mentioned``: asked by a mention, which goes on with what is pending."""

    request: str
    mentioned: bool = False


class Apply(NamedTuple):
    """Put what ``words`` select on the branch; they may select nothing."""

    words: tuple[str, ...]


class Reject(NamedTuple):
    """Turn down what ``words`` select, or all that is pending when there are none."""

    words: tuple[str, ...]
    reason: str


class Refine(NamedTuple):
    """Propose anew what ``words`` select, or everything when there are none."""

    words: tuple[str, ...]
    feedback: str


class Undo(NamedTuple):
    """Take back what ``words`` select, or the last apply when there are none."""

    words: tuple[str, ...]


class Status(NamedTuple):
    """Say where the thread's numbers stand."""


class Help(NamedTuple):
    """Say what can be written."""


class Show(NamedTuple):
    """Show what ``words`` select in full."""

    words: tuple[str, ...]


class Change(NamedTuple):
    """Act on the change request; ``verb`` is one of ``CHANGE_VERBS``."""

    verb: str
    text: str


class Unknown(NamedTuple):
    """Nearly one of ours: ``word`` as it was written, ``meant`` as it would be understood."""

    word: str
    meant: str


class Misplaced(NamedTuple):
    """One of ours that is not carried out: ``word`` as it was written, ``hint`` how to write it."""

    word: str
    hint: str


Command: TypeAlias = Run | Apply | Reject | Refine | Undo | Status | Help | Show | Change | Unknown | Misplaced


def runs_agent(command: Command) -> bool:
    """Whether an agent has to work for it."""
    return isinstance(command, Run | Refine) or (isinstance(command, Change) and command.verb in ("review", "retry"))


def needs_agent(commands: Iterable[Command]) -> bool:
    """Whether an agent has to work for any of them."""
    return any(map(runs_agent, commands))


def name_in(line: str) -> str | None:
    """Which of ``NAMES`` the line starts with, slips included; None when it is no command of ours."""
    found = _HEAD.match(line)
    if found is None or found["name"].lower() in _OTHERS:
        return None
    return nearest(found["name"].lower(), NAMES)


def is_exact(line: str) -> bool:
    """Whether the line starts with one of ``NAMES``, letter by letter."""
    found = _HEAD.match(line)
    return found is not None and found["name"].lower() in NAMES


def read_command(line: str, below: str) -> Command | None:
    """The command that starts ``line``, with the text below it; None when there is none of ours."""
    found, name = _HEAD.match(line), name_in(line)
    if found is None or name is None:
        return None
    rest = found["rest"].strip()
    if found["glued"] or found["name"].lower() != name:
        return Unknown(line.strip(), _spaced(f"/{name}", found["glued"] or "", rest))
    return _addressed(rest, below) if name == "gitclaw" else _verb(name, rest, below)


def _addressed(rest: str, below: str) -> Command:
    """What ``/gitclaw`` is told: a verb where the rest can belong to it, else a request."""
    if not rest:
        request = _whole("", below)
        return Run(request) if request else Help()
    word, *more = rest.split(maxsplit=1)
    tail = more[0] if more else ""
    verb = word.lower().removeprefix("/").rstrip(".!?")
    meant = nearest(verb, _VERBS)
    if meant is None or not (_fits(verb, tail) if verb == meant else _is_numbers(tail.split())):
        return Run(_whole(rest, below))
    return _verb(verb, tail, below) if verb == meant else Unknown(f"/gitclaw {rest}", _spaced("/gitclaw", meant, tail))


def _fits(verb: str, tail: str) -> bool:
    """Whether ``tail`` can follow the verb, so that ``/gitclaw close the file`` remains a request."""
    words = tail.lower().split()
    if not words or verb == "refine" or (len(words) == 1 and words[0] in _OPTIONS.get(verb, ())):
        return True
    if verb in ("apply", "reject", "undo", "show"):
        first = words[0].removesuffix(":") if verb == "reject" else words[0]
        return bool(_NUMBERS.fullmatch(first) or _GARBLED.fullmatch(first)) or (
            first == "all" and _is_numbers(set(words[1:]) - _BESIDE_ALL)
        )
    return verb in CHANGE_VERBS and _is_numbers(words)


def _verb(verb: str, rest: str, below: str) -> Command:
    if verb in ("reject", "refine"):
        return _explained(verb, rest, below)
    if verb in CHANGE_VERBS:
        return Change(verb, _whole(rest, below))
    words = tuple(rest.lower().split())
    if any("#" in word and _NUMBERS.fullmatch(word) for word in words):
        return _hashed(verb, words)
    if verb in ("apply", "undo", "show"):
        return _selecting(verb, words)
    return Status() if verb == "status" else Help()


def _selecting(verb: str, words: tuple[str, ...]) -> Command:
    match verb:
        case "apply":
            return Apply(words)
        case "undo":
            return Undo(words)
        case _:
            return Show(words)


def _explained(verb: str, rest: str, below: str) -> Command:
    """A verb with numbers and a reason; every word that is no number belongs to the reason, as it was typed."""
    words = rest.lower().split()
    named, _ = with_reason([word.replace("#", "") if _NUMBERS.match(word) else word for word in words])
    if verb == "refine" and words[:1] == ["all"] and len(named) == 1 < len(words):
        named = ()  # "all tests need types" is feedback, and without numbers everything is meant anyway
    if not named and words and _GARBLED.fullmatch(words[0]):
        named = words[:1]
    count = len(named)
    if any("#" in word for word in words[:count]):
        return _hashed(verb, [word.removesuffix(":") for word in words[:count]])
    pieces = rest.split(maxsplit=count)
    text = _whole(pieces[count] if count < len(pieces) else "", below)
    return Reject(tuple(named), text) if verb == "reject" else Refine(tuple(named), text)


def _hashed(verb: str, words: Sequence[str]) -> Misplaced:
    asked = _spaced(f"/{verb}" if verb in NAMES else f"/gitclaw {verb}", *words)
    # https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls
    return Misplaced(asked, f"Numbers are written without #, which links to an issue: {asked.replace('#', '')}")


def _is_numbers(words: Sequence[str] | set[str]) -> bool:
    return all(_NUMBERS.fullmatch(word) for word in words)


def _spaced(*words: str) -> str:
    return " ".join(word for word in words if word)


def _whole(first: str, below: str) -> str:
    """The rest of a command's line and the text below it, without empty lines around."""
    return _EMPTY_LINES.sub("", f"{first}\n{below}").rstrip()
