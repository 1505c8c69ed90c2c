"""Pull requests, their files, their forks and their merging."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.hub.conftest import World
from tests.sandbox import git_that


def opened(world: World) -> int:
    files = {"README.md": b"hello\nworld\n", "src/a.py": None, "src/new.py": b"n = 1\n"}
    world.repo.push_files("topic", files, world.hubot)
    return world.repo.open_pull(world.hubot, "topic", title="A change", body="Why")


def test_a_pull_request_is_opened_over_the_api(world: World) -> None:
    head = world.repo.push_files("topic", {"b": b"b"}, world.hubot)
    made = world.ask("POST", "R/pulls", {"title": "T", "head": "topic", "base": "main", "body": "B", "draft": True})
    assert (made.status, made.body["head"]["sha"], made.body["draft"]) == (201, head, True)
    assert world.repo.ref("refs/pull/1/head") == head
    again = world.ask("POST", "R/pulls", {"title": "T", "head": "octo:topic", "base": "main"})
    assert again.body["errors"][0]["message"] == "A pull request already exists for octo:topic."
    same = world.ask("POST", "R/pulls", {"title": "T", "head": "main", "base": "main"})
    assert same.body["errors"][0]["message"] == "No commits between main and main"
    assert world.ask("POST", "R/pulls", {"title": "T", "head": "gone", "base": "main"}).status == 422


def test_actions_may_be_kept_from_opening_pull_requests(world: World) -> None:
    world.repo.push_files("topic", {"b": b"b"}, world.hubot)
    world.repo.repository.actions_may_open_pulls = False
    made = world.ask("POST", "R/pulls", {"title": "T", "head": "topic", "base": "main"})
    assert made.body["message"] == "GitHub Actions is not permitted to create or approve pull requests."


def test_a_pull_request_shows_its_files(world: World) -> None:
    number = opened(world)
    files = {one["filename"]: one for one in world.ask("GET", f"R/pulls/{number}/files").body}
    assert {name: one["status"] for name, one in files.items()} == {
        "README.md": "modified",
        "src/a.py": "removed",
        "src/new.py": "added",
    }
    assert files["README.md"]["patch"] == "@@ -1 +1,2 @@\n hello\n+world"
    pull = world.ask("GET", f"R/pulls/{number}").body
    assert (pull["additions"], pull["deletions"], pull["changed_files"], pull["commits"]) == (2, 1, 3, 1)


def test_renamed_and_binary_files_have_their_own_form(world: World) -> None:
    text = b"".join(b"line %d\n" % n for n in range(20))
    world.repo.push_files("main", {"old name.txt": text}, world.mona)
    world.repo.push_files("topic", {"old name.txt": None, "nëw.txt": text, "x.bin": b"\0\1"}, world.hubot)
    number = world.repo.open_pull(world.hubot, "topic")
    renamed, binary = world.ask("GET", f"R/pulls/{number}/files").body
    assert (renamed["status"], renamed["previous_filename"], "patch" in renamed) == ("renamed", "old name.txt", False)
    assert (binary["filename"], binary["status"], "patch" in binary) == ("x.bin", "added", False)


def test_pull_requests_are_found_by_head_base_and_state(world: World) -> None:
    number = opened(world)
    for query, found in {
        "head=octo:topic": [number],
        "head=octo:other": [],
        "state=closed": [],
        "base=main&state=all": [number],
        "base=other": [],
    }.items():
        assert [one["number"] for one in world.ask("GET", f"R/pulls?{query}").body] == found


def test_a_push_moves_the_pull_requests_head_and_is_told(world: World) -> None:
    number = opened(world)
    before, after = world.repo.branch("topic"), world.repo.push_files("topic", {"c": b"c"}, world.hubot)
    assert world.repo.ref(f"refs/pull/{number}/head") == after
    name, payload = world.events[-1]
    assert (name, payload["action"], payload["before"], payload["after"]) == (
        "pull_request",
        "synchronize",
        before,
        after,
    )


def test_a_pull_request_from_a_fork_names_the_fork(world: World) -> None:
    fork = world.repo.fork(world.rando)
    head = fork.push_files("fix", {"b": b"b"}, world.rando)
    number = world.repo.open_pull(world.rando, "rando:fix")
    pull = world.ask("GET", f"R/pulls/{number}").body
    assert (pull["head"]["repo"]["full_name"], pull["head"]["repo"]["fork"]) == ("rando/hello", True)
    assert (pull["head"]["label"], world.repo.ref(f"refs/pull/{number}/head")) == ("rando:fix", head)
    assert world.ask("PATCH", "/repos/rando/hello/git/refs/heads/fix", {"sha": head}).status == 403


def test_a_stranger_opens_a_pull_request_from_a_fork_over_the_api(world: World) -> None:
    world.repo.fork(world.rando).push_files("fix", {"b": b"b"}, world.rando)
    body = {"title": "T", "head": "rando:fix", "base": "main"}
    made = world.ask("POST", "R/pulls", body, world.hub.token(world.rando))
    assert (made.status, made.body["head"]["label"], made.body["user"]["login"]) == (201, "rando:fix", "rando")
    assert world.events.names == ["pull_request.opened"]
    nowhere = world.ask("POST", "R/pulls", {**body, "head": "hubot:fix"}, world.hub.token(world.rando))
    assert nowhere.body["errors"][0]["field"] == "head"


def test_a_pull_request_is_edited_and_merged(world: World) -> None:
    number = opened(world)
    path = f"R/pulls/{number}"
    assert world.ask("PATCH", path, {"title": "Better", "body": "Because"}).body["title"] == "Better"
    stale = world.ask("PUT", f"{path}/merge", {"sha": "1" * 40})
    assert (stale.status, stale.body["message"]) == (
        409,
        "Head branch was modified. Review and try the merge again.",
    )
    world.repo.protect("main")  # a pull request is the way through
    assert world.ask("GET", f"{path}/merge").status == 404
    merged = world.ask("PUT", f"{path}/merge", {"merge_method": "squash"})
    assert merged.body == {
        "sha": world.repo.branch("main"),
        "merged": True,
        "message": "Pull Request successfully merged",
    }
    assert world.repo.file("main", "src/new.py") == b"n = 1\n"
    assert world.ask("GET", f"{path}/merge").status == 204
    assert world.ask("PUT", f"{path}/merge").status == 405
    assert world.ask("GET", path).body["merged"] is True


def test_a_pull_request_that_conflicts_is_not_merged(world: World) -> None:
    number = opened(world)
    main = world.repo.push_files("main", {"README.md": b"other\n"}, world.mona)
    said = world.ask("PUT", f"R/pulls/{number}/merge")
    assert (said.status, said.body["message"]) == (405, "Pull Request is not mergeable")
    assert world.repo.branch("main") == main


def test_the_document_says_why_it_cannot_be_merged(world: World) -> None:
    number = opened(world)
    head = world.repo.branch("topic")
    assert head is not None
    words = []
    for conclusion in (None, "failure", "success"):
        world.repo.check(head, "ci", conclusion, required=True)
        words.append(world.ask("GET", f"R/pulls/{number}").body["mergeable_state"])
    assert words == ["blocked", "blocked", "clean"]
    world.repo.push_files("main", {"README.md": b"other\n"}, world.mona)
    asked = world.ask("GET", f"R/pulls/{number}").body
    assert (asked["mergeable"], asked["mergeable_state"]) == (False, "dirty")


def _first_on_the_path(folder: Path, does: str, monkeypatch: pytest.MonkeyPatch) -> None:
    git_that(folder, does)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_an_old_git_does_not_merge_and_calls_that_no_conflict(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = opened(world)
    _first_on_the_path(tmp_path, '[ "$1$2" = merge-tree--write-tree ] && exit 129', monkeypatch)
    assert world.ask("GET", f"R/pulls/{number}").body["mergeable_state"] == "clean"
    world.repo.push_files("main", {"other": b"o\n"}, world.mona)
    for way in ("merge", "update-branch"):
        refused = world.ask("PUT", f"R/pulls/{number}/{way}")
        assert (refused.status, refused.body["message"]) == (405, "This GitHub of yours merges with git 2.38 or later")


def test_a_merge_that_fails_is_no_conflict(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number = opened(world)
    _first_on_the_path(tmp_path, '[ "$1" = merge-tree ] && exit 128', monkeypatch)
    assert world.ask("PUT", f"R/pulls/{number}/merge").status == 500


def test_a_check_that_is_missing_keeps_a_pull_request_from_being_merged(world: World) -> None:
    number = opened(world)
    head = world.repo.branch("topic") or ""
    said = []
    for conclusion in (None, "failure"):
        world.repo.check(head, "ci", conclusion, required=True)
        said.append(world.ask("PUT", f"R/pulls/{number}/merge").body["message"])
    assert said == ['Required status check "ci" is expected.', 'Required status check "ci" is failing.']
    world.repo.check(head, "ci", "success")
    assert world.ask("PUT", f"R/pulls/{number}/merge").status == 200


def test_the_checks_of_a_commit_are_listed(world: World) -> None:
    opened(world)
    head = world.repo.branch("topic") or ""
    world.repo.check(head, "ci", None)
    world.repo.check(head, "lint", "failure")
    listed = world.ask("GET", f"R/commits/{head}/check-runs").body
    assert [(one["name"], one["status"], one["conclusion"]) for one in listed["check_runs"]] == [
        ("ci", "in_progress", None),
        ("lint", "completed", "failure"),
    ]
    assert world.ask("GET", f"R/commits/{head}/status").body["total_count"] == 0


def test_a_repository_allows_the_ways_of_merging_it_wants(world: World) -> None:
    number = opened(world)
    world.repo.repository.merge_methods = {"rebase"}
    said = [world.ask("PUT", f"R/pulls/{number}/merge", {"merge_method": way}) for way in ("squash", "merge")]
    assert [(one.status, one.body["message"]) for one in said] == [
        (405, "Squash merges are not allowed on this repository."),
        (405, "Merge commits are not allowed on this repository."),
    ]
    main = world.repo.push_files("main", {"later.txt": b"later\n"}, world.mona)
    assert world.ask("PUT", f"R/pulls/{number}/merge", {"merge_method": "rebase"}).status == 200
    tip = world.repo.repository.git.commit(world.repo.branch("main") or "")
    assert (tip.parents, tip.message.strip()) == ((main,), "Change files")
    assert [world.repo.file("main", name) for name in ("later.txt", "src/new.py")] == [b"later\n", b"n = 1\n"]


def test_a_branch_is_brought_up_to_date_with_its_base(world: World) -> None:
    number = opened(world)
    head, path = world.repo.branch("topic"), f"R/pulls/{number}/update-branch"
    nothing = world.ask("PUT", path, {"expected_head_sha": head})
    assert (nothing.status, nothing.body["message"]) == (422, "There are no new commits on the base branch.")
    main = world.repo.push_files("main", {"later.txt": b"later\n"}, world.mona)
    moved = world.ask("PUT", path, {"expected_head_sha": main})
    assert (moved.status, moved.body["message"]) == (422, "expected head sha didn’t match current head ref.")
    assert world.ask("PUT", path, {"expected_head_sha": head}).status == 202
    tip = world.repo.branch("topic")
    assert tip is not None
    assert world.repo.repository.git.commit(tip).parents == (head, main)
    assert world.repo.ref(f"refs/pull/{number}/head") == tip
    world.repo.push_files("main", {"README.md": b"other\n"}, world.mona)
    conflict = world.ask("PUT", path)
    assert (conflict.status, conflict.body["message"]) == (422, "merge conflict between base and head")
    assert world.repo.branch("topic") == tip


def test_the_branch_of_a_fork_is_not_brought_up_to_date_by_the_token_of_the_base(world: World) -> None:
    fork = world.repo.fork(world.rando)
    fork.push_files("fix", {"b": b"b"}, world.rando)
    number = world.repo.open_pull(world.rando, "rando:fix")
    world.repo.push_files("main", {"later.txt": b"later\n"}, world.mona)
    said = world.ask("PUT", f"R/pulls/{number}/update-branch")
    assert (said.status, said.body["message"]) == (403, "Resource not accessible by integration")


def test_a_pull_request_is_closed_and_opened_again(world: World) -> None:
    number = opened(world)
    assert world.ask("PATCH", f"R/pulls/{number}", {"state": "closed"}).body["state"] == "closed"
    assert world.ask("PATCH", f"R/pulls/{number}", {"state": "open"}).body["closed_at"] is None


def ask_for_diff(world: World, number: int) -> tuple[int, bytes]:
    headers = {"Authorization": f"Bearer {world.token}", "Accept": "application/vnd.github.v3.diff"}
    url = f"{world.hub.api_url}/repos/{world.repo.name}/pulls/{number}"
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:  # noqa: S310 - ours
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_the_diff_is_text_until_it_is_too_large(world: World) -> None:
    status, diff = ask_for_diff(world, opened(world))
    assert (status, diff.startswith(b"diff --git a/README.md b/README.md\n")) == (200, True)
    world.repo.push_files("wide", {f"f{n}": b"x\n" for n in range(301)}, world.hubot)
    status, said = ask_for_diff(world, world.repo.open_pull(world.hubot, "wide"))
    assert (status, json.loads(said)["errors"][0]["code"]) == (406, "too_large")
    world.repo.push_files("long", {"f": b"x\n" * 20_001}, world.hubot)
    assert ask_for_diff(world, world.repo.open_pull(world.hubot, "long"))[0] == 406


def test_a_file_that_became_a_link_is_one_change(world: World) -> None:
    world.repo.push_files("topic", {"README.md:@": b"src/a.py", "src/a.py": b"a = 2\n"}, world.hubot)
    link, code = world.ask("GET", f"R/pulls/{world.repo.open_pull(world.hubot, 'topic')}/files").body
    assert (link["status"], code["status"]) == ("changed", "modified")
    assert link["patch"].startswith("@@ -1 +0,0 @@\n-hello\n@@ -0,0 +1 @@\n+src/a.py")
    assert code["patch"] == "@@ -1 +1 @@\n-a = 1\n+a = 2"
