"""``/gitclaw merge`` and ``/gitclaw update``: GitHub does it, or says why not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gitclaw_py.errors import ConflictError
from gitclaw_py.hub.anchors import Draft
from gitclaw_py.hub.reviewing import Wanted
from tests.conversations.breaking import Kill, cut_off, watched
from tests.conversations.talk import FILES, Talk, talking

REQUEST = "/gitclaw rename\n\nreplace old with new in app.py\nwrite added.txt hello"
NEW = FILES["app.py"].replace(b"old", b"new")
OURS = "gitclaw/issue-1"
TOPIC = {"topic.py": b"topic = 1\n"}


@pytest.fixture
def ours(talk: Talk) -> Talk:
    """An issue with a pull request of our own; mona maintains the repository."""
    talk.repo.grant(talk.mona, "maintain")
    talk.say(REQUEST)
    talk.say("/gitclaw pr")
    return talk


@pytest.fixture
def pull(talk: Talk) -> Talk:
    """A person's pull request; mona maintains the repository."""
    talk.repo.grant(talk.mona, "maintain")
    talk.pull(TOPIC)
    return talk


def state(talk: Talk) -> str:
    thread = talk.repo.thread(talk.number)
    assert thread.pull is not None
    return "merged" if thread.pull.merged_at else thread.state


@pytest.mark.parametrize("place", ["issue", "pull"])
def test_a_pull_request_is_squashed_and_our_branch_deleted(ours: Talk, place: str) -> None:
    main = ours.repo.branch("main")
    issue, ours.number = ours.number, 2
    if place == "issue":
        ours.number = issue
    (reply,) = ours.say("/gitclaw merge")
    tip = ours.repo.branch("main") or ""
    assert "### Merged [pull request 2]" in reply
    assert f"[`{tip[:7]}`]" in reply
    assert "Its branch, which was made for this, is deleted." in reply
    assert ours.repo.repository.git.commit(tip).parents == (main,)
    assert (ours.file("app.py"), ours.repo.branch(OURS)) == (NEW, None)


@pytest.mark.parametrize(("strategy", "parents"), [("merge", 2), ("rebase", 1), ("squash", 1)])
def test_the_settings_say_how(tmp_path: Path, strategy: str, parents: int) -> None:
    with talking(tmp_path, {"merge": {"strategy": strategy}}) as talk:
        talk.repo.grant(talk.mona, "maintain")
        talk.pull(TOPIC)
        (reply,) = talk.say("/gitclaw merge")
        assert f"has it (`{strategy}`)" in reply
        assert len(talk.repo.repository.git.commit(talk.repo.branch("main") or "").parents) == parents
        assert talk.repo.branch("topic") is not None


@pytest.mark.parametrize("branch", ["topic", "gitclaw/docs", "gitclaw/issue-x"])
def test_a_person_s_branch_is_kept(talk: Talk, branch: str) -> None:
    talk.repo.grant(talk.mona, "maintain")
    talk.pull(TOPIC, branch=branch)
    (reply,) = talk.say("/gitclaw merge")
    assert "Its branch is kept." in reply
    assert talk.repo.branch(branch) is not None


def test_a_protected_branch_of_ours_is_kept(ours: Talk) -> None:
    ours.repo.protect(OURS)
    (reply,) = ours.say("/gitclaw merge")
    assert "Its branch is kept: it is protected." in reply
    assert ours.repo.branch(OURS) is not None


def test_write_access_is_not_enough(ours: Talk) -> None:
    ours.repo.grant(ours.mona, "write")
    ours.number = 2
    (reply,) = ours.say("/gitclaw merge")
    assert "### Nothing changed: `/gitclaw merge` needs maintain access" in reply
    assert state(ours) == "open"


def test_the_settings_may_ask_for_less(tmp_path: Path) -> None:
    with talking(tmp_path, {"permissions": {"merge": "write"}}) as talk:
        talk.pull(TOPIC)
        assert "### Merged" in talk.say("/gitclaw merge")[0]


def test_what_was_pushed_meanwhile_is_not_merged(pull: Talk) -> None:
    def around(name: str, do: object) -> object:
        if name == "level":
            pull.repo.push_files("topic", {"late.txt": b"late\n"}, pull.mona)
        return do() if callable(do) else None

    main = pull.repo.branch("main")
    pull.around = watched(around)
    (reply,) = pull.say("/gitclaw merge")
    assert "### Not merged: [pull request 2]" in reply
    assert "Someone pushed to it meanwhile" in reply
    assert "Head branch was modified" in reply
    assert (state(pull), pull.repo.branch("main")) == ("open", main)


