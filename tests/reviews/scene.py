"""Pull requests made of three trees: what is there, what the pull request makes of it, and what a fix makes of that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from gitclaw_py.adapters.git_process import quoted
from gitclaw_py.adapters.git_repository import GitRepository, opened
from gitclaw_py.cli.review_plan import planned
from gitclaw_py.core.suggestions import Suggestion
from tests.reviews.github import PullRequest
from tests.reviews.oracle import Seen
from tests.sandbox import Sandbox

File = bytes | tuple[str, bytes]
"""Content, or a mode and the content; of a submodule, the commit."""
Files = Mapping[bytes, File]


class Desk:
    """Plans reviews in one repository."""

    def __init__(self, sandbox: Sandbox, repository: GitRepository) -> None:
        self.sandbox = sandbox
        self.repository = repository

    def review(self, base: Files, head: Files, fix: Files) -> Seen:
        """The plan for a pull request of these trees; a wrong one does not come out of here."""
        return self.planned(*self.commits(base, head, fix))

    def planned(self, base: str, head: str, fix: str) -> Seen:
        """The same, of commits."""
        seen = self.plan(base, head, fix)
        faults = list(seen.faults())
        assert not faults, "\n".join(faults)
        return seen

    def plan(self, base: str, head: str, fix: str) -> Seen:
        """The plan, good or bad."""
        made: list[Suggestion] = []

        def remembered(suggestions: list[Suggestion]) -> list[Suggestion]:
            made.extend(suggestions)
            return suggestions

        plan = planned(self.repository, (base, head), fix, remembered)
        return Seen(PullRequest(self.sandbox, base, head), plan, made)

    def commits(self, *trees: Files, parent: str | None = None) -> list[str]:
        """A commit for each tree, each on top of the one before, the first on top of ``parent``."""
        stream = b"".join(_commit(k, tree, parent) for k, tree in enumerate(trees, 1))
        self.sandbox.git("fast-import", "--quiet", "--force", "--export-marks=marks", stdin=stream)
        marks = dict(line.split() for line in (self.sandbox.path / "marks").read_text("ascii").splitlines())
        return [marks[f":{k}"] for k in range(1, len(trees) + 1)]


def _commit(number: int, tree: Files, parent: str | None) -> bytes:
    before = f":{number - 1}" if number > 1 else parent
    start = b"from %s\n" % before.encode() if before else b"from " + b"0" * 40 + b"\n"
    head = b"commit refs/heads/scene\nmark :%d\ncommitter Ada <ada@example.invalid> 1700000000 +0000\ndata 0\n" % number
    return head + start + b"deleteall\n" + b"".join(_file(path, file) for path, file in tree.items()) + b"\n"


def _file(path: bytes, file: File) -> bytes:
    mode, data = ("100644", file) if isinstance(file, bytes) else file
    if mode == "160000":
        return b"M 160000 %s %s\n" % (data, quoted(path))
    return b"M %s inline %s\ndata %d\n%s\n" % (mode.encode(), quoted(path), len(data), data)


@contextmanager
def desk(sandbox: Sandbox) -> Iterator[Desk]:
    """A desk in a repository that has a commit."""
    with opened(Path(sandbox.path), sandbox.environment) as repository:
        yield Desk(sandbox, repository)
