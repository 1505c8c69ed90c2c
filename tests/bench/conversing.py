"""G10 and G13: ``/apply`` in a thread from nothing, and many threads at once, on a GitHub of this machine."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from gitclaw_py.adapters.git_clone import GitClone
from gitclaw_py.adapters.git_connection import GitConnection
from gitclaw_py.adapters.git_store import GitStore
from gitclaw_py.core.state import State
from gitclaw_py.hub.bare import BareRepository, RefMove
from tests.bench import repositories
from tests.bench.bench import Bench, size
from tests.bench.measure import Row, alternate, process
from tests.conversations.talk import Talk, talking
from tests.sandbox import ENVIRONMENT

_CHANGED = (1, 10)
_THREADS = 100
_FLOORS = {
    "importing PyGithub": "import github",
    "importing PyGithub and pydantic": "import github, pydantic",
}
"""What ``/apply`` needs of the libraries; git works meanwhile, but Python can do nothing else."""
_MEANWHILE = """
import subprocess, sys
clone = subprocess.Popen(["sh", "-c", sys.argv[1]])
import github, pydantic
class Settings(pydantic.BaseModel):
    mode: str = ""
assert not clone.wait()
subprocess.run(["sh", "-c", sys.argv[2]], check=True)
"""
"""The same limit as ours could reach it: the libraries are ready to be used once the clone is there."""


def measured(bench: Bench) -> list[Row]:
    """The rows of G10: a blobless clone and a push of a commit that is ready, against a whole ``/apply``."""
    rows = []
    for files in bench.sizes:
        for count in _CHANGED:
            with _proposed(bench, files, count) as talk:
                rows += _rows(bench, talk, f"/apply of {count}, {size(files)}")
    return rows


def _rows(bench: Bench, talk: Talk, what: str) -> list[Row]:
    start = len(talk.hub.log)
    _apply(talk)
    api, git = talk.requests(start)
    _undo(talk)

    def ours() -> float:
        took = _apply(talk)
        _undo(talk)
        return took

    folder = bench.scratch("clone")
    cases = {"limit": lambda: _clone_and_push(talk, folder), "ours": ours}
    cases |= {
        name: partial(process, [sys.executable, "-c", code], folder, ENVIRONMENT) for name, code in _FLOORS.items()
    }
    cases["meanwhile"] = lambda: _clone_and_push(talk, folder, _MEANWHILE)
    times = alternate(cases, bench.rounds)
    pair = times.pair("limit", "ours")
    return [
        pair.row("G10", f"{what}, against a blobless clone and a push", "<= 1.5x", met=pair.ratio <= 1.5),
        *(times.pair("limit", name).row("G10", f"  floor: {name}, no git and no request") for name in _FLOORS),
        times.pair("limit", "meanwhile").row("G10", "  floor: the limit, and the libraries imported while it clones"),
        Row("G10", f"{what}, git requests", "", str(len(git)), "", "<= 8", len(git) <= 8),
        Row("G11", f"{what}, API requests", "", str(len(api)), "", "<= 6", len(api) <= 6),
    ]


@contextmanager
def _proposed(bench: Bench, files: int, count: int) -> Iterator[Talk]:
    """A thread with a proposal that changes ``count`` files of a large repository."""
    source = bench.bare(files)
    with talking(bench.scratch("talk")) as talk:
        git = talk.repo.repository.git
        configuration = talk.file("suggestions.json")
        git.fetch(BareRepository(source.path), source.head)
        git.move([RefMove("refs/heads/main", None, source.head)])
        talk.repo.push_files("main", {"suggestions.json": configuration}, talk.mona)
        paths = [repositories.path_of(number).decode() for number in range(count)]
        talk.say("/gitclaw\n\n" + "\n".join(f"write {path} changed" for path in paths))
        assert len(talk.state()["suggestions"]) == count
        yield talk


def _apply(talk: Talk) -> float:
    talk.post("/apply all")
    event, payload = talk.waiting.pop()
    return run(talk, event, payload)


def _undo(talk: Talk) -> None:
    talk.say("/undo")


def run(talk: Talk, event: str, payload: dict[str, Any]) -> float:
    """The seconds that a process of the bot takes for an event, isolated from the start as in the workflow."""
    path = talk.folder / "event.json"
    path.write_text(json.dumps(payload), encoding="utf-8")
    command = [sys.executable, "-I", "-m", "gitclaw_py", "run", "--event", str(path), "--event-name", event]
    return process(command, talk.folder, talk.variables())


def _clone_and_push(talk: Talk, folder: Path, program: str | None = None) -> float:
    """What has to go over the wire in any case: the trees of a commit, and a new commit.

    A ``program`` in Python gets the commands for the one and for the other, and carries them out.
    """
    place = folder / f"{time.monotonic_ns():x}"
    address = talk.repo.clone_url.replace("://", f"://x:{talk.token}@")
    commit = talk.repo.branch("main")
    clone = f"git clone -q --depth=1 --filter=blob:none --no-checkout {address} {place}"
    push = (
        f"cd {place} && "
        f"git push -q origin $(git commit-tree -p {commit} -m limit {commit}^{{tree}}):refs/heads/limit-{place.name}"
    )
    command = [sys.executable, "-c", program, clone, push] if program else ["sh", "-c", f"{clone} && {push}"]
    return process(command, folder, {**ENVIRONMENT, **_WHO})


_WHO = {f"GIT_{role}_{what}": "limit" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def at_once(bench: Bench) -> list[Row]:
    """The row of G13: as many threads as there are, each with a ``/reject``, all started at the same instant."""
    count = 20 if bench.quick else _THREADS
    with talking(bench.scratch("threads")) as talk:
        events = []
        for _ in range(count):
            talk.open()
            talk.say("/gitclaw\n\nwrite added.txt hello")
            talk.post("/reject")
            events.append(talk.waiting.pop())
        started = time.perf_counter()
        with ThreadPoolExecutor(count) as pool:
            codes = list(pool.map(lambda given: _coded(talk, *given), enumerate(events)))
        took = time.perf_counter() - started
        pushes = sum(call.method == "POST" and call.path.endswith("git-receive-pack") for call in talk.hub.log)
    good = sum(code == 0 for code in codes)
    tries = f"{pushes - count} pushes for {count} threads"
    return [
        Row("G13", f"{count} threads at once, that succeed", "", str(good), "", f"{count}", good == count, tries),
        Row("G13", f"{count} threads at once, all done", "", f"{took:.1f} s", "", "<= 3 s", took <= 3),
    ]


def state_alone(bench: Bench) -> list[Row]:
    """The row of G13 for the state by itself: fetched, changed and pushed by as many writers, without a bot around."""
    count = 20 if bench.quick else _THREADS
    with talking(bench.scratch("states")) as talk:
        folder = bench.scratch("clones")
        took = _at_once(count, lambda number: _written(talk, folder / f"state-{number}", number))
        git = _at_once(count, lambda number: _pushed(talk, folder / f"git-{number}", number))
    what = f"the state of {count} threads, written at once"
    return [
        Row("G13", what, f"{git:.1f} s", f"{took:.1f} s", f"{took / git:.2f}x", "<= 3 s", took <= 3, _LIMIT_OF_STATE)
    ]


def _at_once(count: int, work: Callable[[int], object]) -> float:
    started = time.perf_counter()
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(work, range(1, count + 1)))
    return time.perf_counter() - started


_LIMIT_OF_STATE = "the limit are as many shell scripts: init, fetch of a ref that is not there, commit-tree, push"


def _pushed(talk: Talk, folder: Path, number: int) -> None:
    """The least that a new state on a ref takes: three git commands on our side, without Python."""
    folder.mkdir()
    address = talk.repo.clone_url.replace("://", f"://x:{talk.token}@")
    ref = f"refs/gitclaw/floor/{number}"
    script = (
        f"git init -q --bare --template= . && ! git fetch -q --depth=1 {address} {ref} 2>/dev/null && "
        f"git push -q {address} $(git commit-tree -m state $(git mktree < /dev/null)):{ref}"
    )
    process(["sh", "-c", script], folder, {**ENVIRONMENT, **_WHO})


def _written(talk: Talk, folder: Path, number: int) -> None:
    folder.mkdir()
    clone = GitClone(
        GitConnection(talk.repo.clone_url, talk.token, folder, talk.variables()),
        ("bench", "bench@localhost"),
    )
    store = GitStore(clone, number, folder / "log", lambda: 0)
    clone.fetch([store.ref])
    store.save(State(str(number)))
    clone.push(clone.moves([store.ref]))


def _coded(talk: Talk, number: int, given: tuple[str, dict[str, Any]]) -> int:
    path = talk.folder / f"at-once-{number}.json"
    path.write_text(json.dumps(given[1]), encoding="utf-8")
    command = [sys.executable, "-m", "gitclaw_py", "run", "--event", str(path), "--event-name", given[0]]
    return subprocess.run(command, env=talk.variables(), capture_output=True, check=False).returncode
