"""``python -m tests.replay --repository PATH``: real commits as what an agent did, through the real handlers.

The parent is the base and the commit's tree the proposal. For each commit: applying everything gives that
very tree; some parts in several steps give the same as at once, and with the rest the tree again; taking
everything back gives the base; the state survives its file. For some of them files are checked out as well:
a suggestion leaves them alone, and after each decision they are what the branch says.

The repository is only read: all work is done in one that borrows its objects. The exit code is 1 if
anything was otherwise.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from gitclaw_py.adapters.directory_store import DirectoryStore
from gitclaw_py.adapters.directory_workspace import DirectoryWorkspaces
from gitclaw_py.adapters.git_checkout import GitCheckout
from gitclaw_py.adapters.git_history import commits
from gitclaw_py.adapters.git_repository import GitRepository, opened
from gitclaw_py.core import state_json
from gitclaw_py.core.modes import Mode
from gitclaw_py.core.risk import Risk
from gitclaw_py.core.secrets import Watch
from gitclaw_py.core.state import State
from gitclaw_py.handlers import decide, suggest
from gitclaw_py.handlers.context import Context
from gitclaw_py.handlers.landing import Landed, Order
from gitclaw_py.handlers.watched import Watched
from gitclaw_py.ports.engine import Agent, Workspaces
from tests.borrowed import borrowing
from tests.committed import CommitAgent, CommittedWorkspaces
from tests.sandbox import Sandbox

_REQUEST = suggest.Request(("replay",), suggest.Base.COMMIT, Mode.SUGGEST_ONLY, Risk.LOW)
_STEPS = 3


@dataclass
class Report:
    """What was looked at, and what was not as it should be."""

    counts: Counter[str] = field(default_factory=Counter)
    mismatches: list[str] = field(default_factory=list)

    def check(self, what: str, commit: str, expected: object, found: object) -> None:
        self.counts[what] += 1
        if expected != found:
            self.mismatches.append(f"{commit[:12]}: {what}: {found!r} instead of {expected!r}")


class Replay:
    """One commit at a time, in a scratch repository at ``sandbox``."""

    def __init__(self, sandbox: Sandbox, seed: int) -> None:
        self.report = Report()
        self._sandbox = sandbox
        self._rng = random.Random(seed)

    def without_files(self, commit: str, parent: str) -> None:
        """Land on branches that nobody has checked out."""
        self._sandbox.git("update-ref", "refs/heads/main", parent)
        with self._context(commit, checked_out=False) as (context, _):
            state = self._suggested(context, CommittedWorkspaces(self._sandbox, commit), CommitAgent(commit))
            if state is None or any(s.blocked for s in state.suggestions):
                self.report.counts["commits with nothing to propose, or with something blocked"] += 1
                return
            self._check_state(commit, state)
            self._at("whole", parent)
            careful = any(s.careful for s in state.suggestions)
            self._do(context, decide.apply, _all_parts(state) if careful else ["all"], "whole")
            self._check_tree("all parts give the commit's tree", commit, commit, "whole")
            self._undo_all(context, "whole", commit, parent)
            self._in_steps(context, commit, parent)
        self.report.counts["commits"] += 1

    def _in_steps(self, context: Watched, commit: str, parent: str) -> None:
        parts = _shuffled(_all_parts(context.store.load()), self._rng)
        some = parts[: self._rng.randint(1, len(parts))]
        done: list[str] = []
        self._at("steps", parent)
        for batch in _batches(some, self._rng):
            if words := _completed(context.store.load(), batch, done):
                self._do(context, decide.apply, words, "steps")
                done += words
        self._at("once", parent)
        with self._context("once " + commit, checked_out=False) as (other, _):
            known = context.store.load()
            other.store.save(State("once", known.proposals, known.suggestions))
            self._do(other, decide.apply, done, "once")
        self._check_tree("parts in steps are the parts at once", commit, "once", "steps")
        rest = [part for part in parts if part not in done]
        if rest:
            self._do(context, decide.apply, rest, "steps")
        self._check_tree("the rest after some parts gives the commit's tree", commit, commit, "steps")
        if not any(s.requires for s in context.store.load().suggestions):
            self._undo_in_steps(context, commit, parent)
        else:
            self._undo_all(context, "steps", commit, parent)

    def _undo_in_steps(self, context: Watched, commit: str, parent: str) -> None:
        for batch in _batches(_shuffled(_all_parts(context.store.load()), self._rng), self._rng):
            self._do(context, decide.undo, batch, "steps")
        self._check_tree("undo in any order gives the base", commit, parent, "steps")

    def _undo_all(self, context: Watched, branch: str, commit: str, parent: str) -> None:
        while isinstance(decide.undo(context, [], Order((), branch=branch)), Landed):
            pass
        self._check_tree("undo of everything gives the base", commit, parent, branch)

    def with_files(self, commit: str, parent: str) -> bool:
        """With files checked out, an exported workspace and an agent that edits it; False if it cannot be judged."""
        git = self._sandbox.git
        git("checkout", "-q", "-f", "-B", "main", parent)
        git("clean", "-ffdxq")
        agent = CommitAgent(commit, self._sandbox)
        if self._sandbox.status or not agent.can_replay():
            return False
        before = self._sandbox.fingerprint()
        with self._context("files " + commit, checked_out=True) as (context, repository):
            state = self._suggested(context, DirectoryWorkspaces(repository), agent)
        self.report.check("suggest leaves files, index and branches alone", commit, before, self._sandbox.fingerprint())
        if state is None or any(s.blocked for s in state.suggestions):
            return False
        self._check_tree("the proposal is the commit's tree", commit, commit, state.proposals[-1].commit)
        parts = _shuffled(_all_parts(state), self._rng)
        done: list[str] = []
        for batch in _batches(parts, self._rng):
            if words := _completed(state, batch, done):
                self._with_files(commit, decide.apply, words)
                done += words
        self._check_tree("all parts give the commit's tree, with files", commit, commit, "main")
        while self._with_files(commit, decide.undo, []):
            pass
        self._check_tree("undo of everything gives the base, with files", commit, parent, "main")
        self.report.counts["commits with files"] += 1
        return True

    def _with_files(self, commit: str, verb: Callable[..., object], words: Sequence[str]) -> bool:
        """One decision, as one call of the command line makes it; the files must follow the branch."""
        with self._context("files " + commit, checked_out=True) as (context, _):
            result = verb(context, words, Order(()))
            if words and not isinstance(result, Landed):
                self.report.mismatches.append(f"{commit[:12]}: {words} did not land: {result!r}"[:400])
        self.report.check("the files follow the branch", commit, "", self._sandbox.status)
        return isinstance(result, Landed)

    # -- the pieces --

    @contextmanager
    def _context(self, thread: str, *, checked_out: bool) -> Iterator[tuple[Watched, GitRepository]]:
        with opened(self._sandbox.path, self._sandbox.environment) as repository:
            store = DirectoryStore(self._sandbox.path / ".gitclaw/state", thread)
            checkout = GitCheckout(repository) if checked_out else None
            context = Context(repository, checkout, store, lambda: 0, "replay", self._noted)
            yield Watched(context, Watch()), repository

    def _noted(self, note: str) -> None:
        """Nothing is left unfinished here, so there is nothing to tell."""
        self.report.mismatches.append(note)

    def _suggested(self, context: Watched, workspaces: Workspaces, agent: Agent) -> State | None:
        outcome = suggest.run(context, _REQUEST, workspaces, agent, lambda _seconds, _line: None)
        if isinstance(outcome, suggest.NothingProposed):
            return None
        self.report.counts["suggestions"] += len(outcome.suggestions)
        self.report.counts["parts"] += len(_all_parts(outcome.state))
        return outcome.state

    def _do(self, context: Watched, verb: Callable[..., object], words: Sequence[str], branch: str) -> None:
        result = verb(context, words, Order((), branch=branch))
        if not isinstance(result, Landed):
            self.report.mismatches.append(f"{words} on {branch} did not land: {result!r}"[:400])

    def _at(self, branch: str, commit: str) -> None:
        self._sandbox.git("update-ref", f"refs/heads/{branch}", commit)

    def _check_state(self, commit: str, state: State) -> None:
        document = state_json.dump(state)
        again = state_json.load(document)
        self.report.check("the state survives its document", commit, state, again)
        self.report.check("the document is the same again", commit, document, state_json.dump(again))

    def _check_tree(self, what: str, commit: str, expected: str, found: str) -> None:
        self.report.check(what, commit, self._sandbox.tree(expected), self._sandbox.tree(found))


def _all_parts(state: State) -> list[str]:
    return [name for s in state.suggestions for name in s.parts]


def _shuffled(parts: list[str], rng: random.Random) -> list[str]:
    return rng.sample(parts, len(parts))


def _batches(parts: Sequence[str], rng: random.Random) -> list[list[str]]:
    cuts = sorted(rng.sample(range(1, len(parts)), min(_STEPS - 1, len(parts) - 1)))
    return [list(parts[a:b]) for a, b in zip([0, *cuts], [*cuts, len(parts)], strict=True)]


def _completed(state: State, batch: Iterable[str], done: Sequence[str]) -> list[str]:
    """The batch with what it cannot be applied without, and without what is applied already."""
    wanted = [part for part in batch if part not in done]
    for part in wanted:
        s = state.suggestion(int(part.partition(".")[0]))
        for number in s.requires if s else ():
            needed = state.suggestion(number)
            first = needed.parts[0] if needed else ""
            if first not in done and first not in wanted:
                wanted.append(first)
    return wanted


def replay(source: Path, most: int, files: int, seed: int = 1) -> Report:
    """Replay the last ``most`` commits of ``source``; about ``files`` of them with files checked out."""
    with TemporaryDirectory(prefix="replay-") as folder:
        sandbox = borrowing(Path(folder) / "repo", source)
        history = commits(sandbox.path, most)
        run = Replay(sandbox, seed)
        for number, (commit, parent) in enumerate(history):
            run.without_files(commit, parent)
            # Spread over the history; one that cannot be judged is made up for by the next.
            if run.report.counts["commits with files"] * len(history) <= number * files and files:
                run.with_files(commit, parent)
        return run.report


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.replay", description=__doc__)
    parser.add_argument("--repository", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=500)
    parser.add_argument("--files", type=int, default=30, help="how many of them with files checked out")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.monotonic()
    report = replay(options.repository, options.commits, options.files, options.seed)
    for what, count in report.counts.items():
        print(f"{count:7}  {what}")
    print(f"{len(report.mismatches):7}  mismatches")
    for mismatch in report.mismatches:
        print(mismatch)
    print(f"{time.monotonic() - started:.0f} s")
    return int(bool(report.mismatches))


if __name__ == "__main__":
    sys.exit(main())
