"""Where the commits of an issue go when its branch does not take them, or should not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conversations.talk import FILES, Talk, talking

REQUEST = "/gitclaw rename\n\nreplace old with new in app.py\nwrite added.txt hello"
NEW = FILES["app.py"].replace(b"old", b"new")
OURS = "gitclaw/issue-1"


@pytest.fixture
def protected(talk: Talk) -> Talk:
    """An issue with a proposal, in a repository whose default branch takes pull requests only."""
    talk.repo.protect("main")
    talk.say(REQUEST)
    return talk


@pytest.fixture
def aside(tmp_path: Path) -> Iterator[Talk]:
    """An issue with a proposal, in a repository that wants a pull request for every issue."""
    with talking(tmp_path, {"commit": {"to": "pull-request"}}) as talk:
        talk.say(REQUEST)
        yield talk


def pulls(talk: Talk) -> list[int]:
    return [thread.number for thread in talk.repo.repository.threads if thread.pull and not thread.closed_at]


def merge(talk: Talk, number: int) -> None:
    """Merge a pull request as its page does, and delete its branch, as people do afterwards."""
    git = talk.repo.repository.git.git
    git("update-ref", "refs/heads/main", f"refs/heads/{OURS}")
    git("update-ref", "-d", f"refs/heads/{OURS}")
    talk.repo.close(talk.mona, number)
    talk.waiting.clear()


def test_a_protected_branch_gets_a_pull_request_instead_and_the_thread_says_so(protected: Talk) -> None:
    main = protected.repo.branch("main")
    applied, opened = protected.say("/apply 2")
    assert "### Applied 2" in applied
    assert f"`{OURS}`" in applied
    (number,) = pulls(protected)
    assert f"pull request {number}" in opened
    assert f"`{OURS}` → `main`" in opened
    assert "Why: a rule of the repository keeps this commit off main" in opened
    assert protected.repo.branch("main") == main
    assert protected.file("app.py", OURS) == NEW


def test_the_pull_request_refers_to_its_issue(protected: Talk) -> None:
    protected.say("/apply 2")
    thread = protected.repo.thread(pulls(protected)[0])
    assert (thread.title, thread.pull and thread.pull.base_branch) == ("Names are old", "main")
    assert f"#{protected.number}" in (thread.body or "")


def test_taking_back_goes_to_a_pull_request_where_the_branch_is_protected_by_now(talk: Talk) -> None:
    talk.say(REQUEST)
    talk.say("/apply 1")
    talk.repo.protect("main")
    replies = talk.say("/undo")
    assert "### Took back 1" in replies[0]
    assert talk.file("added.txt", OURS) is None
    assert len(pulls(talk)) == 1


def test_the_numbers_of_the_issue_work_in_its_pull_request_too(protected: Talk) -> None:
    protected.say("/apply 2")
    (number,) = pulls(protected)
    issue, protected.number = protected.number, number
    (applied,) = protected.say("/apply 1")
    assert "### Applied 1" in applied
    assert protected.file("added.txt", OURS) == b"hello\n"
    (again,) = protected.say("/apply 1")
    assert "Nothing" in again
    protected.number = issue
    (status,) = protected.say("/gitclaw status")
    assert "2 of 2 applied" in status


def test_later_commands_add_to_the_same_branch_and_open_nothing_more(protected: Talk) -> None:
    protected.say("/apply 2")
    (applied,) = protected.say("/apply 1")
    assert "### Applied 1" in applied
    assert protected.file("added.txt", OURS) == b"hello\n"
    assert protected.file("app.py", OURS) == NEW
    assert len(pulls(protected)) == 1


def test_taking_back_happens_on_that_branch(protected: Talk) -> None:
    protected.say("/apply all")
    (reply,) = protected.say("/undo")
    assert "### Took back 1, 2" in reply
    assert protected.file("app.py", OURS) == FILES["app.py"]
    assert protected.file("added.txt", OURS) is None


def test_an_earlier_command_of_the_same_comment_holds_when_taking_back_goes_elsewhere(protected: Talk) -> None:
    protected.say("/apply 2.1")
    protected.repo.unprotect("main")
    first, second = protected.say("/reject 1 not now\n\n/undo 2.1")
    assert ("### Rejected 1" in first, "### Took back 2.1" in second) == (True, True)
    assert [decision["verb"] for decision in protected.state()["decisions"]] == ["apply", "reject", "undo"]


def test_no_word_about_the_branch_is_lost_in_status(protected: Talk) -> None:
    protected.say("/apply 2")
    (status,) = protected.say("/gitclaw status")
    assert "1 of 2 applied, 1 pending" in status
    assert OURS in status


def test_everything_can_go_to_a_pull_request_from_the_start(aside: Talk) -> None:
    main = aside.repo.branch("main")
    applied, opened = aside.say("/apply all")
    assert "### Applied 1, 2" in applied
    assert "Why" not in opened
    assert (aside.repo.branch("main"), aside.file("app.py", OURS)) == (main, NEW)
    assert len(pulls(aside)) == 1


def test_rejecting_makes_no_branch(aside: Talk) -> None:
    aside.say("/reject 1")
    aside.say("/gitclaw status")
    assert aside.repo.branch(OURS) is None
    assert pulls(aside) == []


def test_a_token_that_may_open_no_pull_request_leaves_the_branch_and_says_how_to_go_on(aside: Talk) -> None:
    aside.token = aside.repo.token(contents="write", issues="write", pull_requests="read")
    applied, opened = aside.say("/apply all")
    assert "### Applied 1, 2" in applied
    assert aside.file("app.py", OURS) == NEW
    assert pulls(aside) == []
    assert f"/compare/main...{OURS}" in opened
    assert aside.state()["decisions"][0]["branch"] == OURS


def test_commits_of_a_person_on_our_branch_stay_below_ours(aside: Talk) -> None:
    aside.repo.push_files(OURS, {"mine.txt": b"mine\n"}, aside.mona)
    aside.waiting.clear()
    theirs = aside.repo.branch(OURS)
    aside.say("/apply 2")
    assert aside.file("mine.txt", OURS) == b"mine\n"
    assert aside.file("app.py", OURS) == NEW
    tip = aside.repo.branch(OURS)
    assert tip is not None
    assert aside.repo.repository.git.commit(tip).parents == (theirs,)


def test_after_a_merge_the_next_one_starts_anew_from_the_default_branch(protected: Talk) -> None:
    protected.say("/apply 2")
    merge(protected, pulls(protected)[0])
    protected.repo.push_files("main", {"later.txt": b"later\n"}, protected.mona)
    replies = protected.say("/apply 1")
    assert "### Applied 1" in replies[0]
    assert protected.file("later.txt", OURS) == b"later\n"
    assert protected.file("added.txt", OURS) == b"hello\n"
    assert len(pulls(protected)) == 1


def test_what_was_merged_is_taken_back_by_another_pull_request(protected: Talk) -> None:
    protected.say("/apply 2")
    merge(protected, pulls(protected)[0])
    replies = protected.say("/undo")
    assert "### Took back 2" in replies[0]
    assert protected.file("app.py") == NEW
    assert protected.file("app.py", OURS) == FILES["app.py"]
    assert len(pulls(protected)) == 1


def test_a_mode_that_commits_meets_a_protected_branch(tmp_path: Path) -> None:
    with talking(tmp_path, {"defaultMode": "commit-only"}) as talk:
        talk.repo.protect("main")
        applied, _ = talk.say(REQUEST)
        assert "### Applied 1, 2" in applied
        assert talk.file("app.py", OURS) == NEW
        assert len(talk.prompts()) == 1


def test_a_protected_head_branch_of_a_pull_request_is_told(talk: Talk) -> None:
    talk.pull({"topic.py": b"topic = 1\n"})
    talk.say("/gitclaw\n\nreplace topic with theme in topic.py")
    talk.repo.protect("topic")
    (reply,) = talk.say("/apply 1")
    assert "BRANCH_PROTECTED" in reply
    assert talk.state()["decisions"] == []


@pytest.mark.parametrize("via", ["git", "api"])
@pytest.mark.parametrize("method", ["squash", "merge", "rebase"])
def test_a_branch_that_is_left_over_from_a_merge_is_begun_anew(tmp_path: Path, via: str, method: str) -> None:
    with talking(tmp_path, {"commit": {"to": "pull-request", "via": via}}) as talk:
        talk.say(REQUEST)
        talk.say("/apply 2")
        talk.repo.merge(talk.mona, pulls(talk)[0], method)
        main = talk.repo.push_files("main", {"later.txt": b"later\n"}, talk.mona)
        talk.waiting.clear()
        applied, opened = talk.say("/apply 1")
        assert ("### Applied 1" in applied, "### Opened" in opened) == (True, True)
        tip = talk.repo.branch(OURS)
        assert tip is not None
        assert talk.repo.repository.git.commit(tip).parents == (main,)
        assert [talk.file(name, OURS) for name in ("added.txt", "later.txt", "app.py")] == [b"hello\n", b"later\n", NEW]
        assert talk.state()["decisions"][-1]["commit"] == tip
        assert len(pulls(talk)) == 1
        talk.repo.merge(talk.mona, pulls(talk)[0], "squash")
        assert talk.file("added.txt") == b"hello\n"


def test_what_people_pushed_to_it_after_the_merge_is_kept(aside: Talk) -> None:
    aside.say("/apply 2")
    aside.repo.merge(aside.mona, pulls(aside)[0], "squash")
    theirs = aside.repo.push_files(OURS, {"mine.txt": b"mine\n"}, aside.mona)
    aside.waiting.clear()
    aside.say("/apply 1")
    assert aside.repo.repository.git.commit(aside.repo.branch(OURS) or "").parents == (theirs,)


def test_a_proposal_after_a_merge_starts_from_the_default_branch(aside: Talk) -> None:
    aside.say("/apply all")
    aside.repo.merge(aside.mona, pulls(aside)[0], "squash")
    main = aside.repo.push_files("main", {"later.txt": b"later\n"}, aside.mona)
    aside.waiting.clear()
    aside.say("/gitclaw\n\nwrite later.txt sooner")
    assert aside.state()["proposals"][-1]["base"] == main
    aside.say("/apply 3")
    assert aside.file("later.txt", OURS) == b"sooner\n"


def test_what_was_squashed_is_taken_back_while_its_branch_is_still_there(aside: Talk) -> None:
    aside.say("/apply 2")
    aside.repo.merge(aside.mona, pulls(aside)[0], "squash")
    aside.waiting.clear()
    replies = aside.say("/undo")
    assert "### Took back 2" in replies[0]
    assert (aside.file("app.py", OURS), aside.file("app.py")) == (FILES["app.py"], NEW)
    assert len(pulls(aside)) == 1


def test_a_question_about_a_merged_thread_asks_nothing_more_of_the_forge(aside: Talk) -> None:
    aside.say("/apply 2")
    start = len(aside.hub.log)
    aside.say("/gitclaw status")
    api, _ = aside.requests(start)
    assert len(api) <= 5, api
    start = len(aside.hub.log)
    aside.say("/apply 1")
    api, _ = aside.requests(start)
    assert len(api) <= 6, api
