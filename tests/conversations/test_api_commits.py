"""Commits made through the API: GitHub marks them as verified, and they hold what was shown all the same."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conversations.talk import FILES, Talk, talking

API = {"commit": {"via": "api", "signOff": True}}
REQUEST = "/gitclaw fix the names\n\nreplace old with new in app.py\nwrite added.txt hello"
NEW = FILES["app.py"].replace(b"old", b"new")
ODD = """
import os, pathlib
os.chmod("app.py", 0o755)
os.symlink("app.py", "link")
pathlib.Path("notes.txt").unlink()
pathlib.Path("docs/guide.md").rename("docs/manual.md")
pathlib.Path("logo.png").write_bytes(bytes(range(256)))
"""


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    """An issue in a repository whose commits are made through the API."""
    with talking(tmp_path, API) as found:
        yield found


def tree(talk: Talk, revision: str) -> str:
    listed: bytes = talk.repo.repository.git.git("ls-tree", "-r", "-z", revision)
    return listed.decode().replace("\0", "\n")


def is_verified(talk: Talk, branch: str = "main") -> bool:
    return talk.repo.branch(branch) in talk.repo.repository.verified


def trailers(message: str) -> Sequence[str]:
    parsed = subprocess.run(
        ["git", "interpret-trailers", "--parse"], input=message, capture_output=True, text=True, check=True
    )
    return parsed.stdout.splitlines()


def test_the_commit_is_verified_and_the_reply_says_so(talk: Talk) -> None:
    talk.say(REQUEST)
    (reply,) = talk.say("/apply 2")
    assert "GitHub marks it as verified" in reply
    assert str(talk.repo.branch("main"))[:7] in reply
    assert is_verified(talk)
    assert talk.file("app.py") == NEW


def test_a_commit_that_was_pushed_claims_nothing(tmp_path: Path) -> None:
    with talking(tmp_path) as talk:
        talk.say(REQUEST)
        (reply,) = talk.say("/apply 2")
        assert "verified" not in reply


def test_the_state_names_the_commit_that_the_branch_has(talk: Talk) -> None:
    talk.say(REQUEST)
    talk.say("/apply 2")
    assert talk.state()["decisions"][-1]["commit"] == talk.repo.branch("main")
    assert talk.state()["conversation"]["handled"] > 0


def test_nothing_is_left_beside_the_branch_and_the_state(talk: Talk) -> None:
    talk.say(REQUEST)
    talk.say("/apply 2")
    refs = talk.repo.repository.git.refs("refs")
    assert sorted(refs) == ["refs/gitclaw/budget", "refs/gitclaw/threads/1", "refs/heads/main"]


def test_proposals_stay_reachable_from_the_state(talk: Talk) -> None:
    talk.say(REQUEST)
    talk.say("/apply 2")
    commit = talk.state()["proposals"][0]["commit"]
    state = talk.repo.ref("refs/gitclaw/threads/1")
    assert state is not None
    assert talk.repo.repository.git.is_ancestor(commit, state)


def test_modes_links_deletions_renames_and_bytes_are_kept(tmp_path: Path) -> None:
    configuration: dict[str, Any] = {**API, "agent": {"command": [sys.executable, "-c", ODD], "isolation": "none"}}
    with talking(tmp_path, configuration) as talk:
        talk.say("/gitclaw change everything odd")
        (reply,) = talk.say("/apply all")
        assert "### Applied" in reply
        assert tree(talk, "main") == tree(talk, talk.state()["proposals"][0]["commit"])
        assert "100755 blob" in tree(talk, "main")
        assert "120000 blob" in tree(talk, "main")
        assert is_verified(talk)


def test_taking_back_is_a_verified_commit_too(talk: Talk) -> None:
    before = tree(talk, "main")
    talk.say(REQUEST)
    talk.say("/apply all")
    (reply,) = talk.say("/undo")
    assert "### Took back 1, 2" in reply
    assert tree(talk, "main") == before
    assert is_verified(talk)


def test_several_commands_make_several_commits(talk: Talk) -> None:
    talk.say(REQUEST)
    first, second = talk.say("/apply 1\n\n/apply 2")
    tip = talk.repo.repository.git.commit(str(talk.repo.branch("main")))
    assert [tip.oid[:7] in second, tip.parents[0][:7] in first] == [True, True]
    commits = [decision["commit"] for decision in talk.state()["decisions"]]
    assert commits == [tip.parents[0], tip.oid]


def test_a_mode_that_commits_at_once_works_in_a_new_thread(tmp_path: Path) -> None:
    with talking(tmp_path, {**API, "defaultMode": "commit-only"}) as talk:
        (reply,) = talk.say(REQUEST)
        assert "GitHub marks it as verified" in reply
        assert talk.file("app.py") == NEW
        commit = talk.state()["proposals"][0]["commit"]
        assert talk.repo.repository.git.is_ancestor(commit, str(talk.repo.ref("refs/gitclaw/threads/1")))


@pytest.mark.parametrize("protected", [False, True], ids=["configured", "protected"])
def test_a_branch_of_our_own_is_made_through_the_api_too(tmp_path: Path, *, protected: bool) -> None:
    to = "default-branch" if protected else "pull-request"
    with talking(tmp_path, {"commit": {"via": "api", "to": to}}) as talk:
        if protected:
            talk.repo.protect("main")
        talk.say(REQUEST)
        applied, opened = talk.say("/apply 2")
        assert "GitHub marks it as verified" in applied
        assert "### Opened" in opened
        assert talk.file("app.py", "gitclaw/issue-1") == NEW
        assert is_verified(talk, "gitclaw/issue-1")
        assert talk.repo.repository.git.commit(str(talk.repo.branch("gitclaw/issue-1"))).parents == (
            talk.repo.branch("main"),
        )


def test_a_head_that_moved_before_the_mutation_is_refused_and_decided_again(talk: Talk) -> None:
    talk.say(REQUEST)
    talk.hub.faults.add("/graphql", method="POST", delay=1.0)
    start = len(talk.hub.log)
    person = threading.Thread(target=_pushes_once_a_commit_is_made, args=(talk, start))
    person.start()
    talk.say("/apply 2")
    person.join()
    assert talk.file("app.py") == NEW
    assert talk.file("later.txt") == b"later\n"
    assert len(talk.state()["decisions"]) == 1


def _pushes_once_a_commit_is_made(talk: Talk, start: int) -> None:
    assert talk.hub.wait_until(lambda: any(line.endswith("/git/commits") for line in talk.requests(start)[0]))
    talk.repo.push_files("main", {"later.txt": b"later\n"}, talk.mona)


def test_trailers_are_read_by_git(talk: Talk) -> None:
    talk.say(REQUEST)
    talk.say("/apply all")
    who = f"mona <{talk.mona.id}+mona@users.noreply.github.com>"
    assert talk.message().startswith("fix: fix the names\n\n") or talk.message().startswith("fix: ")
    assert "\nRefs #1\n" in talk.message()
    assert trailers(talk.message()) == [
        "Gitclaw-Thread: 1",
        "Gitclaw-Applied: 1, 2",
        f"Co-authored-by: {who}",
        f"Signed-off-by: {who}",
    ]


def test_requests_do_not_grow_with_files(talk: Talk) -> None:
    counts = []
    for files in (1, 20):
        talk.open()
        talk.say("/gitclaw\n\n" + "\n".join(f"write f{files}-{n}.txt text {n}" for n in range(files)))
        start = len(talk.hub.log)
        talk.say("/apply all")
        api, git = talk.requests(start)
        counts.append((len(api), len(git)))
    assert counts[0] == counts[1]
    assert counts[0][0] <= 11, counts
    assert counts[0][1] <= 9, git


def test_an_apply_asks_only_what_the_clone_does_not_know(talk: Talk) -> None:
    talk.say(REQUEST)
    start = len(talk.hub.log)
    talk.say("/apply 2")
    api, _ = talk.requests(start)
    assert [call for call in api if call.startswith("GET") and "/git/" in call] == []
    assert len(api) <= 9, api
