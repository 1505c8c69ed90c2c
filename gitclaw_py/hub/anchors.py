"""Where a review comment may be put, and where it is after later pushes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gitclaw_py.hub.bare import BareRepository
from gitclaw_py.hub.diff_lines import LEFT, RIGHT, DiffFile, moves, pull_diff
from gitclaw_py.hub.refusals import RefusalError, UnprocessableError
from gitclaw_py.hub.reviews import Anchor, ReviewComment
from gitclaw_py.hub.threads import TOO_LONG, Pull, is_too_long

# https://github.com/parkerbxyz/suggest-changes/issues/28, https://github.com/villesau/ai-codereviewer/issues/34
LINE = "line must be part of the diff"
START_HUNK = "start line must be part of the same hunk as the line."
START_ORDER = "start line must precede the end line."  # https://github.com/ubuntu/WSL/pull/244
PATH = "path is invalid"
NO_HUNK = "diff hunk can't be blank"
_THREAD = "Pull request review thread"
_TERSE = {LINE: "Line could not be resolved", PATH: "Path could not be resolved"}
"""The newer words. https://github.com/warpdotdev/oz-agent-action/issues/17"""


class Draft(NamedTuple):
    """A comment as it is asked for; ``position`` is the old way to say ``line``, ``is_on_file`` needs neither."""

    path: str
    body: str
    line: int | None = None
    side: str = RIGHT
    start_line: int | None = None
    start_side: str | None = None
    position: int | None = None
    is_on_file: bool = False


class Placed(NamedTuple):
    """A comment whose lines are in the diff, with the hunk down to it and its position."""

    body: str
    anchor: Anchor
    hunk: str
    position: int


class Misplaced(NamedTuple):
    """Why a comment cannot be put there: GitHub's words for each thing that is wrong."""

    reasons: tuple[str, ...]


def place(files: Mapping[str, DiffFile], draft: Draft) -> Placed | Misplaced:
    """Find a comment's lines in the diff: both ends in the same hunk."""
    file = files.get(draft.path)
    if file is None:
        return Misplaced((PATH, NO_HUNK))
    if draft.is_on_file:
        return Placed(draft.body, Anchor(draft.path, None), "", 1)
    anchor = _anchor(file, draft)
    end = file.find(anchor.side, anchor.line) if anchor.line is not None else None
    if end is None:
        return Misplaced((LINE, NO_HUNK) if anchor.start_line is None else (LINE, START_HUNK, NO_HUNK))
    if wrong := _wrong_start(file, anchor, end[0]):
        return Misplaced((wrong,))
    return Placed(draft.body, anchor, file.hunks[end[0]].until(anchor.side, anchor.line or 0), end[1].position)


def _anchor(file: DiffFile, draft: Draft) -> Anchor:
    if draft.line is None and draft.position is not None:
        row = file.at_position(draft.position)
        side = LEFT if row and row.sign == "-" else RIGHT
        return Anchor(draft.path, row.number(side) if row else None, side)
    start_side = (draft.start_side or draft.side) if draft.start_line is not None else None
    return Anchor(draft.path, draft.line, draft.side, draft.start_line, start_side)


def _wrong_start(file: DiffFile, anchor: Anchor, hunk: int) -> str | None:
    if anchor.start_line is None or anchor.line is None:
        return None
    if anchor.start_side == anchor.side and anchor.start_line >= anchor.line:
        return START_ORDER
    start = file.find(anchor.start_side or anchor.side, anchor.start_line)
    return None if start and start[0] == hunk else START_HUNK


def place_all(files: Mapping[str, DiffFile], drafts: Sequence[Draft], *, is_terse: bool) -> list[Placed]:
    """All comments of a review.

    Raises:
        RefusalError: one of them cannot be where it should be, or says nothing; it is not told which.
    """
    found = [place(files, draft) for draft in drafts]
    reasons = dict.fromkeys(reason for one in found if isinstance(one, Misplaced) for reason in one.reasons)
    words = [said for draft in drafts if (said := _wrong_body(draft.body))]
    texts = list(dict.fromkeys([*words, *_said(reasons, is_terse=is_terse)]))
    if texts:
        raise UnprocessableError([_sentence(texts)])
    return [one for one in found if isinstance(one, Placed)]


def _said(reasons: Iterable[str], *, is_terse: bool) -> list[str]:
    if not is_terse:
        return [f"{_THREAD} {reason}" for reason in reasons]
    return [_TERSE.get(reason, f"{_THREAD} {reason}") for reason in reasons if reason != NO_HUNK]


def _wrong_body(body: str) -> str | None:
    if not body.strip():
        return "Pull request review comment body can't be blank"
    return f"Pull request review comment {TOO_LONG}" if is_too_long(body) else None


def _sentence(texts: Sequence[str]) -> str:
    *first, last = texts
    if len(first) > 1:
        return f"{', '.join(first)}, and {last}"
    return f"{first[0]} and {last}" if first else last


def place_one(files: Mapping[str, DiffFile], draft: Draft) -> Placed:
    """A comment by itself; GitHub names the fields here.

    Raises:
        RefusalError: it cannot be there, or says nothing.
    """
    if said := _wrong_body(draft.body):
        raise _custom([("body", said)])
    found = place(files, draft)
    if isinstance(found, Misplaced):
        raise _custom([_field(reason) for reason in found.reasons])
    return found


def _custom(wrong: Sequence[tuple[str, str]]) -> RefusalError:
    errors = [
        {"resource": "PullRequestReviewComment", "code": "custom", "field": field, "message": message}
        for field, message in wrong
    ]
    return RefusalError(422, "Validation Failed", errors)


def _field(reason: str) -> tuple[str, str]:
    names = {"path": "path", "line": "line", "start": "start_line", "diff": "diff_hunk"}
    field = f"pull_request_review_thread.{names[reason.partition(' ')[0]]}"
    words = {"path": "path", "line": "line", "start": "start line", "diff": "diff hunk"}[reason.partition(" ")[0]]
    return field, f"{field} {reason.removeprefix(words).strip()}"


def now_at(git: BareRepository, pull: Pull, comment: ReviewComment) -> Anchor | None:
    """The lines that a comment is on in the pull request's head.

    None when one of them was changed or removed since, or is not in the diff any more: it is outdated.
    https://docs.github.com/pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/commenting-on-a-pull-request
    """
    moved = _moved(git, pull.head_oid, comment)
    if moved is None:
        return None
    file = pull_diff(git, pull.base_oid, pull.head_oid).get(moved.path)
    if file is None:
        return None
    if moved.line is None:
        return moved
    return moved if file.find(moved.side, moved.line) else None


def _moved(git: BareRepository, head: str, comment: ReviewComment) -> Anchor | None:
    anchor = comment.anchor
    gone = moves(git, comment.commit, head, anchor.path)
    if gone.path is None:
        return None
    if anchor.line is None or anchor.side == LEFT:
        return anchor._replace(path=gone.path)
    first = anchor.start_line if anchor.start_side == RIGHT and anchor.start_line is not None else anchor.line
    lines = [gone.line(number) for number in range(first, anchor.line + 1)]
    start, end = lines[0], lines[-1]
    if start is None or end is None or lines != list(range(start, start + len(lines))):
        return None
    return anchor._replace(path=gone.path, line=end, start_line=start if anchor.start_line is not None else None)
