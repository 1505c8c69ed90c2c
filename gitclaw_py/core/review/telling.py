"""The words of a review: which number is where, and how to take it; and what was recognised as taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitclaw_py.core.replies.fitting import ROOM, body, fitting_rows, single
from gitclaw_py.core.replies.links import Links
from gitclaw_py.core.replies.markdown import code, table
from gitclaw_py.core.replies.marker import Marker
from gitclaw_py.core.replies.wording import clipped_path, commit_link, footer, numbers, standing
from gitclaw_py.core.review import mark
from gitclaw_py.core.review.plan import WORDS, Comment, Fallback, Plan, Rest
from gitclaw_py.core.state import State, Status, statuses
from gitclaw_py.core.suggestions import with_parts

_ANNOTATIONS = 10
"""As many of a kind as GitHub shows of one step."""


def review(comments: Sequence[Comment], rest: Rest, *, re: str, links: Links, part: int = 1) -> str:
    """The body of a review: a row for every number, whether it has a button or not."""
    count = len(comments)
    rows = [_row(comment) for comment in comments]
    rows += [_row(comment, "there are too many for one review") for comment in rest.left]
    rows += [_row(comment, "GitHub did not take the comment") for comment in rest.refused]
    rows += [_refused(fallback) for fallback in rest.fallbacks]
    how = "Press **Commit suggestion** in the diff, or use the numbers here." if count else "Use the numbers here."
    blocks = [
        f"### Review: {count} suggestion{'s' if count != 1 else ''} with a button",
        how,
        *_listed(rows),
        mark.write_all(comment.fingerprint for comment in comments) if comments else "",
    ]
    foot = footer(["comments only; approving is left to people"], links)
    return body(blocks, Marker("review", re, part, part), foot)


def by_numbers(planned: Plan) -> str:
    """The same for a reader of the run's summary, where no review could be posted."""
    rows = [_row(comment, "it could not be posted with a button") for comment in planned.comments]
    rows += [_refused(fallback) for fallback in planned.fallbacks]
    return "\n\n".join(["### No button could be posted", "Use the numbers here in the thread.", *_listed(rows)])


def _listed(rows: Sequence[list[str]]) -> Iterator[str]:
    """A table with the rows that fit, and how many do not."""
    shown = fitting_rows(rows, ROOM - 4_000)
    yield "\n".join(table(["#", "Where", "How to take it"], rows[:shown]))
    if shown < len(rows):
        yield f"And {len(rows) - shown} more; `/gitclaw status` lists them."


def _row(comment: Comment, why_not: str = "") -> list[str]:
    named = ", ".join(comment.numbers)
    taken = code(f"/apply {','.join(comment.numbers)}")
    lines = f"line {comment.line}" if comment.start_line is None else f"lines {comment.start_line} to {comment.line}"
    how = f"{taken}: {why_not}" if why_not else f"Button in the diff, or {taken}"
    return [f"**{named}**", f"{code(clipped_path(comment.path))} {lines}", how]


def _refused(fallback: Fallback) -> list[str]:
    where = f"{code(clipped_path(fallback.path))}" + (f" line {fallback.line}" if fallback.line else "")
    return [f"**{fallback.number}**", where, f"{code(f'/apply {fallback.number}')}: {WORDS[fallback.reason]}"]


def annotated(comments: Sequence[Comment], *, stored: bool) -> Iterator[str]:
    """Workflow commands that show where the suggestions are, for a token that may not review.

    ``stored`` is whether the numbers can be used in the thread.

    https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#setting-a-notice-message
    """
    for comment in comments[:_ANNOTATIONS]:
        named = ",".join(comment.numbers)
        path = _escaped(comment.path.decode("utf-8", "replace")).replace(":", "%3A").replace(",", "%2C")
        start = comment.start_line or comment.line
        how = f"/apply {named} takes it" if stored else "its patch is in the summary of this run"
        place = f"file={path},line={start},endLine={comment.line},title=gitclaw {named.replace(',', '%2C')}"
        yield f"::notice {place}::Suggestion {named}: {how}"
    if len(comments) > _ANNOTATIONS:
        yield f"{len(comments) - _ANNOTATIONS} more suggestions have no notice in the diff"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def recognised(
    state: State, parts: Sequence[str], *, re: str, who: str | None, commit: str, branch: str, links: Links
) -> tuple[str, ...]:
    """People took suggestions without us: with the button, in a batch, or by hand; ``who`` pushed, if that is known."""
    found = statuses(state)
    touched = with_parts(state.suggestions, parts)
    left = [part for s in touched for part in s.parts if found[part] is Status.PENDING]
    by = f", pushed by {code(who)}" if who else ""
    blocks = [
        f"### Applied in the pull request: {numbers(state, parts)}",
        f"{commit_link(commit, links)} on {code(branch)} has it{by}.",
        f"Left of {'these' if len(touched) > 1 else 'it'}: {numbers(state, left)}." if left else "",
        standing(state),
    ]
    return single("applied", re, blocks)
