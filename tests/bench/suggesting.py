"""G4, G5 and G7: what ``gitclaw suggest`` costs beside the workspace and the agent."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tests.bench import repositories
from tests.bench.bench import Bench, size
from tests.bench.counting import RECORDING, WORKSPACE, GitLog
from tests.bench.measure import Case, Row, alternate, process, together
from tests.sandbox import Sandbox

_LIMIT = (("git", "diff", "HEAD", "-M"), ("git", "ls-files", "-o", "--exclude-standard"))
_PARTS = ("make", "agent", "read back", "record", "diff", "rest", "remove")


@dataclass
class _Suggest:
    """``gitclaw suggest`` with one set of changes, again and again; what its parts took."""

    sandbox: Sandbox
    folder: Path
    count: int
    files: int
    parts: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in _PARTS})
    peak_mib: float = 0.0
    salt: int = 0

    def __call__(self) -> float:
        """The seconds without making and removing the workspace and without the agent."""
        self.salt += 1
        changed = repositories.changes(self.files, self.count, self.salt)
        shutil.rmtree(self.folder, ignore_errors=True)
        script = repositories.overlaid(self.folder, changed)
        shutil.rmtree(self.sandbox.path / ".gitclaw", ignore_errors=True)
        return self.timed(script)

    def timed(self, script: str) -> float:
        """One run with ``script`` as the agent."""
        report = self.folder / "report.json"
        command = [
            sys.executable,
            "-m",
            "tests.bench.timed",
            str(report),
            "suggest",
            "--json",
            "--",
            "sh",
            "-c",
            script,
        ]
        started = time.perf_counter()
        process(command, self.sandbox.path, self.sandbox.environment)
        whole = time.perf_counter() - started
        found: dict[str, float] = json.loads(report.read_bytes())
        self.peak_mib = max(self.peak_mib, found.pop("peak_kib") / 1024)
        ours = whole - found["make"] - found["agent"] - found["remove"]
        found["rest"] = ours - sum(found[part] for part in ("read back", "record", "diff"))
        for name in _PARTS:
            self.parts[name].append(found[name])
        return ours

    def note(self) -> str:
        """What the parts took."""
        medians = {name: 1e3 * median(took) for name, took in self.parts.items()}
        parts = ", ".join(f"{name} {ms:.0f}" for name, ms in medians.items())
        counts = "making, agent and removing do not count; to record the proposal does, which the limit does not do"
        return f"whole process {sum(medians.values()):.0f} ms: {parts}; {counts}"


@dataclass
class _Recording:
    """A raw ``git fast-import`` of such changes, each time with contents that the repository does not have yet."""

    sandbox: Sandbox
    folder: Path
    count: int
    files: int
    salt: int = 1_000_000

    def __call__(self) -> float:
        self.salt += 1
        changed = repositories.changes(self.files, self.count, self.salt)
        kept = ((path, data) for path, data in changed.items() if data is not None)
        source = self.folder / "recording"
        source.write_bytes(b"".join(repositories.stream(b"refs/heads/recorded", kept, self.sandbox.head)))
        command = ("git", "fast-import", "--quiet", "--force")
        return process(command, self.sandbox.path, self.sandbox.environment, source)


def measured(bench: Bench) -> list[Row]:
    """The rows of G4."""
    sizes = bench.sizes if bench.quick else (bench.sizes[0], 10_000, bench.sizes[1])
    counts = (1, 100) if bench.quick else (1, 100, 1000)
    return [row for files in sizes for count in counts for row in _measured(bench, files, count)]


def _measured(bench: Bench, files: int, count: int) -> list[Row]:
    """A suggestion against the limit, and against the limit with git's own recording of what was changed."""
    sandbox = bench.checkout(files)
    suggest = _Suggest(sandbox, bench.folder / "overlay", count, files)
    changed = repositories.changes(files, count)
    _age(sandbox)
    _write(sandbox, changed)
    environment = {**sandbox.environment, "GIT_OPTIONAL_LOCKS": "0"}
    recording = _Recording(sandbox, bench.scratch("recording"), count, files)
    cases: dict[str, Case] = {"limit": lambda: together(_LIMIT, sandbox.path, environment), "ours": suggest}
    cases["recorded"] = lambda: together(_LIMIT, sandbox.path, environment) + recording()
    cases["floor"] = lambda: walked(sandbox.path)
    # Making a workspace of 100,000 files takes so long that five rounds have to do.
    times = alternate(cases, min(bench.rounds, 5) if files > 10_000 else bench.rounds)
    _restore(sandbox)
    what = f"suggest, {count} changes, {size(files)}"
    note = f"{suggest.note()}; the floor of reading back, a bare scandir and lstat of all: {times.ms('floor'):.0f} ms"
    target = "<= 1.3x +50 ms"
    return [
        times.pair(limit, "ours").row("G4", said, target, met=times.over(limit, "ours", 1.3) <= 50, note=told)
        for limit, said, told in (("limit", what, note), ("recorded", f"{what}, limit records too", ""))
    ]


