"""Where the texts come from: the files of a repository through its history, or made-up ones that look like it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from gitclaw_py.adapters.git_repository import opened
from gitclaw_py.core.scripts import split_lines
from tests.borrowed import borrowing
from tests.trials.trial import Text

Life = list[Text]
"""The versions of one file in a row, oldest first."""

_LONGEST = 300_000
_LATER = 7
_NAMES = ["value", "name", "path", "request", "result", "item", "state", "config", "response", "index"]
_LINES = [
    "    {a} = {b}",
    "    {a} = self.{b}",
    "    self.{a} = {a}",
    "    if {a} is None:",
    "        return None",
    "    return {a}",
    "    for {a} in {b}:",
    "        {a}.append({b})",
    "        raise ValueError({a})",
    "    {a} = {b}.get({a!r}, {n})",
    "    # {a} comes before {b}",
    "    assert {a} == {n}",
    "",
]


def real(repository: Path, most: int, rng: random.Random) -> list[Life]:
    """Up to ``most`` stretches of at least two versions of the text files of a repository."""
    with TemporaryDirectory(prefix="trials-") as folder:
        sandbox = borrowing(Path(folder) / "repo", repository)
        log = sandbox.git("log", "--no-merges", "--raw", "-z", "--no-abbrev", "--no-renames", "--format=", "main")
        steps = list(_steps(log))
        later = {(path, old): new for path, old, new in steps}
        rng.shuffle(steps)
        lives: list[Life] = []
        with opened(sandbox.path, sandbox.environment) as opening, opening.open(sandbox.head) as session:
            for path, old, new in steps:
                versions = [old, new]
                while len(versions) < _LATER and (after := later.get((path, versions[-1]))) and after not in versions:
                    versions.append(after)
                texts = [session.text(oid) for oid in versions]
                if not any(b"\0" in text or len(text) > _LONGEST for text in texts):
                    lives.append([tuple(split_lines(text)) for text in texts])
                if len(lives) == most:
                    break
    return lives


def _steps(log: bytes) -> Iterator[tuple[bytes, str, str]]:
    """The path and both blobs of each edit of a plain file, newest first."""
    fields = iter(log.split(b"\0"))
    for head in fields:
        if not head.strip():
            continue
        old_mode, mode, old, new, status = head.strip().lstrip(b":").decode().split(" ")
        path = next(fields)
        if status == "M" and old_mode == mode == "100644":
            yield path, old, new


def generated(most: int, rng: random.Random) -> list[Life]:
    """Python-like files through edits of many kinds: full of equal lines, as such files are."""
    return [_life(rng) for _ in range(most)]


def _life(rng: random.Random) -> Life:
    functions = [_function(rng) for _ in range(rng.randint(2, 15))]
    versions = [_text(functions)]
    for _ in range(rng.randint(2, _LATER)):
        for _ in range(rng.randint(1, 5)):
            rng.choices(_EDITS, (6, 6, 4, 2, 2, 2, 1, 1))[0](functions, rng)
        if _text(functions) != versions[-1]:
            versions.append(_text(functions))
    return versions if len(versions) > 1 else _life(rng)


def _function(rng: random.Random) -> list[str]:
    return [f"def {rng.choice(_NAMES)}_{rng.choice(_NAMES)}(self):"] + [_line(rng) for _ in range(rng.randint(2, 14))]


def _line(rng: random.Random) -> str:
    a, b = rng.choice(_NAMES), rng.choice(_NAMES)
    return rng.choice(_LINES).format(a=a, b=b, n=rng.randint(0, 3))


def _text(functions: Sequence[Sequence[str]]) -> Text:
    return tuple(f"{line}\n".encode() for function in functions for line in (*function, "", ""))


def _add_lines(functions: list[list[str]], rng: random.Random) -> None:
    function = rng.choice(functions)
    place = rng.randint(1, len(function))
    function[place:place] = [_line(rng) for _ in range(rng.randint(1, 4))]


def _remove_lines(functions: list[list[str]], rng: random.Random) -> None:
    function = rng.choice(functions)
    place = rng.randint(1, len(function))
    del function[place : place + rng.randint(1, 3)]


def _edit_line(functions: list[list[str]], rng: random.Random) -> None:
    function = rng.choice(functions)
    function[rng.randrange(len(function))] = _line(rng)


def _add_function(functions: list[list[str]], rng: random.Random) -> None:
    functions.insert(rng.randint(0, len(functions)), _function(rng))


def _copy_function(functions: list[list[str]], rng: random.Random) -> None:
    functions.insert(rng.randint(0, len(functions)), list(rng.choice(functions)))


def _move_function(functions: list[list[str]], rng: random.Random) -> None:
    function = functions.pop(rng.randrange(len(functions)))
    functions.insert(rng.randint(0, len(functions)), function)


def _remove_function(functions: list[list[str]], rng: random.Random) -> None:
    with suppress(ValueError):
        functions.remove(rng.choice(functions[1:] or [[]]))


def _rename(functions: list[list[str]], rng: random.Random) -> None:
    old, new = rng.sample(_NAMES, 2)
    for function in functions:
        function[:] = [line.replace(old, new) for line in function]


_EDITS = [
    _add_lines,
    _remove_lines,
    _edit_line,
    _add_function,
    _move_function,
    _copy_function,
    _remove_function,
    _rename,
]
