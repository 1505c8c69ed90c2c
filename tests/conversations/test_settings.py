"""What the configuration says: how far a run goes on its own, who may do what, and how much is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conversations.talk import FILES, Talk, talking

SMALL = "/gitclaw rename\n\nreplace old with new in app.py\nbecause app.py the old name misleads"
RISKY = "/gitclaw loosen it\n\nreplace old with new in app.py\nwrite .github/workflows/ci.yml on: push"
NEW = FILES["app.py"].replace(b"old", b"new")
WORKFLOW = ".github/workflows/ci.yml"


def kinds(replies: list[str]) -> list[str]:
    """What each reply is, by its heading."""
    return [reply.split("\n")[0].removeprefix("### ").split(" ")[0] for reply in replies]


def many(count: int) -> str:
    return "/gitclaw\n\n" + "\n".join(f"write f{n:02}.txt text {n}" for n in range(count))


@pytest.mark.parametrize(
    ("mode", "said", "commits"),
    [
        ("suggest-only", ["Proposal"], False),
        ("suggest-and-commit", ["Proposal", "Applied"], True),
        ("commit-only", ["Applied"], True),
        ("hybrid", ["Applied"], True),
    ],
)
def test_a_mode_says_what_is_committed_and_what_is_said(
    tmp_path: Path, mode: str, said: list[str], *, commits: bool
) -> None:
    with talking(tmp_path, {"defaultMode": mode}) as talk:
        assert kinds(talk.say(SMALL)) == said
        assert talk.file("app.py") == (NEW if commits else FILES["app.py"])
        assert [decision["verb"] for decision in talk.state()["decisions"]] == (["apply"] if commits else [])


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("suggest-only", ["Proposal"]),
        ("suggest-and-commit", ["Proposal"]),
        ("commit-only", ["Applied"]),
        ("hybrid", ["Proposal"]),
    ],
)
def test_from_the_risk_threshold_on_nothing_is_committed_unasked(tmp_path: Path, mode: str, said: list[str]) -> None:
    with talking(tmp_path, {"defaultMode": mode, "riskThreshold": "low"}) as talk:
        assert kinds(talk.say(SMALL)) == said


@pytest.mark.parametrize("mode", ["suggest-and-commit", "commit-only", "hybrid"])
def test_what_was_committed_at_once_is_taken_back_like_anything_else(tmp_path: Path, mode: str) -> None:
    with talking(tmp_path, {"defaultMode": mode}) as talk:
        talk.say(SMALL)
        assert kinds(talk.say("/undo")) == ["Took"]
        assert talk.file("app.py") == FILES["app.py"]
        assert "0 of 1 applied, 1 pending" in talk.say("/gitclaw status")[0]


def test_a_commit_that_nobody_decided_on_names_who_asked(tmp_path: Path) -> None:
    with talking(tmp_path, {"defaultMode": "commit-only"}) as talk:
        talk.say(SMALL)
        assert talk.message().startswith("feat(app): rename\n")
        assert f"Co-authored-by: mona <{talk.mona.id}+mona@users.noreply.github.com>" in talk.message()


def test_feedback_after_a_commit_starts_from_it(tmp_path: Path) -> None:
    with talking(tmp_path, {"defaultMode": "commit-only"}) as talk:
        talk.say(SMALL)
        talk.say("/gitclaw again\n\nreplace new with newer in app.py")
        assert talk.file("app.py") == FILES["app.py"].replace(b"old", b"newer")


GROUPS = {
    "run": [SMALL, "/refine shorter", "/gitclaw review", "/gitclaw retry", "/gitclaw cancel"],
    "apply": ["/apply 1", "/undo", "/gitclaw pr", "/gitclaw update", "/gitclaw close"],
    "reject": ["/reject 1"],
    "show": ["/gitclaw status", "/gitclaw help", "/gitclaw show 1"],
    "merge": ["/gitclaw merge"],
}


@pytest.mark.parametrize(("group", "command"), [(group, one) for group, every in GROUPS.items() for one in every])
def test_each_group_of_commands_has_its_own_access(tmp_path: Path, group: str, command: str) -> None:
    with talking(tmp_path, {"permissions": {group: "maintain"}}) as talk:
        (reply,) = talk.say(command)
        assert "needs maintain access" in reply
        assert "@mona, you have write access here" in reply
        talk.repo.grant(talk.mona, "maintain")
        assert all("### Nothing changed: `" not in again for again in talk.say(command))


def test_readers_can_be_let_run_the_agent_and_still_not_apply(tmp_path: Path) -> None:
    with talking(tmp_path, {"permissions": {"run": "read", "reject": "triage"}}) as talk:
        assert kinds(talk.say(SMALL, talk.reader)) == ["Proposal"]
        assert "needs write access" in talk.say("/apply 1", talk.reader)[0]
        assert "needs triage access" in talk.say("/reject 1", talk.reader)[0]


@pytest.mark.parametrize(("commands", "has"), [("/gitclaw status", "### Status"), ("/gitclaw help", "### Commands")])
def test_a_reader_may_look(talk: Talk, commands: str, has: str) -> None:
    talk.say(SMALL)
    (reply,) = talk.say(commands, talk.reader)
    assert has in reply


def test_a_reader_may_see_one_suggestion_in_full(talk: Talk) -> None:
    talk.say(SMALL)
    (reply,) = talk.say("/gitclaw show 1", talk.reader)
    assert "-old = 1" in reply
    assert "+new = 1" in reply


def test_many_suggestions_come_in_numbered_parts(tmp_path: Path) -> None:
    with talking(tmp_path, {"maxSuggestionsPerComment": 3}) as talk:
        replies = talk.say(many(7))
        text = "\n".join(replies)
        assert all(f"**{number}**" in text for number in range(1, 8))
        assert len(replies) == 3
        assert ["(1/3)" in reply or "part=1/3" in reply for reply in replies] == [True, False, False]
        talk.say("/apply 7")
        assert talk.file("f06.txt") == b"text 6\n"


@pytest.mark.parametrize("shows", [True, False])
def test_the_reasons_are_shown_unless_they_are_not_wanted(tmp_path: Path, *, shows: bool) -> None:
    with talking(tmp_path, {"showRationale": shows}) as talk:
        (reply,) = talk.say(SMALL)
        assert ("the old name misleads" in reply) is shows
        assert talk.state()["suggestions"][0]["reason"] == "the old name misleads"


@pytest.mark.parametrize("place", [".gitclaw/suggestions.json", ".github/suggestions.json"])
def test_the_configuration_may_lie_in_a_folder(tmp_path: Path, place: str) -> None:
    configuration: dict[str, Any] = {"defaultMode": "commit-only"}
    with talking(tmp_path, configuration) as talk:
        content = talk.file("suggestions.json")
        assert content is not None
        talk.repo.push_files("main", {place: content, "suggestions.json": b"not json"}, talk.mona)
        assert kinds(talk.say(SMALL)) == ["Applied"]


def test_a_workflow_is_changed_by_nobody_here_even_where_the_token_may(talk: Talk) -> None:
    talk.token = talk.repo.token(contents="write", issues="write", pull_requests="write", workflows="write")
    (reply,) = talk.say(RISKY)
    assert WORKFLOW in reply
    assert kinds(talk.say("/apply all")) == ["Applied"]
    assert talk.file(WORKFLOW) is None
    assert talk.file("app.py") == NEW
