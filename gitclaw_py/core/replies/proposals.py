"""What a run came to: a proposal with its numbered suggestions, or an answer; and one suggestion in full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gitclaw_py.core.render import Texts
from gitclaw_py.core.replies.entries import SHAPES, Scene, by_person, dropped, entry, label_of
from gitclaw_py.core.replies.entries import notes as flaws
from gitclaw_py.core.replies.fitting import ROOM, fitting_rows, numbered, packed, single, size, total
from gitclaw_py.core.replies.links import Links
from gitclaw_py.core.replies.markdown import LONGEST_REASON, clip, code, fence, link, mention, prose, table, worded
from gitclaw_py.core.replies.marker import Marker
from gitclaw_py.core.replies.patch import patch
from gitclaw_py.core.replies.said import in_fence, in_span
from gitclaw_py.core.replies.wording import (
    ALONE,
    PERSON,
    Run,
    change,
    footer,
    numbers,
    path,
    sentence,
    short,
    status_words,
    taken_back,
    typed,
)
from gitclaw_py.core.risk import Risk, assess
from gitclaw_py.core.state import State, Status, Verb, status_of, statuses
from gitclaw_py.core.suggestions import Suggestion, group_parts

LONGEST_ANSWER, LONGEST_ALONE = 8_000, 40_000
"""Bytes of an answer that introduces suggestions, and of one that is all there is."""
PARTS = 4
"""Comments with diffs that one proposal may take; what comes after is listed."""
_WARNINGS, _KNOWN = 5, 30


def proposal(  # noqa: PLR0913 - a keyword for each thing that is said
    state: State,
    number: int,
    texts: Texts,
    links: Links,
    *,
    re: str,
    requester: str,
    answer: str | None = None,
    run: Run | None = None,
    warnings: Sequence[str] = (),
    repeated: Sequence[int] = (),
    conduct_note: str | None = None,
    most: int = 15,
    show_rationale: bool = True,
    notes: Sequence[str] = (),
) -> tuple[str, ...]:
    """Proposal ``number`` with its suggestions.

    ``most`` of them are shown with their diffs in one comment, the next ones in further parts; after ``PARTS``
    parts the rest is listed. ``repeated`` are numbers of before that propose the same changes as this run did.
    """
    found = statuses(state)
    scene = Scene(state, found, links, show_rationale)
    ours = [s for s in state.suggestions if s.proposal == number]
    made = state.proposal(number)
    said = [*_introduction(state, ours, requester, answer, conduct_note), *_beside(state, ours, repeated, warnings)]
    chunks = [ours[k : k + most] for k in range(0, min(len(ours), most * PARTS), most)]
    parts: list[list[str]] = []
    for chunk in chunks:
        first = [] if parts else [*said, _reply(state, ours, found)]
        parts += _fitted(chunk, first or [_reply(state, chunk, found)], scene, texts)
    if not parts:
        parts = [[*said, _reply(state, ours, found)]]
    rest = ours[most * PARTS :]
    if rest:
        parts.append(_listing(rest, _reply(state, rest, found), scene))
    small = footer([f"Proposal {number} on {code(short(made.base))}", *map(prose, notes)], links, run)
    heading = f"Proposal {number}: {len(ours)} suggestion{'s' if len(ours) != 1 else ''}"
    return numbered(Marker("proposal", re), heading, parts, lambda _: small)


def _introduction(
    state: State, ours: Sequence[Suggestion], requester: str, answer: str | None, conduct_note: str | None
) -> Iterator[str]:
    if answer and answer.strip():
        yield in_fence(answer, LONGEST_ANSWER)
    said = [f"For {mention(requester)}.", *_replacing(state, ours)]
    risk = assess(ours)
    if risk.level is not Risk.LOW:
        said.append(f"Risk: {risk.level} ({worded(', '.join(risk.because), risk.named)}).")
    if conduct_note:
        said.append(prose(conduct_note))
    yield " ".join(said)


def _beside(
    state: State, ours: Sequence[Suggestion], repeated: Sequence[int], warnings: Sequence[str]
) -> Iterator[str]:
    """What the run came to besides the suggestions of its own."""
    known = [s for s in state.suggestions if s.number in repeated and s not in ours]
    if known:
        found = statuses(state)
        told = [f"{s.number} ({status_words(state, s, found).lower()})" for s in known[:_KNOWN]]
        more = f" and {len(known) - _KNOWN} more" if len(known) > _KNOWN else ""
        yield f"Proposed before, so without a new number: {', '.join(told)}{more}."
    yield from _warned(warnings)


def _replacing(state: State, ours: Sequence[Suggestion]) -> Iterator[str]:
    mine = {s.number for s in ours}
    for d in state.decisions:
        if d.verb is Verb.REPLACE and mine.intersection(d.replaced_by):
            by = ", ".join(map(str, d.replaced_by))
            yield f"{by} replace{'s' if len(d.replaced_by) == 1 else ''} {numbers(state, d.parts)}."


def _warned(warnings: Sequence[str]) -> Iterator[str]:
    if warnings:
        shown = [f"- {in_span(w)}" for w in warnings[:_WARNINGS]]
        more = [f"- and {len(warnings) - _WARNINGS} more in the run log"] if len(warnings) > _WARNINGS else []
        yield "\n".join(["Not in the suggestions:", "", *shown, *more])


def _fitted(chunk: Sequence[Suggestion], said: Sequence[str], scene: Scene, texts: Texts) -> list[list[str]]:
    """The parts for some suggestions: one, unless even without diffs they need more."""
    sides = {s.number: texts(s) for s in chunk}
    head = [*said[:-1], _table(chunk, scene), *_needs(chunk), said[-1]]
    for shape in SHAPES:
        entries = [entry(s, sides[s.number], scene, shape) for s in chunk]
        if total([*head, *entries]) <= ROOM:
            return [[*head, *entries]]
    for k in sorted(range(len(entries)), key=lambda k: -size(entries[k])):
        entries[k] = min(entries[k], dropped(chunk[k], scene), key=size)
        if total([*head, *entries]) <= ROOM:
            return [[*head, *entries]]
    if len(chunk) == 1:
        return [head]
    middle = len(chunk) // 2
    later = said[-1:]
    return _fitted(chunk[:middle], said, scene, texts) + _fitted(chunk[middle:], later, scene, texts)


def _listing(rest: Sequence[Suggestion], reply: str, scene: Scene) -> list[str]:
    """The suggestions beyond those with diffs: as many as fit are listed, the others are counted."""
    rows = [_row(s, scene, why=False) for s in rest]
    count = fitting_rows(rows, ROOM - 2_000)
    commit = link("the whole commit", scene.links.commit(scene.state.proposal(rest[0].proposal).commit))
    blocks = [
        f"Without their diffs: write {code(f'/gitclaw show {rest[0].number}')} to see one, or read {commit}.",
        reply,
    ]
    listed = "\n".join(table(["#", "File", "Change"], rows[:count]))
    blocks.append(listed)
    if count < len(rows):
        left = f"{rest[count].number} to {rest[-1].number}"
        blocks.append(f"And {len(rows) - count} more, {left}: {code('/gitclaw status')} lists them.")
    return blocks


def _table(chunk: Sequence[Suggestion], scene: Scene) -> str:
    why = any(_why(s, scene) for s in chunk)
    head = ["#", "File", "Change", "Why"] if why else ["#", "File", "Change"]
    return "\n".join(table(head, [_row(s, scene, why=why) for s in chunk]))


def _row(s: Suggestion, scene: Scene, *, why: bool) -> list[str]:
    status = status_words(scene.state, s, scene.found)
    done = "" if status == "Pending" else f" ({status.lower()})"
    return [f"**{s.number}**", path(s), change(s) + done, *([_why(s, scene)] if why else [])]


def _why(s: Suggestion, scene: Scene) -> str:
    reason = s.reason or next((g.reason for g in s.groups if g.reason), None)
    said = [in_span(reason)] if scene.reasons and reason else []
    return ". ".join([*_standing(s), *said])


def _standing(s: Suggestion) -> list[str]:
    """What keeps a change from being taken like any other."""
    if s.blocked:
        return [f"Blocked: {PERSON} ({prose(s.blocked, LONGEST_REASON)})"]
    return [f"{sentence(ALONE)}: {prose(s.careful, LONGEST_REASON)}"] if s.careful else []


def _needs(chunk: Sequence[Suggestion]) -> list[str]:
    needs = [f"{s.number} needs {', '.join(map(str, s.requires))}." for s in chunk if s.requires]
    return [clip(" ".join(needs), 1_000)] if needs else []


def _reply(state: State, ours: Sequence[Suggestion], found: dict[str, Status]) -> str:
    """What can be answered, with numbers that exist."""
    pending = [s for s in state.suggestions if status_of(s, found) is Status.PENDING and not s.blocked]
    alone = [s for s in ours if s in pending and s.careful]
    pending = [s for s in pending if not s.careful]
    mine = [s for s in ours if s in pending]
    if not mine and not alone:
        return f"**Reply** {code('/gitclaw <request>')} to ask for something else."
    commands = [f"/apply {s.number}" for s in alone[:1]]
    mine = mine or alone
    if mine is not alone:
        everything = "all" if pending == mine else typed(state, [name for s in mine for name in s.parts])
        commands.insert(0, f"/apply {everything or mine[0].number}")
    if len(mine) > 1 and mine is not alone:
        commands.append(f"/apply {','.join(str(s.number) for s in [mine[0], *mine[2:3]])}")
    split = next((s for s in mine if len(s.groups) > 1), None)
    if split:
        commands.append(f"/apply {split.number}.2")
    commands += [f"/reject {mine[-1].number} <reason>", f"/refine {mine[0].number} <what to change>"]
    return "**Reply** " + " · ".join(map(code, commands))


def answered(  # noqa: PLR0913 - a keyword for each thing that is said
    text: str | None,
    *,
    re: str,
    requester: str,
    run: Run | None,
    links: Links | None,
    gone: Sequence[str] = (),
    repeated: Sequence[int] = (),
    notes: Sequence[str] = (),
    warnings: Sequence[str] = (),
) -> tuple[str, ...]:
    """The agent changed nothing new; ``text`` is what it said.

    ``gone`` are the parts that its new version of the files does without, ``repeated`` the numbers that it
    proposes again.
    """
    small = footer([*map(prose, notes), *map(in_span, warnings)], links, run)
    answer = [in_fence(text, LONGEST_ALONE)] if text and text.strip() else []
    again = f" The same changes are in this thread already, as {', '.join(map(str, repeated))}." if repeated else ""
    if gone:
        said = f"For {mention(requester)}. The new version does not need {prose(', '.join(gone))}.{again}"
        blocks = [f"### Nothing new to propose: {prose(taken_back(gone))}", said, *answer]
        return single("answer", re, blocks, small)
    if again:
        return single("answer", re, ["### Nothing new to propose", f"For {mention(requester)}.{again}", *answer], small)
    if answer:
        blocks = ["### Answer", f"For {mention(requester)}. No file was changed.", *answer]
        return single("answer", re, blocks, small)
    blocks = [
        "### No change proposed",
        f"For {mention(requester)}. The agent changed no file and said nothing.",
        f"**Next:** write {code('/gitclaw <request>')} with an example of what you mean.",
    ]
    return single("answer", re, blocks, small)


def shown(
    state: State,
    suggestions: Sequence[Suggestion],
    texts: Texts,
    *,
    re: str,
    links: Links,
    only: Iterable[str] | None = None,
) -> tuple[str, ...]:
    """Suggestions in full, in as many as ``PARTS`` comments; ``only`` are the parts to show (None: all)."""
    scene = Scene(state, statuses(state), links, reasons=True)
    wanted = None if only is None else set(only)
    blocks = [block for s in suggestions for block in _in_full(s, texts(s), scene, wanted)]
    parts = packed(blocks, ROOM)
    if len(parts) > PARTS:
        rest = link("Read the whole commit", links.commit(state.proposal(suggestions[-1].proposal).commit))
        parts[PARTS - 1 :] = [[*parts[PARTS - 1], f"The rest would take {len(parts) - PARTS} more comments. {rest}."]]
    named = numbers(state, wanted or [name for s in suggestions for name in s.parts])
    return numbered(Marker("status", re), f"Suggestion{'s' if len(suggestions) > 1 else ''} {named}", parts)


_BLOCK = 20_000


def _in_full(s: Suggestion, sides: tuple[bytes, bytes], scene: Scene, only: set[str] | None) -> Iterator[str]:
    groups = None
    if only is not None and s.groups:
        groups = {g.number for g in s.groups if only.intersection(_names_of(s, g.number))}
    made = patch(s, *sides, only=groups or None)
    yield f"**{s.number}** {path(s)} · {change(s)}"
    yield " ".join(_known(s, scene))
    if s.secret:
        return
    yield from by_person(s, scene)
    yield from flaws(s, sides, scene, made)
    if not made.pieces and not made.flaw:
        yield fence(made.header, "diff")
    for k, piece in enumerate(made.pieces):
        if label := label_of(s, piece, scene):
            yield label
        yield from _cut([*(made.header if k == 0 else ()), *piece.lines])


def _known(s: Suggestion, scene: Scene) -> Iterator[str]:
    """Where it stands, and why it was made, which a proposal says in its table."""
    yield f"{status_words(scene.state, s, scene.found)}."
    yield from (f"{why}." for why in _standing(s))
    if s.requires:
        yield f"Needs {', '.join(map(str, s.requires))}."
    if s.reason:
        yield in_span(s.reason)


def _names_of(s: Suggestion, group: int) -> set[str]:
    return set(group_parts(s.number, next(g for g in s.groups if g.number == group)))


def _cut(lines: Sequence[str]) -> Iterator[str]:
    """Blocks of code that fit into a comment, of lines that do."""
    taken, block = 0, list[str]()
    for line in lines:
        text = line if size(line) <= _BLOCK else clip(line, _BLOCK // 4 - 100)
        if block and taken + size(text) > _BLOCK:
            yield fence(block, "diff")
            taken, block = 0, []
        block.append(text)
        taken += size(text) + 1
    if block:
        yield fence(block, "diff")
