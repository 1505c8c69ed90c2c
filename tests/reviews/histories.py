"""Pull requests to plan for: out of a history, or made up, each with a fix on top of its head."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from gitclaw_py.adapters.git_process import quoted
from tests.reviews.github import PullRequest
from tests.reviews.scene import Desk
from tests.trials.histories import generated

_MOST_COMMITS = 5
_MOST_FILES = 6
_MOST_EDITS = 8
_AWAY = 8
"""Lines from a hunk of the pull request within which most made-up edits are."""
_LINES = [
    b"\n",
    b"\n",
    b"    \n",
    b"```\n",
    b"  ````\n",
    b"~~~\n",
    b"}\n",
    b"    return None\n",
    b"\ttab \n",
    b"x = 1\n",
]
Lines = list[bytes]


class Commits(NamedTuple):
    """The base, the head, and the fix on top of the head."""

    base: str
    head: str
    fix: str


def real(desk: Desk, count: int, rng: random.Random) -> Iterator[Commits]:
    """Out of the history of main: one or a few commits are the pull request, the next one is the fix."""
    row = desk.sandbox.text("rev-list", "--first-parent", "main").split("\n")
    for _ in range(count):
        place = rng.randrange(1, len(row) - _MOST_COMMITS)
        yield Commits(row[place + rng.choice([1, 1, rng.randint(1, _MOST_COMMITS)])], row[place], row[place - 1])


def mixed(desk: Desk, commits: Commits, rng: random.Random) -> Commits:
    """The same pull request with a made-up fix: edits of all kinds in and around what it changed."""
    pull = PullRequest(desk.sandbox, commits.base, commits.head)
    modes = _modes(desk, commits.head)
    paths = [path for path in pull.names if pull.lines(path) and modes[path].startswith(b"100")]
    edits = {}
    for path in rng.sample(paths, min(len(paths), _MOST_FILES)):
        edits[path] = _edited(pull.text(path), sorted(pull.lines(path)), rng)
    return commits._replace(fix=_committed(desk, commits.head, modes, edits))


def made_up(desk: Desk, count: int, rng: random.Random) -> Iterator[Commits]:
    """Pull requests of files that are full of equal lines."""
    lives = [life for life in generated(4 * count, rng) if len(life) > 2][:count]
    for life in lives:
        base, head, fix = ({b"f.py": b"".join(version)} for version in life[:3])
        yield Commits(*desk.commits(base, head, fix))


def _modes(desk: Desk, commit: str) -> dict[str, bytes]:
    listed = desk.sandbox.git("ls-tree", "-r", "-z", commit).split(b"\0")[:-1]
    return {line.partition(b"\t")[2].decode("utf-8", "surrogateescape"): line[:6] for line in listed}


def _committed(desk: Desk, head: str, modes: dict[str, bytes], edits: dict[str, bytes]) -> str:
    files = (
        b"M %s inline %s\ndata %d\n%s\n"
        % (modes[path], quoted(path.encode("utf-8", "surrogateescape")), len(data), data)
        for path, data in edits.items()
    )
    start = b"commit refs/heads/mixed\nmark :1\ncommitter Ada <ada@example.invalid> 1700000000 +0000\ndata 0\nfrom %s\n"
    stream = start % head.encode() + b"".join(files) + b"\n"
    desk.sandbox.git("fast-import", "--quiet", "--force", stdin=stream)
    return desk.sandbox.text("rev-parse", "refs/heads/mixed")


def _edited(text: bytes, shown: Sequence[int], rng: random.Random) -> bytes:
    lines = text.split(b"\n")
    rows = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    for _ in range(rng.randint(1, _MOST_EDITS)):
        near = rng.choice(shown) - 1 + rng.randint(-_AWAY, _AWAY) * rng.randint(0, 1)
        place = max(0, min(len(rows), near))
        rng.choice(_KINDS)(rows, place, rng)
    return b"".join(rows)


def _insert(rows: Lines, place: int, rng: random.Random) -> None:
    _end(rows, place)
    rows[place:place] = rng.choices(_LINES, k=rng.randint(1, 3))


def _delete(rows: Lines, place: int, rng: random.Random) -> None:
    del rows[place : place + rng.randint(1, 3)]


def _replace(rows: Lines, place: int, rng: random.Random) -> None:
    end = min(len(rows), place + rng.randint(1, 3))
    _end(rows, end)
    rows[place:end] = rng.choices(_LINES, k=rng.randint(1, 3))


def _double(rows: Lines, place: int, rng: random.Random) -> None:
    copied = rows[place : place + rng.randint(1, 2)]
    _end(rows, place + len(copied))
    rows[place:place] = [row if row.endswith(b"\n") else row + b"\n" for row in copied]


def _end_of_file(rows: Lines, place: int, rng: random.Random) -> None:
    del place
    if rows and rng.random() < 0.3:
        rows[-1] = rows[-1][:-1] or b"x" if rows[-1].endswith(b"\n") else rows[-1] + b"\n"


def _end(rows: Lines, place: int) -> None:
    """Only the last line may lack its newline."""
    if place == len(rows) and rows and not rows[-1].endswith(b"\n"):
        rows[-1] += b"\n"


_KINDS: list[Callable[[Lines, int, random.Random], None]] = [_insert, _delete, _replace, _double, _end_of_file]
