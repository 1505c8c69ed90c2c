"""The gate: who starts an agent, what is said to the jobs after it, and what it costs."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from hypothesis import example, given

from gitclaw_py.cli import gate
from gitclaw_py.cli.told import ignored
from gitclaw_py.core.commands import read_commands
from tests.conversations.split import RUN, Split, asked
from tests.conversations.talk import Talk, talking
from tests.core.test_commands import BOT, COMMENTS, READ
from tests.core.test_trigger import saved


@pytest.mark.parametrize(
    ("role", "kind"),
    [
        ("none", "act"),
        ("read", "act"),
        ("triage", "act"),
        ("write", "agent"),
        ("maintain", "agent"),
        ("admin", "agent"),
    ],
)
def test_row_01_only_who_may_write_starts_an_agent(split: Split, role: str, kind: str) -> None:
    who = split.talk.hub.account("someone")
    split.talk.repo.grant(who, role)
    assert asked(split, who=who).kind == kind


@pytest.mark.parametrize("fault", [{"status": 403}, {"status": 404}, {"status": 500}, {"status": 302}, {"drop": True}])
def test_row_01_without_an_answer_nobody_may(split: Split, fault: Any) -> None:
    split.talk.hub.faults.add("/permission", times=5, **fault)
    told = asked(split)
    assert told.kind == "act"
    assert "counts as nothing" in told.err


def test_row_01_an_answer_about_another_account_is_none(split: Split) -> None:
    body = {"permission": "admin", "role_name": "admin", "user": {"login": "mona", "id": 1}}
    split.talk.hub.faults.add("/permission", status=200, body=body)
    assert asked(split).kind == "act"


def test_row_02_a_bot_starts_nothing_by_its_name(split: Split) -> None:
    split.talk.post(RUN)
    event, payload = split.talk.waiting.pop(0)
    bot = {**payload["sender"], "login": "evil[bot]", "type": "Bot"}
    payload["sender"] = payload["comment"]["user"] = bot
    assert split.gate(event, payload).kind == "ignored"
    for listed in ("*", "evil[bot]", "evil[bot]#1"):
        assert split.gate(event, payload, GITCLAW_BOTS=listed).kind == "ignored"
    assert split.gate(event, payload, GITCLAW_BOTS=f"other[bot]#1, evil[bot]#{bot['id']}").kind == "agent"


@pytest.mark.parametrize(("text", "kind"), [(RUN, "agent"), ("/apply 1", "act"), ("/gitclaw status", "act")])
def test_row_67_in_a_locked_thread_only_admins_are_heard(split: Split, text: str, kind: str) -> None:
    split.talk.repo.lock(split.talk.number)
    for role in ("write", "maintain"):
        split.talk.repo.grant(split.talk.mona, role)
        start = len(split.talk.hub.log)
        told = asked(split, text)
        assert (told.kind, "only admins command in it" in told.out) == ("ignored", True)
        assert len(split.talk.hub.log) == start + 1, "what she may is all that was asked, and nothing was said"
    split.talk.repo.grant(split.talk.mona, "admin")
    start = len(split.talk.hub.log)
    assert asked(split, text).kind == kind
    calls = ["permission", "reactions", *(["comments"] if kind == "agent" else [])]
    assert [call.path.rpartition("/")[2] for call in split.talk.hub.log[start:]] == calls


def test_row_67_in_a_locked_thread_nobody_is_an_admin_of_whom_it_is_not_known(split: Split) -> None:
    split.talk.repo.grant(split.talk.mona, "admin")
    split.talk.repo.lock(split.talk.number)
    split.talk.hub.faults.add("/permission", times=5, status=500)
    assert asked(split, "/apply 1").kind == "ignored"


def test_row_67_a_bot_that_is_listed_is_no_admin(split: Split) -> None:
    split.talk.post(RUN)
    event, payload = split.talk.waiting.pop(0)
    payload["sender"] = payload["comment"]["user"] = {**payload["sender"], "login": "some[bot]", "type": "Bot"}
    listed = f"some[bot]#{payload['sender']['id']}"
    assert split.gate(event, payload, GITCLAW_BOTS=listed).kind == "agent"
    payload["issue"]["locked"] = True
    assert split.gate(event, payload, GITCLAW_BOTS=listed).kind == "ignored"


def test_row_67_an_admin_is_answered_in_a_locked_thread(split: Split) -> None:
    split.talk.repo.grant(split.talk.mona, "admin")
    split.talk.repo.lock(split.talk.number)
    assert "### Proposal 1" in split.say("/gitclaw\n\nwrite a.txt a")[0]
    assert "### Applied 1" in split.say("/apply 1")[0]


def test_the_configuration_may_ask_for_less(talk: Talk, tmp_path: Any) -> None:
    del talk
    with talking(tmp_path / "loose", {"permissions": {"run": "read"}}) as loose:
        split = Split(loose)
        loose.repo.grant(loose.reader, "read")
        assert asked(split, who=loose.reader).kind == "agent"


def test_row_11_the_head_of_a_pull_request_is_pinned(split: Split) -> None:
    split.talk.pull({"topic.py": b"1\n"})
    told = asked(split)
    assert told.head == split.talk.repo.branch("topic")
    assert told.thread == str(split.talk.number)
    split.talk.open()
    assert asked(split).head == ""


@pytest.fixture
def reviewed(split: Split) -> Split:
    """A pull request with a suggestion of ours in a review."""
    split.talk.pull({"app.py": b"old = 1\n"})
    split.say("/gitclaw\n\nreplace old with new in app.py")
    assert len(split.talk.repo.review_comments(split.talk.number)) == 1
    return split


def replied(split: Split, text: str, who: Any = None) -> int:
    """Reply to our review comment, which starts nothing by itself."""
    talk = split.talk
    first = talk.repo.review_comments(talk.number)[0]
    said = talk.repo.reply_in_review(who or talk.mona, talk.number, first.id, text)
    talk.waiting.clear()
    return said


REFINE = "/refine newer\n\nreplace new with newer in app.py"


def test_what_was_asked_in_a_review_gets_an_agent_with_the_next_command(reviewed: Split) -> None:
    talk = reviewed.talk
    replied(reviewed, REFINE)
    talk.post("/gitclaw status")
    assert reviewed.handle() == ["agent"]
    refined, status = talk.replies()[-2:]
    assert "2 replaces 1" in refined
    assert "In answer to [a reply in the review](" in refined
    assert "### Status" in status
    assert "Done: Proposal 2" in talk.repo.review_comments(talk.number)[2].body
    # It is answered, so that the next command is one job again.
    assert asked(reviewed, "/gitclaw status").kind == "act"


@pytest.mark.parametrize(
    ("text", "who"), [("/apply", "mona"), ("Looks fine", "mona"), (REFINE, "reader"), (REFINE, "helper[bot]")]
)
def test_what_needs_no_agent_in_a_review_or_may_have_none_starts_none(reviewed: Split, text: str, who: str) -> None:
    replied(
        reviewed,
        text,
        {"mona": reviewed.talk.mona, "reader": reviewed.talk.reader}.get(who) or reviewed.talk.hub.account(who),
    )
    assert asked(reviewed, "/gitclaw status").kind == "act"


def test_what_was_asked_in_a_review_long_ago_is_not_waited_for(reviewed: Split) -> None:
    replied(reviewed, REFINE)
    reviewed.talk.post("/gitclaw status")
    event, payload = reviewed.talk.waiting.pop(0)
    assert reviewed.gate(event, payload).kind == "agent"
    payload["comment"]["created_at"] = payload["comment"]["updated_at"] = "2099-01-01T00:00:00Z"
    assert reviewed.gate(event, payload).kind == "act"


def test_reviews_that_cannot_be_read_start_nothing_more(reviewed: Split) -> None:
    replied(reviewed, REFINE)
    reviewed.talk.hub.faults.add("/comments", method="GET", status=500, times=3)
    told = asked(reviewed, "/gitclaw status")
    assert (told.kind, "what was said in reviews could not be told" in told.err) == ("act", True)


def test_a_pull_request_without_a_review_costs_no_look_at_it(split: Split) -> None:
    split.talk.pull({"app.py": b"old = 1\n"})
    start = len(split.talk.hub.log)
    asked(split, "/gitclaw status")
    paths = [call.path.partition("octo/hello/")[2] for call in split.talk.hub.log[start:]]
    assert paths == [f"pulls/{split.talk.number}", f"issues/comments/{split.talk.comments()[-1].id}/reactions"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("/apply 1", "act"),
        ("/gitclaw status", "act"),
        ("/gitclaw help", "act"),
        ("/refine 1 shorter", "agent"),
        ("/apply 1\n\n/gitclaw more", "agent"),
        ("/aply 1", "act"),
        ("  /apply 1", "act"),
        ("thanks", "ignored"),
        ("/lgtm", "ignored"),
    ],
)
def test_what_is_written_decides_which_jobs_start(split: Split, text: str, kind: str) -> None:
    assert asked(split, text).kind == kind


def test_a_mention_counts_where_it_is_named(split: Split) -> None:
    assert asked(split, "@my-bot look").kind == "ignored"
    assert asked(split, "@my-bot look", GITCLAW_MENTION="@My-Bot").kind == "agent"


def test_who_asks_is_shown_that_it_was_seen(split: Split) -> None:
    asked(split)
    assert split.talk.reactions(split.talk.comments()[0].id) == ["eyes"]


def test_a_reaction_that_fails_fails_nothing(split: Split) -> None:
    split.talk.hub.faults.add("/reactions", status=403, times=3)
    told = asked(split)
    assert (told.kind, "the reaction was not made" in told.err) == ("agent", True)


def test_row_12_and_64_nothing_that_someone_typed_becomes_an_output(split: Split) -> None:
    split.talk.post(f"{RUN}\nkind=agent\n::set-output name=kind::agent\n$(id)")
    event, payload = split.talk.waiting.pop(0)
    payload["issue"]["title"] = "x\nkind<<E\nagent\nE"
    told = split.gate(event, payload)
    lines = (split.talk.folder / "gate-output").read_text().split("\n")
    assert [line.partition("<<")[0] for line in lines if "<<" in line] == ["kind", "head", "thread"]
    ends = {line.partition("<<")[2] for line in lines if "<<" in line}
    assert len(ends) == 1
    assert len(ends.pop()) > 32
    assert lines[1::3] == ["agent", "", str(split.talk.number)] == [told.kind, told.head, told.thread]


@pytest.mark.parametrize(("id_of_sender", "kind"), [(5, "ignored"), (21031067, "act")])
def test_row_63_what_is_printed_is_no_command_to_the_runner(split: Split, id_of_sender: int, kind: str) -> None:
    payload = saved("issue_comment.created.1")
    payload["comment"] |= {"body": RUN, "updated_at": payload["comment"]["created_at"]}
    payload["sender"] |= {"login": "a\n::error::b", "id": id_of_sender}
    told = split.gate("issue_comment", payload)
    assert told.kind == kind
    assert "error::b" in told.out
    assert not [line for line in (told.out + told.err).split("\n") if line.lstrip().startswith("::")]


class _Elsewhere(BaseHTTPRequestHandler):
    seen: list[str]

    def do_GET(self) -> None:
        self.seen.append(self.headers.get("Authorization", ""))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def elsewhere() -> Iterator[tuple[str, list[str]]]:
    _Elsewhere.seen = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Elsewhere)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/", _Elsewhere.seen
    server.shutdown()
    server.server_close()


def test_row_42_the_token_goes_to_no_other_host(split: Split, elsewhere: tuple[str, list[str]]) -> None:
    url, seen = elsewhere
    split.talk.hub.faults.add("/permission", status=302, headers={"Location": url})
    assert asked(split).kind == "act"
    assert seen == []


def looked_at(text: str, mention: str = BOT) -> list[bool]:
    """Whether the gate takes a comment for one to read, in both of the ways that JSON may be written in."""
    written = (json.dumps({"body": text}, ensure_ascii=ascii_only) for ascii_only in (True, False))
    return [gate._may_command(payload.encode("utf-8", "surrogatepass"), mention) for payload in written]


@pytest.mark.parametrize("text", [text for text, commands in READ if commands])
def test_the_first_look_leaves_nothing_out(text: str) -> None:
    assert looked_at(text) == [True, True]


@pytest.mark.parametrize("space", sorted(filter(str.isspace, map(chr, range(0x110000)))), ids=ascii)
def test_nor_does_it_whatever_indents_a_command(space: str) -> None:
    for text in (f"{space}/apply 1", f"a\n{space}/Gitclaw tidy up", f"a\n {space} /undo"):
        assert looked_at(text) == [True, True]


@given(COMMENTS)
@example("a\r/apply 1")
@example("\u2028/apply 1")
def test_nor_does_it_in_any_text(text: str) -> None:
    if read_commands(text, BOT):
        assert looked_at(text) == [True, True]


def test_a_repository_with_the_name_of_a_command_is_none() -> None:
    assert looked_at("see https://github.com/octo/gitclaw/pull/1 and docs/apply.md") == [False, False]


def test_row_64_what_others_typed_is_no_markdown_in_the_summary(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.delenv("GITHUB_OUTPUT", raising=False)
    assert ignored("It is by `evil` ![x](https://evil.example)") == 0
    assert "evil.example" in capsys.readouterr().out
    line = summary.read_text(encoding="utf-8").strip().split("\n")[-1]
    assert line.count("`") == 2
    assert (line[0], line[-1]) == ("`", "`")
