"""Which parts of which suggestions a command names.

A selection is resolved as a whole or refused as a whole.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gitclaw_py.core.number_words import SPACED, TERM
from gitclaw_py.core.state import State
from gitclaw_py.core.suggestions import Suggestion, group_parts, with_parts
from gitclaw_py.errors import UsageError

_JOINED = re.compile(r"(?<=[0-9a-z,]) +(?:and|&) +(?=[0-9])")
_ALL_BUT = re.compile(r"\Aall but (?=[0-9])")
SURE = frozenset(("sure", "--sure"))
"""Words that say that a place which was asked about is the right one."""
_PIN = re.compile("@([0-9a-f]{7,64})")
_SHOWN = 8
_LONGEST = 40
_RANGE = 3
_MOST = 10_000
"""More numbers than any thread has; a range longer than that is a slip."""


class Chosen(NamedTuple):
    """The parts a selection names, in the order of their numbers.

    ``by_name`` are those that were named one by one; the rest came with a range or ``all``.
    """

    parts: tuple[str, ...]
    by_name: frozenset[str]


def resolve(state: State, words: Sequence[str]) -> Chosen:
    """The parts that ``words`` name.

    Raises:
        UsageError: ``UNKNOWN_NUMBER`` when a word is no selection or names a number that is not there.
    """
    if not state.suggestions:
        raise _unknown(f"There are no suggestions in thread {state.thread} yet", _known(state))
    text = _ALL_BUT.sub("all except ", SPACED.sub("-", " ".join(words)))
    text = _JOINED.sub(" ", text).replace(",", " ")
    included, _, excluded = text.partition(" except ")
    terms = included.split()
    if not terms:
        raise UsageError("UNKNOWN_NUMBER", "No number was given", "name numbers like 1,3 or 2.1, or say all")
    named: dict[str, bool] = {}
    for term in terms:
        for part, alone in _parts(state, term):
            named[part] = named.get(part, False) or alone
    left_out = {part for term in excluded.split() for part, _ in _parts(state, term)}
    chosen = with_parts(state.suggestions, named.keys() - left_out)
    ordered = [part for s in chosen for part in s.parts if part in named and part not in left_out]
    return Chosen(tuple(ordered), frozenset(part for part in ordered if named[part]))


def numbers(words: Sequence[str]) -> list[str]:
    """The words of a command that select numbers."""
    return [word for word in words if word not in SURE and not _PIN.fullmatch(word)]


def pins(words: Sequence[str]) -> list[str]:
    """The beginnings of commits that a command is meant for: ``/apply 1,3 @1a2b3c4``."""
    return [found[1] for found in map(_PIN.fullmatch, words) if found]


def _parts(state: State, term: str) -> Iterator[tuple[str, bool]]:
    if term == "all":
        yield from ((part, False) for s in state.suggestions for part in s.parts)
        return
    first, _, last = term.partition("-")
    if TERM.fullmatch(first) and TERM.fullmatch(last):
        yield from ((part, False) for part in _range(state, first, last))
    else:
        yield from ((part, True) for part in _term(state, term))


def _range(state: State, first: str, last: str) -> Iterator[str]:
    start, stop = _matched(first), _matched(last)
    if start["group"] and not start["letters"] and (start["number"] == stop["number"] or not stop["group"]):
        end = stop["group"] or stop["number"]
        for group in _counted(int(start["group"]), int(end), f"{first}-{last}"):
            yield from _term(state, f"{start['number']}.{group}")
    elif "." not in first + last:
        for number in _counted(int(first), int(last), f"{first}-{last}"):
            yield from _term(state, str(number))
    else:
        raise _unknown(f"{first}-{last} is not a range", "ranges are like 1-3 or 2.1-2.4")


def _counted(start: int, stop: int, name: str) -> Iterable[int]:
    if stop < start:
        raise _unknown(f"{name} is not a range", "ranges go from the smaller number to the larger one, like 1-3")
    if stop - start > _MOST:
        raise _unknown(f"{name} holds more numbers than any thread has", "gitclaw status lists those that are here")
    return range(start, stop + 1)


def _term(state: State, term: str) -> tuple[str, ...]:
    found = _matched(term)
    suggestion = state.suggestion(int(found["number"]))
    if suggestion is None:
        raise _unknown(f"There is no suggestion {found['number']} in this thread", _known(state))
    names = suggestion.parts
    if not (found["group"] or found["word"]):
        return names
    if found["group"] and not found["letters"]:
        names = _of_group(suggestion, int(found["group"]))
        term = f"{suggestion.number}.{int(found['group'])}"
        if names:
            return names
    if term in suggestion.parts:
        return (term,)
    raise _unknown(f"Suggestion {suggestion.number} has no part {term}", _parts_known(suggestion))


def _of_group(suggestion: Suggestion, number: int) -> tuple[str, ...]:
    group = next((g for g in suggestion.groups if g.number == number), None)
    return group_parts(suggestion.number, group) if group else ()


def _matched(term: str) -> re.Match[str]:
    found = TERM.fullmatch(term)
    if not found:
        shown = term if len(term) <= _LONGEST else f"{term[:_LONGEST]}…"
        raise _unknown(f"{shown!r} is not a number of a suggestion", "numbers are like 3, 3.1, 1-3 or all")
    return found


def _known(state: State) -> str:
    numbers = [s.number for s in state.suggestions]
    if not numbers:
        return "make some with gitclaw suggest -- COMMAND, or name another thread with --thread"
    return f"the numbers here go from {numbers[0]} to {numbers[-1]}; gitclaw status lists them"


def _parts_known(suggestion: Suggestion) -> str:
    names = suggestion.parts
    if len(names) == 1:
        return f"it can only be taken whole: {suggestion.number}"
    shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    return f"its parts are {shown}"


def _unknown(what: str, next_step: str) -> UsageError:
    return UsageError("UNKNOWN_NUMBER", what, next_step)


def compact(state: State, parts: Iterable[str]) -> str:
    """The shortest way to name ``parts``: ranges of whole suggestions, and groups by their number."""
    wanted = set(parts)
    names: list[str] = []
    run: list[int] = []
    for s in with_parts(state.suggestions, wanted):
        whole = wanted.issuperset(s.parts)
        if run and not (whole and s.number == run[-1] + 1):
            names += _as_range(run)
            run = []
        if whole:
            run.append(s.number)
        else:
            names += _partly(s, wanted)
    return ", ".join([*names, *_as_range(run)])


def _as_range(run: list[int]) -> list[str]:
    """Consecutive numbers, as a range from three on; no number of a thread is ever missing."""
    return [f"{run[0]}-{run[-1]}"] if len(run) >= _RANGE else list(map(str, run))


def _partly(s: Suggestion, wanted: set[str]) -> Iterator[str]:
    covered: set[str] = set()
    for group in s.groups:
        members = group_parts(s.number, group)
        if wanted.issuperset(members):
            covered.update(members)
    return _compact_parts(s, wanted, covered)


def _compact_parts(suggestion: Suggestion, wanted: set[str], covered: set[str]) -> Iterator[str]:
    whole = {group_parts(suggestion.number, g)[0]: f"{suggestion.number}.{g.number}" for g in suggestion.groups}
    for name in suggestion.parts:
        if name in covered:
            if name in whole:
                yield whole[name]
        elif name in wanted:
            yield name
