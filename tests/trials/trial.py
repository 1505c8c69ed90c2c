"""What a trial is, and the two services every trial needs: diffs as the product makes them, and exact truth.

A trial knows what the right answer is without merging anything: the edits of both people are known as
scripts over the same base and never touch, or they do touch and the right answer is a question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from gitclaw_py.adapters.git_repository import GitRepository, opened
from gitclaw_py.core.alignment import Alignment, Comparison
from gitclaw_py.core.diffs import Span
from gitclaw_py.core.placing import Change
from gitclaw_py.core.scripts import Hunk, slid_up, splice
from tests.sandbox import Sandbox, made

Text = tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """Before the product has diffed it: a base, our edits (``own``), and what is in the current text.

    ``foreign`` are other people's edits of the base, ``inside`` the own edits that are in the current text
    besides, and ``recorded`` says whether the product knows that.
    """

    cell: str
    base: Text
    own: tuple[Hunk, ...]
    foreign: tuple[Hunk, ...]
    inside: frozenset[int]
    chosen: frozenset[int]
    recorded: bool = False
    undo: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """A question to a method. ``expected`` None: only asking is right.

    ``before`` and ``after`` are the two texts a tool without a record is given as the change to make.
    """

    cell: str
    change: Change
    current: Text
    expected: Text | None
    before: Text
    after: Text
    case: Case
    divisible: bool

    @property
    def story(self) -> int:
        """How many lines were taken and added on the way from ``before`` to the current text."""
        unknown = () if self.case.recorded else (self.case.own[k] for k in self.case.inside)
        return size({*self.case.foreign, *unknown})

    def expected_of(self, chosen: frozenset[int]) -> Text | None:
        """The right answer when only these of the chosen hunks are taken; only for a divisible trial."""
        return truth(self.case, chosen)


def truth(case: Case, chosen: frozenset[int]) -> Text | None:
    """The base with everyone's edits in it; None when they touch, so that nobody can say."""
    left = case.inside - chosen if case.undo else case.inside | chosen
    own = [case.own[k] for k in left]
    others = [hunk for hunk in case.foreign if hunk not in own]
    if any(touching(mine, other) for mine in own for other in others):
        return None
    return tuple(splice(case.base, [*others, *own]))


def size(hunks: Iterable[Hunk]) -> int:
    """How many lines the hunks take and add."""
    return sum(hunk.end - hunk.start + len(hunk.lines) for hunk in hunks)


def touching(one: Hunk, other: Hunk) -> bool:
    """Whether two edits overlap or abut."""
    return one.start <= other.end and other.start <= one.end


class Scratch:
    """A repository to diff any number of texts in, through the product and in one call."""

    def __init__(self, sandbox: Sandbox, repository: GitRepository) -> None:
        self.sandbox = sandbox
        self.repository = repository
        self.known: dict[Comparison, Alignment] = {}

    def compare(self, comparisons: Iterable[Comparison]) -> None:
        """Answer what is not known yet, in one call of the product."""
        wanted = [comparison for comparison in dict.fromkeys(comparisons) if comparison not in self.known]
        self.known.update(self.repository.compare(wanted))

    def scripts(self, pairs: Sequence[tuple[Text, Text]]) -> list[tuple[Hunk, ...]]:
        """The hunks the product stores for each pair of texts."""
        old, new = (self.commit(side) for side in zip(*pairs, strict=True))
        found = {int(diff.path): diff.spans for diff in self.repository.diff(old, new)}
        return [_with_lines(found.get(number, ()), pair[1]) for number, pair in enumerate(pairs)]

    def commit(self, texts: Iterable[Text]) -> str:
        """A commit with the texts as files that are named by their place."""
        stream = bytearray(b"commit refs/heads/texts\nmark :1\ncommitter A <a@b> 0 +0000\ndata 0\ndeleteall\n")
        for number, text in enumerate(texts):
            data = b"".join(text)
            stream += b"M 100644 inline %08d\ndata %d\n%s\n" % (number, len(data), data)
        stream += b"get-mark :1\ndone\n"
        return self.sandbox.git("fast-import", "--quiet", "--done", "--force", stdin=bytes(stream)).decode().strip()


def _with_lines(spans: Sequence[Span], new: Text) -> tuple[Hunk, ...]:
    return tuple(Hunk(s.start, s.end, new[s.new_start : s.new_end]) for s in spans)


@contextmanager
def scratch() -> Iterator[Scratch]:
    """A repository of our own; it is gone afterwards."""
    with TemporaryDirectory(prefix="trials-") as folder:
        sandbox = made(Path(folder) / "repo")
        sandbox.commit()
        with opened(sandbox.path, sandbox.environment) as repository:
            yield Scratch(sandbox, repository)


def trials(cases: Sequence[Case], place: Scratch) -> list[Trial]:
    """The trials, with hunks as the product stores them: its own diff of the base and the whole change."""
    pairs = [(case.base, tuple(splice(case.base, case.own))) for case in cases]
    made = (_trial(case, hunks) for case, hunks in zip(cases, place.scripts(pairs), strict=True))
    return [trial for trial in made if trial is not None]


def _trial(case: Case, hunks: tuple[Hunk, ...]) -> Trial | None:
    """The trial, if the hunks as they are stored can be chosen from as the case says.

    When all are chosen and none is recorded, the answer is known however the change is cut.
    """
    same = _slid(case.base, case.own) == _slid(case.base, hunks)
    whole = len(case.chosen) == len(case.own) and not case.recorded
    if not hunks or not (same or whole):
        return None
    known = case.inside if case.recorded else frozenset[int]()
    after = known - case.chosen if case.undo else known | case.chosen
    inside = [case.own[k] for k in case.inside if case.own[k] not in case.foreign]
    return Trial(
        case.cell,
        Change(case.base, hunks, known, case.chosen if same else frozenset(range(len(hunks))), case.undo),
        tuple(splice(case.base, [*case.foreign, *inside])),
        truth(case, case.chosen),
        tuple(splice(case.base, [case.own[k] for k in known])),
        tuple(splice(case.base, [case.own[k] for k in after])),
        case,
        divisible=same,
    )


def _slid(base: Text, hunks: Iterable[Hunk]) -> list[Hunk]:
    return [slid_up(base, hunk) for hunk in hunks]
