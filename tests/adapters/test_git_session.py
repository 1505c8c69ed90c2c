"""What a session writes: commits on top of a parent, and on top of nothing."""

from __future__ import annotations

from gitclaw_py.adapters.git_repository import opened
from gitclaw_py.core.diffs import Entry, blob_id
from gitclaw_py.ports.values import TreeChange
from tests.sandbox import Sandbox


def _adding(path: bytes, data: bytes) -> TreeChange:
    oid = blob_id("sha1", data)
    return TreeChange({path: Entry("100644", oid)}, {oid: data})


def test_commits_on_top_of_nothing_have_their_own_files_and_no_parent(repo: Sandbox) -> None:
    repo.write(b"here.txt", b"here\n")
    head = repo.commit()
    with opened(repo.path, repo.environment) as repository, repository.open(head) as session:
        first = session.record(None, "first\n", _adding(b"a.txt", b"a\n"), 1_700_000_000)
        second = session.record(None, "second\n", _adding(b"b.txt", b"b\n"), 1_700_000_000)
        third = session.record(head, "third\n", _adding(b"c.txt", b"c\n"), 1_700_000_000)
    parents = [repo.text("log", "-1", "--format=%P", oid) for oid in (first, second, third)]
    assert parents == ["", "", head]
    assert [repo.text("ls-tree", "--name-only", oid) for oid in (first, second)] == ["a.txt", "b.txt"]
    assert "c.txt" in repo.text("ls-tree", "--name-only", third).split("\n")
