"""``/gitclaw pr`` and ``/gitclaw close``: a pull request for what an issue has, and its end without a merge."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gitclaw_py.hub.threads import Thread
from tests.conversations.breaking import Kill, cut_off, watched
from tests.conversations.talk import FILES, Talk, talking

REQUEST = "/gitclaw rename\n\nreplace old with new in app.py\nwrite added.txt hello\nbecause app.py it reads better"
NEW = FILES["app.py"].replace(b"old", b"new")
OURS = "gitclaw/issue-1"


@pytest.fixture
def asked(talk: Talk) -> Talk:
    """An issue with a proposal of two files."""
    talk.say(REQUEST)
    return talk


def pulls(talk: Talk) -> list[Thread]:
    return [thread for thread in talk.repo.repository.threads if thread.pull]


def test_all_that_is_pending_goes_into_a_pull_request_as_one_commit(asked: Talk) -> None:
    main = asked.repo.branch("main")
    applied, opened = asked.say("/gitclaw pr")
    assert "### Applied 1, 2" in applied
    (pull,) = pulls(asked)
    assert f"### Opened [pull request {pull.number}]" in opened
    assert asked.repo.branch("main") == main
    assert (asked.file("app.py", OURS), asked.file("added.txt", OURS)) == (NEW, b"hello\n")
    tip = asked.repo.repository.git.commit(asked.repo.branch(OURS) or "")
    assert tip.parents == (main,)
    assert [d["branch"] for d in asked.state()["decisions"]] == [OURS]


def test_its_text_lists_what_is_in_it_and_refers_to_the_issue(asked: Talk) -> None:
    asked.say("/gitclaw pr\n\nfor the release, says @octo")
    (pull,) = pulls(asked)
    body = pull.body or ""
    assert body.startswith("## Summary\n\n> for the release, says `@octo`\n\n| # | File |")
    assert "| 2 | `app.py` | Edit, +2 −2, parts 2.1 to 2.2 | `it reads better` | `mona` |" in body
    assert "| 1 | `added.txt` | New file, +1 |  | `mona` |" in body
    assert body.endswith("\n\nRefs #1\n")


def test_the_repository_s_own_template_is_filled_in(asked: Talk) -> None:
    template = (
        "<!-- ## Description goes below -->\r\n# Change\r\n\r\n## Description\r\n\r\n## Tests\r\n\r\n- [ ] added\r\n"
    )
    asked.repo.push_files("main", {".github/pull_request_template.md": template.encode()}, asked.mona)
    asked.say("/gitclaw pr")
    body = pulls(asked)[0].body or ""
    before, _, after = body.partition("| # | File |")
    assert before == "<!-- ## Description goes below -->\n# Change\n\n"
    assert after.endswith("Refs #1\n\n## Description\n\n## Tests\n\n- [ ] added\n")


def test_what_is_blocked_stays_out_of_it(talk: Talk) -> None:
    talk.say("/gitclaw\n\nwrite .gitclaw/state/x x\nwrite a.txt a")
    applied, _ = talk.say("/gitclaw pr")
    assert "### Applied 2" in applied
    assert "`a.txt`" in (pulls(talk)[0].body or "")
    assert ".gitclaw" not in (pulls(talk)[0].body or "")


def test_chosen_numbers_alone_can_go_into_it(asked: Talk) -> None:
    applied, _ = asked.say("/gitclaw pr 1")
    assert "### Applied 1" in applied
    assert (asked.file("app.py", OURS), asked.file("added.txt", OURS)) == (FILES["app.py"], b"hello\n")
    (reply,) = asked.say("/gitclaw pr")
    assert f"### Open already: [pull request {pulls(asked)[0].number}]" in reply
    assert "2 pending: `/apply all` adds what fits" in reply
    (applied,) = asked.say("/apply all")
    assert asked.file("app.py", OURS) == NEW
    assert len(pulls(asked)) == 1


def test_it_can_be_a_draft(asked: Talk) -> None:
    _, opened = asked.say("/gitclaw pr draft")
    assert "### Opened [draft pull request" in opened
    pull = pulls(asked)[0].pull
    assert pull is not None
    assert pull.is_draft


def test_what_was_applied_to_a_branch_before_is_proposed_as_it_is(tmp_path: Path) -> None:
    with talking(tmp_path, {"commit": {"to": "pull-request"}}) as talk:
        talk.say(REQUEST)
        talk.say("/apply 1")
        talk.repo.close(talk.mona, pulls(talk)[0].number)
        talk.waiting.clear()
        tip = talk.repo.branch(OURS)
        (opened,) = talk.say("/gitclaw pr")
        assert "### Opened [pull request" in opened
        assert talk.repo.branch(OURS) == tip
        assert [bool(pull.closed_at) for pull in pulls(talk)] == [True, False]


def test_nothing_to_propose_makes_neither_branch_nor_pull_request(asked: Talk) -> None:
    asked.say("/apply all")
    (reply,) = asked.say("/gitclaw pr")
    assert reply.startswith("### Nothing")
    assert (asked.repo.branch(OURS), pulls(asked)) == (None, [])


def test_a_proposal_that_does_not_fit_is_not_proposed_in_part(asked: Talk) -> None:
    asked.repo.push_files("main", {"app.py": FILES["app.py"].replace(b"old = 2", b"ancient = 2")}, asked.mona)
    (reply,) = asked.say("/gitclaw pr")
    assert "### Nothing was applied: 2.2 does not fit" in reply
    assert (asked.repo.branch(OURS), pulls(asked)) == (None, [])


def test_a_pull_request_needs_no_other_one(talk: Talk) -> None:
    talk.pull({"topic.py": b"topic = 1\n"})
    (reply,) = talk.say("/gitclaw pr")
    assert "this is a pull request already" in reply


def test_a_commit_to_the_default_branch_and_a_pull_request_do_not_go_into_one_comment(asked: Talk) -> None:
    applied, refused = asked.say("/apply 1\n\n/gitclaw pr")
    assert "### Applied 1" in applied
    assert "give the commands in comments of their own" in refused
    assert pulls(asked) == []


def test_who_may_only_read_opens_none(asked: Talk) -> None:
    (reply,) = asked.say("/gitclaw pr", asked.reader)
    assert "### Nothing changed: `/gitclaw pr` needs write access" in reply
    assert pulls(asked) == []


def test_a_run_that_dies_after_the_push_opens_it_next_time(asked: Talk) -> None:
    kill = Kill(0)
    asked.post("/gitclaw pr")
    assert not cut_off(asked, kill)
    at = kill.calls.index("open_pull") + 1
    asked.open()
    asked.say(REQUEST)
    asked.post("/gitclaw pr")
    assert cut_off(asked, Kill(at))
    asked.say("/gitclaw status")
    assert [pull.pull.head_branch for pull in pulls(asked) if pull.pull] == [OURS, f"gitclaw/issue-{asked.number}"]


def test_a_branch_that_someone_makes_meanwhile_is_built_upon(asked: Talk) -> None:
    made: list[str] = []

    def around(name: str, do: Callable[[], object]) -> object:
        if name == "push" and not made:
            made.append(asked.repo.push_files(OURS, {"mine.txt": b"mine\n"}, asked.mona))
        return do()

    asked.around = watched(around)
    applied, opened = asked.say("/gitclaw pr")
    assert ("### Applied 1, 2" in applied, "### Opened" in opened) == (True, True)
    assert asked.repo.repository.git.commit(asked.repo.branch(OURS) or "").parents == (made[0],)
    assert (asked.file("mine.txt", OURS), asked.file("app.py", OURS)) == (b"mine\n", NEW)
    assert len(pulls(asked)) == 1


@pytest.fixture
def proposed(asked: Talk) -> Talk:
    """An issue with an open pull request of our own."""
    asked.say("/gitclaw pr")
    return asked


@pytest.mark.parametrize("place", ["issue", "pull"])
def test_a_pull_request_is_closed_without_merging_and_its_branch_is_kept(proposed: Talk, place: str) -> None:
    (pull,) = pulls(proposed)
    tip = proposed.repo.branch(OURS)
    if place == "pull":
        proposed.number = pull.number
    (reply,) = proposed.say("/gitclaw close")
    assert f"### Closed [pull request {pull.number}]" in reply
    assert f"Its branch `{OURS}` is kept" in reply
    assert '"Reopen pull request"' in reply
    assert proposed.repo.thread(pull.number).state == "closed"
    assert proposed.repo.branch(OURS) == tip
    assert proposed.file("app.py") == FILES["app.py"]
    (reply,) = proposed.say("/gitclaw close")
    assert "is closed, so there is nothing to close" in reply


def test_an_issue_without_a_pull_request_has_none_to_close(asked: Talk) -> None:
    for verb in ("close", "merge", "update", "review"):
        asked.repo.grant(asked.mona, "maintain")
        (reply,) = asked.say(f"/gitclaw {verb}")
        assert f"this issue has no pull request to {verb}" in reply


def test_a_token_that_may_not_close_says_so(proposed: Talk) -> None:
    proposed.token = proposed.repo.token(contents="write", issues="write", pull_requests="read")
    (reply,) = proposed.say("/gitclaw close")
    assert "PERMISSION_DENIED" in reply
    assert pulls(proposed)[0].state == "open"
