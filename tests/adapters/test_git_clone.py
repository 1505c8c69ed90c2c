"""The clone that holds only what was asked for, and the push that moves all refs or none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from gitclaw_py.adapters.git_clone import GitClone
from gitclaw_py.adapters.git_connection import GitConnection
from gitclaw_py.errors import ConflictError, GitclawError, RefusedError
from gitclaw_py.hub.handle import RepositoryHandle
from gitclaw_py.hub.server import Hub
from gitclaw_py.ports.values import Move
from tests.sandbox import ENVIRONMENT

MAIN, STATE, ZERO = "refs/heads/main", "refs/gitclaw/threads/1", "0" * 40
WHO = b"Ada <ada@example.invalid> 1700000000 +0000"
FILES = {"a.txt": b"a\n", "folder/b.txt": b"b\n", "run.sh:x": b"#!/bin/sh\n"}


class Place(NamedTuple):
    """A repository on the hub, and a clone of it."""

    hub: Hub
    repo: RepositoryHandle
    clone: GitClone

    def git(self) -> list[str]:
        return [call.path for call in self.hub.log if ".git/" in call.path]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A clone with a token that may write."""
    with Hub(tmp_path / "hub") as hub:
        repo = hub.repository("octo/hello", FILES)
        yield Place(hub, repo, cloned(tmp_path / "clone", repo, repo.token()))


def cloned(folder: Path, repo: RepositoryHandle, token: str | None) -> GitClone:
    folder.mkdir()
    return GitClone(GitConnection(repo.clone_url, token, folder, ENVIRONMENT), ("bot", "bot@example.invalid"))


def written(clone: GitClone, ref: str, **files: bytes) -> Move:
    """One more commit on a ref of the clone, as a move."""
    clone.write(ref, WHO, b"change\n", {name.encode(): data for name, data in files.items()}, [])
    (move,) = clone.moves([ref])
    return move


def test_what_exists_is_fetched_and_what_does_not_is_left_out(place: Place) -> None:
    found = place.clone.fetch([MAIN, STATE, "refs/heads/gone"])
    assert found == {MAIN: place.repo.branch("main")}


def test_a_ref_that_is_gone_since_is_gone_here(place: Place) -> None:
    place.repo.push_files("topic", {"c.txt": b"c\n"}, place.repo.repository.owner)
    assert "refs/heads/topic" in place.clone.fetch(["refs/heads/topic"])
    place.repo.repository.git.git("update-ref", "-d", "refs/heads/topic")
    assert place.clone.fetch(["refs/heads/topic"]) == {}
    assert not place.clone.has("refs/heads/topic")


def test_the_clone_reads_its_refs_as_git_does(place: Place) -> None:
    clone = place.clone
    before = clone.fetch([MAIN])[MAIN]
    stored = written(clone, STATE, **{"state.json": b"{}"})
    with clone.at("main") as repository:
        moved = repository.record_tree(clone.tree(MAIN), before, "next", 0)
        repository.move(Move(MAIN, before, moved), "next")
        listed = repository.git.user("for-each-ref", "--format=%(refname) %(objectname)").decode().split("\n")
        seen = [clone.moves([MAIN, STATE, "refs/heads", "refs/heads/main/below"])]
        repository.git.user("pack-refs", "--all")
        seen.append(clone.moves([MAIN, STATE, "refs/heads", "refs/heads/main/below"]))
    assert seen == [[Move(MAIN, before, moved), stored]] * 2
    assert sorted(listed) == ["", f"{STATE} {stored.new}", f"{MAIN} {moved}"]


def test_entries_are_known_without_their_contents(place: Place) -> None:
    place.clone.fetch([MAIN])
    found = place.clone.entries(MAIN, [b"a.txt", b"run.sh", b"folder", b"gone"])
    assert {path: entry.mode for path, entry in found.items()} == {b"a.txt": "100644", b"run.sh": "100755"}


def test_contents_come_in_one_batch_and_only_once(place: Place) -> None:
    place.clone.fetch([MAIN])
    oids = [entry.oid for entry in place.clone.entries(MAIN, [b"a.txt", b"folder/b.txt"]).values()]
    before = len(place.git())
    place.clone.bring(oids)
    batch = len(place.git()) - before
    place.clone.bring(oids)
    assert len(place.git()) - before == batch == 2
    assert [place.clone.blob(oid) for oid in oids] == [b"a\n", b"b\n"]


def test_refs_move_together(place: Place) -> None:
    place.clone.fetch([MAIN, STATE])
    moves = [written(place.clone, MAIN, a=b"new"), written(place.clone, STATE, state=b"{}")]
    place.clone.push(moves)
    assert (place.repo.ref(MAIN), place.repo.ref(STATE)) == (moves[0].new, moves[1].new)
    assert place.clone.moves([MAIN, STATE]) == []


def test_one_that_moved_meanwhile_keeps_all_where_they_are(place: Place) -> None:
    place.clone.fetch([MAIN, STATE])
    theirs = place.repo.push_files("main", {"a.txt": b"theirs\n"}, place.repo.repository.owner)
    with pytest.raises(ConflictError) as refused:
        place.clone.push([written(place.clone, MAIN, a=b"ours"), written(place.clone, STATE, state=b"{}")])
    assert refused.value.code == "STATE_CONFLICT"
    assert (place.repo.branch("main"), place.repo.ref(STATE)) == (theirs, None)


