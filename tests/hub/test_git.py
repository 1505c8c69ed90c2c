"""Git over HTTP: real git against the hub."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path

import pytest

from tests.hub.conftest import World


class Clone:
    """A clone, and what git says in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *arguments: str, code: int = 0) -> str:
        who = ("-c", "user.name=Hubot", "-c", "user.email=hubot@example.com", "-c", "protocol.version=2")
        done = subprocess.run(["git", *who, *arguments], cwd=self.path, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    def commit(self, name: str, content: str = "x") -> str:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", f"Add {name}")
        return self.git("rev-parse", "HEAD").strip()


@pytest.fixture
def clone(world: World, tmp_path: Path) -> Clone:
    """A whole clone, made with the token of Actions."""
    Clone(tmp_path).git("clone", "--quiet", world.clone_url(), "clone")
    return Clone(tmp_path / "clone")


def test_a_clone_has_the_files(clone: Clone) -> None:
    assert (clone.path / "src/a.py").read_bytes() == b"a = 1\n"


def test_a_shallow_clone_has_one_commit(world: World, tmp_path: Path) -> None:
    world.repo.push_files("main", {"b": b"b"}, world.mona)
    Clone(tmp_path).git("clone", "--quiet", "--depth=1", world.clone_url(), "shallow")
    assert Clone(tmp_path / "shallow").git("rev-list", "--count", "HEAD").strip() == "1"


def test_a_blobless_fetch_of_one_commit_gets_blobs_when_asked(world: World, tmp_path: Path) -> None:
    oid = str(world.repo.branch("main"))
    git = Clone(tmp_path)
    git.git("init", "--quiet")
    git.git("remote", "add", "origin", world.clone_url())
    git.git("fetch", "--quiet", "--depth=1", "--filter=blob:none", "origin", oid)
    missing = git.git("rev-list", "--objects", "--missing=print", oid).count("?")
    assert (missing, git.git("cat-file", "blob", f"{oid}:src/a.py")) == (2, "a = 1\n")


def test_any_object_can_be_asked_for(world: World, clone: Clone) -> None:
    oid = world.repo.push_files("gone", {"b": b"b"}, world.mona)
    world.repo.repository.git.git("update-ref", "-d", "refs/heads/gone")
    clone.git("fetch", "--quiet", "origin", oid)


def test_a_branch_and_a_custom_ref_are_pushed_together(world: World, clone: Clone) -> None:
    oid = clone.commit("b")
    clone.git("push", "--quiet", "--atomic", "origin", "HEAD:main", "HEAD:refs/gitclaw/threads/7")
    assert (world.repo.branch("main"), world.repo.ref("refs/gitclaw/threads/7")) == (oid, oid)


def test_an_atomic_push_with_one_stale_lease_moves_nothing(world: World, clone: Clone) -> None:
    main = str(world.repo.branch("main"))
    state = world.repo.push_files("state", {"s": b"1"}, world.mona)
    clone.commit("b")
    leases = (f"--force-with-lease=main:{main}", f"--force-with-lease=state:{main}")
    said = clone.git("push", "--atomic", *leases, "origin", "HEAD:main", "HEAD:state", code=1)
    assert "stale info" in said
    assert (world.repo.branch("main"), world.repo.branch("state")) == (main, state)


def test_a_protected_branch_is_refused_in_githubs_words(world: World, clone: Clone) -> None:
    world.repo.protect("main")
    main = world.repo.branch("main")
    clone.commit("b")
    said = clone.git("push", "origin", "HEAD:main", "HEAD:topic", code=1)
    assert "remote: error: GH006: Protected branch update failed for refs/heads/main." in said
    assert "remote: error: Changes must be made through a pull request." in said
    assert "[remote rejected] HEAD -> main (protected branch hook declined)" in said
    assert (world.repo.branch("main"), world.repo.branch("topic")) == (main, clone.git("rev-parse", "HEAD").strip())


def test_a_ruleset_says_it_in_other_words(world: World, clone: Clone) -> None:
    world.repo.protect("main", by_ruleset=True)
    main = world.repo.branch("main")
    clone.commit("b")
    said = clone.git("push", "origin", "HEAD:main", code=1)
    assert "remote: error: GH013: Repository rule violations found for refs/heads/main." in said
    assert "[remote rejected] HEAD -> main (push declined due to repository rule violations)" in said
    assert world.repo.branch("main") == main


def test_with_atomic_a_protected_branch_keeps_the_others_back(world: World, clone: Clone) -> None:
    world.repo.protect("main")
    clone.commit("b")
    clone.git("push", "--atomic", "origin", "HEAD:main", "HEAD:topic", code=1)
    assert world.repo.branch("topic") is None


def test_hidden_refs_are_read_but_not_pushed(world: World, clone: Clone) -> None:
    head = world.repo.push_files("topic", {"b": b"b"}, world.hubot)
    number = world.repo.open_pull(world.hubot, "topic")
    said = clone.git("push", "origin", f"HEAD:refs/pull/{number}/head", code=1)
    assert "deny updating a hidden ref" in said
    clone.git("fetch", "--quiet", "origin", f"refs/pull/{number}/head")
    assert clone.git("rev-parse", "FETCH_HEAD").strip() == head


def test_a_push_to_a_pull_requests_branch_moves_its_head(world: World, clone: Clone) -> None:
    world.repo.push_files("topic", {"b": b"b"}, world.hubot)
    number = world.repo.open_pull(world.hubot, "topic")
    clone.git("fetch", "--quiet", "origin", "topic")
    clone.git("switch", "--quiet", "topic")
    oid = clone.commit("c")
    clone.git("push", "--quiet", "origin", "topic")
    assert world.repo.ref(f"refs/pull/{number}/head") == oid
    assert world.events.names == ["pull_request.opened"]  # what Actions pushes starts nothing
    personal = world.clone_url(world.hub.token(world.hubot))
    clone.commit("d")
    clone.git("push", "--quiet", personal, "topic")
    assert world.events.names == ["pull_request.opened", "pull_request.synchronize"]


def test_workflows_need_a_permission_of_their_own(world: World, clone: Clone) -> None:
    clone.commit(".github/workflows/ci.yml", "on: push\n")
    said = clone.git("push", "origin", "HEAD:ci", code=1)
    sentence = (
        "refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` "
        "without `workflows` permission"
    )
    assert f"[remote rejected] HEAD -> ci ({sentence})" in said
    assert world.repo.branch("ci") is None
    clone.git("push", "--quiet", world.clone_url(world.hub.token(world.hubot)), "HEAD:ci")


def test_what_has_a_workflow_already_can_be_built_upon(world: World, tmp_path: Path) -> None:
    world.repo.push_files("main", {".github/workflows/ci.yml": b"on: push\n"}, world.mona)
    Clone(tmp_path).git("clone", "--quiet", world.clone_url(), "clone")
    clone = Clone(tmp_path / "clone")
    clone.commit("b")
    clone.git("push", "--quiet", "origin", "HEAD:topic")


def test_who_may_not_push_is_told_why(world: World, clone: Clone) -> None:
    clone.commit("b")
    fork = world.repo.fork(world.rando)
    for url, said in (
        (world.clone_url(world.repo.token(contents="read")), "Write access to repository not granted."),
        (world.clone_url(world.hub.token(world.rando)), "Permission to octo/hello.git denied to rando."),
        (world.clone_url().replace("octo/", "rando/"), "denied to github-actions[bot]."),
        (world.clone_url("wrong"), "Invalid username or token."),
    ):
        assert said in clone.git("push", url, "HEAD:topic", code=128)
    assert (world.repo.branch("topic"), fork.branch("topic")) == (None, None)


def test_what_is_private_is_not_there_for_strangers(world: World, tmp_path: Path) -> None:
    world.repo.repository.is_private = True
    url = world.clone_url(world.hub.token(world.rando))
    assert "Repository not found." in Clone(tmp_path).git("clone", url, "clone", code=128)
    Clone(tmp_path).git("clone", "--quiet", world.clone_url(), "clone")


def test_big_pushes_come_in_chunks_and_a_header_brings_the_token(world: World, clone: Clone) -> None:
    clone.commit("big", "".join(f"{n * 7919 % 104729} {n}\n" for n in range(200_000)))
    basic = base64.b64encode(f"x-access-token:{world.token}".encode()).decode()
    header = ("-c", f"http.extraheader=Authorization: basic {basic}", "-c", "http.postBuffer=65536")
    clone.git(*header, "push", "--quiet", world.repo.clone_url, "HEAD:big")
    assert world.repo.branch("big") is not None


def test_a_push_may_be_done_although_git_hears_nothing_of_it(world: World, clone: Clone) -> None:
    oid = clone.commit("b")
    world.hub.faults.add("git-receive-pack$", method="POST", drop=True, after=True)
    clone.git("push", "--quiet", "origin", "HEAD:main", code=1)
    assert world.repo.branch("main") == oid


def test_git_requests_are_in_the_log(world: World, clone: Clone) -> None:
    paths = [(entry.method, entry.path, entry.status) for entry in world.hub.log]
    refs, pack = "/octo/hello.git/info/refs", "/octo/hello.git/git-upload-pack"
    assert paths == [("GET", refs, 200), ("POST", pack, 200), ("POST", pack, 200)]
    world.hub.log.clear()
    clone.git("push", "--quiet", "origin", "HEAD:topic")  # git shows its token only when it is asked for it
    assert [(entry.method, entry.status, entry.account) for entry in world.hub.log] == [
        ("GET", 401, ""),
        ("GET", 200, "github-actions[bot]"),
        ("POST", 200, "github-actions[bot]"),
    ]
