"""Taking back: what was there before stays, and what is applied still is never called pending."""

from __future__ import annotations

import pytest

from tests.cli.thirty_lines import EDIT, TEXT, changed
from tests.sandbox import Sandbox


@pytest.fixture
def thread(repo: Sandbox) -> Sandbox:
    repo.write("a.txt", TEXT)
    repo.commit("base")
    repo.suggest(EDIT)
    return repo


def parts(thread: Sandbox) -> dict[str, str]:
    (suggestion,) = thread.gitclaw("status", "--json").json["suggestions"]
    return {hunk["number"]: hunk["status"] for hunk in suggestion["hunks"]}


def test_the_last_apply_is_only_what_it_brought(thread: Sandbox) -> None:
    thread.gitclaw("apply", "1.1")
    thread.gitclaw("apply", "1")
    thread.gitclaw("undo")
    assert parts(thread) == {"1.1": "applied", "1.2": "pending"}
    assert thread.read("a.txt").decode() == changed(3)
    assert thread.status == ""


def test_of_two_branches_the_last_is_taken_back_first(thread: Sandbox) -> None:
    thread.git("branch", "other")
    thread.gitclaw("apply", "1")
    thread.gitclaw("apply", "1", "--branch", "other")
    thread.gitclaw("undo")
    assert thread.tree("other") == thread.tree("HEAD~1")
    assert parts(thread) == {"1.1": "applied", "1.2": "applied"}
    thread.gitclaw("undo")
    assert thread.read("a.txt").decode() == TEXT
    assert parts(thread) == {"1.1": "pending", "1.2": "pending"}


def test_what_was_staged_before_stays_staged(thread: Sandbox) -> None:
    thread.write("a.txt", changed(3, 20))
    thread.git("add", "a.txt")
    thread.gitclaw("apply", "1")
    assert thread.status == ""
    said = thread.gitclaw("undo").out
    assert "1.1 was in your files before it was applied, and stays there." in said
    assert thread.git("show", "HEAD:a.txt").decode() == TEXT
    assert thread.git("show", ":a.txt").decode() == changed(3, 20)
    assert thread.status == "M  a.txt\n"


def test_where_it_never_was_it_is_not_taken_back(thread: Sandbox) -> None:
    thread.git("branch", "other")
    thread.gitclaw("apply", "1")
    said = thread.gitclaw("undo", "--branch", "other", code=2).err
    assert "It was applied on main, not on other" in said
    assert parts(thread) == {"1.1": "applied", "1.2": "applied"}


@pytest.mark.parametrize("gone", [False, True])
def test_it_is_taken_back_from_a_branch_that_it_was_merged_into(thread: Sandbox, gone: bool) -> None:  # noqa: FBT001
    thread.git("checkout", "-q", "-b", "topic")
    thread.gitclaw("apply", "1", "--thread", "main")
    thread.git("checkout", "-q", "main")
    if gone:
        thread.git("merge", "-q", "--squash", "topic")
        thread.git("commit", "-q", "-m", "squashed")
        thread.git("branch", "-q", "-D", "topic")
    else:
        thread.git("merge", "-q", "topic")
    thread.gitclaw("undo", "--thread", "main", "--branch", "main")
    assert thread.read("a.txt").decode() == TEXT
    assert thread.status == ""


def test_without_a_commit_there_is_no_branch_to_take_it_from(thread: Sandbox) -> None:
    thread.gitclaw("apply", "1", "--no-commit")
    assert "leave --branch out" in thread.gitclaw("undo", "--branch", "main", code=2).err
    thread.gitclaw("undo", "--no-commit")
    assert thread.status == ""