def walked(top: Path) -> float:
    """The seconds of a no-follow walk in Python that asks for every file and does nothing with the answer."""
    started = time.perf_counter()
    stack = [os.fsencode(top)]
    while stack:
        with os.scandir(stack.pop()) as items:
            stack += [item.path for item in items if stat.S_ISDIR(item.stat(follow_symlinks=False).st_mode)]
    return time.perf_counter() - started


def _age(sandbox: Sandbox) -> None:
    """Make the index one that is older than a second: before, git reads files that nobody changed, each time anew.

    https://git-scm.com/docs/racy-git
    """
    time.sleep(1.1)
    sandbox.git("read-tree", "HEAD")
    sandbox.git("update-index", "-q", "--refresh")


def _write(sandbox: Sandbox, changed: Mapping[bytes, bytes | None]) -> None:
    for path, data in changed.items():
        if data is None:
            sandbox.remove(path)
        else:
            sandbox.write(path, data)


def _restore(sandbox: Sandbox) -> None:
    shutil.rmtree(sandbox.path / ".gitclaw", ignore_errors=True)
    sandbox.git("clean", "-qfd")
    sandbox.git("checkout", "-q", "HEAD", "--", ".")
    assert not sandbox.status


def processes(folder: Path, files: int, counts: tuple[int, ...]) -> dict[int, list[str]]:
    """The git commands of a suggestion in the order of their names: some run at once; one file is a new one."""
    found = {}
    for count in counts:
        place = folder / str(count)
        sandbox = repositories.made_of(place / "repo", files)
        sandbox.git("reset", "-q", "--hard")
        changed: dict[bytes, bytes | None] = {
            repositories.path_of(k): repositories.edited(k) for k in repositories.spread(files, count)
        }
        changed[b"new.py"] = b"new = True\n"
        script = repositories.overlaid(place / "overlay", changed)
        log = GitLog(place / "bin")
        found[count] = sorted(log.commands(sandbox, "suggest", "--json", "--", "sh", "-c", script))
    return found


def others(commands: list[str]) -> list[str]:
    """The commands that neither make nor read the workspace, nor write the proposal's objects."""
    return [command for command in commands if command not in WORKSPACE | RECORDING]


def counted(bench: Bench) -> list[Row]:
    """The rows of G5."""
    few, many = (1, 300)
    found = processes(bench.scratch("processes"), 600, (few, many))
    assert found[few] == found[many], found
    mine = others(found[many])
    return [
        Row(
            "G5",
            f"git processes of suggest, {many} changes",
            f"{few}: {len(found[few])}",
            str(len(found[many])),
            "",
            "the same",
            met=True,
            note=", ".join(found[many]),
        ),
        Row("G5", "  without workspace and recording", "", str(len(mine)), "", "<= 3", len(mine) <= 3, ", ".join(mine)),
    ]


def memory(bench: Bench) -> list[Row]:
    """The rows of G7."""
    shapes = {
        "new files of 30 KB": {b"new/%d.py" % k: _large(k, 1000) for k in range(30 if bench.quick else 300)},
        "small edits in files of 1 MB": {b"large/%d.py" % k: b"edited\n" + _large(k, 36_000) for k in range(20)},
    }
    rows = []
    for name, changed in shapes.items():
        sandbox = repositories.made_of(bench.scratch("memory") / "repo", 100)
        sandbox.git("reset", "-q", "--hard")
        if name.startswith("small"):
            for path, data in changed.items():
                sandbox.write(path, data.removeprefix(b"edited\n"))
            sandbox.commit()
        suggest = _Suggest(sandbox, bench.scratch("memory/overlay"), 0, 0)
        suggest.timed(repositories.overlaid(suggest.folder, dict(changed)))
        commit = sandbox.state()["proposals"][0]["commit"]
        diff = len(sandbox.git("diff", "HEAD", commit)) / 2**20
        limit = 30 + 6 * diff
        ours = suggest.peak_mib
        rows.append(
            Row(
                "G7",
                f"peak memory, {name}, diff of {diff:.1f} MiB",
                f"{limit:.0f} MiB",
                f"{ours:.0f} MiB",
                f"{ours / limit:.2f}x",
                "<= 30 MiB + 6x diff",
                ours <= limit,
            )
        )
    return rows


def _large(number: int, lines: int) -> bytes:
    return b"".join(b"    value_%d = compute(%d)\n" % (k, number * k) for k in range(lines))
