"""What a sentence in a reply says, and that it stays one."""

from __future__ import annotations

from hypothesis import given

from gitclaw_py.core.applying import NOT_THERE, PartFinding
from gitclaw_py.core.bundle import Failure
from gitclaw_py.core.placing import Verdict
from gitclaw_py.core.replies import marker, notices, proposals, verdicts
from gitclaw_py.core.replies.wording import in_thread, note
from gitclaw_py.core.state import Decision, Verb, decided
from gitclaw_py.errors import RefusedError, UsageError
from tests.core.replies.reading import check, check_inert
from tests.core.replies.scenes import LANDED, LINKS, RUN, report
from tests.core.replies.test_hostile import hostile


def test_our_own_sentence_is_told_as_it_is_and_another_as_plain_text() -> None:
    assert note(notices.CI_PULL) == notices.CI_PULL
    assert note("see *this* of @mona") == "see \\*this\\* of `@mona`"


def test_the_only_step_begins_a_sentence() -> None:
    findings = [PartFinding("1.1", b"src/report.py", Verdict.CONFLICT, NOT_THERE, 1)]
    (body,) = verdicts.stuck(
        report().state,
        re="1",
        requester="mona",
        branch="main",
        findings=findings,
        chosen=["1.1"],
        undo=True,
        links=LINKS,
    )
    assert "**Next:** change the file by hand" in body


def test_a_number_that_is_applied_names_its_commit() -> None:
    state = report().state
    whole, other = [s for s in state.suggestions if len(s.parts) == 1][:2]
    state = decided(state, Decision(Verb.APPLY, whole.parts, "mona", 1, commit=LANDED))
    skipped = [(str(whole.number), "it is applied already"), (str(other.number), "needs 9")]
    (body,) = verdicts.nothing_to_do(state, re="1", requester="mona", skipped=skipped, verb="apply")
    assert f"(it is applied already, in `{LANDED[:7]}`)" in body
    assert "(needs 9)" in body


def test_a_thread_has_no_branch_option() -> None:
    step = "take it back there: leave --branch gitclaw/issue-4 out"
    assert in_thread(step) == "give the command in the thread where it was applied"


def test_commands_that_were_not_carried_out_are_named() -> None:
    commands = ["/reject 2", "/gitclaw status"]
    assert notices.not_carried_out(commands) == "Not carried out after that: `/reject 2`, `/gitclaw status`."
    assert notices.not_carried_out([]) == ""


def test_an_answer_in_a_review_names_what_became_of_it() -> None:
    (answer,) = notices.misplaced("Leave an empty line", re="1")
    told = notices.pointed(answer, "https://github.com/o/r/pull/1#issuecomment-2", ok=False)
    assert told == (
        "Not done: Nothing changed: the command was not read. "
        "[The answer](https://github.com/o/r/pull/1#issuecomment-2) is in the conversation."
    )


def test_bytes_that_no_page_holds_are_counted() -> None:
    text = notices.unstored(RefusedError("PERMISSION_DENIED", "No", "no"), ["### Proposal"], [b"-\xff\n", b"+a\n"])
    assert "The patch has bytes" not in text
    assert "Patch 1 has bytes that a page cannot hold (3 bytes)." in text
    assert "<summary>Patch 2</summary>\n\n```diff\n+a\n```" in text
    assert text.endswith("\n\n### Proposal")


def test_a_new_version_that_needs_less_says_so() -> None:
    bodies = proposals.answered("Done.", re="1", requester="mona", run=RUN, links=LINKS, gone=("2", "3"))
    check(bodies)
    assert bodies[0].startswith("### Nothing new to propose: 2, 3 were taken back\n")
    assert "The new version does not need 2, 3." in bodies[0]
    assert "```text\nDone.\n```" in bodies[0]


def test_what_was_proposed_before_is_said_in_our_words_and_not_in_the_agents() -> None:
    (body,) = proposals.answered("Done.", re="1", requester="mona", run=RUN, links=LINKS, repeated=(1, 4))
    assert body.startswith(
        "### Nothing new to propose\n\nFor @mona. The same changes are in this thread already, as 1, 4.\n"
    )
    assert "```text\nDone.\n```" in body
    (silent,) = proposals.answered(None, re="1", requester="mona", run=RUN, links=LINKS, repeated=(1,))
    assert "The same changes are in this thread already, as 1." in silent
    assert "```" not in silent


def test_what_another_job_says_of_its_failure_is_code_and_so_is_a_path() -> None:
    error = Failure("AGENT_FAILED", "claude ended with 1, see #3", "run gitclaw suggest again").error
    (body,) = notices.failed(error, re="1", requester="mona")
    assert body.startswith("### Failed: `claude ended with 1, see #3`\n")
    assert "**Next:** `ask again with /gitclaw <request>`." in body
    long = UsageError("TOO_LARGE", "@mona/x has 9 bytes; 8 are allowed", "ask for less", named=("@mona/x",))
    (body,) = notices.failed(long, re="1", requester="mona")
    assert body.startswith("### Nothing changed: `@mona/x` has 9 bytes; 8 are allowed\n")


def test_a_request_from_elsewhere_becomes_an_issue_that_says_who_asked() -> None:
    title, body = notices.asked_elsewhere("/gitclaw\n\nmend it, @octo", who="mona", key="d-form-12")
    assert title == "mend it, @octo"
    assert "> mend it, `@octo`" in body
    assert "Asked by `mona`." in body
    assert marker.find(body) == marker.Marker("request", "d-form-12")


@given(hostile)
def test_nothing_that_is_asked_elsewhere_acts(text: str) -> None:
    title, body = notices.asked_elsewhere(text, who=text, key="7")
    assert 0 < len(title) <= 80
    assert "\n" not in title
    check_inert(body, "nobody")
    check_inert(notices.not_carried_out([text]), "nobody")
