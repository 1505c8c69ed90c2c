"""A person's uncommitted edits: kept, merged with, never overwritten."""

from __future__ import annotations

import os

import pytest

from tests.cli.thirty_lines import EDIT, TEXT, changed
from tests.sandbox import Sandbox


@pytest.fixture
def thread(repo: Sandbox) -> Sandbox:
    repo.write("a.txt", TEXT)
    repo.write("b.txt", "b\n")
    repo.commit("base")
    repo.suggest(EDIT)
    return repo


def test_edits_elsewhere_in_the_file_stay_uncommitted(thread: Sandbox) -> None:
    thread.write("a.txt", TEXT.replace("line 10\n", "mine\n"))
    thread.gitclaw("apply", "1")
    assert thread.git("show", "HEAD:a.txt").decode() == changed(3, 20)
    assert thread.read("a.txt").decode() == changed(3, 20, text=TEXT.replace("line 10\n", "mine\n"))
    assert thread.status == " M a.txt\n"
    thread.gitclaw("undo")
    assert thread.read("a.txt").decode() == TEXT.replace("line 10\n", "mine\n")


def test_staged_edits_stay_staged(thread: Sandbox) -> None:
    thread.write("a.txt", TEXT.replace("line 10\n", "staged\n"))
    thread.git("add", "a.txt")
    thread.write("a.txt", TEXT.replace("line 10\n", "staged\n").replace("line 29\n", "unstaged\n"))
    thread.write("b.txt", "mine\n")
    thread.git("add", "b.txt")
    thread.gitclaw("apply", "1")
    assert thread.git("show", "HEAD:a.txt").decode() == changed(3, 20)
    assert thread.git("show", ":a.txt").decode() == changed(3, 20, text=TEXT.replace("line 10\n", "staged\n"))
    assert thread.git("show", "HEAD:b.txt") == b"b\n"
    assert thread.status == "MM a.txt\nM  b.txt\n"


def test_an_edit_of_the_same_lines_is_refused_before_anything_is_written(thread: Sandbox) -> None:
    thread.write("a.txt", TEXT.replace("line 3\n", "mine\n"))
    before = thread.fingerprint()
    said = thread.gitclaw("apply", "1", code=6)
    assert thread.fingerprint() == before
    assert "your files cannot take 1.1" in said.err
    assert "| mine" in said.err
    assert "commit or stash your edits" in said.err
    assert thread.state()["decisions"] == []
    thread.gitclaw("apply", "1.2")
    assert thread.read("a.txt").decode() == changed(20, text=TEXT.replace("line 3\n", "mine\n"))


def test_an_edit_that_already_makes_the_change_is_no_conflict(thread: Sandbox) -> None:
    thread.write("a.txt", changed(3))
    thread.gitclaw("apply", "1.1")
    assert thread.status == ""


def test_an_untracked_file_in_the_way_is_refused(thread: Sandbox) -> None:
    thread.suggest("echo theirs > new.txt")
    thread.write("new.txt", "mine\n")
    before = thread.fingerprint()
    assert "another file is at that path now" in thread.gitclaw("apply", "2", code=6).err
    assert thread.fingerprint() == before
    thread.write("new.txt", "theirs\n")
    thread.gitclaw("apply", "2")
    assert thread.status == ""


def test_untracked_files_in_a_folder_that_becomes_a_file_survive(repo: Sandbox) -> None:
    repo.write("p/x", "x\n")
    repo.commit()
    repo.suggest("rm -r p; echo file > p")
    repo.write("p/mine", "mine\n")
    before = repo.fingerprint()
    repo.gitclaw("apply", "all", code=6)
    assert repo.fingerprint() == before
    repo.remove("p/mine")
    repo.gitclaw("apply", "all")
    assert repo.read("p") == b"file\n"
    repo.gitclaw("undo")
    assert repo.read("p/x") == b"x\n"
    assert repo.status == ""


def test_empty_folders_do_not_stand_in_the_way_of_a_file(repo: Sandbox) -> None:
    repo.write("p/x", "x\n")
    repo.commit()
    repo.suggest("rm -r p; echo file > p")
    (repo.path / "p" / "q" / "r").mkdir(parents=True)
    repo.gitclaw("apply", "all")
    assert repo.read("p") == b"file\n"
    repo.gitclaw("undo")
    assert repo.status == ""


def test_a_link_that_stands_where_a_folder_was_is_not_followed(thread: Sandbox) -> None:
    outside = thread.path.parent / "outside"
    outside.mkdir()
    thread.suggest("mkdir d; echo x > d/x.txt")
    os.symlink(outside, thread.path / "d")
    assert thread.gitclaw("apply", "2", code=6).err
    assert list(outside.iterdir()) == []


def test_without_a_commit_only_the_files_change(thread: Sandbox) -> None:
    head = thread.head
    thread.gitclaw("apply", "1.1", "--no-commit")
    assert thread.head == head
    assert thread.status == " M a.txt\n"
    assert thread.read("a.txt").decode() == changed(3)
    assert thread.gitclaw("status", "--json").json["decisions"][0]["commit"] is None
    thread.gitclaw("undo")
    assert thread.head == head
    assert thread.status == ""


def test_from_the_working_tree_my_edits_are_the_base_and_no_suggestion(repo: Sandbox) -> None:
    repo.write("a.txt", TEXT)
    repo.commit("base")
    repo.write("a.txt", TEXT.replace("line 10\n", "mine\n"))
    repo.write("untracked.txt", "mine\n")
    before = repo.fingerprint()
    said = repo.suggest(EDIT + "; cat untracked.txt > copy.txt", "--working-tree", "--json").json
    assert repo.fingerprint() == before
    assert [(s["path"], s["added"], s["removed"]) for s in said["suggestions"]] == [("a.txt", 2, 2), ("copy.txt", 1, 0)]
    repo.gitclaw("apply", "1")
    assert repo.git("show", "HEAD:a.txt").decode() == changed(3, 20)
    assert repo.read("a.txt").decode() == changed(3, 20, text=TEXT.replace("line 10\n", "mine\n"))
    assert repo.status == " M a.txt\n?? untracked.txt\n"