def test_a_conflict_names_the_files(pull: Talk) -> None:
    theirs = {"topic.py": b"topic = 2\n", "notes.txt": b"other notes\n", "app.py": None}
    pull.repo.push_files("topic", {"notes.txt": b"my notes\n", "app.py": b"# gone\n"}, pull.mona)
    pull.repo.push_files("main", theirs, pull.mona)
    pull.waiting.clear()
    (reply,) = pull.say("/gitclaw merge")
    assert "### Not merged" in reply
    assert (
        "`main` and `topic` both changed `app.py`, `notes.txt`, `topic.py`, and the changes do not go together" in reply
    )
    assert "Pull Request is not mergeable" in reply
    assert state(pull) == "open"


def test_changes_of_the_same_file_that_go_together_are_not_named(pull: Talk) -> None:
    lines = FILES["app.py"]
    pull.repo.push_files("topic", {"app.py": lines.replace(b"old = 1", b"one = 1")}, pull.mona)
    pull.repo.push_files("main", {"app.py": lines.replace(b"old = 2", b"two = 2"), "topic.py": b"other\n"}, pull.mona)
    pull.waiting.clear()
    (reply,) = pull.say("/gitclaw merge")
    assert "both changed `topic.py`, and" in reply


def test_a_missing_check_that_a_rule_demands_is_told_in_github_s_words(pull: Talk) -> None:
    pull.repo.check(pull.repo.branch("topic") or "", "ci", None, required=True)
    (reply,) = pull.say("/gitclaw merge")
    assert "A rule of the repository is in the way" in reply
    assert 'Required status check "ci" is expected.' in reply
    assert state(pull) == "open"


def test_a_way_of_merging_that_is_not_allowed_is_told(pull: Talk) -> None:
    pull.repo.repository.merge_methods = {"merge"}
    (reply,) = pull.say("/gitclaw merge")
    assert "Squash merges are not allowed on this repository." in reply
    assert state(pull) == "open"


def test_a_draft_is_not_merged(ours: Talk) -> None:
    ours.say("/gitclaw close")
    ours.say("/gitclaw pr draft")
    (reply,) = ours.say("/gitclaw merge")
    assert "It is a draft." in reply


@pytest.mark.parametrize("conclusion", [None, "failure", "success"])
def test_the_settings_may_want_checks_to_have_passed(tmp_path: Path, conclusion: str | None) -> None:
    with talking(tmp_path, {"merge": {"passedChecks": True}}) as talk:
        talk.repo.grant(talk.mona, "maintain")
        talk.pull(TOPIC)
        talk.repo.check(talk.repo.branch("topic") or "", "ci", conclusion)
        (reply,) = talk.say("/gitclaw merge")
        if conclusion == "success":
            assert "### Merged" in reply
        else:
            assert f"Not passed: `ci` ({conclusion or 'still runs'})." in reply
            assert state(talk) == "open"


def test_the_settings_may_want_no_review_thread_to_be_open(tmp_path: Path) -> None:
    with talking(tmp_path, {"merge": {"resolvedThreads": True}}) as talk:
        talk.repo.grant(talk.mona, "maintain")
        talk.pull(TOPIC)
        remark = Draft("topic.py", "why?", 1)
        talk.repo.review(talk.reader, talk.number, Wanted("", "COMMENT", [remark]))
        talk.waiting.clear()
        (reply,) = talk.say("/gitclaw merge")
        assert "1 review thread is unresolved." in reply
        assert state(talk) == "open"
        talk.repo.resolve(talk.mona, talk.repo.review_threads(talk.number)[0])
        assert "### Merged" in talk.say("/gitclaw merge")[0]


def test_a_merged_pull_request_is_told_to_be_merged(pull: Talk) -> None:
    pull.repo.merge(pull.mona, pull.number)
    pull.waiting.clear()
    main = pull.repo.branch("main")
    (reply,) = pull.say("/gitclaw merge")
    assert "is merged" in reply
    (reply,) = pull.say("/gitclaw close")
    assert "is merged" in reply
    assert pull.repo.branch("main") == main


@pytest.mark.parametrize("after", [False, True])
def test_a_run_that_dies_at_the_merge_ends_well(pull: Talk, after: bool) -> None:  # noqa: FBT001
    pull.post("/gitclaw merge")
    kill = Kill(0)
    assert not cut_off(pull, kill)
    pull.pull({"other.py": b"other = 1\n"}, branch="other")
    pull.post("/gitclaw merge")
    assert cut_off(pull, Kill(kill.calls.index("merge") + 1, after=after))
    replies = pull.say("/gitclaw status")
    assert ("is merged" if after else "### Merged") in replies[0]
    assert len(replies) == 2
    assert state(pull) == "merged"


