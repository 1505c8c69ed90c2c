"""What became of a decision: applied, taken back, turned down, refused as a whole; and where everything stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitclaw_py.core.applying import OVERLAP, TAKEN, PartFinding
from gitclaw_py.core.placing import Verdict
from gitclaw_py.core.replies.findings import by_suggestion, excerpts, result, where
from gitclaw_py.core.replies.fitting import ROOM, fitting_rows, numbered, single
from gitclaw_py.core.replies.links import Links
from gitclaw_py.core.replies.markdown import (
    LONGEST_REASON,
    code,
    link,
    mention,
    prose,
    table,
)
from gitclaw_py.core.replies.marker import Marker
from gitclaw_py.core.replies.wording import (
    ALONE,
    PERSON,
    clipped_path,
    commit_link,
    footer,
    next_steps,
    note,
    numbers,
    path,
    short,
    standing,
    status_words,
    typed,
    word_of,
)
from gitclaw_py.core.state import State, Status, applied_by, statuses
from gitclaw_py.core.suggestions import Suggestion

_ROWS = 30
_PARTS = 4
_PLACED = (Verdict.APPLIED, Verdict.ALREADY)
_GROUNDS = 5


def applied(  # noqa: PLR0913 - a keyword for each thing that is said
    state: State,
    *,
    re: str,
    requester: str,
    branch: str,
    commit: str | None,
    findings: Sequence[PartFinding],
    left: Sequence[PartFinding] = (),
    skipped: Sequence[tuple[str, str]] = (),
    kept: Sequence[tuple[str, str]] = (),
    undo: bool = False,
    links: Links,
    thread: int,
    notes: Sequence[str] = (),
    verified: bool | None = None,
    pull: tuple[int, str] | None = None,
) -> tuple[str, ...]:
    """A selection is on the branch, or with ``undo`` off it again; ``state`` is the one after that.

    ``commit`` is None when the branch had everything already. ``verified`` is what the forge says of its
    signature, ``pull`` the pull request (number and address) that the branch belongs to; ``thread`` is where this
    is said.
    """
    done = [f.part for f in findings if f.verdict is Verdict.APPLIED]
    before = [f.part for f in findings if f.verdict is Verdict.ALREADY]
    verb, vain = ("Took back", "Not there") if undo else ("Applied", "There already")
    heading = f"### {verb} {numbers(state, done)}" if done else f"### {vain}: {numbers(state, before)}"
    if left:
        heading += f"; {numbers(state, [f.part for f in left])} left pending"
    blocks = [
        heading,
        _receipt(requester, branch, commit, links, thread, verified, pull),
        *_files(state, [*findings, *left], undo=undo),
        *_because("Left out", state, _for_people(state, skipped)),
        *_because("Left in place", state, kept),
        *map(note, notes),
        standing(state),
        _after(state, done, left, undo=undo),
    ]
    return single("undone" if undo else "applied", re, blocks, footer([], links))


def _receipt(
    requester: str,
    branch: str,
    commit: str | None,
    links: Links,
    thread: int,
    verified: bool | None,  # noqa: FBT001 - yes, no or unknown
    pull: tuple[int, str] | None,
) -> str:
    named = link(code(branch), links.branch(branch))
    if not commit:
        return f"For {mention(requester)}. No commit was needed: {named} is like that already."
    said = f"Commit {commit_link(commit, links)} on {named}, for {mention(requester)}"
    if pull and pull[0] != thread:
        said += f", in {link(f'pull request {pull[0]}', pull[1])}"
    if verified is not None:
        said += ". GitHub marks it as verified" if verified else ". GitHub does not mark it as verified"
    return f"{said}."


def _files(state: State, findings: Sequence[PartFinding], *, undo: bool) -> Iterator[str]:
    """A row for each suggestion, up to ``_ROWS``; then those with something left pending come first."""
    touched = by_suggestion(state, findings)
    if len(touched) > _ROWS:
        touched.sort(key=lambda pair: all(f.verdict in _PLACED for f in pair[1]))
    rows = [[f"**{s.number}**", path(s), result(state, s, mine, undo=undo)] for s, mine in touched[:_ROWS]]
    count = fitting_rows(rows, ROOM // 2)
    yield "\n".join(table(["#", "File", "Result"], rows[:count]))
    if count < len(touched):
        yield f"And {len(touched) - count} more files: {code('/gitclaw status')} lists them."


def _because(heading: str, state: State, parts: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Numbers with the reason they share, one line for each reason."""
    by_reason: dict[str, list[str]] = {}
    for part, reason in parts:
        by_reason.setdefault(reason, []).append(part)
    told = list(by_reason.items())[:_GROUNDS]
    lines = [f"{numbers(state, named)} ({prose(reason, LONGEST_REASON)})" for reason, named in told]
    if len(by_reason) > _GROUNDS:
        more = sum(map(len, by_reason.values())) - sum(len(named) for _, named in told)
        lines.append(f"and {more} more parts for other reasons: {code('/gitclaw status')} lists them")
    if len(lines) == 1:
        yield f"{heading}: {lines[0]}."
    elif lines:
        yield "\n".join([f"{heading}:", "", *(f"- {line}" for line in lines)])


