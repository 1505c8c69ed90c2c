"""Case 110: a stored state that someone changed names paths that nobody may write."""

from __future__ import annotations

import json

import pytest

from gitclaw_py.core.replies.wording import PERSON
from tests.conversations.breaking import commits
from tests.conversations.talk import FILES, Talk
from tests.conversations.test_cases_commands import OLD, REQUEST, asked, modes, taken
from tests.core.states import without_ids

__all__ = ["asked"]


def store(talk: Talk, state: object) -> None:
    """Put another state in the place of the thread's, as someone who may push can."""
    git, ref = talk.repo.repository.git, f"refs/gitclaw/threads/{talk.number}"
    blob = git.git("hash-object", "-w", "--stdin", stdin=without_ids(json.dumps(state)).encode()).decode().strip()
    tree = git.git("mktree", stdin=f"100644 blob {blob}\tstate.json\n".encode()).decode().strip()
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    commit = git.git(*who, "commit-tree", "-m", "changed", "-p", f"{talk.repo.ref(ref)}", tree).decode().strip()
    git.git("update-ref", ref, commit)


OUTSIDE = ["../evil", "a/../../evil", "/etc/evil", "", "a//b", "a/./b"]
OF_GIT = [
    ".git",
    ".git/config",
    "a/.GIT/hooks/x",
    "git~1/config",
    ".g\u200cit/config",
    ".git ./x",
    ".git::$INDEX_ALLOCATION/x",
]


def planted(talk: Talk, suggestion: int, **changes: object) -> None:
    """Change a suggestion in the stored state."""
    state = talk.state()
    state["suggestions"][suggestion].update(changes)
    store(talk, state)


PLANTED = [
    *((path, "not a path inside the repository") for path in OUTSIDE),
    *((path, "inside a git directory") for path in OF_GIT),
    (".gitclaw/state/x", "the state of gitclaw itself"),
]


@pytest.mark.parametrize(("path", "why"), PLANTED)
def test_case_110_a_stored_path_that_leads_elsewhere_is_refused(asked: Talk, path: str, why: str) -> None:
    planted(asked, 0, path={"t": path})
    (reply,) = asked.say("/apply 1")
    assert f"### Nothing changed: 1 is blocked: {why}" in reply
    assert "gitclaw-run-" not in reply
    assert asked.runs[-1].code == 4
    assert commits(asked) == []
    (reply,) = asked.say("/apply all")
    assert f"1 ({PERSON}: {why}" in reply
    assert len(commits(asked)) == 1
    assert taken(asked) == "23"
    assert set(modes(asked)) == {*FILES, "suggestions.json", "more.txt"}


@pytest.mark.parametrize("path", ["../evil", ".git/config", ""])
def test_case_110_such_a_state_is_answered_still(asked: Talk, path: str) -> None:
    planted(asked, 0, path={"t": path})
    (status,) = asked.say("/gitclaw status")
    assert f"{PERSON} (" in status
    (shown,) = asked.say("/gitclaw show 1")
    assert "+hello" in shown
    assert "### Rejected 1" in asked.say("/reject 1")[0]
    (refined,) = asked.say("/refine all words\n\nwrite fourth.txt 4")
    assert "### Proposal 2" in refined
    assert [ran.code for ran in asked.runs] == [0] * len(asked.runs)
    assert commits(asked) == []


@pytest.mark.parametrize("path", ["../evil", ".git/config"])
def test_case_110_nothing_is_moved_from_or_taken_back_to_such_a_path(asked: Talk, path: str) -> None:
    """A file would be brought back there under its old name, or by taking back its deletion."""
    planted(asked, 1, old_path={"t": path})
    assert "2 is blocked" in asked.say("/apply 2")[0]
    state = asked.state()
    state["decisions"] = [{"verb": "apply", "parts": ["1"], "actor": "x", "at": 1, "branch": "main"}]
    first = state["suggestions"][0]
    first.update(kind="delete", path={"t": path}, old=first.pop("new"))
    store(asked, state)
    for command in ("/undo", "/undo 1"):
        (reply,) = asked.say(command)
        assert "### Nothing changed: 1 is blocked" in reply
    assert commits(asked) == []


def test_case_110_a_tree_in_the_place_of_a_file_is_refused(asked: Talk) -> None:
    """It would bring whatever paths are in it."""
    git = asked.repo.repository.git
    tree = git.git("rev-parse", "main^{tree}").decode().strip()
    planted(asked, 0, new=["040000", tree])
    (reply,) = asked.say("/apply 1")
    assert "is not the mode of a file" in reply
    assert commits(asked) == []


def test_case_110_the_review_and_what_it_recognises_leave_such_a_path_alone(talk: Talk) -> None:
    talk.pull({"app.py": OLD.replace(b"line 2\n", b"line two\n")})
    talk.say(REQUEST)
    head = talk.repo.branch("topic")
    planted(talk, 1, path={"t": ".git/config"}, old_path={"t": ".git/config"})
    planted(talk, 0, path={"t": "../evil"})
    talk.repo.push_files("topic", {"other.txt": b"more\n"}, talk.mona)
    talk.handle()
    assert talk.runs[-1].code == 0
    assert "could not be" not in talk.runs[-1].out + talk.runs[-1].err
    assert "review comments closed that are done with: 1" in talk.runs[-1].out
    assert commits(talk, "topic")[-2:][0] == head
