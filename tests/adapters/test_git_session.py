"""What a session writes: commits on top of a parent, and on top of nothing."""

from __future__ import annotations

import pytest

from gitclaw_py.adapters import fast_import, git_session
from gitclaw_py.adapters.git_repository import opened
from gitclaw_py.core.diffs import Entry, blob_id
from gitclaw_py.errors import ConflictError
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


def _texts(count: int) -> dict[str, bytes]:
    texts = [b"text %d\n" % k * 3_000 for k in range(count)]
    return {blob_id("sha1", text): text for text in texts}


def _with(repo: Sandbox, texts: dict[str, bytes]) -> str:
    for oid, text in texts.items():
        repo.write(oid.encode(), text)
    return repo.commit()


@pytest.mark.parametrize("held", [0, 100_000, git_session._HELD])
@pytest.mark.parametrize("order", [1, -1, 7])
def test_texts_that_were_expected_are_the_same_in_any_order(
    repo: Sandbox, order: int, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_session, "_HELD", held)
    texts = _texts(90)
    head = _with(repo, texts)
    oids = list(texts)
    asked = [oids[k * order % len(oids)] for k in range(len(oids))]
    with opened(repo.path, repo.environment) as repository, repository.open(head) as session:
        session.expect([*oids, *oids])
        assert [session.text(oid) for oid in asked] == [texts[oid] for oid in asked]
        session.expect([])
        assert session.text(oids[0]) == texts[oids[0]]


def test_only_who_reads_a_text_that_is_gone_is_told_so(repo: Sandbox) -> None:
    texts = _texts(5)
    head = _with(repo, texts)
    gone, *rest = list(texts)
    (repo.path / ".git/objects" / gone[:2] / gone[2:]).unlink()
    with opened(repo.path, repo.environment) as repository, repository.open(head) as session:
        session.expect([*rest[:2], gone, *rest[2:]])
        assert [session.text(oid) for oid in rest] == [texts[oid] for oid in rest]
        assert session.entry(rest[0].encode()) == Entry("100644", rest[0])
        with pytest.raises(ConflictError, match=gone):
            session.text(gone)


@pytest.mark.parametrize("remembered", [0, 100_000, fast_import._REMEMBERED])
def test_what_was_just_recorded_is_read_with_what_was_there_in_any_order(
    repo: Sandbox, remembered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fast_import, "_REMEMBERED", remembered)
    texts = _texts(60)
    there, new = list(texts)[:30], list(texts)[30:]
    head = _with(repo, {oid: texts[oid] for oid in there})
    change = TreeChange({oid.encode(): Entry("100644", oid) for oid in new}, {oid: texts[oid] for oid in new})
    mixed = [oid for pair in zip(new, there, strict=True) for oid in pair] * 2
    with opened(repo.path, repo.environment) as repository, repository.open(head) as session:
        session.record(head, "new\n", change, 1_700_000_000)
        assert list(session.texts(mixed)) == [texts[oid] for oid in mixed]
