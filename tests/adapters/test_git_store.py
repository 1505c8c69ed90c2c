"""The state of a thread on its ref: read without a request more, kept with its proposals, never believed blindly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.adapters.git_clone import GitClone
from gitclaw_py.adapters.git_connection import GitConnection
from gitclaw_py.adapters.git_store import GitStore
from gitclaw_py.core import state_json
from gitclaw_py.core.refnames import state_ref
from gitclaw_py.core.state import Conversation, Reply, State, Verb, answered, decided
from gitclaw_py.errors import ConfigError, GitclawError
from gitclaw_py.hub.server import Hub
from tests.core.states import state, word
from tests.sandbox import ENVIRONMENT

MAIN = "refs/heads/main"
WHO = b"Ada <ada@example.invalid> 1700000000 +0000"
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


class Desk:
    """A repository on the hub, and stores in new clones of it."""

    def __init__(self, hub: Hub, folder: Path) -> None:
        self.hub = hub
        self.repo = hub.repository("octo/hello", {"a.txt": b"a\n"})
        self._folder = folder

    def store(self) -> tuple[GitClone, GitStore]:
        """A store as the next run has it."""
        place = self._folder / str(len(list(self._folder.iterdir())))
        place.mkdir()
        clone = GitClone(
            GitConnection(self.repo.clone_url, self.repo.token(), place, ENVIRONMENT),
            ("bot", "bot@example.invalid"),
        )
        clone.fetch([MAIN, state_ref(1)])
        return clone, GitStore(clone, 1, place / "log", lambda: 1_700_000_000)

    def saved(self, after: State) -> None:
        """Save and push."""
        clone, store = self.store()
        store.load()
        store.save(after)
        clone.push(clone.moves([store.ref]))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk without any state yet."""
    with Hub(tmp_path / "hub") as hub:
        (tmp_path / "clones").mkdir()
        yield Desk(hub, tmp_path / "clones")


class Cost(NamedTuple):
    """A loaded state, and the requests of git that loading it took."""

    state: State
    requests: int


def loaded(desk: Desk) -> Cost:
    _, store = desk.store()
    before = len(desk.hub.log)
    return Cost(store.load(), len(desk.hub.log) - before)


def small(thread: str = "1") -> State:
    return decided(State(thread), word(Verb.REJECT, "1"))


def test_a_new_thread_has_an_empty_state(desk: Desk) -> None:
    assert loaded(desk) == Cost(State("1"), 0)


def test_what_was_saved_comes_with_the_fetch(desk: Desk) -> None:
    after = answered(small(), Reply("5", ("said",)), 5, "2026-01-01T00:00:00Z")
    desk.saved(after)
    assert loaded(desk) == Cost(after, 0)


def test_a_large_document_costs_one_batch_more(desk: Desk) -> None:
    after = answered(small(), Reply("5", ("x" * 300_000,)), 5, "2026-01-01T00:00:00Z")
    desk.saved(after)
    found = loaded(desk)
    assert found.state == after
    assert found.requests == 2


def test_a_document_in_the_message_counts_only_if_it_is_the_one_of_the_tree(desk: Desk) -> None:
    clone, store = desk.store()
    true, planted = state_json.dump(small()), state_json.dump(State("1"))
    clone.write(store.ref, WHO, b"summary\n\n" + planted, {b"state.json": true}, [])
    clone.push(clone.moves([store.ref]))
    assert loaded(desk).state == small()


@pytest.mark.parametrize(
    "files",
    [
        {b"other.json": b"{}\n"},
        {b"state.json/nested": b"{}\n", b"a.txt": b"a\n"},
        {b"state": b"{}\n", b"state.json.bak": b"{}\n"},
    ],
)
def test_a_ref_without_the_document_is_refused(desk: Desk, files: dict[bytes, bytes]) -> None:
    clone, store = desk.store()
    clone.write(store.ref, WHO, b"summary\n\n" + state_json.dump(State("1")), files, [])
    clone.push(clone.moves([store.ref]))
    with pytest.raises(ConfigError, match=r"has no state\.json"):
        loaded(desk)


@pytest.mark.parametrize("kind", ["blob", "tree", "tag of a blob"])
def test_a_ref_that_is_no_commit_is_refused(desk: Desk, kind: str) -> None:
    git = desk.repo.repository.git.git
    blob = git("hash-object", "-w", "--stdin", stdin=b"{}\n").decode().strip()
    tree = git("mktree", stdin=f"100644 blob {blob}\tstate.json\n".encode()).decode().strip()
    tag = b"object %s\ntype blob\ntag t\ntagger %s\n\nm\n" % (blob.encode(), WHO)
    oid = {"blob": blob, "tree": tree}.get(kind) or git("mktag", stdin=tag).decode().strip()
    git("update-ref", state_ref(1), oid)
    with pytest.raises(GitclawError):
        loaded(desk)


def test_the_document_is_found_among_other_files(desk: Desk) -> None:
    clone, store = desk.store()
    document = state_json.dump(small())
    files = {b"a.txt": b"a\n", b"state.json": document, b"z/b.txt": b"b\n", "\u00e4 x".encode(): b"c\n"}
    clone.write(store.ref, WHO, b"summary\n\n" + document, files, [])
    clone.push(clone.moves([store.ref]))
    assert loaded(desk) == Cost(small(), 0)


def test_proposals_are_kept_alive_by_the_state(desk: Desk) -> None:
    clone, store = desk.store()
    clone.bring_all(MAIN)
    clone.write("refs/heads/elsewhere", WHO, b"proposal\n", {b"a.txt": b"b\n"}, [])
    (made,) = clone.moves(["refs/heads/elsewhere"])
    proposal = state().proposals[0]._replace(commit=made.new)
    store.load()
    store.save(State("1", (proposal,)))
    clone.push(clone.moves([store.ref]))
    tip = desk.repo.ref(store.ref)
    assert tip is not None
    assert desk.repo.repository.git.is_ancestor(made.new, tip)


def test_every_change_is_one_commit_that_says_what_happened(desk: Desk) -> None:
    desk.saved(State("1", conversation=Conversation(keys=("issue",))))
    desk.saved(small())
    log = desk.repo.repository.git.git("log", "--format=%s", state_ref(1)).decode().split("\n")[:-1]
    assert log == ["reject 1 by ada", "answered"]


@given(
    handled=st.integers(0, 2**53),
    since=st.none() | TEXTS,
    keys=st.lists(TEXTS, max_size=3),
    replies=st.lists(
        st.builds(Reply, TEXTS, st.lists(TEXTS, max_size=3).map(tuple), st.none() | st.integers(1)), max_size=3
    ),
)
def test_how_far_a_thread_is_handled_is_read_as_it_was_written(
    handled: int, since: str | None, keys: list[str], replies: list[Reply]
) -> None:
    before = State("1", conversation=Conversation(handled, since, tuple(keys), tuple(replies)))
    assert state_json.load(state_json.dump(before)) == before
