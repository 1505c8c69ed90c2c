"""Every change case, proposed, applied whole and in parts, and taken back: bit for bit, in both ways.

One way proposes what is in the person's working tree. The other has an agent make the same change in a
workspace, where a file is the plain bytes of its blob.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from gitclaw_py.core.scripts import splice, split_lines
from gitclaw_py.core.state import State, statuses
from gitclaw_py.core.state_json import dump, load
from gitclaw_py.core.suggestions import Kind, Suggestion
from gitclaw_py.errors import ConflictError
from gitclaw_py.handlers.decide import NothingToDo
from gitclaw_py.handlers.landing import Landed, Stuck
from gitclaw_py.handlers.suggest import NothingProposed, Suggested
from tests.cases.case import GITLINK, Case, Expected, Row
from tests.cases.catalogue import CASES
from tests.cases.desk import Desk, Hand
from tests.cases.oracle import (
    Files,
    Tree,
    blobs_of,
    expected_tree,
    files_in,
    ids_of,
    partial_tree,
    raw_changes,
    suggested_changes,
    tree_of,
)
from tests.sandbox import Sandbox

_SNAPSHOTS = [name for name, case in CASES.items() if case.snapshot]
_WORKSPACES = [name for name, case in CASES.items() if case.workspace]
_REFUSED = [name for name, case in CASES.items() if case.refused]

_NO_MAINTENANCE = "[maintenance]\n\tauto = false\n"
"""Spares two processes for each commit."""


@dataclass(frozen=True)
class Start:
    """The repository before the change."""

    commit: str
    tree: Tree
    files: Files
    algorithm: str


def begun(case: Case, repo: Sandbox) -> Start:
    """The case's repository, with the setup committed."""
    with (repo.path / ".git/config").open("a") as config:
        config.write(_NO_MAINTENANCE)
    case.setup(repo)
    commit = repo.commit("base")
    repo.git("branch", "other")
    return Start(commit, tree_of(repo, commit), files_in(repo.path), "sha1" if len(commit) == 40 else "sha256")


@pytest.mark.parametrize("name", _SNAPSHOTS)
def test_what_is_in_the_working_tree(name: str, repo: Sandbox) -> None:
    propose_the_working_tree(CASES[name], repo)


@pytest.mark.parametrize("name", _WORKSPACES)
def test_what_an_agent_did(name: str, repo: Sandbox) -> None:
    propose_from_a_workspace(CASES[name], repo)


@pytest.mark.parametrize("name", _REFUSED)
def test_what_must_not_be_proposed(name: str, repo: Sandbox) -> None:
    case = CASES[name]
    begun(case, repo)
    case.change(repo)
    before = repo.fingerprint()
    with pytest.raises(ConflictError) as caught:
        Desk(repo).suggest()
    assert caught.value.code == case.refused
    assert repo.fingerprint() == before
    assert Desk(repo).state == State("main")


def propose_the_working_tree(case: Case, repo: Sandbox) -> None:
    """One way: the change is made in the working tree, and a snapshot of it is the proposal."""
    assert case.snapshot
    start, desk = begun(case, repo), Desk(repo)
    case.change(repo)
    before, changed = repo.fingerprint(), files_in(repo.path)
    outcome = desk.suggest()
    assert repo.fingerprint() == before
    check_warnings(outcome, case.snapshot)
    gitlinks = {row.path: _commit_in(repo, row) for row in case.snapshot.rows if row.new == GITLINK}
    tree = expected_tree(start.tree, changed, case.snapshot, gitlinks, start.algorithm)
    if not case.snapshot.rows:
        check_nothing(outcome, desk, start, tree)
        return
    check_proposal(outcome, repo, start, tree, case.snapshot)
    assert repo.fingerprint()["refs"] == before["refs"]
    check_decisions(desk, start, case.snapshot, changed)


