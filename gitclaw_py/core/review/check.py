"""Comments are proved before anyone sees them: taken alone, in every pair, and all together, they give the wanted text.

Every pair, and every other selection, is proved in one pass over the comments, because what a comment does depends on
its own lines and their neighbours only:

- Taking comments splits the text at LF, puts blocks in the place of lines, and joins with LF. Applying hunks does the
  same with lines that keep their LF. In both, the result is the unchanged stretches and the new ones, in order.
- What stands between two stretches can differ from what was there only by an LF that is there or not, and that depends
  on whether a stretch is empty or is the end of the text. Between two comments lies a line that neither changes: none
  of the stretches around a comment is ever empty or the end because another comment was taken.
- So the text after any selection is right if every stretch is: each comment is tried on its lines and one line on each
  side, or the end of the text where there is none, which is all that its stretch can depend on.

Should two comments have no line between them, only the upper one is kept. At last all of them are tried on the whole
text.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gitclaw_py.core.review.blocks import Change, suggestion_blocks, taken
from gitclaw_py.core.review.plan import Comment
from gitclaw_py.core.review.ranges import Range
from gitclaw_py.core.scripts import Hunk, splice


class Draft(NamedTuple):
    """A comment, and the range it was made from."""

    comment: Comment
    range: Range

    @property
    def start(self) -> int:
        """The first line as the comment says it, from 0."""
        return (self.comment.start_line or self.comment.line) - 1

    @property
    def hunks(self) -> list[Hunk]:
        """What it is meant to do."""
        return [unit.hunk for unit in self.range.units]


def proved(lines: Sequence[bytes], drafts: Sequence[Draft]) -> list[Draft]:
    """Those of one file's drafts, top to bottom, that are exact alone and in any company; all, as a rule."""
    if not drafts:
        return []
    good: list[tuple[Draft, Change]] = []
    for draft in drafts:
        change = _read_back(draft)
        is_apart = not good or draft.start > good[-1][0].comment.line
        if change is not None and is_apart and _is_exact(lines, draft, change):
            good.append((draft, change))
    kept = [draft for draft, _ in good]
    wanted = splice(lines, (hunk for draft in kept for hunk in draft.hunks))
    return kept if _gives(lines, (change for _, change in good), wanted) else []


def _read_back(draft: Draft) -> Change | None:
    blocks = suggestion_blocks(draft.comment.body)
    return Change(draft.start, draft.comment.line, blocks[0]) if len(blocks) == 1 else None


def _is_exact(lines: Sequence[bytes], draft: Draft, change: Change) -> bool:
    """On its own lines with one on each side: alone on the whole text, and beside any others."""
    first, last = max(0, change.start - 1), change.end + 1
    around = lines[first:last]
    wanted = splice(around, (hunk.moved(-first) for hunk in draft.hunks))
    return wanted != list(around) and _gives(around, [_moved(change, -first)], wanted)


def _moved(change: Change, by: int) -> Change:
    return Change(change.start + by, change.end + by, change.lines)


def _gives(lines: Sequence[bytes], changes: Iterable[Change], wanted: Sequence[bytes]) -> bool:
    return taken(b"".join(lines).decode(), changes).encode() == b"".join(wanted)
