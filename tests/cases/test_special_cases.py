"""What the catalogue cannot say: other kinds of repository, refusals, lost objects, and people who work meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitclaw_py.core.diffs import Entry
from gitclaw_py.core.state import State
from gitclaw_py.errors import ConflictError, RefusedError, UsageError
from gitclaw_py.handlers import decide
from gitclaw_py.handlers.landing import Landed, Order, Stuck
from gitclaw_py.handlers.suggest import NothingProposed, Suggested
from tests.cases.case import LINES, Case, called_git, removed, steps, wrote
from tests.cases.catalogue import CASES
from tests.cases.desk import Desk, Hand
from tests.cases.oracle import tree_of
from tests.cases.test_every_case import propose_from_a_workspace, propose_the_working_tree
from tests.sandbox import Sandbox, made

_A_FEW = (
    "modify",
    "create",
    "empty_to_content",
    "rename_edit",
    "rename_chmod_edit",
    "symlink_create",
    "binary_nul",
    "dir_to_file",
)
_BOTH_ENDS = LINES.replace(b"line 2\n", b"LINE 2\n").replace(b"line 18\n", b"LINE 18\n")


@pytest.mark.parametrize("name", _A_FEW)
def test_a_repository_with_sha256_names(name: str, tmp_path: Path) -> None:
    propose_the_working_tree(CASES[name], made(tmp_path / "tree", "--object-format=sha256"))
    propose_from_a_workspace(CASES[name], made(tmp_path / "workspace", "--object-format=sha256"))


@pytest.mark.parametrize("name", _A_FEW)
def test_a_split_index(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    split = Case(
        steps(called_git("config", "core.splitIndex", "true"), case.setup), case.change, case.snapshot, case.workspace
    )
    for run, folder in ((propose_the_working_tree, "tree"), (propose_from_a_workspace, "workspace")):
        repo = made(tmp_path / folder)
        run(split, repo)
        assert list((repo.path / ".git").glob("sharedindex.*"))


class TestSparseCheckout:
    """Files that a person keeps out of the working tree."""

    @pytest.fixture
    def sparse(self, repo: Sandbox) -> Sandbox:
        repo.write("in/a", LINES)
        repo.write("out/b", LINES)
        repo.commit()
        repo.git("sparse-checkout", "set", "in")
        assert not (repo.path / "out").exists()
        return repo

    def test_are_not_proposed_for_deletion(self, sparse: Sandbox) -> None:
        assert isinstance(Desk(sparse).suggest(), NothingProposed)
        sparse.write("in/a", _BOTH_ENDS)
        outcome = Desk(sparse).suggest()
        assert isinstance(outcome, Suggested)
        assert [s.path for s in outcome.suggestions] == [b"in/a"]

    def test_are_changed_on_the_branch_alone(self, sparse: Sandbox) -> None:
        base, desk = sparse.tree(), Desk(sparse)
        outcome = desk.suggest(Hand(steps(wrote("in/a", _BOTH_ENDS), wrote("out/b", _BOTH_ENDS))))
        assert isinstance(outcome, Suggested)
        assert isinstance(desk.apply("all"), Landed)
        assert sparse.tree() == sparse.tree(outcome.proposal.commit)
        assert sparse.read("in/a") == _BOTH_ENDS
        assert not (sparse.path / "out").exists()
        assert sparse.status == ""
        assert isinstance(desk.undo(), Landed)
        assert sparse.tree() == base
        assert sparse.read("in/a") == LINES
        assert not (sparse.path / "out").exists()
        assert sparse.status == ""


class TestFileInPlaceOfFolder:
    """A new file needs the files of the folder to go, and they do not need it."""

    @pytest.fixture
    def desk(self, repo: Sandbox) -> Desk:
        case = CASES["dir_to_file"]
        case.setup(repo)
        repo.commit()
        desk = Desk(repo)
        desk.suggest(Hand(case.change))
        return desk

    def test_the_file_alone_is_refused(self, desk: Desk) -> None:
        head = desk.sandbox.head
        for words in (["1"], ["1,2"], ["1", "3"]):
            with pytest.raises(UsageError) as caught:
                desk.apply(*words)
            assert caught.value.code == "UNKNOWN_NUMBER"
        assert desk.sandbox.head == head
        assert desk.sandbox.status == ""

    def test_the_deletions_alone_are_harmless(self, desk: Desk) -> None:
        assert isinstance(desk.apply("2"), Landed)
        assert set(tree_of(desk.sandbox, "HEAD")) == {b"p/y"}
        assert isinstance(desk.apply("3"), Landed)
        assert tree_of(desk.sandbox, "HEAD") == {}
        assert isinstance(desk.apply("1"), Landed)
        assert desk.sandbox.tree() == desk.sandbox.tree(desk.state.proposals[0].commit)
        assert desk.sandbox.status == ""

    def test_a_person_who_keeps_something_in_the_folder_keeps_it(self, desk: Desk) -> None:
        desk.sandbox.write("p/mine", b"mine\n")
        head = desk.sandbox.head
        stuck = desk.apply("all")
        assert isinstance(stuck, Stuck)
        assert stuck.where == "your files"
        assert desk.sandbox.read("p/mine") == b"mine\n"
        assert desk.sandbox.head == head


def test_a_repository_inside_is_never_applied_by_name(repo: Sandbox) -> None:
    case = CASES["nested_repo"]
    case.setup(repo)
    head = repo.commit()
    case.change(repo)
    Desk(repo).suggest()
    with pytest.raises(RefusedError) as caught:
        Desk(repo).apply("1")
    assert caught.value.code == "BLOCKED_PATH"
    assert repo.head == head


def test_nothing_is_applied_into_an_unfinished_merge(repo: Sandbox) -> None:
    case = CASES["unmerged"]
    case.setup(repo)
    repo.commit()
    case.change(repo)
    desk = Desk(repo)
    assert isinstance(desk.suggest(Hand(wrote("f", b"agent\n"))), Suggested)
    before, state = repo.fingerprint(), desk.state
    with pytest.raises(ConflictError) as caught:
        desk.apply("all")
    assert caught.value.code == "GIT_CONFLICT"
    assert repo.fingerprint() == before
    assert desk.state == state


def _lose(repo: Sandbox, entry: Entry | None) -> None:
    assert entry
    (repo.path / ".git/objects" / entry.oid[:2] / entry.oid[2:]).unlink()


class TestLostObjects:
    """A proposal whose objects the repository no longer has is refused, not guessed."""

    @pytest.fixture
    def desk(self, repo: Sandbox) -> Desk:
        repo.write("f", LINES)
        repo.commit()
        desk = Desk(repo)
        desk.suggest(Hand(wrote("f", _BOTH_ENDS)))
        return desk

    def _refused(self, desk: Desk, *words: str) -> None:
        before, state = desk.sandbox.fingerprint(), desk.state
        with pytest.raises(ConflictError) as caught:
            desk.apply(*words)
        assert caught.value.code == "INVALID_DIFF"
        assert desk.sandbox.fingerprint() == before
        assert desk.state == state

    def test_the_base_of_a_part(self, desk: Desk) -> None:
        _lose(desk.sandbox, desk.state.suggestions[0].old)
        self._refused(desk, "1.1")

    def test_the_base_of_a_file_that_moved_on(self, desk: Desk) -> None:
        desk.sandbox.write("f", LINES + b"later\n")
        desk.sandbox.commit()
        _lose(desk.sandbox, desk.state.suggestions[0].old)
        self._refused(desk, "all")

    def test_the_new_content(self, desk: Desk) -> None:
        _lose(desk.sandbox, desk.state.suggestions[0].new)
        self._refused(desk, "all")


class TestMeanwhile:
    """A person who works while a command is under way."""

    def test_the_branch_moves_between_reading_and_writing(self, repo: Sandbox) -> None:
        repo.write("f", LINES)
        repo.commit()
        desk = Desk(repo)
        desk.suggest(Hand(wrote("f", _BOTH_ENDS)))
        state = desk.state
        with desk.context() as (context, _):
            repo.write("g", b"mine\n")
            mine = repo.commit("mine")
            before = repo.fingerprint()
            with pytest.raises(ConflictError) as caught:
                decide.apply(context, ["all"], Order(()))
        assert caught.value.code == "STATE_CONFLICT"
        assert repo.fingerprint() == before
        assert desk.state == state
        assert isinstance(desk.apply("all"), Landed)
        assert repo.text("rev-parse", "HEAD^") == mine
        assert (repo.read("f"), repo.read("g")) == (_BOTH_ENDS, b"mine\n")
        assert repo.status == ""

    def test_staged_work_on_the_same_file_stays_staged(self, repo: Sandbox) -> None:
        repo.write("f", LINES)
        repo.commit()
        desk = Desk(repo)
        desk.suggest(Hand(wrote("f", LINES.replace(b"line 2\n", b"LINE 2\n"))))
        repo.write("f", LINES.replace(b"line 18\n", b"LINE 18\n"))
        repo.git("add", "f")
        assert isinstance(desk.apply("all"), Landed)
        assert repo.git("cat-file", "blob", "HEAD:f") == LINES.replace(b"line 2\n", b"LINE 2\n")
        assert repo.git("cat-file", "blob", ":f") == repo.read("f") == _BOTH_ENDS
        assert repo.status == "M  f\n"

    def test_work_in_a_submodule_is_not_replaced_by_a_file(self, repo: Sandbox) -> None:
        CASES["submodule_to_file"].setup(repo)
        head = repo.commit()
        desk = Desk(repo)
        desk.suggest(Hand(steps(removed("sub"), wrote("sub", b"file\n"))))
        repo.write("sub/a", b"unsaved\n")
        repo.write("sub/new", b"unsaved\n")
        assert isinstance(desk.apply("all"), Stuck)
        assert repo.read("sub/a") == repo.read("sub/new") == b"unsaved\n"
        assert repo.head == head


def test_a_change_that_was_not_decided_on_is_not_remembered_twice(repo: Sandbox) -> None:
    repo.write("f", LINES)
    repo.commit()
    desk = Desk(repo)
    desk.suggest(Hand(wrote("f", _BOTH_ENDS)))
    state = desk.state
    again = desk.suggest(Hand(wrote("f", _BOTH_ENDS)))
    assert isinstance(again, NothingProposed)
    assert again.repeated == (1,)
    assert desk.state == state != State("main")
