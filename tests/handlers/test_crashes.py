"""A crash at any point leaves the old world or the new one, and the next command completes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gitclaw_py.adapters.directory_store import DirectoryStore
from gitclaw_py.adapters.git_checkout import GitCheckout
from gitclaw_py.core.diffs import Entry
from gitclaw_py.core.state import Decision, State, Status, statuses
from gitclaw_py.errors import ConflictError
from gitclaw_py.handlers.decide import apply, undo
from gitclaw_py.handlers.landing import Landed, Order
from gitclaw_py.ports.values import Move
from tests.cli.thirty_lines import TEXT
from tests.handlers.worlds import propose, world
from tests.sandbox import Sandbox


class Killed(BaseException):
    """The process is gone."""


class DiesBeforeSave(DirectoryStore):
    def save(self, state: State) -> None:  # noqa: ARG002
        raise Killed


class DiesAfterAnnouncing(DirectoryStore):
    def announce(self, decision: Decision, move: Move | None) -> None:
        super().announce(decision, move)
        raise Killed


class DiesBeforeIndex(GitCheckout):
    def write_index(self, writes: Mapping[bytes, Entry | None], hidden: object) -> None:  # noqa: ARG002
        raise Killed


class DiesBeforeFiles(GitCheckout):
    def write_worktree(self, writes: Mapping[bytes, Entry | None]) -> None:  # noqa: ARG002
        raise Killed


class DiesBetweenFiles(GitCheckout):
    def write_worktree(self, writes: Mapping[bytes, Entry | None]) -> None:
        for path, entry in list(writes.items())[:1]:
            super().write_worktree({path: entry})
        raise Killed


@pytest.fixture
def thread(repo: Sandbox) -> Sandbox:
    repo.write("a.txt", TEXT)
    repo.write("b.txt", TEXT)
    repo.write("old.txt", "old\n")
    repo.commit("base")

    def change(folder: Path) -> None:
        for name in ("a.txt", "b.txt"):
            (folder / name).write_text(TEXT.replace("line 3\n", "LINE 3\n"))
        (folder / "old.txt").unlink()

    propose(repo, change)
    return repo


Kill = dict[str, Callable[..., object]]
NEW_WORLD: list[Kill] = [
    {"store": DiesBeforeSave},
    {"checkout": DiesBeforeIndex},
    {"checkout": DiesBeforeFiles},
    {"checkout": DiesBetweenFiles},
]


@pytest.mark.parametrize("kill", NEW_WORLD, ids=lambda kill: next(iter(kill.values())).__name__)
@pytest.mark.parametrize("dirty", [False, True])
def test_once_the_branch_has_moved_the_next_command_finishes(thread: Sandbox, kill: Kill, dirty: bool) -> None:  # noqa: FBT001
    if dirty:
        thread.write("a.txt", TEXT.replace("line 20\n", "mine\n"))
    before = thread.head
    with pytest.raises(Killed), world(thread, **kill) as context:  # type: ignore[arg-type]
        apply(context, ["all"], Order(()))
    assert thread.head != before
    with world(thread) as context:
        apply(context, ["all"], Order(()))
        assert set(statuses(context.store.load()).values()) == {Status.APPLIED}
        assert context.store.announced() is None
    assert thread.text("rev-list", "--count", f"{before}..HEAD") == "1"
    assert thread.status == (" M a.txt\n" if dirty else "")
    assert (b"mine\n" in thread.read("a.txt")) == dirty
    with world(thread) as context:
        assert isinstance(undo(context, [], Order(())), Landed)
    assert thread.tree() == thread.tree(before)


def test_before_the_branch_has_moved_nothing_has_happened(thread: Sandbox) -> None:
    before = thread.fingerprint()
    with pytest.raises(Killed), world(thread, store=DiesAfterAnnouncing) as context:
        apply(context, ["1"], Order(()))
    assert thread.fingerprint() == before
    with world(thread) as context:
        outcome = apply(context, ["2"], Order(()))
        assert isinstance(outcome, Landed)
        assert statuses(outcome.state) == {"1.1": "pending", "2.1": "applied", "3": "pending"}


@pytest.mark.parametrize("checkout", [DiesBeforeFiles, DiesBetweenFiles])
def test_what_was_to_change_only_the_files_is_finished_too(thread: Sandbox, checkout: type[GitCheckout]) -> None:
    before = thread.head
    with pytest.raises(Killed), world(thread, checkout=checkout) as context:
        apply(context, ["all"], Order((), commits=False))
    assert "3 applied" in thread.gitclaw("status").out
    assert (thread.head, thread.status) == (before, " M a.txt\n M b.txt\n D old.txt\n")
    thread.gitclaw("undo")
    assert (thread.head, thread.status) == (before, "")


def test_an_edit_made_after_a_crash_is_not_overwritten(thread: Sandbox) -> None:
    with pytest.raises(Killed), world(thread, checkout=DiesBeforeFiles) as context:
        apply(context, ["1"], Order(()))
    thread.write("a.txt", TEXT.replace("line 3\n", "mine\n"))
    notes: list[str] = []
    with world(thread, notes=notes) as context:
        apply(context, ["2"], Order(()))
    assert thread.read("a.txt").decode() == TEXT.replace("line 3\n", "mine\n")
    assert notes == ["the last command was cut off; a.txt has edits of yours and was left as it is: see git diff"]


def test_an_edit_made_in_the_very_moment_is_merged_with_by_the_next_command(thread: Sandbox) -> None:
    mine = TEXT.replace("line 20\n", "mine\n")

    class Interrupted(DirectoryStore):
        def announce(self, decision: Decision, move: Move | None) -> None:
            super().announce(decision, move)
            thread.write("a.txt", mine)

    with (
        pytest.raises(ConflictError, match=r"a\.txt was edited meanwhile"),
        world(thread, store=Interrupted) as context,
    ):
        apply(context, ["1"], Order(()))
    assert thread.read("a.txt").decode() == mine
    with world(thread) as context:
        assert isinstance(apply(context, ["2"], Order(())), Landed)
    assert thread.read("a.txt").decode() == mine.replace("line 3\n", "LINE 3\n")
    assert thread.status == " M a.txt\n"


def test_a_branch_that_moved_meanwhile_is_not_moved_back(thread: Sandbox) -> None:
    class Interrupted(DirectoryStore):
        def announce(self, decision: Decision, move: Move | None) -> None:
            super().announce(decision, move)
            thread.git("commit", "-q", "--allow-empty", "-m", "someone else")

    with pytest.raises(ConflictError) as error, world(thread, store=Interrupted) as context:
        apply(context, ["1"], Order(()))
    assert error.value.code == "STATE_CONFLICT"
    assert thread.text("log", "-1", "--format=%s") == "someone else"
    assert thread.status == ""
    with world(thread) as context:
        assert isinstance(apply(context, ["1"], Order(())), Landed)
    assert thread.text("log", "-2", "--format=%s") == "Apply suggestion 1 in a.txt\nsomeone else"


def test_a_crash_is_finished_on_a_new_branch_that_took_the_files_along(thread: Sandbox) -> None:
    with pytest.raises(Killed), world(thread, checkout=DiesBeforeIndex) as context:
        apply(context, ["1"], Order(()))
    thread.git("checkout", "-q", "-b", "other")
    thread.gitclaw("status", "--thread", "main")
    assert thread.status == ""
    assert b"LINE 3\n" in thread.read("a.txt")


def test_what_was_announced_and_is_gone_did_not_happen(thread: Sandbox) -> None:
    with pytest.raises(Killed), world(thread, store=DiesAfterAnnouncing) as context:
        apply(context, ["1"], Order(()))
    thread.git("reflog", "expire", "--expire=now", "--all")
    thread.git("gc", "-q", "--prune=now")
    assert "3 pending" in thread.gitclaw("status").out
    thread.gitclaw("apply", "all")
    assert thread.status == ""


def test_a_broken_announcement_is_named(thread: Sandbox) -> None:
    for text in ("{", "{}", '{"move": ["x", "x", "x"], "decision": {}}', '{"move": ["x"], "decision": {}}'):
        path = thread.write(".gitclaw/state/main/announced.json", text)
        assert str(path) in thread.gitclaw("status", code=3).err
