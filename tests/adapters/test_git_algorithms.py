"""Comparing texts with git, by each of its algorithms, without a trace of them in the repository."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest

from gitclaw_py.adapters.git_algorithms import by_each
from gitclaw_py.adapters.git_comparisons import compare
from gitclaw_py.adapters.git_place import search
from gitclaw_py.adapters.git_process import Git
from gitclaw_py.adapters.git_repository import opened
from gitclaw_py.core.alignment import Alignment, Comparison
from tests.sandbox import Sandbox, git_that


@pytest.fixture
def repo(repo: Sandbox) -> Sandbox:
    repo.write(b"a.txt", b"a\n")
    repo.commit()
    return repo


@contextmanager
def _slowed(slow: str, repo: Sandbox, folder: Path, pause: str = "exec sleep 60") -> Iterator[Git]:
    """A git that takes its time for every comparison that has ``slow`` in its arguments."""
    escaped = slow.replace(" ", "\\ ")
    git_that(folder, f'case "$*" in *{escaped}*) {pause} ;; esac')
    with opened(repo.path, {**repo.environment, "PATH": f"{folder}:{repo.environment['PATH']}"}) as repository:
        yield repository.git


def _disagree(answers: Mapping[Comparison, Alignment]) -> bool:
    return any(len(set(answer.ours)) > 1 for answer in answers.values())


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _comparison(number: int) -> Comparison:
    lines = tuple(b"%d %d\n" % (number, k) for k in range(20))
    return Comparison(lines, (b"above\n", *lines), (*lines[:10], b"changed\n", *lines[11:]))


def _repeated(seed: int) -> Comparison:
    """Texts of few different lines, about which the algorithms seldom agree."""
    chance = random.Random(seed)

    def lines(count: int) -> tuple[bytes, ...]:
        return tuple(b"%d\n" % chance.randrange(5) for _ in range(count))

    def edited(text: tuple[bytes, ...]) -> tuple[bytes, ...]:
        place = chance.randrange(len(text))
        return (*text[:place], *lines(3), *text[place + chance.randrange(4) :])

    base = lines(30)
    return Comparison(base, edited(edited(base)), edited(base))


_REPEATED = [_repeated(seed) for seed in range(30)]
_ODD = (Comparison((), (b"new\n",), ()), Comparison((b"x",), (b"x",), (b"x",)))


def test_what_is_compared_leaves_nothing_in_the_repository(repo: Sandbox) -> None:
    before = _files(repo.path)
    with opened(repo.path, repo.environment) as repository:
        found = repository.compare([_comparison(number) for number in range(50)])
    assert len(found) == 50
    assert _files(repo.path) == before


_ASKED = [*(_comparison(number) for number in range(3)), *_REPEATED, *_ODD]


def test_each_comparison_is_answered_for_itself(repo: Sandbox) -> None:
    with opened(repo.path, repo.environment) as repository:
        alone = {one: repository.compare([one])[one] for one in _ASKED}
        together = repository.compare(_ASKED)
    assert together == alone
    assert [len(together[one].myers) for one in (*_ASKED[:3], *_ODD)] == [1, 1, 1, 1, 0]
    assert _disagree(together)


def test_one_process_says_what_one_for_each_algorithm_says(repo: Sandbox) -> None:
    with opened(repo.path, repo.environment) as repository:
        if not repository.place.algorithms_by_path:
            pytest.skip("this git takes no algorithms from attributes")
        for asked in (_ASKED, *([one] for one in _ODD)):
            apart, together = (compare(repository.git, asked, by_paths=by_paths) for by_paths in (False, True))
            assert together == apart


def test_git_is_known_to_take_algorithms_from_attributes_by_its_age(repo: Sandbox) -> None:
    major, minor = map(int, repo.text("version").split()[2].split(".")[:2])
    assert search(repo.path, repo.environment).found().algorithms_by_path == ((major, minor) >= (2, 44))


def test_nothing_to_compare_needs_no_git(repo: Sandbox) -> None:
    with opened(repo.path, repo.environment) as repository:
        assert compare(repository.git._replace(environment={}), [], by_paths=False) == {}


@pytest.mark.parametrize("slow", ["--diff-algorithm=histogram", "--diff-algorithm=patience"])
def test_an_algorithm_that_takes_too_long_is_left_out(repo: Sandbox, tmp_path: Path, slow: str) -> None:
    began = monotonic()
    with _slowed(slow, repo, tmp_path) as git:
        found = compare(git, _REPEATED, by_paths=False, patience=0.1)
    assert monotonic() - began < 30
    with opened(repo.path, repo.environment) as repository:
        full = repository.compare(_REPEATED)
    assert all(len(found[one].ours) == 4 and set(found[one].ours) <= set(full[one].ours) for one in _REPEATED)


def test_myers_is_waited_for(repo: Sandbox, tmp_path: Path) -> None:
    with _slowed("--diff-algorithm=myers", repo, tmp_path, pause="sleep 1") as git:
        found = compare(git, _ASKED, by_paths=False, patience=0.1)
    with opened(repo.path, repo.environment) as repository:
        assert found == repository.compare(_ASKED)


def test_where_one_process_takes_too_long_each_algorithm_is_asked(repo: Sandbox, tmp_path: Path) -> None:
    """That process is the only one whose trees are the last of its arguments but no algorithm is among them."""
    began = monotonic()
    with _slowed("--submodule=short [0-9a-f]", repo, tmp_path) as git:
        found = compare(git, _ASKED, by_paths=True, patience=0.1)
    assert monotonic() - began < 30
    with opened(repo.path, repo.environment) as repository:
        assert found == repository.compare(_ASKED)


def test_what_still_compares_is_ended_with_the_command(repo: Sandbox, tmp_path: Path) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    began = monotonic()
    with _slowed("diff-tree", repo, tmp_path) as git, pytest.raises(KeyboardInterrupt):
        by_each(git, ["myers"], [], ["HEAD", "HEAD"], interrupted)
    assert monotonic() - began < 30
