"""Rows 1, 2, 17, 32, 33, 34, 66 and 67 of the threat table: who commands, asked by id and when it is commanded."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitclaw_py import config
from gitclaw_py.errors import ConfigError
from tests.conversations.breaking import watched
from tests.conversations.talk import FILES, Talk, talking

REQUEST = "/gitclaw rename\n\nreplace old with new in app.py\nwrite added.txt hello"
NEW = FILES["app.py"].replace(b"old", b"new")
PERMISSION = "/collaborators/mona/permission$"


@pytest.fixture
def asked(talk: Talk) -> Talk:
    """A thread with a proposal."""
    talk.say(REQUEST)
    return talk


def untouched(talk: Talk) -> bool:
    """Whether no agent has worked and no branch has moved."""
    return talk.prompts() == [] and talk.file("added.txt") is None and talk.state() is None


def delivered(talk: Talk, change: Callable[[dict[str, Any]], object]) -> list[str]:
    """The answers to a request whose event was changed on its way."""
    before = len(talk.replies())
    talk.post(REQUEST)
    event, payload = talk.waiting.pop()
    payload = json.loads(json.dumps(payload))
    change(payload)
    talk.run(event, payload)
    return talk.replies()[before:]


@pytest.mark.parametrize("role", ["none", "read", "triage", "write", "maintain", "admin"])
def test_row_01_an_agent_starts_only_for_who_may_write(talk: Talk, role: str) -> None:
    talk.repo.grant(talk.mona, role)
    (reply,) = talk.say(REQUEST)
    if role in ("write", "maintain", "admin"):
        assert "### Proposal 1" in reply
    else:
        assert "needs write access" in reply
        assert untouched(talk)


@pytest.mark.parametrize("status", [401, 403, 404, 410, 422, 500, 502])
def test_row_01_no_answer_about_permission_means_no(talk: Talk, status: int) -> None:
    talk.hub.faults.add(PERMISSION, status=status, body={"message": "no"}, times=9)
    (reply,) = talk.say(REQUEST)
    assert "needs write access" in reply
    assert untouched(talk)


def test_row_01_an_answer_that_never_comes_means_no(talk: Talk) -> None:
    talk.timeout = 1
    talk.hub.faults.add(PERMISSION, delay=3, times=9)
    (reply,) = talk.say(REQUEST)
    assert "no access that is known" in reply
    assert untouched(talk)


@pytest.mark.parametrize("role", ["read", "none"])
def test_row_17_what_one_may_is_asked_again_when_it_is_applied(asked: Talk, role: str) -> None:
    asked.repo.grant(asked.mona, role)
    (reply,) = asked.say("/apply 1")
    assert "needs write access" in reply
    assert asked.file("added.txt") is None


def test_row_17_and_after_an_agent_worked_for_a_while(talk: Talk) -> None:
    def around(name: str, call: Callable[[], Any]) -> Any:
        if name == "bring_all":
            talk.repo.grant(talk.mona, "read")
        return call()

    talk.around = watched(around)
    replies = talk.say("/gitclaw add\n\nwrite added.txt hello\n\n/apply all")
    assert "### Proposal 1" in replies[0]
    assert "needs write access" in replies[1]
    assert talk.file("added.txt") is None


def test_row_17_a_mode_that_commits_asks_again_before_it_does(tmp_path: Path) -> None:
    with talking(tmp_path, {"defaultMode": "commit-only"}) as talk:

        def around(name: str, call: Callable[[], Any]) -> Any:
            if name == "bring_all":
                talk.repo.grant(talk.mona, "read")
            return call()

        talk.around = watched(around)
        (reply,) = talk.say(REQUEST)
        assert "### Proposal 1" in reply
        assert talk.file("added.txt") is None


def test_row_17_a_mode_commits_only_for_who_may_apply(tmp_path: Path) -> None:
    with talking(tmp_path, {"defaultMode": "commit-only", "permissions": {"run": "read"}}) as talk:
        (reply,) = talk.say(REQUEST, talk.reader)
        assert "### Proposal 1" in reply
        assert talk.file("added.txt") is None


@pytest.mark.parametrize(
    ("association", "role", "may"), [("OWNER", "read", False), ("MEMBER", "none", False), ("NONE", "admin", True)]
)
def test_row_32_what_the_event_says_of_the_author_is_no_permission(
    talk: Talk,
    association: str,
    role: str,
    may: bool,  # noqa: FBT001
) -> None:
    talk.repo.grant(talk.mona, role)

    def change(payload: dict[str, Any]) -> None:
        payload["comment"]["author_association"] = payload["issue"]["author_association"] = association

    (reply,) = delivered(talk, change)
    assert ("### Proposal 1" in reply) is may
    assert may or untouched(talk)


def test_row_33_a_comment_that_someone_else_sent_is_refused(talk: Talk) -> None:
    def change(payload: dict[str, Any]) -> None:
        payload["sender"] |= {"login": "rosa", "id": talk.reader.id}

    assert delivered(talk, change) == []
    assert talk.runs[-1].out == "Ignored: The comment of mona was sent by rosa\n"
    assert untouched(talk)


def test_row_33_the_words_of_a_transferred_issue_are_not_those_of_who_transferred_it(talk: Talk) -> None:
    talk.repo.open_issue(talk.reader, "Moved here", REQUEST)
    event, payload = talk.waiting.pop()
    payload = {**payload, "sender": {**payload["sender"], "login": "mona", "id": talk.mona.id}}
    talk.run(event, payload)
    assert "the words of someone else" in talk.runs[-1].out
    assert untouched(talk)


APP = {"id": 4242, "slug": "a-tool", "name": "A tool"}


@pytest.mark.parametrize("app", [APP, {}, {"id": "4242"}, True])
def test_row_34_an_app_does_not_speak_for_a_maintainer(talk: Talk, app: Any) -> None:
    def change(payload: dict[str, Any]) -> None:
        payload["comment"]["performed_via_github_app"] = app

    assert delivered(talk, change) == []
    assert "posted by an app in someone's name" in talk.runs[-1].out
    assert untouched(talk)


def test_row_34_nor_by_a_comment_whose_event_was_lost(talk: Talk) -> None:
    through_an_app = talk.post(REQUEST)
    talk.waiting.clear()
    talk.around = watched(
        lambda name, call: [_through(c, through_an_app) for c in call()] if name == "comments" else call()
    )
    (reply,) = talk.say("/gitclaw status")
    assert "### Status" in reply or "no suggestions" in reply.lower()
    assert f"comment {through_an_app} was posted by an app" in talk.runs[-1].err
    assert talk.prompts() == []


def _through(comment: Any, identity: int) -> Any:
    return comment._replace(app=4242) if comment.id == identity else comment


def test_row_34_nor_by_a_new_issue(talk: Talk) -> None:
    talk.repo.open_issue(talk.mona, "Another", REQUEST)
    event, payload = talk.waiting.pop()
    talk.run(event, {**payload, "issue": {**payload["issue"], "performed_via_github_app": APP}})
    assert "opened by an app in someone's name" in talk.runs[-1].out


def test_row_34_a_listed_app_does(tmp_path: Path) -> None:
    with talking(tmp_path, {"apps": [4242]}) as talk:

        def change(payload: dict[str, Any]) -> None:
            payload["comment"]["performed_via_github_app"] = APP

        assert "### Proposal 1" in delivered(talk, change)[0]


@pytest.mark.parametrize(
    "entry", ["*", "helper[bot]", "helper#7", "[bot]", "", 0, -1, True, 1.5, None, "helper[bot]#0"]
)
def test_row_02_a_bot_without_an_id_is_no_entry(entry: object) -> None:
    with pytest.raises(ConfigError) as error:
        config.parse(json.dumps({"bots": [entry]}).encode(), "suggestions.json")
    assert "helper[bot]#1234" in error.value.what


def test_row_02_an_entry_counts_by_its_id_alone() -> None:
    found = config.parse(b'{"bots": ["helper[bot]#7", 8]}', "suggestions.json")
    assert found.bots == (7, 8)


def test_row_02_a_login_that_was_reclaimed_is_another_bot(tmp_path: Path) -> None:
    with talking(tmp_path, {"bots": ["helper[bot]#999"]}) as talk:
        talk.say(REQUEST, talk.hub.account("helper[bot]"))
        assert "is a bot that is not listed" in talk.runs[-1].out
        assert untouched(talk)


@pytest.mark.parametrize(
    ("status", "message", "may"),
    [(404, "helper[bot] is not a user", True), (404, "Not Found", False), (500, "x", False)],
)
def test_row_02_a_listed_bot_is_asked_about_too(tmp_path: Path, status: int, message: str, may: bool) -> None:  # noqa: FBT001
    with talking(tmp_path, {"bots": [1004]}) as talk:
        bot = talk.hub.account("helper[bot]")
        assert bot.id == 1004
        talk.hub.faults.add("/permission$", status=status, body={"message": message}, times=9)
        (reply,) = talk.say(REQUEST, bot)
        assert ("### Proposal 1" in reply) is may


def test_row_66_a_login_that_changed_hands_brings_no_permission(asked: Talk) -> None:
    asked.post("/apply 1")
    asked.hub.rename(asked.mona, "mona-of-old")
    newcomer = asked.hub.account("mona")
    asked.repo.grant(newcomer, "admin")
    assert newcomer.id != asked.mona.id
    asked.handle()
    assert "no access that is known" in asked.replies()[-1]
    assert asked.file("added.txt") is None


def test_row_67_in_a_locked_thread_only_admins_command(asked: Talk) -> None:
    asked.repo.lock(asked.number)
    for text in ("/apply 1", "/gitclaw status", "/gitclaw merge"):
        (reply,) = asked.say(text)
        assert "needs admin access" in reply
        assert "This conversation is locked" in reply
    assert asked.file("added.txt") is None
    asked.repo.grant(asked.mona, "admin")
    assert "### Applied 1" in asked.say("/apply 1")[0]


def test_row_67_an_event_of_another_repository_is_refused(talk: Talk) -> None:
    talk.environment["GITHUB_REPOSITORY_ID"] = str(talk.repo.repository.id)
    assert "### Proposal 1" in talk.say(REQUEST)[0]
    talk.environment["GITHUB_REPOSITORY_ID"] = str(talk.repo.repository.id + 1)
    before = len(talk.hub.log)
    assert talk.say("/apply 1") == []
    assert "Ignored: The event is of repository" in talk.runs[-1].out
    assert talk.hub.log[before:] == []


def test_row_67_a_comment_that_is_gone_is_not_carried_out(asked: Talk) -> None:
    comment = asked.post("/apply 1")
    event = asked.waiting.pop()
    asked.repo.delete_comment(asked.mona, comment)
    asked.run(*event)
    assert "is gone" in asked.runs[-1].err
    assert asked.file("added.txt") is None
