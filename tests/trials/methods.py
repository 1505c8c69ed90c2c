"""The methods under trial: the product's ladder, and two commands of git that people would use instead.

Each answers a list of trials with the new text, or with None where it asks or reports a conflict.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from gitclaw_py.core.alignment import Comparison
from gitclaw_py.core.placing import Change, Placed, place, unplaced
from gitclaw_py.core.scripts import split_lines
from tests.trials.trial import Scratch, Text, Trial

Answers = list[Text | None]
_AT_ONCE = 400


def gitclaw(trials: Sequence[Trial], scratch: Scratch) -> Answers:
    """The product: all of the chosen hunks or a question."""
    placed = _placed([(trial.change, trial.current) for trial in trials], scratch)
    return [None if unplaced(found.findings.values()) else found.text for found in placed]


def gitclaw_partial(trials: Sequence[Trial], scratch: Scratch) -> list[tuple[frozenset[int], Text] | None]:
    """What ``apply --partial`` does: leave out what is in question, again and again; which hunks, and the text."""
    chosen = [trial.change.chosen for trial in trials]
    texts: Answers = [None] * len(trials)
    left = list(range(len(trials)))
    while left:
        questions = [(trials[n].change._replace(chosen=chosen[n]), trials[n].current) for n in left]
        for n, found in zip(tuple(left), _placed(questions, scratch), strict=True):
            stuck = {k for k, finding in found.findings.items() if unplaced([finding])}
            chosen[n] -= stuck
            if not stuck:
                texts[n] = found.text
            if not stuck or not chosen[n]:
                left.remove(n)
    return [None if text is None else (some, text) for some, text in zip(chosen, texts, strict=True)]


def _placed(questions: Sequence[tuple[Change, Text]], scratch: Scratch) -> list[Placed]:
    found: list[Placed] = []
    for start in range(0, len(questions), _AT_ONCE):
        found += _placed_at_once(questions[start : start + _AT_ONCE], scratch)
    return found


def _placed_at_once(questions: Sequence[tuple[Change, Text]], scratch: Scratch) -> list[Placed]:
    while True:
        found = [place(change, current, scratch.known) for change, current in questions]
        wanted = [comparison for comparison in found if isinstance(comparison, Comparison)]
        if not wanted:
            return [placed for placed in found if isinstance(placed, Placed)]
        scratch.compare(wanted)


def merge_file(trials: Sequence[Trial], scratch: Scratch) -> Answers:
    """``git merge-file`` of the current text and the changed one."""

    def merged(trial: Trial) -> Text | None:
        with TemporaryDirectory(prefix="trials-") as folder:
            for name, text in (("current", trial.current), ("before", trial.before), ("after", trial.after)):
                (Path(folder) / name).write_bytes(b"".join(text))
            command = ["git", "merge-file", "-p", "-q", "current", "before", "after"]
            done = subprocess.run(
                command, cwd=folder, env=scratch.sandbox.environment, capture_output=True, check=False
            )
        return tuple(split_lines(done.stdout)) if done.returncode == 0 else None

    with ThreadPoolExecutor() as pool:
        return list(pool.map(merged, trials))


def apply_3way(trials: Sequence[Trial], scratch: Scratch) -> Answers:
    """``git apply -3`` of the change as a patch, to an index with the current texts; one process for all."""
    git = scratch.sandbox.git
    current, before, after = (
        scratch.commit(getattr(trial, side) for trial in trials) for side in ("current", "before", "after")
    )
    patch = git("diff", "--full-index", "--binary", "--no-renames", before, after)
    git("read-tree", current)
    git("apply", "--3way", "--cached", "--whitespace=nowarn", stdin=patch, code=None)
    answers: Answers = [None] * len(trials)
    with scratch.repository.open(current) as session:
        for line in git("ls-files", "--stage", "-z").split(b"\0")[:-1]:
            about, _, name = line.partition(b"\t")
            _, oid, stage = about.decode().split(" ")
            if stage == "0":
                answers[int(name)] = tuple(split_lines(session.text(oid)))
    return answers


OTHERS: dict[str, Callable[[Sequence[Trial], Scratch], Answers]] = {
    "git merge-file": merge_file,
    "git apply -3": apply_3way,
}
