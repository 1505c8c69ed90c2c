"""Comparing texts with git, without a trace of them in the repository."""

from __future__ import annotations

from pathlib import Path

from gitclaw_py.adapters.git_algorithms import _stored, by_each
from gitclaw_py.adapters.git_repository import opened
from gitclaw_py.core.alignment import ALGORITHMS, Comparison, read_numbered
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


_BLOCK = (b"  {\n", b"    a\n", b"  }\n", b"\n")
_REPEATED = Comparison(_BLOCK * 5, (*_BLOCK * 2, b"  {\n", b"    b\n", *_BLOCK[2:], *_BLOCK * 3), _BLOCK * 6)
"""Texts about which the algorithms do not agree."""


def test_what_algorithms_say_alike_of_one_file_is_not_taken_for_what_they_say_of_another(repo: Sandbox) -> None:
    repo.write(b"a.txt", b"a\n")
    repo.commit()
    asked = [_comparison(1), _REPEATED, _comparison(2), _comparison(1)._replace(changed=())]
    with opened(repo.path, repo.environment) as repository:
        apart = repository.git._replace(objects=repository.git.sealed / "objects")
        sides = _stored(apart, asked)
        answers = by_each(apart, ALGORITHMS, ("-r", "-p", "--text", "--no-renames"), sides)
    together = read_numbered(answers)
    assert together == {name: read_numbered({name: diff})[name] for name, diff in answers.items()}
    assert len({tuple(sorted(found.items())) for found in together.values()}) > 1, "they agree: nothing is shown"
