from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitclaw_py.adapters.github_forge import GitHubForge
from gitclaw_py.core.access import Level
from gitclaw_py.core.diffs import Entry, blob_id
from gitclaw_py.core.thread import Account, Comment
from gitclaw_py.errors import GitclawError
from gitclaw_py.hub.server import Hub
from gitclaw_py.ports.forge import Entries
from gitclaw_py.ports.values import Move
from tests.adapters.github_world import failing
from tests.contracts.checked import checked

ZEROS = "0" * 40
STATE = "refs/gitclaw/threads/1"


class World:
    """A repository on the hub with an issue by its owner, and a forge with the token of Actions."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.mona = hub.account("mona")
        self.repository = hub.repository(
            "mona/hello", {"README.md": b"hello\n", "old": b"x", "run:x": b"#!"}, self.mona
        )
        self.number = self.repository.open_issue(self.mona, "It breaks", "always", ["bug"])
        self.noted: list[str] = []
        self.slept: list[float] = []
        self.forge = self.with_token(self.repository.token())

    def with_token(self, token: str) -> GitHubForge:
        return GitHubForge(
            self.hub.api_url, token, "mona/hello", sleep=self.slept.append, note=self.noted.append, timeout=1
        )

    def read_only(self) -> GitHubForge:
        return self.with_token(self.repository.token(contents="read", issues="read", pull_requests="read"))

    def head(self) -> str:
        return self.repository.branch("main") or ""

    def bodies(self) -> list[str]:
        return [comment.body for comment in self.repository.comments(self.number)]

    def requests(self) -> int:
        """How many requests there were since the last time."""
        count = len(self.hub.log)
        self.hub.log.clear()
        return count


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with Hub(tmp_path) as hub, checked(hub):
        world = World(hub)
        yield world
        world.forge.close()


def ours(comment: Comment) -> bool:
    return "<!-- ours -->" in comment.body


def test_levels_are_those_that_were_granted(world: World) -> None:
    for role in ("triage", "write", "maintain", "admin"):
        someone = world.hub.account(role)
        world.repository.grant(someone, role)
        assert world.forge.level(someone) is Level[role.upper()]
        assert world.requests() == 1
    assert world.forge.level(world.mona) is Level.ADMIN
    assert world.forge.level(world.mona._replace(id=1)) is Level.NONE
    assert world.forge.level(world.hub.account("stranger")) is Level.READ
    assert world.forge.level(Account("nobody", 5)) is Level.NONE


def test_a_thread_is_read_with_its_labels(world: World) -> None:
    found = world.forge.thread(world.number)
    assert (found.title, found.body, found.labels, found.author) == ("It breaks", "always", ("bug",), world.mona)
    assert world.requests() == 1


def test_what_is_said_is_read(world: World) -> None:
    world.repository.comment(world.mona, world.number, "hi 👋\n\n```\ncode\n```\n")
    said = world.forge.comment(world.number, "an answer", ours)
    assert world.requests() == 1
    world.forge.edit(said.id, "a better answer")
    first, second = world.forge.comments(world.number, None)
    assert world.requests() == 2
    assert first.body == "hi 👋\n\n```\ncode\n```\n"
    assert (second.id, second.body, second.is_edited) == (said.id, "a better answer", True)
    assert [found.id for found in world.forge.comments(world.number, second.created_at)] == [said.id]


def test_where_a_branch_left_another_is_one_request(world: World) -> None:
    start = world.repository.branch("main")
    head = world.repository.push_files("topic", {"a.txt": b"a\n"}, world.mona)
    world.repository.push_files("main", {"b.txt": b"b\n"}, world.mona)
    assert world.forge.parted("main", head) == start
    assert world.requests() == 1
    with pytest.raises(GitclawError):
        world.forge.parted("main", "nothing/there")


def test_many_comments_are_read_in_pages(world: World) -> None:
    for number in range(201):
        world.repository.comment(world.mona, world.number, str(number))
    assert [comment.body for comment in world.forge.comments(world.number, None)] == list(map(str, range(201)))
    assert world.requests() == 3


@pytest.mark.parametrize("fault", [{"status": 502}, {"drop": True}, {"status": 200, "body": "<html>"}])
@pytest.mark.parametrize("after", [True, False])
def test_a_comment_is_there_once_whether_it_failed_before_or_after(
    world: World, fault: dict[str, Any], *, after: bool
) -> None:
    world.hub.faults.add("/comments$", method="POST", after=after, **fault)
    assert world.forge.comment(world.number, "hello <!-- ours -->", ours).body == "hello <!-- ours -->"
    assert world.bodies() == ["hello <!-- ours -->"]
    assert world.requests() == (2 if after else 3)


def test_a_locked_thread_is_told(world: World) -> None:
    world.repository.lock(world.number)
    error = failing(lambda: world.read_only().comment(world.number, "hello", ours))
    assert error.code == "PERMISSION_DENIED"


def test_reactions_reach_comments_and_threads(world: World) -> None:
    comment = world.repository.comment(world.mona, world.number, "/apply 1")
    world.forge.react(world.number, comment, "eyes")
    world.forge.react(world.number, None, "rocket")
    assert [reaction.content for reaction in world.repository.reactions(comment)] == ["eyes"]
    world.read_only().react(world.number, comment, "rocket")
    assert world.noted == [
        "left out a reaction: GitHub did not let gitclaw react with rocket 403 Resource not accessible by integration"
    ]
    assert world.requests() == 3


def test_a_token_that_can_only_read_says_so(world: World) -> None:
    forge = world.read_only()
    for call in (
        lambda: forge.comment(world.number, "hello", ours),
        lambda: forge.open_issue("title", "body"),
        lambda: forge.open_pull("fix", "main", "title", "body", draft=False),
        lambda: forge.commit(entries(world, {})),
        lambda: forge.move([Move("refs/heads/main", world.head(), world.head())]),
    ):
        error = failing(call)
        assert error.code == "PERMISSION_DENIED"
        assert "Resource not accessible by integration" in error.details[0]


def test_issues_and_pull_requests_are_opened_and_found(world: World) -> None:
    assert world.forge.open_issue("Another", "text").title == "Another"
    world.repository.push_files("fix", {"new": b"new"}, world.mona)
    assert world.forge.pull_of("fix") is None
    made = world.forge.open_pull("fix", "main", "Fix it", "why", draft=True)
    alone = world.forge.pull(made.number)
    assert alone.standing == "draft"  # a list does not say what is in the way of a merge
    assert alone._replace(standing="") == world.forge.pull_of("fix") == made
    assert (made.head_repository, made.head_branch, made.base_branch) == ("mona/hello", "fix", "main")
    assert made.head_oid == world.repository.branch("fix")
    assert world.forge.thread(made.number).is_pull_request
    assert world.requests() == 6
    assert failing(lambda: world.forge.open_pull("fix", "main", "Fix it", "why", draft=False)).code == "BRANCH_EXISTS"


def entries(world: World, files: dict[str, tuple[str, bytes] | None]) -> Entries:
    writes: dict[bytes, Entry | None] = {}
    blobs: dict[str, bytes] = {}
    for path, found in files.items():
        oid = blob_id("sha1", found[1]) if found else ""
        writes[path.encode()] = Entry(found[0], oid) if found else None
        if found:
            blobs[oid] = found[1]
    return Entries(world.head(), "fix: it", writes, blobs)


def test_a_commit_of_all_kinds_and_its_state_land_together(world: World) -> None:
    start = world.head()
    changes = {
        "bin/tool": ("100755", b"\xff\0\r\n"),
        "naïve link": ("120000", b"README.md"),
        "old/inside": ("100644", b""),
        "old": None,
    }
    made = world.forge.commit(entries(world, changes))
    assert world.requests() == 3 + 3
    assert world.head() == start
    assert (made.verified, made.reason) == (True, "valid")
    world.forge.move([Move("refs/heads/main", start, made.oid), Move(STATE, ZEROS, made.oid)])
    assert world.requests() == 2
    assert (world.head(), world.repository.ref(STATE)) == (made.oid, made.oid)
    git = world.repository.repository.git
    listed = git.git("ls-tree", "-r", "-z", "--name-only", made.oid).decode().split("\0")[:-1]
    assert listed == ["README.md", "bin/tool", "naïve link", "old/inside", "run"]
    assert world.repository.file("main", "bin/tool") == b"\xff\0\r\n"
    modes = {path: entry.mode for path in listed if (entry := git.entry(made.oid, path))}
    assert (modes["bin/tool"], modes["naïve link"], modes["run"]) == ("100755", "120000", "100755")


def test_a_person_signs_for_themselves(world: World) -> None:
    forge = world.with_token(world.hub.token(world.mona))
    assert forge.commit(entries(world, {"new": ("100644", b"x")})).verified is False


def moved(world: World) -> tuple[str, str]:
    """A commit to move to, and where main is now."""
    start = world.head()
    return world.forge.commit(entries(world, {"new": ("100644", b"x")})).oid, start


def test_nothing_moves_when_one_ref_has_moved(world: World) -> None:
    oid, start = moved(world)
    other = world.repository.push_files("main", {"x": b"y"}, world.mona)
    with pytest.raises(GitclawError) as caught:
        world.forge.move([Move(STATE, ZEROS, oid), Move("refs/heads/main", start, oid)])
    assert caught.value.code == "STATE_CONFLICT"
    assert (world.head(), world.repository.ref(STATE)) == (other, None)


def test_nothing_moves_when_one_ref_is_protected(world: World) -> None:
    oid, start = moved(world)
    world.repository.protect("main")
    error = failing(lambda: world.forge.move([Move(STATE, ZEROS, oid), Move("refs/heads/main", start, oid)]))
    assert error.code == "BRANCH_PROTECTED"
    assert (world.head(), world.repository.ref(STATE)) == (start, None)


@pytest.mark.parametrize("after", [True, False])
def test_refs_move_once_whether_it_failed_before_or_after(world: World, *, after: bool) -> None:
    oid, start = moved(world)
    world.hub.faults.add("/graphql$", drop=True, after=after)
    world.forge.move([Move("refs/heads/main", start, oid), Move(STATE, ZEROS, oid)])
    assert (world.head(), world.repository.ref(STATE)) == (oid, oid)


def test_a_state_ref_goes_away_with_a_move_to_nowhere(world: World) -> None:
    oid, _ = moved(world)
    world.forge.move([Move(STATE, ZEROS, oid)])
    world.hub.faults.add("/graphql$", drop=True, after=True)
    world.forge.move([Move(STATE, oid, ZEROS)])
    assert world.repository.ref(STATE) is None
