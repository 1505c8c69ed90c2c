"""The words of a review: which number is where, and how to take it; and what was recognised as taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitclaw_py.core.replies.fitting import ROOM, body, fitting_rows, single
from gitclaw_py.core.replies.links import Links
from gitclaw_py.core.replies.markdown import code, table
from gitclaw_py.core.replies.marker import Marker
from gitclaw_py.core.replies.wording import clipped_path, commit_link, footer, numbers, standing
from gitclaw_py.core.review.plan import WORDS, Comment, Fallback, Plan
from gitclaw_py.core.state import State, Status, statuses
from gitclaw_py.core.suggestions import part_names

_ANNOTATIONS = 10
"""As many of a kind as GitHub shows of one step."""


def review(
    comments: Sequence[Comment],
    planned: Plan,
    *,
    left: Sequence[Comment] = (),
    refused: Sequence[Comment] = (),
    re: str,
    links: Links,
    part: int = 1,
) -> str:
    """The body of a review: a row for every number, whether it has a button or not.

    ``left`` are comments that would have a button but are too many for one review, ``refused`` those that the forge
    did not take.
    """
    count = len(comments)
    rows = [_row(comment) for comment in comments]
    rows += [_row(comment, "there are too many for one review") for comment in left]
    rows += [_row(comment, "GitHub did not take the comment") for comment in refused]
    rows += [_refused(fallback) for fallback in planned.fallbacks]
    shown = fitting_rows(rows, ROOM - 2_000)
    blocks = [
        f"### Review: {count} suggestion{'s' if count != 1 else ''} with a button",
        "Press **Commit suggestion** in the diff, or use the numbers here.",
        "\n".join(table(["#", "Where", "How to take it"], rows[:shown])),
    ]
    if shown < len(rows):
        blocks.append(f"And {len(rows) - shown} more; `/gitclaw status` lists them.")
    foot = footer(["comments only; approving is left to people"], links)
    return body(blocks, Marker("review", re, part, part), foot)


def _row(comment: Comment, why_not: str = "") -> list[str]:
    named = ", ".join(comment.numbers)
    taken = code(f"/apply {','.join(comment.numbers)}")
    lines = f"line {comment.line}" if comment.start_line is None else f"lines {comment.start_line} to {comment.line}"
    how = f"{taken}: {why_not}" if why_not else f"Button in the diff, or {taken}"
    return [f"**{named}**", f"{code(clipped_path(comment.path))} {lines}", how]


def _refused(fallback: Fallback) -> list[str]:
    where = f"{code(clipped_path(fallback.path))}" + (f" line {fallback.line}" if fallback.line else "")
    return [f"**{fallback.number}**", where, f"{code(f'/apply {fallback.number}')}: {WORDS[fallback.reason]}"]


def annotated(comments: Sequence[Comment]) -> Iterator[str]:
    """Workflow commands that show where the suggestions are, for a token that may not review.

    https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#setting-a-notice-message
    """
    for comment in comments[:_ANNOTATIONS]:
        named = ",".join(comment.numbers)
        path = _escaped(comment.path.decode("utf-8", "replace")).replace(":", "%3A").replace(",", "%2C")
        start = comment.start_line or comment.line
        place = f"file={path},line={start},endLine={comment.line},title=gitclaw {named.replace(',', '%2C')}"
        yield f"::notice {place}::Suggestion {named}: /apply {named} takes it"
    if len(comments) > _ANNOTATIONS:
        yield f"{len(comments) - _ANNOTATIONS} more suggestions are in the thread only"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def recognised(
    state: State, parts: Sequence[str], *, re: str, who: str | None, commit: str, branch: str, links: Links
) -> tuple[str, ...]:
    """People took suggestions without us: with the button, in a batch, or by hand; ``who`` pushed, if that is known."""
    found = statuses(state)
    touched = [s for s in state.suggestions if set(part_names(s)).intersection(parts)]
    left = [part for s in touched for part in part_names(s) if found[part] is Status.PENDING]
    by = f", pushed by {code(who)}" if who else ""
    blocks = [
        f"### Applied in the pull request: {numbers(state, parts)}",
        f"{commit_link(commit, links)} on {code(branch)} has it{by}.",
        f"Left of {'these' if len(touched) > 1 else 'it'}: {numbers(state, left)}." if left else "",
        standing(state),
    ]
    return single("applied", re, blocks)
