"""Case 83: a token that may not post, or only read; what it cannot say is in the summary of the run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from subprocess import run

import pytest

from tests.conversations.talk import Talk
from tests.conversations.test_cases_posting import HEAD, REQUEST, asked, buttons, pull, pushed

__all__ = ["asked", "pull"]


@pytest.fixture
def summary(pull: Talk) -> Path:
    """Where the summary of a run is."""
    path = pull.folder / "summary.md"
    pull.environment["GITHUB_STEP_SUMMARY"] = str(path)
    return path


def reading(talk: Talk, **more: str) -> str:
    """The token of a pull request from a fork, or of Dependabot."""
    return talk.repo.token(**{"contents": "read", "issues": "read", "pull_requests": "read", **more})


def patched(summary: str, files: Mapping[str, bytes], place: Path) -> dict[str, bytes]:
    """The files after what the summary says: its patch was saved and applied."""
    patch = re.search(r"<summary>The patch</summary>\n\n```diff\n(.*?\n)```\n", summary, re.DOTALL)
    assert patch
    place.mkdir()
    for name, content in files.items():
        (place / name).write_bytes(content)
    run(["git", "apply", "-"], cwd=place, input=patch[1].encode(), check=True)
    return {path.name: path.read_bytes() for path in place.iterdir()}


def test_case_083_without_the_permission_the_suggestions_are_annotations(pull: Talk, summary: Path) -> None:
    pull.token = reading(pull, contents="write", issues="write")
    pull.say(REQUEST)
    assert (buttons(pull), pull.runs[-1].code) == ([], 0)
    assert "no review was posted: GitHub did not let gitclaw review pull request #2 (403 " in pull.runs[-1].out
    notice = "::notice file=app.py,line=1,endLine=1,title=gitclaw 1.1::Suggestion 1.1: /apply 1.1 takes it\n"
    assert notice in pull.runs[-1].out
    text = summary.read_text(encoding="utf-8")
    assert "| **1.1** | `app.py` line 1 | `/apply 1.1`: it could not be posted with a button |" in text
    assert "| **1.2** | `app.py` line 32 | `/apply 1.2`: these lines are not part of the pull request's diff |" in text
    assert "-old = 1\n+new = 1\n" in text
    assert "-old = 2\n+new = 2\n" in text
    assert "::notice" not in text


def test_case_083_a_token_that_may_only_read_leaves_everything_in_the_summary(pull: Talk, summary: Path) -> None:
    """Exit code 4, as for every refusal; nothing was stored, and the summary says so."""
    pull.token = reading(pull)
    assert pull.say(REQUEST + "\nwrite added.txt hello") == []
    assert "PERMISSION_DENIED" in pull.runs[-1].err
    assert (pull.runs[-1].code, pull.state()) == (4, None)
    notice = "title=gitclaw 2.1::Suggestion 2.1: its patch is in the summary of this run\n"
    assert notice in pull.runs[-1].out
    text = summary.read_text(encoding="utf-8")
    assert "`/apply` does not know them" in text
    assert "| **2** | `app.py` | Edit" in text
    assert "-old = 2\n+new = 2\n" in text
    found = patched(text, {"app.py": HEAD}, pull.folder / "theirs")
    assert found == {"app.py": HEAD.replace(b"old", b"new"), "added.txt": b"hello\n"}
    assert text.startswith("### What was proposed could not be stored\n\nThe token may not push here. ")


def test_case_083_where_only_the_branch_is_read_only_the_thread_says_where_the_result_is(
    pull: Talk, summary: Path
) -> None:
    pull.token = reading(pull, issues="write", pull_requests="write")
    (reply,) = pull.say(REQUEST)
    assert "### Nothing changed" in reply
    assert "What was proposed is in the [summary of the run](" in reply
    assert (pull.state(), buttons(pull), pull.runs[-1].code) == (None, [], 4)
    assert "+new = 1\n" in summary.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("/gitclaw status", "There are no suggestions yet"),
        ("/gitclaw why?\n\nanswer because", "```text\nbecause\n```"),
        ("/apply 1", "there are no suggestions in thread 2 yet"),
    ],
)
def test_case_083_an_answer_that_may_not_be_said_is_in_the_summary(
    pull: Talk, summary: Path, text: str, answer: str
) -> None:
    pull.token = reading(pull)
    assert pull.say(text) == []
    assert pull.runs[-1].code == 4
    assert answer in summary.read_text(encoding="utf-8")


def test_case_083_a_push_that_may_only_be_looked_at_is_no_failure(asked: Talk, summary: Path) -> None:
    """The event of a push to a fork has such a token; the thread is carried forward by its next comment."""
    book = asked.repo.repository.reviews
    asked.say("/refine 1 again\n\nreplace new with newest in app.py")
    before = (asked.state(), asked.replies(), buttons(asked))
    for comment in book.comments(asked.number, None):
        book.remove(comment)
    for review in asked.repo.reviews(asked.number):
        book.drop(review)
    asked.token = reading(asked)
    pushed(asked, other_txt=b"more\n")
    assert asked.runs[-1].code == 0
    assert "title=gitclaw 2.1::Suggestion 2.1: /apply 2.1 takes it\n" in asked.runs[-1].out
    assert "-old = 2\n+newest = 2\n" in summary.read_text(encoding="utf-8")
    assert (asked.state(), asked.replies()) == before[:2]
