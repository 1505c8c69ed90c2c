"""Comparing texts with git, without a trace of them in the repository."""

from __future__ import annotations

from pathlib import Path

from gitclaw_py.adapters.git_repository import opened
from gitclaw_py.core.alignment import Comparison
from tests.sandbox import Sandbox


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _comparison(number: int) -> Comparison:
    lines = tuple(b"%d %d\n" % (number, k) for k in range(20))
    return Comparison(lines, (b"above\n", *lines), (*lines[:10], b"changed\n", *lines[11:]))


def test_what_is_compared_leaves_nothing_in_the_repository(repo: Sandbox) -> None:
    repo.write(b"a.txt", b"a\n")
    repo.commit()
    before = _files(repo.path)
    with opened(repo.path, repo.environment) as repository:
        found = repository.compare([_comparison(number) for number in range(50)])
    assert len(found) == 50
    assert _files(repo.path) == before


def test_each_comparison_is_answered_for_itself(repo: Sandbox) -> None:
    repo.write(b"a.txt", b"a\n")
    repo.commit()
    asked = [_comparison(number) for number in range(3)]
    empty, same = Comparison((), (b"new\n",), ()), Comparison((b"x",), (b"x",), (b"x",))
    with opened(repo.path, repo.environment) as repository:
        alone = {one: repository.compare([one])[one] for one in (*asked, empty, same)}
        together = repository.compare([*asked, empty, same])
    assert together == alone
    assert [len(together[one].myers) for one in (*asked, empty, same)] == [1, 1, 1, 1, 0]