def propose_from_a_workspace(case: Case, repo: Sandbox) -> None:
    """The other way: an agent makes the change in a workspace; the person's files are as in the base."""
    assert case.workspace
    start, desk, agent = begun(case, repo), Desk(repo), Hand(case.change)
    before = repo.fingerprint()
    outcome = desk.suggest(agent)
    assert repo.fingerprint() == before
    check_warnings(outcome, case.workspace)
    tree = expected_tree(start.tree, agent.left, case.workspace, {}, start.algorithm)
    if not case.workspace.rows:
        check_nothing(outcome, desk, start, tree)
        return
    check_proposal(outcome, repo, start, tree, case.workspace)
    check_decisions(desk, start, case.workspace, None)


def _commit_in(repo: Sandbox, row: Row) -> str:
    return Sandbox(repo.path / row.path.decode()).head


def check_warnings(outcome: Suggested | NothingProposed, expected: Expected) -> None:
    if expected.warning:
        assert any(expected.warning in warning for warning in outcome.warnings), outcome.warnings
    else:
        assert outcome.warnings == ()


def check_nothing(outcome: Suggested | NothingProposed, desk: Desk, start: Start, tree: Tree) -> None:
    """Nothing is proposed, nothing is remembered, and rightly so."""
    assert isinstance(outcome, NothingProposed)
    assert tree == start.tree
    assert desk.state == State("main")


def check_proposal(
    outcome: Suggested | NothingProposed, repo: Sandbox, start: Start, tree: Tree, expected: Expected
) -> None:
    """What is proposed is what was changed, and what is said about it is what git says."""
    assert isinstance(outcome, Suggested)
    assert outcome.proposal.base == start.commit
    assert ids_of(repo, f"{outcome.proposal.commit}^@") == [start.commit]
    assert tree_of(repo, outcome.proposal.commit) == tree
    assert [_row(s) for s in outcome.suggestions] == [_without_units(row) for row in expected.rows]
    for s, row in zip(outcome.suggestions, expected.rows, strict=True):
        assert row.units is None or len(s.hunks) == row.units
    assert suggested_changes(outcome.suggestions) == raw_changes(repo, start.commit, outcome.proposal.commit)
    check_hunks(repo, outcome.suggestions)
    check_document(outcome.state)


def _row(s: Suggestion) -> Row:
    old, new = (side.mode if side else "" for side in (s.old, s.new))
    return Row(s.kind, s.path, old, new, s.old_path if s.is_renamed else None, blocked=bool(s.blocked))


def _without_units(row: Row) -> Row:
    return Row(row.kind, row.path, row.old, row.new, row.old_path, blocked=row.blocked)


def check_hunks(repo: Sandbox, suggestions: tuple[Suggestion, ...]) -> None:
    """All hunks make the old text into the new one, none leave it as it is, and only text has hunks."""
    blobs = blobs_of(repo, (side.oid for s in suggestions for side in (s.old, s.new) if side and s.hunks))
    for s in suggestions:
        assert bool(s.hunks) == (s.kind is Kind.MODIFY or (s.kind is Kind.RENAME and _content_differs(s)))
        if s.hunks and s.old and s.new:
            old, new = split_lines(blobs[s.old.oid]), split_lines(blobs[s.new.oid])
            assert splice(old, s.hunks) == new
            assert splice(old, ()) == old
            assert s.added == sum(len(hunk.lines) for hunk in s.hunks)
            assert s.removed == sum(hunk.end - hunk.start for hunk in s.hunks)


def _content_differs(s: Suggestion) -> bool:
    return s.old is not None and s.new is not None and s.old.oid != s.new.oid


def check_document(state: State) -> None:
    """The stored document gives the state back, and no reader of lines takes its lines apart otherwise."""
    document = dump(state)
    assert load(document) == state
    assert dump(load(document)) == document
    assert document.decode("ascii").splitlines() == document.decode("ascii").removesuffix("\n").split("\n")