def test_a_state_that_someone_else_made_first_is_not_overwritten(place: Place, tmp_path: Path) -> None:
    place.clone.fetch([MAIN, STATE])
    other = cloned(tmp_path / "other", place.repo, place.repo.token())
    other.fetch([STATE])
    theirs = written(other, STATE, state=b"theirs")
    other.push([theirs])
    with pytest.raises(ConflictError):
        place.clone.push([written(place.clone, STATE, state=b"ours")])
    assert place.repo.ref(STATE) == theirs.new


def test_a_protected_branch_keeps_the_state_where_it_is_too(place: Place) -> None:
    place.repo.protect("main")
    place.clone.fetch([MAIN, STATE])
    with pytest.raises(RefusedError) as refused:
        place.clone.push([written(place.clone, MAIN, a=b"new"), written(place.clone, STATE, state=b"{}")])
    assert refused.value.code == "BRANCH_PROTECTED"
    assert any("GH006" in line for line in refused.value.details)
    assert place.repo.ref(STATE) is None


def test_a_workflow_needs_a_permission_that_no_other_branch_gives(place: Place) -> None:
    place.clone.fetch([MAIN])
    place.clone.write(MAIN, WHO, b"ci\n", {b".github/workflows/ci.yml": b"on: push\n"}, [])
    with pytest.raises(RefusedError) as refused:
        place.clone.push(place.clone.moves([MAIN]))
    assert (refused.value.code, refused.value.what) == ("PERMISSION_DENIED", "The token may not change workflows")


def test_a_token_that_only_reads_is_told(place: Place, tmp_path: Path) -> None:
    reading = cloned(tmp_path / "other", place.repo, place.repo.token(contents="read"))
    reading.fetch([MAIN])
    with pytest.raises(RefusedError) as refused:
        reading.push([written(reading, MAIN, a=b"new")])
    assert refused.value.code == "PERMISSION_DENIED"


def test_a_repository_that_is_not_there_is_told(place: Place, tmp_path: Path) -> None:
    (tmp_path / "lost").mkdir()
    lost = GitClone(
        GitConnection(f"{place.hub.url}/octo/none.git", None, tmp_path / "lost", ENVIRONMENT),
        ("b", "b@example.invalid"),
    )
    with pytest.raises(GitclawError) as refused:
        lost.fetch([MAIN])
    assert refused.value.code == "FORGE_UNAVAILABLE"


def test_a_branch_that_was_only_started_has_not_happened(place: Place) -> None:
    head = place.clone.fetch([MAIN])[MAIN]
    place.clone.start("ours", head)
    assert place.clone.moves(["refs/heads/ours"]) == []
    move = written(place.clone, "refs/heads/ours", a=b"new")
    assert move.old == ZERO
    place.clone.push([move])
    assert place.repo.branch("ours") == move.new


def test_what_is_dropped_is_as_it_was_fetched(place: Place) -> None:
    head = place.clone.fetch([MAIN, STATE])[MAIN]
    place.clone.start("ours", head)
    for ref in (MAIN, STATE, "refs/heads/ours"):
        written(place.clone, ref, a=b"new")
    place.clone.reset([MAIN, STATE, "refs/heads/ours"])
    assert place.clone.moves([MAIN, STATE, "refs/heads/ours"]) == []
    assert not place.clone.has(STATE)


def test_what_is_delivered_replaces_what_was_left_there(place: Place) -> None:
    place.clone.fetch([MAIN])
    for data in (b"first", b"second"):
        move = written(place.clone, STATE, state=data)
        place.clone.deliver("refs/gitclaw/ahead/1", move.new)
        place.clone.reset([STATE])
    assert place.repo.ref("refs/gitclaw/ahead/1") == move.new


def test_what_a_commit_made_is_named_with_its_message(place: Place) -> None:
    head = place.clone.fetch([MAIN])[MAIN]
    move = written(place.clone, MAIN, new=b"new")
    made = place.clone.made(head, move.new)
    assert (made.parent, made.message) == (head, "change\n")
    assert {path: entry.mode if entry else None for path, entry in made.writes.items()} == {
        b"a.txt": None,
        b"folder/b.txt": None,
        b"run.sh": None,
        b"new": "100644",
    }
    assert place.clone.commits(head, move.new) == [move.new]


def test_files_that_conflict_are_named_and_those_that_go_together_are_not(place: Place) -> None:
    who, lines = place.repo.repository.owner, [b"line %d\n" % k for k in range(20)]

    def text(**changed: bytes) -> bytes:
        return b"".join(changed.get(f"l{k}", line) for k, line in enumerate(lines))

    start = {"both.txt": text(), "same.txt": text(), "apart.txt": text(), "gone.txt": text(), "mine.txt": text()}
    parted = place.repo.push_files("main", start, who)
    place.repo.push_files("topic", {"both.txt": text(l3=b"a\n"), "same.txt": text(l3=b"a\n")}, who)
    theirs = place.repo.push_files(
        "topic", {"apart.txt": text(l3=b"a\n"), "gone.txt": text(l3=b"a\n"), "new.txt": b"a\n", "s:@": b"a"}, who
    )
    ours = place.repo.push_files(
        "main",
        {
            "both.txt": text(l3=b"b\n"),
            "same.txt": text(l3=b"a\n"),
            "apart.txt": text(l17=b"b\n"),
            "gone.txt": None,
            "mine.txt": text(l3=b"b\n"),
            "new.txt": b"b\n",
            "s:@": b"b",
        },
        who,
    )
    assert place.clone.conflicts(parted, ours, theirs) == [b"both.txt", b"gone.txt", b"new.txt", b"s"]
    assert place.clone.conflicts(parted, ours, ours) == []