def _for_people(state: State, parts: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The reasons, which say of a blocked number that a person can do it, and of others that they go alone."""
    why = {name: PERSON if s.blocked else ALONE for s in state.suggestions for name in s.parts}
    grounds = {name: s.blocked or s.careful for s in state.suggestions for name in s.parts}
    return [(part, f"{why[part]}: {reason}" if reason == grounds.get(part) else reason) for part, reason in parts]


def _after(state: State, done: Sequence[str], left: Sequence[PartFinding], *, undo: bool) -> str:
    steps = []
    if left:
        first = left[0].part.partition(".")[0]
        steps.append(f"{code(f'/refine {first}')} makes it anew from the branch as it is")
        steps.append(f"{code(f'/reject {first}')} drops it")
    if done and not undo:
        steps.append(f"{code('/undo')} takes this back")
    if done and undo and (again := typed(state, done)):
        steps.append(f"{code(f'/apply {again}')} puts it on the branch again")
    return next_steps(steps)


def stuck(  # noqa: PLR0913 - a keyword for each thing that is said
    state: State,
    *,
    re: str,
    requester: str,
    branch: str,
    findings: Sequence[PartFinding],
    chosen: Sequence[str],
    undo: bool = False,
    links: Links,
) -> tuple[str, ...]:
    """A selection was refused as a whole: nothing was written, and why."""
    bad = [f.part for f in findings]
    verb = "taken back" if undo else "applied"
    rows = [[f"**{f.part}**", code(clipped_path(f.path)), where(f)] for f in findings[:_ROWS]]
    rows = rows[: fitting_rows(rows, ROOM // 3)]
    more = [f"And {len(findings) - len(rows)} more that do not fit."] if len(findings) > len(rows) else []
    blocks = [
        f"### Nothing was {verb}: {numbers(state, bad)} {'does' if len(bad) == 1 else 'do'} not fit",
        f"For {mention(requester)}. {link(code(branch), links.branch(branch))} was not touched.",
        "\n".join(table(["#", "File", "Why"], rows)),
        *more,
        *excerpts(findings),
        _way_out(state, findings, chosen, undo=undo),
    ]
    return single("error", re, blocks, footer([code("GIT_CONFLICT")], links))


def _way_out(state: State, findings: Sequence[PartFinding], chosen: Sequence[str], *, undo: bool) -> str:
    bad = {f.part for f in findings}
    good = [part for part in chosen if part not in bad]
    verb = "undo" if undo else "apply"
    first = findings[0].part
    steps = []
    if all(f.verdict is Verdict.AMBIGUOUS for f in findings) and (all_of_it := typed(state, chosen)):
        steps.append(f"{code(f'/{verb} {all_of_it} sure')} if that is the place")
    if good and (rest := typed(state, good)):
        word = "takes one of them" if any(f.reason in (OVERLAP, TAKEN) for f in findings) else "goes without"
        steps.append(f"{code(f'/{verb} {rest}')} {word}")
    if undo:
        steps.append("or change the file by hand" if steps else "change the file by hand")
    else:
        steps.append(f"{code('/refine ' + first.partition('.')[0])} makes it anew from the branch as it is")
        steps.append(f"{code(f'/gitclaw show {first}')} has the change, to make it by hand")
    return next_steps(steps)


def rejected(
    state: State,
    *,
    re: str,
    requester: str,
    parts: Sequence[str],
    reason: str | None = None,
    back: bool = False,
    links: Links | None = None,
) -> tuple[str, ...]:
    """Numbers were turned down, or with ``back`` are pending again after they had been."""
    named = numbers(state, parts)
    again = typed(state, parts)
    said = [f"For {mention(requester)}."]
    if reason:
        said.append(f"Reason: {prose(reason, 500)}" + ("" if reason.rstrip().endswith(".") else "."))
    if not back:
        said.append("The agent is told not to propose this again.")
    blocks = [f"### Pending again: {named}" if back else f"### Rejected {named}", " ".join(said), standing(state)]
    if again:
        verb, does = ("apply", "puts it on the branch") if back else ("undo", "has it back")
        blocks.append(next_steps([f"{code(f'/{verb} {again}')} {does}"]))
    return single("undone" if back else "rejected", re, blocks, footer([], links))


def nothing_to_do(
    state: State, *, re: str, requester: str, skipped: Sequence[tuple[str, str]] = (), verb: str
) -> tuple[str, ...]:
    """No number that was named is left to act on."""
    if not state.suggestions:
        blocks = [
            f"### Nothing to {prose(verb)}: there are no suggestions here yet",
            f"For {mention(requester)}. {code('/gitclaw <request>')} asks for some.",
        ]
        return single("notice", re, blocks)
    blocks = [
        f"### Nothing to {prose(verb)}",
        f"For {mention(requester)}. {standing(state)}",
        *_because("Left out", state, _with_commits(state, _for_people(state, skipped))),
        next_steps([f"{code('/gitclaw status')} lists the numbers"]),
    ]
    return single("notice", re, blocks)


def _with_commits(state: State, parts: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The reasons, which say of a number that is applied which commit has it."""
    commits = {part: state.decisions[place].commit for part, place in applied_by(state).items()}
    told = ((part, reason, commits.get(part)) for part, reason in parts)
    return [(part, f"{reason}, in {code(short(commit))}" if commit else reason) for part, reason, commit in told]


def status(state: State, *, re: str, links: Links, branch: str | None = None) -> tuple[str, ...]:
    """Every number with its status, and how far things are."""
    if not state.suggestions:
        blocks = ["### Status", f"There are no suggestions yet. {code('/gitclaw <request>')} asks for some."]
        return single("status", re, blocks)
    found = statuses(state)
    parts = _in_parts([_standing(state, s, found, links) for s in state.suggestions])
    on = f" Branch {link(code(branch), links.branch(branch))}." if branch else ""
    parts[-1].append(f"{standing(state)}{on}")
    return numbered(Marker("status", re), "Status", parts, lambda _: footer([], links))


def _in_parts(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """As many tables as the rows need, up to ``_PARTS``; the other rows are counted."""
    parts: list[list[str]] = []
    while rows and len(parts) < _PARTS:
        count = fitting_rows(rows, ROOM - 2_000)
        parts.append(["\n".join(table(["#", "File", "Status", "By"], rows[:count]))])
        rows = rows[count:]
    if rows:
        parts[-1].append(f"And {len(rows)} more, from {rows[0][0]} on.")
    return parts


def _standing(state: State, s: Suggestion, found: dict[str, Status], links: Links) -> list[str]:
    words = status_words(state, s, found)
    decision = word_of(state, s)
    if decision and decision.commit and words in ("Applied", "Partly applied"):
        words += f" in {commit_link(decision.commit, links)}"
    if decision and decision.reason and words == "Rejected":
        words += f": {prose(decision.reason, LONGEST_REASON)}"
    if s.blocked and words == "Pending":
        words += f", {PERSON} ({prose(s.blocked, LONGEST_REASON)})"
    elif s.careful and words == "Pending":
        words += f", {ALONE}"
    by = prose(decision.actor, 60) if decision and words != "Pending" else ""
    return [f"**{s.number}**", path(s), words, by]
