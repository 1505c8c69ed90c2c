"""Real payloads, and what they start once they hold a command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.core.commands import LONGEST, Apply, Misplaced, Run, Status, Unknown
from gitclaw_py.core.replies import marker
from gitclaw_py.core.thread import Account
from gitclaw_py.core.trigger import Ignored, Rules, Trigger, read_trigger

Payload = dict[str, Any]

PAYLOADS = sorted((Path(__file__).parents[1] / "payloads").glob("*.json"))
RULES = Rules(mention="@my-bot")
MONA = Account("Codertocat", 21031067)


def saved(name: str) -> Payload:
    found: Payload = json.loads((PAYLOADS[0].parent / f"{name}.json").read_text(encoding="utf-8"))
    return found


def read(event: str, document: object, rules: Rules = RULES) -> Trigger | Ignored:
    return read_trigger(event, json.dumps(document).encode(), rules)


def started(event: str, document: object, rules: Rules = RULES) -> Trigger:
    found = read(event, document, rules)
    assert isinstance(found, Trigger), found
    return found


def ignored(event: str, document: object, rules: Rules = RULES) -> str:
    found = read(event, document, rules)
    assert isinstance(found, Ignored), found
    return found.reason


def commented(body: str, name: str = "issue_comment.created.0") -> Payload:
    document = saved(name)
    document["comment"]["body"] = body
    return document


def opened(body: str | None) -> Payload:
    document = saved("issues.opened.1")
    document["issue"]["body"] = body
    return document


def labeled(label: str = "gitclaw", body: str | None = "It should be one t.") -> Payload:
    document = saved("issues.labeled.0")
    document["label"]["name"] = label
    document["issue"]["body"] = body
    return document


def dispatched(values: object, kind: str = "gitclaw") -> Payload:
    return saved("repository_dispatch.event.0") | {"action": kind, "client_payload": values}


def by_bot(document: Payload, login: str) -> Payload:
    account = {"login": login, "id": 49699333, "type": "Bot"}
    if "comment" in document:
        document["comment"]["user"] = account
    return document | {"sender": account}


def test_new_commits_in_a_pull_request_ask_for_nothing_and_are_looked_at() -> None:
    found = started("pull_request", saved("pull_request.synchronize.0"))
    assert found.thread is not None
    assert (found.thread.is_pull_request, found.commands, found.comment) == (True, (), None)


@pytest.mark.parametrize("path", [p for p in PAYLOADS if "synchronize" not in p.name], ids=lambda path: path.stem)
def test_a_real_payload_that_asks_for_nothing_starts_nothing(path: Path) -> None:
    found = read_trigger(path.name.partition(".")[0], path.read_bytes(), RULES)
    assert isinstance(found, Ignored)
    assert "\n" not in found.reason


@pytest.mark.parametrize("name", [path.stem for path in PAYLOADS if path.stem.startswith("issue_comment.created")])
def test_every_shape_of_a_comment_with_a_command_starts_it(name: str) -> None:
    found = started("issue_comment", commented("/apply 1", name))
    assert found.commands == (Apply(("1",)),)
    assert found.actor == MONA
    assert found.thread is not None
    assert found.thread.number == 1


@pytest.mark.parametrize("name", [path.stem for path in PAYLOADS if path.stem.startswith("issues.opened")])
def test_every_shape_of_a_new_issue_with_a_request_starts_it(name: str) -> None:
    document = saved(name)
    document["issue"]["body"] = "/gitclaw mend it"
    assert started("issues", document).commands == (Run("mend it"),)


def test_all_that_is_needed_of_a_comment_is_kept() -> None:
    found = started("issue_comment", commented("/gitclaw status"))
    assert (found.event, found.run_key) == ("issue_comment.created", "")
    assert (found.repository, found.repository_id, found.default_branch) == (
        "Codertocat/Hello-World",
        186853002,
        "master",
    )
    assert found.comment is not None
    assert (found.comment.id, found.comment.author, found.comment.body) == (492700400, MONA, "/gitclaw status")
    assert found.comment.url.endswith("/issues/1#issuecomment-492700400")
    assert found.thread is not None
    assert (found.thread.title, found.thread.author) == ("Spelling error in the README file", MONA)
    assert found.thread.labels == ("bug",)
    assert (found.thread.is_pull_request, found.thread.is_open, found.thread.is_locked) == (False, True, False)
    assert found.knows_thread
    assert found.request == "/gitclaw status"
    assert found.commands == (Status(),)


def test_a_comment_on_a_closed_and_locked_pull_request_says_so() -> None:
    document = commented("/apply 1")
    document["issue"] |= {"pull_request": {"url": "https://x"}, "state": "closed", "locked": True}
    thread = started("issue_comment", document).thread
    assert thread is not None
    assert (thread.is_pull_request, thread.is_open, thread.is_locked) == (True, False, True)


def test_what_was_nearly_a_command_is_answered_too() -> None:
    assert isinstance(started("issue_comment", commented("/aply 1")).commands[0], Unknown)
    assert isinstance(started("issue_comment", commented("> x\n/apply 1")).commands[0], Misplaced)


@pytest.mark.parametrize("body", ["Thanks!", "/lgtm", "> /apply 1", "```\n/apply 1\n```", "", None])
def test_a_comment_without_a_command_is_ignored(body: str) -> None:
    assert ignored("issue_comment", commented(body)) == "The comment holds no command of ours"


def test_edited_and_deleted_comments_do_not_command() -> None:
    for action in ("edited", "deleted"):
        document = commented("/apply 1") | {"action": action}
        assert ignored("issue_comment", document) == f"Nothing starts at issue_comment.{action}"
    late = commented("/apply 1")
    late["comment"]["updated_at"] = "2019-05-15T16:00:00Z"
    assert "edited" in ignored("issue_comment", late)


def test_row_02_bots_command_only_when_listed_by_id() -> None:
    document = by_bot(commented("/apply 1"), "dependabot[bot]")
    assert "dependabot[bot] (id 49699333) is a bot" in ignored("issue_comment", document)
    assert "is a bot" in ignored("issue_comment", document, Rules(bots=frozenset((49699334,))))
    assert started("issue_comment", document, Rules(bots=frozenset((49699333,)))).actor.is_bot
    renamed = by_bot(commented("/apply 1"), "reclaimed[bot]")
    renamed["comment"]["user"]["id"] = renamed["sender"]["id"] = 7
    assert "is a bot" in ignored("issue_comment", renamed, Rules(bots=frozenset((49699333,))))


def test_our_own_replies_are_never_commands() -> None:
    own = by_bot(commented("/apply 1"), "github-actions[bot]")
    assert "own replies" in ignored("issue_comment", own, Rules(bots=frozenset((49699333,))))
    assert "own replies" in ignored("issue_comment", commented("/apply 1"), Rules(bot="codertocat"))
    assert "own replies" in ignored("issue_comment", commented("/apply 1\n\n<!-- gitclaw:1 kind=status re=5 -->\n"))


def test_a_comment_sent_for_someone_else_is_ignored() -> None:
    document = commented("/apply 1")
    document["sender"] = {"login": "mallory", "id": 7, "type": "User"}
    assert ignored("issue_comment", document) == "The comment of Codertocat was sent by mallory"


def test_a_new_issue_asks_with_our_name_first_or_a_mention() -> None:
    found = started("issues", opened("/gitclaw mend it\n\nPlease."))
    assert (found.event, found.run_key, found.comment) == ("issues.opened", "issue", None)
    assert found.commands == (Run("mend it\n\nPlease."),)
    (asked,) = started("issues", opened("It fails. @my-bot mend it")).commands
    assert asked == Run("It fails. @my-bot mend it", mentioned=True)
    for body in ("It fails.\n\n/gitclaw mend it", "/apply 1", "`@my-bot`", "/gitclawed", "", None):
        assert "new issue" in ignored("issues", opened(body))


def test_a_label_makes_the_issue_a_request_and_nothing_in_it_a_command() -> None:
    found = started("issues", labeled(body="It should be one t.\n\n/gitclaw merge"))
    assert (found.event, found.run_key) == ("issues.labeled", "label-20190515T152018Z")
    assert found.commands == (Run("Spelling error in the README file\n\nIt should be one t.\n\n/gitclaw merge"),)
    assert started("issues", labeled(body=None)).request == "Spelling error in the README file"
    assert "label" in ignored("issues", labeled("bug"))


def test_an_issue_opened_with_the_label_and_a_request_is_not_read_twice() -> None:
    together = labeled(body="/gitclaw mend it")
    assert "read when it is opened" in ignored("issues", together)
    assert started("issues", together, Rules(on_opened=False))
    later = labeled(body="/gitclaw mend it")
    later["issue"]["updated_at"] = "2019-05-16T15:20:18Z"
    assert started("issues", later).commands[0] == Run("Spelling error in the README file\n\n/gitclaw mend it")
    by_another = labeled(body="/gitclaw mend it")
    by_another["sender"] = {"login": "hubot", "id": 7, "type": "User"}
    assert started("issues", by_another).actor.login == "hubot"


def test_new_issues_and_labels_can_be_switched_off() -> None:
    assert "start nothing" in ignored("issues", opened("/gitclaw x"), Rules(on_opened=False))
    assert "start nothing" in ignored("issues", labeled(), Rules(on_labeled=False))


def test_a_dispatch_names_a_request_and_perhaps_a_thread() -> None:
    found = started("repository_dispatch", dispatched({"request": "mend it", "issue": 7, "key": "form-12"}))
    assert (found.event, found.run_key) == ("repository_dispatch.gitclaw", "d-form-12")
    assert found.commands == (Run("mend it"),)
    assert found.thread is not None
    assert (found.thread.number, found.knows_thread) == (7, False)
    assert found.thread.url == "https://github.com/octo-org/octo-repo/issues/7"
    alone = started("repository_dispatch", dispatched({"request": "/apply 1"}, "gitclaw-chat"))
    assert (alone.thread, alone.commands, alone.knows_thread) == (None, (Apply(("1",)),), False)


@pytest.mark.parametrize("key", ["form-12", "9", "a_b", "x" * 64])
def test_a_marker_can_say_the_key_of_a_dispatch_which_is_never_that_of_a_comment(key: str) -> None:
    found = started("repository_dispatch", dispatched({"request": "mend it", "key": key}))
    assert marker.find(marker.write(marker.Marker("answer", f"{found.run_key}.2"))) is not None
    assert not found.run_key.isdigit()


@pytest.mark.parametrize("key", ["a--b", "-a", "a-", "a.2", "a b", "a\n", "x" * 65])
def test_a_key_that_no_marker_can_say_is_refused(key: str) -> None:
    assert "key" in ignored("repository_dispatch", dispatched({"request": "mend it", "key": key}))


@pytest.mark.parametrize(("issue", "number"), [("7", 7), (" #7 ", 7), ("", None), (None, None)])
def test_a_form_sends_its_number_as_text(issue: str | None, number: int | None) -> None:
    document = saved("workflow_dispatch.event.0") | {"inputs": {"request": "mend it", "issue": issue}}
    found = started("workflow_dispatch", document)
    assert found.event == "workflow_dispatch"
    assert (found.thread.number if found.thread else None) == number


@pytest.mark.parametrize("issue", ["seven", "0", "-1", -2, True, 1.5, [7], {"number": 7}, "7; rm", "9" * 5000])
def test_a_dispatch_with_a_number_that_is_none_is_ignored(issue: object) -> None:
    assert "not a number" in ignored("repository_dispatch", dispatched({"request": "x", "issue": issue}))


@pytest.mark.parametrize("values", [{}, None, [], "x", {"request": ""}, {"request": " "}, {"request": 3}])
def test_a_dispatch_without_a_request_is_ignored(values: object) -> None:
    assert ignored("repository_dispatch", dispatched(values)) == "The dispatch holds no request"
    document = saved("workflow_dispatch.event.1") | {"inputs": values}
    assert ignored("workflow_dispatch", document) == "The dispatch holds no request"


def test_a_dispatch_for_someone_else_is_ignored() -> None:
    assert "starts with gitclaw" in ignored("repository_dispatch", dispatched({"request": "x"}, "deploy"))
    assert "key" in ignored("repository_dispatch", dispatched({"request": "x", "key": "a b"}))
    by_actions = by_bot(dispatched({"request": "x"}), "github-actions[bot]")
    assert "is a bot" in ignored("repository_dispatch", by_actions)
    assert started("repository_dispatch", by_actions, Rules(bots=frozenset((49699333,))))


def test_a_text_longer_than_github_takes_is_refused() -> None:
    assert started("issue_comment", commented("/apply 1\n" + "ä" * (LONGEST - 9)))
    assert "longer" in ignored("issue_comment", commented("/apply 1\n" + "ä" * (LONGEST - 8)))
    assert "longer" in ignored("issues", labeled(body="x" * LONGEST))


@pytest.mark.parametrize(
    "payload", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}"]
)
def test_what_is_no_json_object_is_ignored(payload: bytes) -> None:
    assert isinstance(read_trigger("issue_comment", payload, RULES), Ignored)


def test_nothing_of_a_payload_can_begin_a_line_of_the_log() -> None:
    reason = ignored("repository_dispatch", dispatched({"request": "x"}, "x\n::set-env name=A::b"))
    assert "\n" not in reason
    assert "\n" not in ignored("issues", {"action": "x\n::error::y"})


def test_half_a_character_becomes_a_whole_one() -> None:
    found = started("issue_comment", commented("/gitclaw mend \ud800 it"))
    assert found.request.encode() == "/gitclaw mend \ufffd it".encode()


WHOLE: list[tuple[str, Callable[[], Payload]]] = [
    ("issue_comment", lambda: commented("/apply 1")),
    ("issues", lambda: opened("/gitclaw mend it")),
    ("issues", labeled),
    ("repository_dispatch", lambda: dispatched({"request": "mend it", "issue": 7})),
]
ODD = st.sampled_from([None, True, 0, -1, 1.5, "", "x", [], [None], {}, {"id": "1"}])


@given(st.sampled_from(WHOLE), st.data())
def test_a_field_that_is_missing_or_odd_never_raises(
    whole: tuple[str, Callable[[], Payload]], data: st.DataObject
) -> None:
    event, made = whole
    document = made()
    where = document
    for _ in range(data.draw(st.integers(0, 2))):
        inner = [key for key, value in where.items() if isinstance(value, dict) and value]
        if inner:
            where = where[data.draw(st.sampled_from(inner))]
    key = data.draw(st.sampled_from(sorted(where)))
    if data.draw(st.booleans()):
        where[key] = data.draw(ODD)
    else:
        del where[key]
    read(event, document)
