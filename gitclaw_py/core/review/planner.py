"""The planner of native suggestions: what of a proposal can be review comments, and why the rest cannot.

The plan is always for the head of the pull request. A proposal made from an older head is first placed on it, by the
same ladder that applies it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gitclaw_py.core.alignment import Alignment, Comparison
from gitclaw_py.core.applying import Target, View
from gitclaw_py.core.replies.fitting import LIMIT, size
from gitclaw_py.core.review.body import body
from gitclaw_py.core.review.check import Draft, proved
from gitclaw_py.core.review.landing import Landing, Refusal, Unit, land, refusals
from gitclaw_py.core.review.mark import Fingerprints, Mark
from gitclaw_py.core.review.names import Names
from gitclaw_py.core.review.plan import Comment, Fallback, Plan, Reason
from gitclaw_py.core.review.pull_diff import PullFile
from gitclaw_py.core.review.ranges import Range, arranged
from gitclaw_py.core.review.sheet import sheet
from gitclaw_py.core.scripts import in_order, touches_any


def plan(
    targets: Sequence[Target], view: View, files: Iterable[PullFile], alignments: Mapping[Comparison, Alignment]
) -> Plan | list[Comparison]:
    """The plan of a review, or the comparisons it still needs; with those answered, ask again.

    Args:
        targets: the suggestions, with the parts that are to be shown; see ``applying.targets``.
        view: the head of the pull request.
        files: the diff of the pull request.
        alignments: the comparisons answered so far.
    """
    landings = [land(target, view, alignments) for target in sorted(targets, key=lambda t: t.suggestion.number)]
    wanted = [landing for landing in landings if isinstance(landing, Comparison)]
    if wanted:
        return list(dict.fromkeys(wanted))
    landed = [landing for landing in landings if isinstance(landing, Landing)]
    names = {target.suggestion.number: Names(target.suggestion) for target in targets}
    return _planned(landed, view, {file.path: file for file in files}, names)


def _planned(
    landings: Sequence[Landing], view: View, files: Mapping[bytes, PullFile], names: Mapping[int, Names]
) -> Plan:
    left = [refusal for landing in landings for refusal in landing.refusals]
    comments: list[Comment] = []
    by_path: dict[bytes, list[Landing]] = {}
    for landing in landings:
        if landing.units:
            by_path.setdefault(landing.path, []).append(landing)
    for path, same in sorted(by_path.items()):
        units, overlaps = _apart(same)
        made, rest = _File(path, view, files.get(path), names).comments(units)
        comments += made
        left += [*overlaps, *rest]
    return Plan(tuple(comments), tuple(_fallbacks(left, names)))


def _apart(landings: Sequence[Landing]) -> tuple[list[Unit], list[Refusal]]:
    """The parts that different suggestions have in one file; who comes first keeps the lines."""
    units = list(landings[0].units)
    overlaps: list[Unit] = []
    for landing in landings[1:]:
        taken = in_order(unit.hunk for unit in units)
        overlaps += [unit for unit in landing.units if touches_any(unit.hunk, taken)]
        units += [unit for unit in landing.units if not touches_any(unit.hunk, taken)]
    return sorted(units, key=lambda unit: (unit.hunk.start, unit.hunk.end)), refusals(overlaps, Reason.OVERLAP)


class _File(NamedTuple):
    path: bytes
    view: View
    file: PullFile | None
    names: Mapping[int, Names]

    def comments(self, units: Sequence[Unit]) -> tuple[list[Comment], list[Refusal]]:
        """The comments of one file, proved, and what is none."""
        if not _is_text(self.path):
            return [], refusals(units, Reason.NOT_TEXT)
        entry = self.view.entry(self.path)
        page = sheet(self.view.text(entry.oid) if entry else b"")
        ranges, left = arranged(units, page, self.file)
        prints = Fingerprints()
        drafts = [self._draft(one, page.lines, prints) for one in ranges]
        small = [draft for draft in drafts if size(draft.comment.body) <= LIMIT]
        good = proved(page.lines, small)
        left += _dropped(drafts, small, Reason.TOO_LARGE)
        left += _dropped(small, good, Reason.SELF_CHECK)
        return [draft.comment for draft in good], left

    def _draft(self, one: Range, lines: Sequence[bytes], prints: Fingerprints) -> Draft:
        parts: dict[int, list[str]] = {}
        for unit in one.units:
            parts.setdefault(unit.suggestion.number, []).append(unit.part)
        named = [name for number, mine in parts.items() for name in self.names[number].shortest(mine)]
        found = Mark(tuple(name.name for name in named), prints.of(self.path, lines, one.units))
        start = one.start + 1 if one.end > one.start + 1 else None
        text = body(one.units, one.block, found)
        every = tuple(part for name in named for part in name.parts)
        return Draft(Comment(self.path, one.end, start, text, found.numbers, every, found.fingerprint), one)


def _is_text(path: bytes) -> bool:
    """Whether the API can name the file."""
    try:
        path.decode()
    except UnicodeDecodeError:
        return False
    return True


def _dropped(before: Sequence[Draft], after: Sequence[Draft], reason: Reason) -> list[Refusal]:
    kept = {draft.comment.line for draft in after}
    return refusals((unit for draft in before if draft.comment.line not in kept for unit in draft.range.units), reason)


def _fallbacks(left: Sequence[Refusal], names: Mapping[int, Names]) -> Iterator[Fallback]:
    """One for all parts of a suggestion, or of a shown hunk, that have the same reason."""
    together: dict[tuple[int, Reason], list[Refusal]] = {}
    for refusal in sorted(left, key=lambda r: (r.suggestion.number, r.line)):
        together.setdefault((refusal.suggestion.number, refusal.reason), []).append(refusal)
    for (number, reason), same in together.items():
        lines = {refusal.part: refusal.line for refusal in same}
        for named in names[number].shortest(list(lines)):
            path = same[0].suggestion.path
            yield Fallback(named.name, named.parts, path, reason, max(0, lines[named.parts[0]]))
