"""What is in the way of a conversation: broken files, failing agents, long texts, locked and renamed things."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gitclaw_py.core.replies import marker
from tests.conversations.breaking import KilledError, assert_said_once, hasty
from tests.conversations.talk import BOT, FILES, Talk, talking

REQUEST = "/gitclaw rename\n\nreplace old with new in app.py\nwrite added.txt hello"


@pytest.fixture
def asked(talk: Talk) -> Talk:
    """A thread with a proposal."""
    talk.say(REQUEST)
    return talk


def test_a_proposal_whose_file_changed_elsewhere_is_merged(asked: Talk) -> None:
    theirs = FILES["app.py"].replace(b"line 15\n", b"LINE 15\n")
    asked.repo.push_files("main", {"app.py": theirs}, asked.mona)
    (reply,) = asked.say("/apply 2")
    assert "### Applied 2" in reply
    assert asked.file("app.py") == theirs.replace(b"old", b"new")


def test_a_proposal_that_no_longer_fits_stays_pending_and_shows_what_is_there(asked: Talk) -> None:
    theirs = FILES["app.py"].replace(b"old = 2", b"ancient = 2")
    asked.repo.push_files("main", {"app.py": theirs}, asked.mona)
    (reply,) = asked.say("/apply all")
    assert "### Nothing was applied: 2.2 does not fit" in reply
    assert "ancient = 2" in reply
    assert "`/apply 1,2.1` goes without" in reply
    assert asked.file("added.txt") is None
    (reply,) = asked.say("/apply 1,2.1")
    assert "### Applied 1, 2.1" in reply
    (status,) = asked.say("/gitclaw status")
    assert "0 of 2 applied" not in status
    assert "Partly applied" in status


def test_a_blocked_number_is_shown_and_not_applied(talk: Talk) -> None:
    (reply,) = talk.say("/gitclaw\n\nwrite .gitclaw/state/x x\nwrite a.txt a")
    assert "`.gitclaw/state/x`" in reply
    (reply,) = talk.say("/apply 1")
    assert "BLOCKED_PATH" in reply
    (reply,) = talk.say("/apply all")
    assert "### Applied 2" in reply
    assert talk.file(".gitclaw/state/x") is None


@pytest.mark.parametrize("files", [{"state.json": b"{"}, {"state.json": b'{"version": 99}'}, {"other.txt": b"x"}])
def test_a_state_that_cannot_be_read_is_told_and_left_as_it_is(asked: Talk, files: dict[str, bytes]) -> None:
    ref = f"refs/gitclaw/threads/{asked.number}"
    git = asked.repo.repository.git
    asked.repo.push_files("broken", {**dict.fromkeys(FILES), "suggestions.json": None, **files}, asked.mona)
    git.git("update-ref", ref, "refs/heads/broken")
    broken = asked.repo.ref(ref)
    head = asked.repo.branch("main")
    for text in ("/apply 1", "/gitclaw status"):
        (reply,) = asked.say(text)
        assert "### Failed" in reply
        assert "state" in reply
        assert asked.runs[-1].code == 3
    assert (asked.repo.ref(ref), asked.repo.branch("main")) == (broken, head)


def test_a_failing_agent_is_told_with_what_it_said_last(talk: Talk) -> None:
    (reply,) = talk.say("/gitclaw\n\nprint no idea\nfail 3")
    assert "AGENT_FAILED" in reply
    assert "ended with 3 and changed nothing" in reply
    assert "no idea" in reply
    assert "agent.log" not in reply
    assert talk.state() is None


def test_an_agent_that_fails_after_it_changed_something_is_shown(talk: Talk) -> None:
    (reply,) = talk.say("/gitclaw\n\nwrite added.txt hello\nfail 3")
    assert "### Proposal 1" in reply


def test_an_agent_that_takes_too_long_is_stopped_and_told(tmp_path: Path) -> None:
    with talking(tmp_path) as talk:
        document = json.loads(talk.file("suggestions.json") or b"{}")
        document["agent"]["timeout"] = 0.5
        talk.repo.push_files("main", {"suggestions.json": json.dumps(document).encode()}, talk.mona)
        (reply,) = talk.say("/gitclaw\n\nwrite a.txt a\nsleep 60")
        assert "AGENT_TIMEOUT" in reply
        assert "after 0.5 s" in reply
        assert "agent.log" not in reply
        assert "--timeout" not in reply


def test_what_an_agent_prints_is_bounded_and_harmless(talk: Talk) -> None:
    talk.environment["SECRET_KEY"] = "sk-1234567890"  # noqa: S105 - that it is one is what this is about
    noise = "\n".join(f"print {'@octo <!-- ``` ' * 60} {number}" for number in range(50))
    (reply,) = talk.say(f"/gitclaw\n\n{noise}\nprint key=$SECRET_KEY\nfail 1")
    assert len(reply.encode()) < 60_000
    assert marker.find(reply) is not None
    assert "sk-1234567890" not in reply
    (reply,) = talk.say(f"/gitclaw\n\n{noise}")
    assert len(reply.encode()) < 60_000
    assert marker.find(reply) is not None


def test_without_an_agent_it_says_what_to_set(tmp_path: Path) -> None:
    with talking(tmp_path, {"agent": {"command": []}}) as talk:
        (reply,) = talk.say("/gitclaw do it")
        assert "No agent is configured" in reply
        assert "suggestions.json" in reply


def test_an_agent_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with talking(tmp_path, {"agent": {"command": ["no-such-agent"]}}) as talk:
        (reply,) = talk.say("/gitclaw do it")
        assert "no-such-agent cannot be started" in reply


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'{"defaultMod": "hybrid"}', ["suggestions.json has an unknown key, defaultMod", "did you mean defaultMode?"]),
        (b'{"agent": {"comand": ["x"]}}', ["agent.comand", "did you mean command?"]),
        (b"{", ["suggestions.json is not JSON"]),
    ],
)
def test_a_broken_configuration_is_told_in_the_thread(talk: Talk, data: bytes, told: list[str]) -> None:
    talk.repo.push_files("main", {"suggestions.json": data}, talk.mona)
    talk.post("/gitclaw do it")
    event = talk.waiting.pop()
    ran = talk.run(*event)
    assert (ran.code, "CONFIG_INVALID" in ran.err) == (3, True)
    (reply,) = talk.replies()
    for words in told:
        assert words in reply.replace("\\", "").replace("`", "")
    talk.run(*event)
    assert len(talk.replies()) == 1


def test_a_long_run_tells_how_it_is_getting_on(talk: Talk) -> None:
    edits: list[str] = []

    def around(name: str, do: Callable[[], object]) -> object:
        if name in ("comment", "edit"):
            edits.append(name)
        if len(edits) == 3:
            talk.let_go()
        return do()

    talk.around = hasty(around)
    talk.say("/gitclaw\n\nprint reading the files\nawait go\nwrite a.txt a")
    progress, result = (comment for comment in talk.comments() if comment.author.login == BOT)
    assert edits[:3] == ["comment", "edit", "edit"]
    assert "### Proposal 1" in result.body
    assert progress.body.startswith("Finished in ")
    assert f"[see the result]({talk.hub.url}/octo/hello/issues/{talk.number}#issuecomment-{result.id})" in progress.body


def test_the_progress_of_a_failed_run_ends_too(talk: Talk) -> None:
    def around(name: str, do: Callable[[], object]) -> object:
        if name == "comment":
            talk.let_go()
        return do()

    talk.around = hasty(around)
    talk.say("/gitclaw\n\nawait go\nfail 1")
    progress, result = talk.replies()
    assert progress.startswith("Finished in ")
    assert "AGENT_FAILED" in result


@pytest.mark.parametrize(("call", "again"), [("edit", True), ("push", True), ("comment", False), ("react", False)])
def test_a_run_that_is_cut_off_leaves_no_progress_behind(talk: Talk, call: str, again: bool) -> None:  # noqa: FBT001
    deaths = {"edit": 1, "push": 2, "comment": 2, "react": 2}
    calls: list[str] = []

    def around(name: str, do: Callable[[], object]) -> object:
        calls.append(name)
        is_last = (name, calls.count(name)) == (call, deaths[call])
        if (is_last or call != "edit") and "comment" in calls:
            assert talk.hub.wait_until(lambda: bool(talk.prompts()))
            talk.let_go()
        if is_last:
            raise KilledError
        return do()

    talk.around = hasty(around)
    talk.post("/gitclaw\n\nawait go\nwrite a.txt a")
    with pytest.raises(KilledError):
        talk.handle()
    talk.around = hasty()
    talk.say("/gitclaw status")
    worked = [body for body in talk.replies() if body.startswith(("### Working", "Finished"))]
    assert [body.startswith("Finished") for body in worked] == [True]
    assert [body.startswith("### Proposal 1") for body in talk.replies()].count(True) == 1
    assert len(talk.prompts()) == 1 + again


def test_a_request_as_long_as_github_allows_is_carried_out(talk: Talk) -> None:
    text = "/gitclaw\n\nwrite a.txt a\n"
    (reply,) = talk.say(text + "x" * (65_536 - len(text)))
    assert "### Proposal 1: 1 suggestion" in reply


def test_hundreds_of_suggestions_come_in_parts_that_fit_each_once(talk: Talk) -> None:
    many = "\n".join(f"write many/file{number:03}.txt {'x' * 40} {number}" for number in range(300))
    replies = talk.say(f"/gitclaw\n\n{many}")
    assert len(replies) > 2
    assert max(len(reply.encode()) for reply in replies) <= 60_000
    said = "\n".join(replies)
    assert [f"file{number:03}.txt" in said for number in range(300)] == [True] * 300
    assert_said_once(talk)
    (reply,) = talk.say("/apply all")
    assert len(reply.encode()) <= 60_000
    assert talk.file("many/file299.txt") is not None
    talk.say("/gitclaw status")
    assert_said_once(talk)


def test_a_locked_thread_that_does_not_take_our_reply_gets_it_later(asked: Talk) -> None:
    asked.hub.faults.add(
        "/comments$", method="POST", status=403, body={"message": "Unable to create comment because issue is locked."}
    )
    assert asked.say("/apply 1") == []
    assert (asked.runs[-1].code, "locked" in asked.runs[-1].err) == (4, True)
    assert asked.file("added.txt") == b"hello\n"
    replies = asked.say("/gitclaw status")
    assert ["### Applied 1" in replies[0], "### Status" in replies[1]] == [True, True]


def test_a_closed_issue_is_talked_in_like_an_open_one(asked: Talk) -> None:
    asked.repo.close(asked.mona, asked.number)
    asked.waiting.clear()
    (reply,) = asked.say("/apply 1")
    assert "### Applied 1" in reply


def test_a_renamed_default_branch_is_followed(asked: Talk) -> None:
    asked.say("/apply 1")
    git = asked.repo.repository.git
    git.git("branch", "-m", "main", "trunk")
    git.git("symbolic-ref", "HEAD", "refs/heads/trunk")
    asked.repo.repository.default_branch = "trunk"
    (reply,) = asked.say("/apply 2")
    assert "### Applied 2" in reply
    assert asked.file("app.py", "trunk") == FILES["app.py"].replace(b"old", b"new")
    (reply,) = asked.say("/undo 1")
    assert "### Took back 1" in reply
    assert asked.file("added.txt", "trunk") is None


def test_a_branch_that_is_gone_is_told(asked: Talk) -> None:
    asked.repo.repository.git.git("branch", "-m", "main", "trunk")
    (reply,) = asked.say("/apply 1")
    assert "The branch main does not exist" in reply
    assert asked.runs[-1].code == 6