def test_an_answer_that_is_lost_is_looked_for(pull: Talk) -> None:
    pull.hub.faults.add("/merge$", method="PUT", status=502, after=True)
    (reply,) = pull.say("/gitclaw merge")
    assert "### Merged" in reply
    assert state(pull) == "merged"


def test_a_commit_of_the_same_comment_is_not_merged_before_it_is_there(pull: Talk) -> None:
    pull.say("/gitclaw\n\nwrite a.txt a")
    applied, refused = pull.say("/apply all\n\n/gitclaw merge")
    assert "### Applied 1" in applied
    assert "say /gitclaw merge in a comment of its own" in refused
    assert state(pull) == "open"


def test_what_is_merged_is_not_merged_again_when_the_rest_is_decided_anew(pull: Talk) -> None:
    pull.say("/gitclaw\n\nwrite a.txt a")
    calls: list[str] = []

    def around(name: str, do: Callable[[], object]) -> object:
        calls.append(name)
        if (name, calls.count(name)) == ("push", 1):
            raise ConflictError("STATE_CONFLICT", "The thread moved meanwhile", "give the command again")
        return do()

    pull.around = watched(around)
    merged, rejected = pull.say("/gitclaw merge\n\n/reject 1 no")
    assert ("### Merged" in merged, "### Rejected 1" in rejected) == (True, True)
    assert (calls.count("merge"), calls.count("push")) == (1, 2)


def test_nothing_is_merged_by_itself(tmp_path: Path) -> None:
    with talking(tmp_path, {"defaultMode": "commit-only", "commit": {"to": "pull-request"}}) as talk:
        talk.repo.grant(talk.mona, "maintain")
        talk.say(REQUEST)
        talk.say("/apply all")
        assert talk.file("app.py") == FILES["app.py"]


def test_a_branch_is_brought_up_to_date(pull: Talk) -> None:
    pull.repo.push_files("main", {"later.txt": b"later\n"}, pull.mona)
    pull.waiting.clear()
    head = pull.repo.branch("topic")
    (reply,) = pull.say("/gitclaw update")
    tip = pull.repo.branch("topic") or ""
    assert "### Up to date: [pull request 2]" in reply
    assert f"[`{tip[:7]}`]" in reply
    assert pull.repo.repository.git.commit(tip).parents[0] == head
    assert (pull.file("later.txt", "topic"), pull.file("topic.py", "topic")) == (b"later\n", b"topic = 1\n")
    (reply,) = pull.say("/gitclaw update")
    assert "is up to date" in reply
    assert pull.repo.branch("topic") == tip


def test_an_update_that_conflicts_names_the_files_and_overwrites_nothing(pull: Talk) -> None:
    pull.repo.push_files("main", {"topic.py": b"other = 1\n"}, pull.mona)
    pull.waiting.clear()
    head = pull.repo.branch("topic")
    (reply,) = pull.say("/gitclaw update")
    assert "### Not updated: [pull request 2]" in reply
    assert "both changed `topic.py`, and the changes do not go together" in reply
    assert pull.repo.branch("topic") == head


def test_the_branch_of_a_fork_is_updated_by_whoever_can_push_there(talk: Talk) -> None:
    stranger = talk.hub.account("stranger")
    fork = talk.repo.fork(stranger)
    fork.push_files("topic", TOPIC, stranger)
    talk.number = talk.repo.open_pull(stranger, "stranger:topic", title="From a fork")
    talk.repo.push_files("main", {"later.txt": b"later\n"}, talk.mona)
    talk.waiting.clear()
    (reply,) = talk.say("/gitclaw update")
    assert "FORK_READ_ONLY" in reply
    assert '"Update branch"' in reply


def test_after_an_update_the_thread_goes_on(pull: Talk) -> None:
    pull.say("/gitclaw\n\nreplace topic with theme in topic.py")
    pull.repo.push_files("main", {"later.txt": b"later\n"}, pull.mona)
    pull.waiting.clear()
    pull.say("/gitclaw update")
    (reply,) = pull.say("/apply 1")
    assert "### Applied 1" in reply
    assert (pull.file("topic.py", "topic"), pull.file("later.txt", "topic")) == (b"theme = 1\n", b"later\n")