def test_what_is_uncommitted_can_itself_be_chosen_from(repo: Sandbox) -> None:
    repo.write("a.txt", TEXT)
    repo.commit("base")
    repo.write("a.txt", changed(3, 20))
    repo.write("new.txt", "new\n")
    before = repo.fingerprint()
    repo.gitclaw("suggest", "--uncommitted")
    assert repo.fingerprint() == before
    repo.gitclaw("apply", "1.2")
    assert repo.git("show", "HEAD:a.txt").decode() == changed(20)
    assert repo.read("a.txt").decode() == changed(3, 20)
    assert repo.status == " M a.txt\n?? new.txt\n"
    repo.gitclaw("apply", "all")
    assert repo.status == ""


def test_line_ends_of_the_working_tree_are_git_s_business(repo: Sandbox) -> None:
    repo.write(".gitattributes", "*.txt text eol=crlf\n")
    repo.write("a.txt", TEXT.replace("\n", "\r\n"))
    repo.commit("base")
    repo.suggest(EDIT)
    repo.write("a.txt", TEXT.replace("\n", "\r\n").replace("line 10\r\n", "mine\r\n"))
    repo.gitclaw("apply", "1.1")
    assert repo.git("show", "HEAD:a.txt").decode() == changed(3)
    assert repo.read("a.txt").decode() == changed(3).replace("line 10\n", "mine\n").replace("\n", "\r\n")


def test_line_ends_follow_the_attributes_that_come_and_go_with_them(repo: Sandbox) -> None:
    repo.write(".gitattributes", "*.bat text eol=crlf\n")
    repo.write("sub/a.txt", TEXT)
    repo.write("sub/a.bat", "one\r\n")
    repo.commit("base")
    repo.suggest(
        "echo '*.txt text eol=crlf' > sub/.gitattributes; sed -i 's/^line 3$/LINE 3/' sub/a.txt; echo b >> sub/a.bat"
    )
    repo.gitclaw("apply", "1,2,3")  # attributes are never part of "all"
    assert repo.read("sub/a.txt").decode() == changed(3).replace("\n", "\r\n")
    assert repo.read("sub/a.bat") == b"one\r\nb\r\n"
    assert repo.status == ""
    repo.gitclaw("undo")
    assert repo.read("sub/a.txt").decode() == TEXT
    assert repo.read("sub/a.bat") == b"one\r\n"
    assert repo.status == ""


def test_filters_of_the_person_apply_to_their_files_and_not_to_the_agent_s(repo: Sandbox) -> None:
    repo.git("config", "filter.shout.clean", "tr A-Z a-z")
    repo.git("config", "filter.shout.smudge", "tr a-z A-Z")
    repo.write(".gitattributes", "*.up filter=shout\n")
    repo.write("a.up", "ONE\nTWO\nTHREE\n")
    repo.commit("base")
    assert repo.git("show", "HEAD:a.up") == b"one\ntwo\nthree\n"
    repo.suggest("grep -q one a.up && sed -i 's/two/2/' a.up")
    repo.gitclaw("apply", "1")
    assert repo.git("show", "HEAD:a.up") == b"one\n2\nthree\n"
    assert repo.read("a.up") == b"ONE\n2\nTHREE\n"
    assert repo.status == ""


def test_a_sparse_checkout_stays_sparse(repo: Sandbox) -> None:
    repo.write("in/a.txt", TEXT)
    repo.write("out/a.txt", TEXT)
    repo.commit("base")
    repo.git("sparse-checkout", "set", "in")
    repo.suggest("sed -i 's/line 3$/LINE 3/' in/a.txt out/a.txt")
    repo.gitclaw("apply", "all")
    assert repo.git("show", "HEAD:out/a.txt").decode() == changed(3)
    assert not (repo.path / "out").exists()
    assert repo.status == ""


def test_an_unfinished_merge_is_left_to_its_person(repo: Sandbox) -> None:
    repo.write("a.txt", TEXT)
    repo.commit("base")
    repo.suggest(EDIT)
    repo.git("checkout", "-q", "-b", "other")
    repo.write("a.txt", TEXT.replace("line 3\n", "other\n"))
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.write("a.txt", TEXT.replace("line 3\n", "main\n"))
    repo.commit()
    repo.git("merge", "other", code=1)
    before = repo.fingerprint()
    assert "A merge is not finished" in repo.gitclaw("apply", "1.2", code=6).err
    assert "A merge is not finished" in repo.suggest("true", "--working-tree", code=6).err
    assert repo.fingerprint() == before


def test_files_behind_a_link_of_mine_are_not_theirs_to_remove(repo: Sandbox) -> None:
    repo.write("d/x.txt", TEXT)
    repo.write("d/y.txt", TEXT)
    repo.commit("base")
    repo.suggest("rm d/x.txt; sed -i 's/line 3$/LINE 3/' d/y.txt")
    outside = repo.path.parent / "outside"
    (repo.path / "d").rename(outside)
    os.symlink(outside, repo.path / "d")
    assert "the file is not there" in repo.gitclaw("apply", "2", code=6).err
    repo.gitclaw("apply", "1")
    assert repo.text("ls-tree", "--name-only", "HEAD:d") == "y.txt"
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"x.txt": TEXT, "y.txt": TEXT}