def check_decisions(desk: Desk, start: Start, expected: Expected, changed: Files | None) -> None:
    """Parts on one branch, all on the other, and back; ``changed`` are the files where they have it already."""
    repo, proposal = desk.sandbox, desk.state.proposals[-1].commit
    parts = [part for s in desk.state.suggestions if not s.blocked for part in s.parts]
    blocked = [s for s in desk.state.suggestions if s.blocked]
    assert ids_of(repo, "main", "other") == [start.commit] * 2
    if not parts:
        nothing = desk.apply("all")
        assert isinstance(nothing, NothingToDo)
        assert [part for part, _ in nothing.skipped] == [str(s.number) for s in blocked]
        assert repo.head == start.commit
        return
    if len(parts) > 1 or changed is None:
        check_in_two_steps(desk.on_thread("steps"), start, parts, proposal)
    check_whole(desk, start, expected, proposal, changed)


def check_in_two_steps(desk: Desk, start: Start, parts: list[str], proposal: str) -> None:
    """Some of several parts and then the rest, on a branch that is not checked out; then all back at once."""
    repo, state = desk.sandbox, desk.state
    before = repo.fingerprint()
    some = some_of(parts, state)
    if some:
        assert isinstance(desk.apply(*some, branch="other"), Landed)
        oids = [side.oid for s in state.suggestions for side in (s.old, s.new) if side and side.mode != GITLINK]
        wanted = partial_tree(start.tree, state.suggestions, some, blobs_of(repo, oids), start.algorithm)
        assert tree_of(repo, "other") == wanted
    rest = whole_of(state, [part for part in parts if part not in some])
    assert isinstance(desk.apply(*rest, branch="other"), Landed)
    assert isinstance(desk.undo(*parts, branch="other"), Landed)
    assert ids_of(repo, "other~^{tree}", "other^{tree}", "main") == [
        *ids_of(repo, f"{proposal}^{{tree}}", f"{start.commit}^{{tree}}"),
        start.commit,
    ]
    after = repo.fingerprint()
    assert {**after, "refs": ""} == {**before, "refs": ""}


def whole_of(state: State, parts: list[str]) -> list[str]:
    """How all that is left is named: what does not show as it is, is not among ``all``."""
    return parts if any(s.careful for s in state.suggestions) else ["all"]


def some_of(parts: list[str], state: State) -> list[str]:
    """Some, but not all, of the parts, chosen by chance, with what they cannot be without."""
    chance = random.Random(repr(parts))
    needy = {part for s in state.suggestions if s.requires for part in s.parts}
    mixed = sorted(chance.sample(parts, len(parts)), key=lambda part: part in needy)
    return mixed[: chance.randint(1, len(mixed) - 1)] if len(mixed) > 1 else []


def check_whole(desk: Desk, start: Start, expected: Expected, proposal: str, changed: Files | None) -> None:
    """Everything at once on the branch that is checked out, and back: branch, index and files together."""
    repo = desk.sandbox
    before = repo.fingerprint()
    parts = [part for s in desk.state.suggestions if not s.blocked for part in s.parts]
    landed = desk.apply(*whole_of(desk.state, parts))
    if expected.held:
        assert isinstance(landed, Stuck)
        assert repo.fingerprint() == before
        return
    assert isinstance(landed, Landed)
    assert landed.left == ()
    assert set(statuses(desk.state).values()) == {"applied"}
    assert repo.status == expected.applied
    assert changed is None or files_in(repo.path) == changed
    undone = desk.undo()
    tip, tree, parent, proposed, base = ids_of(
        repo, "HEAD", f"{landed.commit}^{{tree}}", f"{landed.commit}^", f"{proposal}^{{tree}}", "HEAD^{tree}"
    )
    assert (tree, parent) == (proposed, start.commit)
    if expected.stuck:
        assert isinstance(undone, Stuck)
        assert undone.where == "your files"
        assert tip == landed.commit
        assert repo.status == expected.applied
        return
    assert isinstance(undone, Landed)
    assert base == repo.tree(start.commit)
    assert set(statuses(desk.state).values()) == {"pending"}
    if changed is not None:
        # What a person had not committed is not committed again, and still theirs.
        assert files_in(repo.path) == changed
        return
    assert repo.status == expected.undone
    if not (expected.converted or expected.undone):
        assert {path: file for path, file in files_in(repo.path).items() if path not in expected.unseen} == start.files
