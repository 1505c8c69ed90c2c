"""The diff of a pull request, as far as it says where comments can be.

Comments go to lines of the new side that a hunk shows, changed or not, first and last line in the same hunk.
https://docs.github.com/en/rest/pulls/comments#create-a-review-comment-for-a-pull-request
"""

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from gitclaw_py.core.diffs import FileDiff, read_diff
from gitclaw_py.core.review.plan import Reason

# Above these GitHub does not show a file's diff.
# https://docs.github.com/en/repositories/creating-and-managing-repositories/repository-limits#diff-limits
_MOST_LINES, _MOST_BYTES = 20_000, 500_000
_FILE = b"\ndiff --git "


class PullFile(NamedTuple):
    """A file that the pull request changes, by its new name.

    ``hunks`` are the lines of the new side that each hunk shows, as half-open ranges from 0, top to bottom. Two of
    them can follow each other without a gap and are different all the same.
    """

    path: bytes
    hunks: tuple[tuple[int, int], ...]
    too_large: bool = False

    def hunk_of(self, start: int, end: int) -> int | Reason:
        """Which hunk shows all the lines ``start:end``, at least one; or why none does."""
        if self.too_large:
            return Reason.TOO_LARGE
        if not self.hunks:
            return Reason.NO_ANCHOR
        first, last = self._showing(start), self._showing(end - 1)
        if first is None or last is None:
            return Reason.OUT_OF_DIFF
        return first if first == last else Reason.CROSS_HUNK

    def _showing(self, line: int) -> int | None:
        position = bisect_right(self.hunks, line, key=lambda hunk: hunk[0]) - 1
        return position if position >= 0 and line < self.hunks[position][1] else None


def read_pull_diff(output: bytes) -> list[PullFile]:
    """The files in the output of ``git diff-tree -z --raw -p -U3``.

    Raises:
        InternalError: the output is not of that form.
    """
    sizes = _sizes(output)
    return [_file(diff, sizes) for diff in read_diff(output)]


def _file(diff: FileDiff, sizes: Iterator[int]) -> PullFile:
    size = next(sizes)
    if diff.changes_type:
        size += next(sizes)  # a change of type is two patches
    spans = () if diff.changes_type else diff.spans  # two patches, and a comment would not say which it is in
    hunks = tuple((s.new_start, s.new_end) for s in spans if s.new_end > s.new_start)
    lines = sum(s.end - s.start + s.new_end - s.new_start for s in spans)
    return PullFile(diff.path, hunks, too_large=lines > _MOST_LINES or size > _MOST_BYTES)


def _sizes(output: bytes) -> Iterator[int]:
    """The bytes of each patch."""
    # The first patch follows the NUL that ends the raw part. Lines of content have a sign before them.
    start = output.find(b"\0" + _FILE[1:]) + 1
    while 0 < start < len(output):
        end = output.find(_FILE, start) + 1 or len(output)
        yield end - start
        start = end
