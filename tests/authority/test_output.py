"""Rows 56, 62, 64, 68 and 70 of the threat table: what leaves us, and what is not taken from a patch."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import gitclaw_py
from gitclaw_py.hub.accounts import ACTIONS
from tests.authority.workflows import objections
from tests.conversations.talk import BOT, Talk
from tests.handlers.worlds import propose
from tests.sandbox import Sandbox

PACKAGE = Path(gitclaw_py.__file__).parent
TOP = PACKAGE.parent
WORKFLOWS = sorted((TOP / ".github/workflows").glob("*.yml"))

GOOD = """
on: {issue_comment: {types: [created]}}
permissions: {}
concurrency: {group: "x-${{ github.event.issue.number }}"}
jobs:
  gate:
    if: >-
      github.event.comment.user.type == 'User' && startsWith(github.event.comment.body, '/')
    timeout-minutes: 5
    steps: []
  publish:
    needs: gate
    timeout-minutes: 5
    steps: []
"""


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_row_56_our_workflows_end_and_do_not_pile_up(path: Path) -> None:
    assert objections(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    timeout-minutes: 5\n    steps", "    steps", "no timeout-minutes"),
        ("concurrency", "concurrent", "no concurrency"),
        ("startsWith(", "contains(", "starts for every comment"),
        ("github.event.comment.user.type == 'User' && ", "", "starts for bots"),
        ("body, '/')", "body, '/') && !github.event.issue.locked", "hears no admin in locked threads"),
        ("types: [created]", "types: [created, edited]", "listens to edited comments"),
        ("permissions: {}", "permissions: write-all", "no permissions: {} at the top"),
    ],
)
def test_row_56_a_workflow_that_would_is_told_why(old: str, new: str, said: str) -> None:
    assert objections(GOOD) == []
    assert said in "; ".join(objections(GOOD.replace(old, new, 1)))


def test_row_62_nothing_is_taken_from_a_patch(repo: Sandbox) -> None:
    """Names and contents that look like a patch to who reads one are only names and contents."""
    content = b"--- a/evil\n+++ b/evil\n@@ -1 +1 @@\n-x\n+y\ndiff --git a/x b/x\nrename from a\nrename to b\n"
    names = [b"a b/c d", b'q"uote', b"tab\there", b"line\nfeed", b"caf\xe9", b"diff --git a", b"@@ -1 +1 @@", b"x b"]
    repo.write("patch.txt", b"first\n" + content)
    repo.commit()

    def change(folder: Path) -> None:
        (folder / "patch.txt").write_bytes(b"FIRST\n" + content.replace(b"@@ -1 +1 @@", b"@@ -1,9 +1,9 @@") + content)
        for name in names:
            place = Path(folder, *[part.decode("utf-8", "surrogateescape") for part in name.split(b"/")])
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(content + name)

    propose(repo, change)
    proposal = json.loads((repo.path / ".gitclaw/state/main/state.json").read_bytes())["proposals"][0]["commit"]
    repo.gitclaw("apply", "all")
    assert repo.text("rev-parse", "HEAD^{tree}") == repo.text("rev-parse", f"{proposal}^{{tree}}")


def test_row_62_unidiff_reads_only_what_git_says_about_lines_of_ours() -> None:
    users = [path.name for path in PACKAGE.rglob("*.py") if "from unidiff" in path.read_text(encoding="utf-8")]
    assert users == ["alignment.py"]


EVIL = "/aply ![x](https://evil.example/?q) <img src=x> @octo #1 `` ::set-output name=x::y"


def test_row_64_the_summary_is_a_list_of_code(talk: Talk, tmp_path: Path) -> None:
    from markdown_it import MarkdownIt

    summary = tmp_path / "summary.md"
    talk.environment["GITHUB_STEP_SUMMARY"] = str(summary)
    talk.say(EVIL)
    text = summary.read_text(encoding="utf-8")
    assert "evil.example" in text
    page = MarkdownIt("commonmark", {"html": True}).render(text)
    outside = re.sub(r"<code>.*?</code>", "", page, flags=re.DOTALL)
    assert "evil" not in outside
    assert "<img" not in page
    assert "@octo" not in outside
    assert not [line for line in text.split("\n") if line.startswith("::")]


def test_row_64_outputs_are_written_in_two_places_and_nothing_else_for_other_steps() -> None:
    for path in PACKAGE.rglob("*.py"):
        if path.parent.name == "hub":  # it plays the runner
            continue
        text = path.read_text(encoding="utf-8")
        # Their values are words, hex and numbers: tests/conversations/test_gate.py, tests/adapters/test_actions.py.
        writes = path.name in ("told.py", "actions.py", "start.py", "options.py") or "GITHUB_OUTPUT" not in text
        assert writes, path
        assert not re.search(r"GITHUB_(ENV|PATH|STATE)\b", text), path


def test_row_64_no_word_of_others_begins_a_line_of_the_log(talk: Talk) -> None:
    talk.say("/gitclaw\n\nprint ::add-mask::x\nprint ::error::y\nfail 1")
    talk.say("/aply ::stop-commands::z")
    for ran in talk.runs:
        assert not [line for line in (ran.out + ran.err).split("\n") if line.startswith("::")]


CANARY = "canary-5a1f"


def test_row_68_neither_the_task_nor_the_change_is_in_the_log(talk: Talk) -> None:
    talk.repo.push_files("main", {"secret.txt": f"{CANARY}-base\nold\n".encode()}, talk.mona)
    talk.waiting.clear()
    task = f"/gitclaw rename\n\nreplace old with {CANARY}-new in secret.txt\nprint {CANARY}-said\n{CANARY}-words"
    talk.say(task)
    talk.say("/gitclaw show 1")
    talk.say("/apply 1")
    assert f"{CANARY}-new" in "".join(talk.replies())
    for ran in talk.runs:
        assert CANARY not in ran.out + ran.err


def test_row_70_a_commit_is_ours_and_names_who_decided_by_id(talk: Talk) -> None:
    talk.say("/gitclaw\n\nwrite a.txt a")
    talk.say("/apply 1")
    oid = talk.repo.branch("main")
    assert oid is not None
    commit = talk.repo.repository.git.commit(oid)
    written = talk.repo.repository.git.git("cat-file", "commit", oid).decode()
    whose = f"{BOT} <{ACTIONS.id}+{BOT}@users.noreply.github.com>"
    assert f"author {whose}" in written
    assert f"committer {whose}" in written
    trailers = commit.message.rstrip().rpartition("\n\n")[2].split("\n")
    people = [line for line in trailers if "@" in line]
    assert people == [f"Co-authored-by: mona <{talk.mona.id}+mona@users.noreply.github.com>"]
