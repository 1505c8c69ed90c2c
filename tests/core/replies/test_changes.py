"""What is said about a pull request's life, as a maintainer reads it, and the text of one that we open."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given

from gitclaw_py.core.replies import changes, pull_text
from gitclaw_py.core.replies.changes import To
from gitclaw_py.core.state import Decision, Verb, decided
from gitclaw_py.core.thread import PullRequest
from tests.core.replies.reading import check, check_inert
from tests.core.replies.scenes import COMMIT, LANDED, LINKS, many, report
from tests.core.replies.test_hostile import hostile

Golden = Callable[[str, Sequence[str]], None]
TO = To("8821", "mona")
OURS = "gitclaw/issue-42"
PULL = PullRequest(57, LINKS.pull(57), True, "octo/hello", OURS, COMMIT, "main")
BRANCH = "Its branch, which was made for this, is deleted."


def test_a_merge_and_what_keeps_it_from_happening(golden_reply: Golden) -> None:
    conflict = changes.conflicting([b"src/report.py", b"docs/it's `odd`.md"], "main", OURS)
    unfinished = changes.unfinished(2, [("ci / test", "failure"), ("lint", "still runs")])
    steps = ["settle that, then `/gitclaw merge` again"]
    golden_reply(
        "merged",
        [
            *changes.merged(TO, PULL, LANDED, LINKS, method="squash", branch=BRANCH),
            *changes.merged_before(TO, PULL._replace(merged_as=LANDED), LINKS),
            *changes.declined(TO, PULL, "merge", [conflict], steps, "Pull Request is not mergeable"),
            *changes.declined(TO, PULL, "merge", unfinished, steps),
            *changes.not_open(TO, PULL, "merge"),
            *changes.no_pull(TO, "merge"),
        ],
    )


def test_an_update(golden_reply: Golden) -> None:
    golden_reply(
        "updated",
        [
            *changes.updated(TO, PULL, LANDED, LINKS, notes=True),
            *changes.updated(TO, PULL, None, LINKS, notes=False),
            *changes.up_to_date(TO, PULL),
        ],
    )


def test_a_pull_request_that_is_there_and_one_that_is_closed(golden_reply: Golden) -> None:
    theirs = PULL._replace(head_branch="topic")
    golden_reply(
        "closed",
        [
            *changes.open_already(TO, PULL, pending="2, 3.1"),
            *changes.is_a_pull(TO),
            *changes.closed(TO, PULL, LINKS),
            *changes.closed(TO, theirs, LINKS),
        ],
    )


def test_a_run_that_was_stopped_or_cannot_be_repeated(golden_reply: Golden) -> None:
    golden_reply(
        "cancelled",
        [
            *changes.cancelled(TO, "octocat", 41.6, LINKS),
            *changes.cancelled(TO, "octocat", None, LINKS),
            *changes.nothing_runs(TO),
            *changes.nothing_to_retry(TO),
            *changes.nothing_to_review(TO, PULL, others=2),
        ],
    )


@given(hostile)
def test_names_and_words_from_elsewhere_do_nothing(text: str) -> None:
    pull = PULL._replace(head_branch=text, base_branch=text)
    path = text.encode("utf-8", "surrogatepass")
    replies = [
        changes.merged(TO, pull, LANDED, LINKS, method="squash", branch=BRANCH),
        changes.declined(TO, pull, "merge", [changes.conflicting([path], text, text)], [], text),
        changes.declined(TO, pull, "merge", changes.unfinished(1, [(text, text)]), []),
        changes.cancelled(TO, text, 1.0, LINKS),
    ]
    for bodies in replies:
        check(bodies)


def test_many_files_that_conflict_are_counted() -> None:
    said = changes.conflicting([b"f%d" % k for k in range(100)], "main", "topic")
    assert "`f29` and 70 more" in said
    assert "`f30`" not in said


def test_the_text_of_a_pull_request_has_what_is_on_its_branch_only() -> None:
    state = report().state
    first, second = state.suggestions[:2]
    state = decided(state, Decision(Verb.APPLY, first.parts, "mona", 1, commit=LANDED, branch=OURS))
    state = decided(state, Decision(Verb.APPLY, second.parts, "octo", 1, commit=LANDED, branch="main"))
    text = pull_text.pull_text(state, OURS, 42)
    assert text.startswith("## Summary\n\n| # | File | Change | Why | Applied by |\n")
    assert ["| 1 |" in text, "| 2 |" in text, "`mona`" in text] == [True, False, True]
    assert text.endswith("|\n\nRefs #42\n")


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("", "## Summary\n\nRefs #7\n"),
        ("  \n", "## Summary\n\nRefs #7\n"),
        ("Please be kind.\n", "Refs #7\n\nPlease be kind.\n"),
        ("# Pull request\r\n## What changes?\r\n\r\ntext\r\n", "# Pull request\n## What changes?\n\nRefs #7\n\ntext\n"),
        ("<!-- # Summary\n", "Refs #7\n\n<!-- # Summary\n"),
        ("<!-- ## Summary -->\n## Description of it\n", "<!-- ## Summary -->\n## Description of it\n\nRefs #7\n"),
        ("## Tests\n\nin summary\n", "Refs #7\n\n## Tests\n\nin summary\n"),
        ("## Summary\n" + "x" * 70_000, "Refs #7\n"),
    ],
)
def test_a_template_keeps_its_text_around_ours(template: str, filled: str) -> None:
    state = report().state
    assert pull_text.pull_text(state, OURS, 7, template=template) == filled


def test_hundreds_of_files_are_counted_in_the_text_of_a_pull_request() -> None:
    state = many(250).state
    parts = tuple(part for s in state.suggestions for part in s.parts)
    state = decided(state, Decision(Verb.APPLY, parts, "mona", 1, commit=LANDED, branch=OURS))
    text = pull_text.pull_text(state, OURS, 42)
    assert "And 150 more, listed in #42." in text
    assert len(text.encode()) <= 60_000


@given(hostile)
def test_words_of_a_pull_request_do_nothing(text: str) -> None:
    made = pull_text.pull_text(report().state, OURS, 42, request=text)
    check_inert(made.replace("Refs #42", ""), "nobody")
