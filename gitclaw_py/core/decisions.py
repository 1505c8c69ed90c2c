"""Which parts a verb may act on, given what was decided before: chosen as a whole or refused as a whole."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gitclaw_py.core.selection import Chosen, compact
from gitclaw_py.core.state import State, Status, applied_by, last_word, statuses
from gitclaw_py.core.suggestions import Suggestion, with_parts
from gitclaw_py.errors import RefusedError, UsageError


class Choice(NamedTuple):
    """The parts to act on, and what was left out of ``all`` or a range, with the reason."""

    parts: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...] = ()


def to_apply(state: State, chosen: Chosen, lacks: str = "") -> Choice:
    """The parts of a selection to apply.

    A range and ``all`` take what is pending and may be applied without a closer look. A number given by name may also
    have been rejected before; if it was replaced or is blocked, the whole selection is refused. ``lacks`` is the
    access that sensitive changes need and the actor does not have.

    Raises:
        RefusedError: ``BLOCKED_PATH``, ``SECRET_FOUND``, or ``PERMISSION_DENIED`` for what is sensitive.
        UsageError: ``ALREADY_DECIDED`` for replaced numbers, ``UNKNOWN_NUMBER`` for an incomplete selection.
    """
    found = statuses(state)
    unnamed = with_parts(state.suggestions, set(chosen.parts) - chosen.by_name)
    kept_out = {name: why for s in unnamed if (why := s.blocked or s.careful) for name in s.parts}
    parts, skipped = list[str](), list[tuple[str, str]]()
    for part in chosen.parts:
        by_name = part in chosen.by_name
        if found[part] is Status.REPLACED and by_name:
            raise _replaced(state, part)
        if not by_name and (why := kept_out.get(part)):
            skipped += [(part, why)] if found[part] is Status.PENDING else []
        elif found[part] is Status.PENDING or (by_name and found[part] is not Status.REPLACED):
            parts.append(part)
    require_allowed(state, [part for part in chosen.parts if part in chosen.by_name], lacks)
    done = set(applied_by(state))
    for s, missing in _unmet(state, done.union(parts)):
        incomplete = [part for part in s.parts if part in parts and part not in chosen.by_name]
        skipped += [(part, f"needs {_listed(missing)}") for part in incomplete]
        parts = [part for part in parts if part not in incomplete]
    require_closed(state, done.union(parts), parts)
    return Choice(tuple(parts), tuple(skipped))


def to_reject(state: State, chosen: Chosen) -> Choice:
    """The parts of a selection to turn down.

    Raises:
        UsageError: ``ALREADY_DECIDED`` when a number given by name is applied or replaced.
    """
    found = statuses(state)
    for part in chosen.parts:
        if part in chosen.by_name and found[part] is Status.REPLACED:
            raise _replaced(state, part)
        if part in chosen.by_name and found[part] is Status.APPLIED:
            raise UsageError("ALREADY_DECIDED", f"{part} is applied", f"take it back first: undo {part}")
    return Choice(tuple(part for part in chosen.parts if found[part] is Status.PENDING))


def require_allowed(state: State, parts: Iterable[str], lacks: str = "") -> None:
    """Check that these parts may be changed on a branch by us, at the word of who ``lacks`` some access.

    Raises:
        RefusedError: ``BLOCKED_PATH``, ``SECRET_FOUND``, ``PERMISSION_DENIED``.
    """
    acting = set(parts)
    for s in with_parts(state.suggestions, acting):
        if s.blocked:
            raise _blocked(s)
        if lacks and s.sensitive:
            raise _denied(s, next(part for part in s.parts if part in acting), lacks)


def to_undo(state: State, chosen: Chosen | None, lacks: str = "") -> Choice:
    """The parts to take back: of a selection, or of the last apply that is still in place.

    Where nothing of the selection is applied, these are the ones that were turned down.

    Raises:
        RefusedError: ``BLOCKED_PATH`` where a person made the change by hand; ``PERMISSION_DENIED`` for what is
            sensitive; ``lacks`` is as for ``to_apply``.
        UsageError: ``ALREADY_DECIDED`` when a number given by name is not applied, ``UNKNOWN_NUMBER``
            when something applied needs what is to be taken back.
    """
    owners = applied_by(state)
    found = statuses(state)
    if chosen is None:
        last = max(owners.values(), default=None)
        parts = tuple(part for part, owner in owners.items() if owner == last)
    else:
        parts = tuple(part for part in chosen.parts if part in owners)
        turned_down = tuple(part for part in chosen.parts if found[part] is Status.REJECTED)
        if not parts and turned_down:
            return Choice(turned_down)
        wrong = _named_in_vain(chosen, {*parts, *turned_down}) if parts else list(chosen.parts)
        if wrong:
            named = compact(state, wrong)
            raise UsageError("ALREADY_DECIDED", f"Not applied: {named}", "gitclaw status shows what is")
    require_allowed(state, parts, lacks)
    require_closed(state, set(owners) - set(parts), parts)
    return Choice(parts)


def _named_in_vain(chosen: Chosen, decided: set[str]) -> list[str]:
    """The parts named one by one of suggestions of which no part can be taken back."""
    hit = {part.partition(".")[0] for part in decided}
    return [part for part in chosen.parts if part in chosen.by_name and part.partition(".")[0] not in hit]


def require_closed(state: State, applied: set[str], acting: Iterable[str]) -> None:
    """Check that everything applied has what it requires; ``acting`` is what the command names.

    Raises:
        UsageError: ``UNKNOWN_NUMBER``, naming the selection that would be complete.
    """
    for s, missing in _unmet(state, applied):
        raise _incomplete(s, missing, undoing=not set(s.parts).intersection(acting))


def _unmet(state: State, applied: set[str]) -> Iterator[tuple[Suggestion, list[int]]]:
    """The suggestions with something applied, and the numbers they require that are not."""
    by_number = {s.number: s for s in state.suggestions}
    for s in state.suggestions:
        if s.requires and applied.intersection(s.parts):
            missing = [n for n in s.requires if not _makes_way(by_number[n], applied)]
            if missing:
                yield s, missing


def _makes_way(suggestion: Suggestion, applied: set[str]) -> bool:
    """Whether the old path is gone: for a rename with edits, that is the part that renames."""
    return suggestion.parts[0] in applied


def _incomplete(s: Suggestion, missing: list[int], *, undoing: bool) -> UsageError:
    others = _listed(missing)
    needed = f"{s.number} needs {others}: the file and the folder of one name cannot both exist"
    if undoing:
        return UsageError("UNKNOWN_NUMBER", needed, f"take both back: undo {s.number},{others}")
    return UsageError("UNKNOWN_NUMBER", needed, f"take them together: apply {others},{s.number}")


def _listed(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))


def _replaced(state: State, part: str) -> UsageError:
    word = last_word(state, part)
    by = _listed(word.replaced_by) if word else ""
    return UsageError("ALREADY_DECIDED", f"{part} was replaced by {by}", f"name the new number instead: {by}")


def _blocked(s: Suggestion) -> RefusedError:
    code = "SECRET_FOUND" if s.secret else "BLOCKED_PATH"
    return RefusedError(code, f"{s.number} is blocked: {s.blocked}", "a person has to make this change by hand")


def _denied(s: Suggestion, part: str, lacks: str) -> RefusedError:
    what = f"{part} is sensitive ({s.sensitive}): it takes {lacks} access"
    return RefusedError("PERMISSION_DENIED", what, f"ask someone with {lacks} access to give the same command")
