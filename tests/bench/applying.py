"""G8 and G9: putting k of n suggestions on a branch, whole processes."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from tests.bench import repositories
from tests.bench.bench import Bench, size
from tests.bench.counting import CONSOLE, GitLog
from tests.bench.measure import Case, Row, alternate, process
from tests.sandbox import Sandbox

_PROPOSED = 200
_INDEX = (
    "git read-tree {base} && git apply --cached --whitespace=nowarn {patch} && "
    "git commit-tree -p {base} -m apply $(git write-tree)"
)
_IMPORTS = "import argparse, contextlib, enum, functools, gc, json, pathlib, re, signal, subprocess, typing"
"""What any command in Python has to import to read its arguments and a state, and to run git."""
_OURS = f"{_IMPORTS}\nimport gitclaw_py.cli.verbs"
_GIT = "for _ in range(4): subprocess.run(['git', '--version'], capture_output=True, check=True)"
_FLOORS = {
    "Python alone": "pass",
    "Python and what it brings along": _IMPORTS,
    "the same, and ours without doing anything": _OURS,
    "the same, and four git processes that do nothing": f"{_OURS}\n{_GIT}",
}
"""What can be had at best: nothing of an application is in these."""
_CHECKED_OUT = "git apply --index --whitespace=nowarn {patch} && git commit -q -m apply"


@dataclass
class Applying:
    """A repository with a proposal of n suggestions and two branches to apply them to.

    ``other`` is where the proposal was made, ``moved`` has another commit that edits all the same files.
    """

    sandbox: Sandbox
    folder: Path
    files: list[int]
    base: str
    moved: str
    state: bytes
    objects: Path
    there: frozenset[Path]

    def limit(self, count: int, branch: str) -> Case:
        """A raw fast-import of the files as they will be."""
        moved = branch == "moved"
        source = self.folder / f"{branch}-{count}.stream"
        files = repositories.selected(self.files, count, moved=moved)
        source.write_bytes(
            b"".join(repositories.stream(b"refs/heads/limit", files, self.moved if moved else self.base))
        )
        command = ["git", "fast-import", "--quiet", "--force"]
        return lambda: process(command, self.sandbox.path, self.sandbox.environment, source)

    def shell(self, script: str, count: int) -> Case:
        """A shell script that applies the same changes as a patch."""
        patch = self.folder / f"{count}.patch"
        commit = repositories.imported(
            self.sandbox, b"refs/heads/patched", repositories.selected(self.files, count), self.base
        )
        patch.write_bytes(self.sandbox.git("diff", "--binary", self.base, commit))
        index = {"GIT_INDEX_FILE": str(self.folder / "index")} if script is _INDEX else {}
        command = ["sh", "-c", script.format(base=self.base, patch=patch)]

        def run() -> float:
            self.reset(files=script is _CHECKED_OUT)
            (self.folder / "index").unlink(missing_ok=True)
            return process(command, self.sandbox.path, self.sandbox.environment | index)

        return run

    def ours(self, count: int, branch: str | None) -> Case:
        """gitclaw, to a branch, or to the one that is checked out."""
        command = [*CONSOLE, *self.arguments(count, branch)]

        def run() -> float:
            self.reset(files=branch is None)
            return process(command, self.sandbox.path, self.sandbox.environment)

        return run

    @staticmethod
    def arguments(count: int, branch: str | None) -> list[str]:
        """The arguments of gitclaw."""
        return ["apply", *repositories.numbers(count), *(["--branch", branch] if branch else [])]

    def floors(self) -> dict[str, Case]:
        """Processes that do nothing of what is asked."""

        def case(code: str) -> Case:
            command = [sys.executable, "-c", code]
            return lambda: process(command, self.sandbox.path, self.sandbox.environment)

        return {name: case(code) for name, code in _FLOORS.items()}

    def reset(self, *, files: bool = False) -> None:
        """Forget what was applied."""
        (repositories.state_folder(self.sandbox) / "main/state.json").write_bytes(self.state)
        self.sandbox.git("update-ref", "refs/heads/other", self.base)
        self.sandbox.git("update-ref", "refs/heads/moved", self.moved)
        if files:
            self.sandbox.git("reset", "-q", "--hard", self.base)

    def anew(self, case: Case) -> Case:
        """The same, where nothing of what it writes is there yet from an earlier round."""

        def run() -> float:
            self.reset()
            self.sandbox.git("update-ref", "-d", "refs/heads/limit")
            for path in self.objects.rglob("*"):
                if path.is_file() and path not in self.there:
                    path.unlink()
            return case()

        return run

    def check(self, count: int, branch: str) -> None:
        """See that gitclaw and the limit make the same tree."""
        self.limit(count, branch)()
        self.ours(count, branch)()
        assert self.sandbox.tree(branch) == self.sandbox.tree("limit"), (count, branch)


def prepared(sandbox: Sandbox, folder: Path, files: int) -> Applying:
    """Make the proposal and the branches."""
    chosen = repositories.spread(files, min(_PROPOSED, files))
    paths = {number: repositories.path_of(number) for number in chosen}
    ordered = sorted(chosen, key=paths.__getitem__)
    _, commit = repositories.propose(sandbox, {paths[n]: repositories.edited(n) for n in ordered})
    base = sandbox.text("rev-parse", commit + "^")
    elsewhere = [(paths[n], repositories.edited(n, (), moved=True)) for n in ordered]
    moved = repositories.imported(sandbox, b"refs/heads/moved", elsewhere, base)
    sandbox.git("update-ref", "refs/heads/other", base)
    state = (repositories.state_folder(sandbox) / "main/state.json").read_bytes()
    objects = sandbox.path / sandbox.text("rev-parse", "--git-path", "objects")
    return Applying(sandbox, folder, ordered, base, moved, state, objects, frozenset(objects.rglob("*")))


def measured(bench: Bench) -> list[Row]:
    """The rows of G8 and G9."""
    rows, indexed, checked_out = list[Row](), list[Row](), list[Row]()
    for files in bench.sizes:
        for name, make in {"a repository": bench.checkout, "a bare clone": bench.bare}.items():
            one = prepared(make(files), bench.scratch("apply"), files)
            for count in (1, 10, 100):
                one.check(count, "other")
                one.check(count, "moved")
                rows += _branch(one, bench, f"{count} of {_PROPOSED}, {size(files)}, {name}", count)
            if name == "a bare clone":
                indexed += _indexed(one, bench, files)
            else:
                rows += [_anew(one, bench, files, count) for count in (1, 10, 100)]
                checked_out += _checked_out(one, bench, files)
    return [*sorted(rows, key=lambda row: row.goal), *_growth(bench), *indexed, *checked_out]


def _branch(one: Applying, bench: Bench, what: str, count: int) -> list[Row]:
    times = alternate(
        {
            f"{kind} {branch}": make(count, branch)
            for branch in ("other", "moved")
            for kind, make in (("limit", one.limit), ("ours", one.ours))
        },
        bench.rounds,
    )
    at_base, moved = times.pair("limit other", "ours other"), times.pair("limit moved", "ours moved")
    return [
        at_base.row("G8", f"apply {what}", "<= +60 ms", met=at_base.over <= 60),
        moved.row("G9", f"apply {what}, moved head", "<= +120 ms", met=moved.over <= 120),
    ]


def _anew(one: Applying, bench: Bench, files: int, count: int) -> Row:
    """As it is outside of a bench: what is written was not there. A bare clone has all that its repository has."""
    cases = {"limit": one.limit(count, "other"), "ours": one.ours(count, "other")}
    pair = alternate({name: one.anew(case) for name, case in cases.items()}, bench.rounds).pair("limit", "ours")
    return pair.row(
        "G8", f"apply {count} of {_PROPOSED}, {size(files)}, of new objects", "<= +60 ms", met=pair.over <= 60
    )


def _growth(bench: Bench) -> list[Row]:
    """The large repository against the small one."""
    small, large = (prepared(bench.bare(files), bench.scratch(f"apply-{files}"), files) for files in bench.sizes)
    rows = []
    for count in (1, 10, 100):
        pair = alternate({"small": small.ours(count, "other"), "large": large.ours(count, "other")}, bench.rounds).pair(
            "small", "large"
        )
        what = f"apply {count}, {size(bench.sizes[1])} against {size(bench.sizes[0])}"
        rows.append(pair.row("G8", what, "<= 1.4x", met=pair.ratio <= 1.4))
    return rows


def _indexed(one: Applying, bench: Bench, files: int) -> list[Row]:
    rows = []
    for count in (1, 10, 100):
        cases = {"index": one.shell(_INDEX, count), "ours": one.ours(count, "other")}
        if count == 1:
            cases |= one.floors() | {"limit": one.limit(count, "other")}
        times = alternate(cases, bench.rounds)
        pair = times.pair("index", "ours")
        if count == 1:
            rows += [times.pair("limit", name).row("G8", f"  floor: {name}, over the limit") for name in _FLOORS]
            rows += [times.pair("index", name).row("G8", f"  floor: {name}, against read-tree") for name in _FLOORS]
        what = f"apply {count}, {size(files)}, against read-tree + apply --cached"
        if files == 100_000:
            rows.append(pair.row("G8", what, "<= 0.15x", met=pair.ratio <= 0.15))
        else:
            rows.append(pair.row("G8", what))
    return rows


def _checked_out(one: Applying, bench: Bench, files: int) -> list[Row]:
    rows = []
    for count in (1, 10, 100):
        cases = {"git": one.shell(_CHECKED_OUT, count), "ours": one.ours(count, None)}
        pair = alternate(cases, bench.rounds).pair("git", "ours")
        rows.append(pair.row("G8", f"apply {count}, {size(files)}, checked out, against apply --index + commit"))
    one.reset(files=True)
    return rows


def processes(folder: Path, count: int, branch: str | None, *, break_index: bool = False) -> list[str]:
    """The git commands of an application, sorted, since some begin at once.

    With ``break_index``, of one that would fail if it read the index.
    """
    sandbox = repositories.made_of(folder / "repo", 2 * count)
    sandbox.git("reset", "-q", "--hard")
    one = prepared(sandbox, folder, 2 * count)
    if break_index:
        (sandbox.path / ".git/index").write_bytes(b"not an index")
    commands = GitLog(folder / "bin").commands(sandbox, *one.arguments(count, branch))
    if branch:
        one.limit(count, branch)()
        assert sandbox.tree(branch) == sandbox.tree("limit")
    return sorted(commands)


def counted(bench: Bench) -> list[Row]:
    """The counts of G8 and G9."""
    rows = []
    for goal, branch, most in (("G8", "other", None), ("G9", "moved", 6), ("G8", None, None)):
        few, many = (processes(bench.scratch("count"), k, branch, break_index=branch is not None) for k in (1, 100))
        assert few == many or branch is None, (few, many)
        where = {"other": "a branch", "moved": "a moved head", None: "the branch checked out"}[branch]
        target, met = (f"<= {most}", len(many) <= most) if most else ("", None)
        rows.append(
            Row(goal, f"git processes of apply to {where}", "", str(len(many)), "", target, met, ", ".join(many))
        )
    return rows
