from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitclaw_py.adapters.dry_run import DryForge
from gitclaw_py.adapters.github_forge import GitHubForge
from gitclaw_py.core.thread import Inline, Review
from gitclaw_py.errors import ConflictError, RefusedError
from gitclaw_py.hub.accounts import ACTIONS
from gitclaw_py.hub.server import Hub
from tests.adapters.github_world import failing
from tests.contracts.checked import checked

MARK = "<!-- ours -->"
BEFORE = b"".join(b"line %d\n" % number for number in range(1, 21))


class World:
    """A pull request of mona's on the hub that changes line 5 of ``text``, and a forge with the token of Actions."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.mona = hub.account("mona")
        self.repository = hub.repository("mona/hello", {"text": BEFORE}, self.mona)
        self.head = self.push(b"line five")
        self.number = self.repository.open_pull(self.mona, "topic")
        self.noted: list[str] = []
        self.slept: list[float] = []
        self.forge = self.with_token(self.repository.token())
        self.requests()

    def push(self, line: bytes) -> str:
        return self.repository.push_files("topic", {"text": BEFORE.replace(b"line 5\n", line + b"\n")}, self.mona)

    def with_token(self, token: str) -> GitHubForge:
        return GitHubForge(
            self.hub.api_url, token, "mona/hello", sleep=self.slept.append, note=self.noted.append, timeout=1
        )

    def requests(self) -> int:
        """How many requests there were since the last time."""
        count = len(self.hub.log)
        self.hub.log.clear()
        return count

    def post(self, *comments: Inline) -> Review:
        return self.forge.review(self.number, self.head, f"Suggestions {MARK}", comments, ours)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with Hub(tmp_path) as hub, checked(hub):
        world = World(hub)
        yield world
        world.forge.close()


def ours(review: Review) -> bool:
    return MARK in review.body


def on(line: int, start: int | None = None, path: str = "text") -> Inline:
    return Inline(path, line, start, "RIGHT", f"```suggestion\nnew {line}\n```\n")


def test_a_review_with_its_comments_is_one_request(world: World) -> None:
    made = world.post(on(5), on(8, 6))
    assert (made.state, made.commit, made.author) == ("COMMENTED", world.head, ACTIONS)
    assert world.requests() == 1
    assert world.forge.reviews(world.number) == [made]
    one, two = world.forge.reviewed(world.number).threads
    assert world.requests() == 2
    assert [(one.path, one.start_line, one.line), (two.start_line, two.line)] == [("text", None, 5), (6, 8)]
    assert one.comments[0].author == ACTIONS
    assert one.comments[0].body == on(5).body
    assert (one.is_resolved, one.is_outdated, one.can_resolve) == (False, False, True)


def test_a_review_stays_when_its_comments_are_deleted(world: World) -> None:
    """That is how it is seen that they were there, in the request that reads the threads."""
    made, other = world.post(on(5)), world.post(on(8))
    book = world.repository.repository.reviews
    book.remove(book.comments_of(book.get(world.number, made.id, None))[0])
    world.requests()
    threads, reviews = world.forge.reviewed(world.number)
    assert world.requests() == 1
    assert [thread.line for thread in threads] == [8]
    assert reviews == (made, other)


def test_a_review_without_comments_or_without_words_is_posted(world: World) -> None:
    assert world.post().body == f"Suggestions {MARK}"
    assert world.forge.review(world.number, world.head, "", [on(5)], ours).body == ""


@pytest.mark.parametrize("is_terse", [False, True])
@pytest.mark.parametrize("wrong", [on(15), on(5, 1), on(5, 5), on(1, path="other")])
def test_a_comment_that_is_not_on_the_diff_is_told_apart(world: World, wrong: Inline, *, is_terse: bool) -> None:
    world.repository.repository.reviews.is_terse = is_terse
    error = failing(lambda: world.post(on(5), wrong))
    assert isinstance(error, RefusedError)
    assert error.code == "INVALID_DIFF"
    assert error.details
    assert world.forge.reviews(world.number) == []


def test_other_refusals_are_not_taken_for_a_wrong_place(world: World) -> None:
    assert failing(lambda: world.forge.review(world.number, world.head, "", [], ours)).code == "INTERNAL"
    assert failing(lambda: world.forge.review(world.number, "1" * 40, "x", [], ours)).code == "INTERNAL"
    assert failing(lambda: world.forge.review(world.number, world.head, "x" * 300_000, [], ours)).code == "TOO_LARGE"
    world.repository.lock(world.number)
    assert failing(lambda: world.post(on(5))).code == "PERMISSION_DENIED"


def pending(world: World) -> int:
    requester = world.forge._requester
    body: dict[str, Any] = {"body": "left behind", "comments": []}
    document = requester.requestJsonAndCheck("POST", f"/repos/mona/hello/pulls/{world.number}/reviews", input=body)[1]
    return int(document["id"])


def test_a_pending_review_of_ours_is_found_and_dropped(world: World) -> None:
    identity = pending(world)
    error = failing(lambda: world.post(on(5)))
    assert isinstance(error, ConflictError)
    assert error.code == "STATE_CONFLICT"
    (found,) = world.forge.reviews(world.number)
    assert (found.id, found.state) == (identity, "PENDING")
    world.forge.drop_review(world.number, identity)
    world.forge.drop_review(world.number, identity)
    assert world.post(on(5)).state == "COMMENTED"


@pytest.mark.parametrize("fault", [{"status": 502}, {"drop": True}])
@pytest.mark.parametrize("after", [True, False])
def test_a_review_is_there_once_whether_it_failed_before_or_after(
    world: World, fault: dict[str, Any], *, after: bool
) -> None:
    world.hub.faults.add("/reviews$", method="POST", after=after, **fault)
    made = world.post(on(5))
    assert world.forge.reviews(world.number) == [made]
    assert len(world.repository.repository.reviews.comments(world.number, None)) == 1


def test_a_review_waits_when_it_came_too_quickly(world: World) -> None:
    headers = {"retry-after": "30"}
    world.hub.faults.add(
        "/reviews$", method="POST", status=403, headers=headers, body={"message": "secondary rate limit"}
    )
    assert world.post(on(5)).state == "COMMENTED"
    assert 30 in world.slept


def test_many_reviews_and_threads_are_read_in_pages(world: World) -> None:
    world.post(*[on(5)] * 101)
    for _ in range(100):
        world.repository.repository.reviews.open(world.number, world.mona, "x", "COMMENTED", world.head)
    world.requests()
    assert len(world.forge.reviews(world.number)) == 101
    assert world.requests() == 2
    assert len(world.forge.reviewed(world.number).threads) == 101
    assert world.requests() == 2


def test_threads_are_resolved_twenty_at_a_time(world: World) -> None:
    world.post(*[on(5)] * 21)
    threads = [thread.id for thread in world.forge.reviewed(world.number).threads]
    world.requests()
    assert world.forge.resolve(threads) == 21
    assert world.requests() == 2
    assert all(thread.is_resolved for thread in world.forge.reviewed(world.number).threads)
    assert world.forge.reviewed(world.number).threads[0].resolved_by == "github-actions"
    assert world.forge.resolve([]) == 0


def test_threads_that_cannot_be_resolved_are_counted_out_and_noted_once(world: World) -> None:
    world.post(on(5), on(6))
    threads = [thread.id for thread in world.forge.reviewed(world.number).threads]
    forge = world.with_token(world.repository.token(pull_requests="write", contents="read"))
    assert [thread.can_resolve for thread in forge.reviewed(world.number).threads] == [False, False]
    assert forge.resolve(threads) == 0
    assert world.noted == ["could not resolve review threads: Resource not accessible by integration"]
    assert world.forge.resolve([*threads, "PRRT_1"]) == 2
    forge.close()


def test_comments_and_reviews_are_hidden(world: World) -> None:
    made = world.post(on(5))
    (thread,) = world.forge.reviewed(world.number).threads
    assert world.forge.minimise([made.node, thread.comments[0].node, "IC_1"]) == 2
    (thread,) = world.forge.reviewed(world.number).threads
    assert thread.comments[0].is_minimised


def test_a_thread_is_replied_to_once_whether_it_failed_before_or_after(world: World) -> None:
    world.post(on(5))
    (thread,) = world.forge.reviewed(world.number).threads
    first = thread.comments[0]
    world.hub.faults.add("/replies$", method="POST", drop=True, after=True)
    reply = world.forge.reply_in_review(world.number, first.id, "Done")
    (thread,) = world.forge.reviewed(world.number).threads
    assert [comment.id for comment in thread.comments] == [first.id, reply.id]
    assert thread.comments[1].body == reply.body == "Done"


def test_what_became_of_a_thread_is_read(world: World) -> None:
    world.post(on(5))
    world.push(b"line 5!")
    (thread,) = world.forge.reviewed(world.number).threads
    assert (thread.is_outdated, thread.line, thread.original_line) == (True, None, 5)


def test_a_token_that_only_reads_is_told_so(world: World) -> None:
    forge = world.with_token(world.repository.token(pull_requests="read", contents="read"))
    error = failing(lambda: forge.review(world.number, world.head, "x", [], ours))
    assert error.code == "PERMISSION_DENIED"
    assert "Resource not accessible by integration" in error.details[0]
    assert failing(lambda: forge.reviewed(99)).code == "PERMISSION_DENIED"
    forge.close()


def test_a_dry_run_prints_what_would_be_reviewed(world: World) -> None:
    world.post(on(5))
    said: list[str] = []
    dry = DryForge(world.forge, "gitclaw[bot]", said.append)
    threads = dry.reviewed(world.number).threads
    assert (len(threads), len(dry.reviews(world.number))) == (1, 1)
    world.requests()
    assert dry.review(world.number, world.head, "Two", [on(8, 6)], ours).body == "Two"
    dry.drop_review(world.number, 7)
    assert (dry.resolve([threads[0].id]), dry.minimise([threads[0].comments[0].node])) == (1, 1)
    assert dry.reply_in_review(world.number, threads[0].comments[0].id, "Done").body == "Done"
    assert world.requests() == 0
    assert [line.partition("\n")[0] for line in said] == [
        f"Would review pull request {world.number} with 1 comments",
        "Would comment on text:6-8",
        f"Would delete the pending review 7 of pull request {world.number}",
        f"Would resolve 1 review threads: {threads[0].id}",
        f"Would hide 1 comments as outdated: {threads[0].comments[0].node}",
        f"Would reply to the review comment {threads[0].comments[0].id} of pull request {world.number}",
    ]
