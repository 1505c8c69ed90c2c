"""Repositories of any size and changes to them, the same on every machine: from a seed, by ``git fast-import``."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from gitclaw_py.adapters.directory_store import DirectoryStore
from gitclaw_py.adapters.git_repository import opened
from gitclaw_py.core.diffs import Entry, blob_id
from gitclaw_py.core.state import Proposal, State, proposed
from gitclaw_py.core.suggestions import suggest
from gitclaw_py.ports.values import TreeChange
from tests.sandbox import Sandbox, made

_WORDS = [
    "parse",
    "value",
    "index",
    "count",
    "name",
    "path",
    "token",
    "buffer",
    "state",
    "event",
    "field",
    "result",
    "cache",
    "entry",
    "scope",
]
_BODIES = 64
_HUNKS = (0, 1, 2)
IDENTITY = b"Ada <ada@example.invalid> 1700000000 +0000"


def _bodies() -> list[list[bytes]]:
    rnd = random.Random(1)
    return [[_line(rnd, number) for number in range(rnd.randrange(80, 120))] for _ in range(_BODIES)]


def _line(rnd: random.Random, number: int) -> bytes:
    if number % 9 == 8:
        return b"\n"
    first, second = rnd.choice(_WORDS), rnd.choice(_WORDS)
    return f"{'    ' * (number % 3)}{first}_{number} = {second}({rnd.randrange(1000)})\n".encode()


_TEXTS = _bodies()


def path_of(number: int) -> bytes:
    """The path of a file: ten files to a folder, four folders deep."""
    return b"part%02d/area%02d/unit%d/file%06d.py" % (number // 5000, number // 100 % 50, number // 10 % 10, number)


def content(number: int) -> bytes:
    """A file of about 100 lines and 2 KB."""
    return b"# file %06d\n" % number + b"".join(_TEXTS[number % _BODIES])


def edited(number: int, hunks: Collection[int] = _HUNKS, salt: int = 0, *, moved: bool = False) -> bytes:
    """The file with some of three hunks in it, far apart, or (``moved``) also edited by someone else elsewhere."""
    lines = content(number).splitlines(keepends=True)
    if 2 in hunks:
        del lines[-10:-8]
    if 1 in hunks:
        lines.insert(48, b"inserted_%d = %d\n" % (number, salt))
    if moved:
        lines[30] = b"moved_%d = True\n" % number
    if 0 in hunks:
        lines[12] = b"changed_%d = %d\n" % (number, salt)
    if moved:
        lines[1:1] = [b"import moved\n", b"import on\n"]
    return b"".join(lines)


def spread(files: int, count: int) -> list[int]:
    """The numbers of ``count`` files out of ``files``, from all folders."""
    return [k * files // count for k in range(count)]


def made_of(path: Path, files: int) -> Sandbox:
    """A repository with one commit of so many files, and nothing checked out yet."""
    sandbox = made(path)
    sandbox.git("config", "gc.auto", "0")
    entries = ((path_of(number), content(number)) for number in range(files))
    imported(sandbox, b"refs/heads/main", [(b".gitignore", b"*.log\nbuild/\n"), *entries])
    return sandbox


def imported(sandbox: Sandbox, ref: bytes, files: Iterable[tuple[bytes, bytes]], parent: str = "") -> str:
    """Write a commit of files on top of ``parent``, and return its id."""
    with subprocess.Popen(
        ["git", "fast-import", "--quiet", "--force"], cwd=sandbox.path, env=sandbox.environment, stdin=subprocess.PIPE
    ) as running:
        assert running.stdin
        for piece in stream(ref, files, parent):
            running.stdin.write(piece)
        running.stdin.close()
    assert running.returncode == 0
    return sandbox.text("rev-parse", ref.decode())


def stream(ref: bytes, files: Iterable[tuple[bytes, bytes]], parent: str = "") -> Iterator[bytes]:
    """What fast-import reads for a commit of files."""
    yield b"commit %s\ncommitter %s\ndata 4\nwork\n" % (ref, IDENTITY)
    if parent:
        yield b"from %s\n" % parent.encode()
    for path, data in files:
        yield b"M 100644 inline %s\ndata %d\n%s\n" % (path, len(data), data)


def changes(files: int, count: int, salt: int = 0) -> dict[bytes, bytes | None]:
    """About ``count`` changes: for each 20, 17 edits of three hunks, two new files and a deletion."""
    result: dict[bytes, bytes | None] = {}
    for k, number in enumerate(spread(files, count)):
        if k % 20 in (7, 14):
            result[path_of(number) + b".new.py"] = edited(number, salt=salt)
        else:
            result[path_of(number)] = None if k % 20 == 19 else edited(number, salt=salt)
    return result


def overlaid(folder: Path, changed: Mapping[bytes, bytes | None]) -> str:
    """Lay changes out in a folder; returns the shell command that brings them into the current one."""
    for path, data in changed.items():
        if data is not None:
            place = folder / "files" / path.decode()
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    gone = folder / "gone"
    gone.write_bytes(b"".join(path + b"\0" for path, data in changed.items() if data is None))
    return f"cp -r {folder}/files/. . && xargs -0 rm -f < {gone}"


def state_folder(sandbox: Sandbox) -> Path:
    """Where the state of the thread main is."""
    return sandbox.path / ("gitclaw" if (sandbox.path / "HEAD").exists() else ".gitclaw") / "state"


def propose(sandbox: Sandbox, changed: Mapping[bytes, bytes]) -> tuple[State, str]:
    """Record a proposal without a workspace; returns the state and the proposed commit."""
    with opened(sandbox.path, sandbox.environment) as repository:
        base = repository.head().oid
        ids = {path: blob_id("sha1", data) for path, data in changed.items()}
        writes = {path: Entry("100644", oid) for path, oid in ids.items()}
        with repository.open(base) as session:
            change = TreeChange(writes, {ids[path]: data for path, data in changed.items()})
            commit = session.record(base, "proposal\n", change, 1_700_000_000)
            found = list(suggest(repository.diff(base, commit), session.texts, 1, 1))
        repository.keep(commit)
    proposal = Proposal(1, base, commit, 1_700_000_000, ("agent",), 0, "suggest-only", "low", 0)
    state = proposed(State("main"), proposal, found)
    DirectoryStore(state_folder(sandbox), "main").save(state)
    return state, commit


def numbers(count: int) -> list[str]:
    """A selection of so many suggestions: every other one whole, of the others the first hunk."""
    return [str(k) if k % 2 else f"{k}.1" for k in range(1, count + 1)]


def selected(files: Sequence[int], count: int, *, moved: bool = False) -> list[tuple[bytes, bytes]]:
    """The files that ``numbers(count)`` leads to."""
    return [
        (path_of(number), edited(number, _HUNKS if k % 2 else (0,), moved=moved))
        for k, number in enumerate(files[:count], 1)
    ]
