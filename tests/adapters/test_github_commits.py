from __future__ import annotations

from collections.abc import Iterator

import pytest

from gitclaw_py.core.diffs import Entry, blob_id
from gitclaw_py.ports.forge import Committed, Entries
from gitclaw_py.ports.values import Move
from tests.adapters.github_world import DENIED, HANGS_UP, NEW, OLD, OTHER, ROOT, World, failing, working
from tests.adapters.scripted_github import Says

NONE = "0" * 40
MAIN = Move("refs/heads/main", OLD, NEW)
STATE = Move("refs/gitclaw/threads/42", NONE, OTHER)


@pytest.fixture
def world() -> Iterator[World]:
    with working() as found:
        yield found


DATA = b"\xff\0binary\r\n"
OID = blob_id("sha1", DATA)
WRITES: dict[bytes, Entry | None] = {
    b"bin/run": Entry("100755", OID),
    "naïve/link".encode(): Entry("120000", OTHER),
    b"library": Entry("160000", OLD),
    b"gone": None,
}


TREE_OF_OLD = Says({"sha": OLD, "tree": {"sha": "e" * 40}})


def test_a_commit_keeps_modes_and_links_and_says_whether_it_is_verified(world: World) -> None:
    world.script.answers(
        TREE_OF_OLD,
        Says({"sha": OID}, 201),
        Says({"sha": "d" * 40}, 201),
        Says({"sha": NEW, "verification": {"verified": True, "reason": "valid"}}, 201),
    )
    made = world.forge.commit(Entries(OLD, "fix: it", WRITES, {OID: DATA}))
    assert made == Committed(NEW, verified=True, reason="valid")
    assert world.script.requests == [
        f"GET {ROOT}/git/commits/{OLD}",
        f"POST {ROOT}/git/blobs",
        f"POST {ROOT}/git/trees",
        f"POST {ROOT}/git/commits",
    ]
    blob, tree, commit = (asked.body for asked in world.script.asked[1:])
    assert blob == {"content": "/wBiaW5hcnkNCg==", "encoding": "base64"}
    assert tree == {
        "base_tree": "e" * 40,
        "tree": [
            {"path": "gone", "mode": "100644", "type": "blob", "sha": None},
            {"path": "bin/run", "mode": "100755", "type": "blob", "sha": OID},
            {"path": "library", "mode": "160000", "type": "commit", "sha": OLD},
            {"path": "naïve/link", "mode": "120000", "type": "blob", "sha": OTHER},
        ],
    }
    assert commit == {"message": "fix: it", "tree": "d" * 40, "parents": [OLD]}
    assert world.slept == []


def test_no_commit_is_made_of_other_bytes(world: World) -> None:
    world.script.answers(TREE_OF_OLD, Says({"sha": OTHER}, 201))
    assert failing(lambda: world.forge.commit(Entries(OLD, "fix: it", WRITES, {OID: DATA}))).code == "INTERNAL"
    assert len(world.script.asked) == 2


def test_a_name_that_is_not_text_is_refused_before_anything_is_sent(world: World) -> None:
    entries = Entries(OLD, "fix: it", {b"caf\xe9": Entry("100644", OID)}, {OID: DATA})
    assert failing(lambda: world.forge.commit(entries)).code == "BLOCKED_PATH"
    assert world.script.requests == []


REPOSITORY = Says({"node_id": "R_1"})
MOVED = Says({"data": {"updateRefs": {"clientMutationId": None}}})
MISSING = Says({"message": "Not Found"}, 404)
MAIN_REF = f"GET {ROOT}/git/ref/heads/main"


def at(oid: str) -> Says:
    return Says({"ref": "refs/heads/main", "object": {"type": "commit", "sha": oid}})


def says_no(text: str, kind: str = "UNPROCESSABLE") -> Says:
    return Says({"data": {"updateRefs": None}, "errors": [{"type": kind, "message": text}]})


def test_both_refs_move_in_one_request_and_the_repository_is_asked_for_once(world: World) -> None:
    world.script.answers(REPOSITORY, MOVED, MOVED)
    world.forge.move([MAIN, STATE])
    world.forge.move([MAIN])
    assert world.script.requests == [f"GET {ROOT}", "POST /graphql", "POST /graphql"]
    sent = world.script.asked[1].body
    assert "updateRefs(input: $input)" in sent["query"]
    assert sent["variables"] == {
        "input": {
            "repositoryId": "R_1",
            "refUpdates": [
                {"name": "refs/heads/main", "beforeOid": OLD, "afterOid": NEW, "force": False},
                {"name": "refs/gitclaw/threads/42", "beforeOid": NONE, "afterOid": OTHER, "force": False},
            ],
        }
    }


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ([says_no("Protected branch update failed for refs/heads/main.")], "BRANCH_PROTECTED"),
        (
            [says_no("Repository rule violations found\n\nChanges must be made through a pull request.")],
            "BRANCH_PROTECTED",
        ),
        ([says_no("Resource not accessible by integration", "FORBIDDEN")], "PERMISSION_DENIED"),
        ([says_no("octo has no access to it", "INSUFFICIENT_SCOPES")], "PERMISSION_DENIED"),
        ([says_no("Update is not a fast forward")], "STATE_CONFLICT"),
        ([says_no("Reference cannot be updated"), at(OTHER)], "STATE_CONFLICT"),
        ([says_no("Reference cannot be updated"), MISSING], "STATE_CONFLICT"),
        ([says_no("Reference cannot be updated"), at(OLD), MISSING], "BRANCH_PROTECTED"),
        ([says_no("Reference already exists"), at(OLD), at(NEW)], "STATE_CONFLICT"),
        ([DENIED], "PERMISSION_DENIED"),
    ],
)
def test_refs_that_do_not_move_say_why(world: World, answers: list[Says], code: str) -> None:
    world.script.answers(REPOSITORY, *answers)
    assert failing(lambda: world.forge.move([MAIN, STATE])).code == code


def test_a_branch_that_was_to_be_new_is_told_as_one_that_exists(world: World) -> None:
    world.script.answers(REPOSITORY, says_no("Reference already exists"), at(OTHER))
    assert failing(lambda: world.forge.move([MAIN._replace(old=NONE)])).code == "BRANCH_EXISTS"


def test_a_move_that_happened_without_an_answer_is_not_made_again(world: World) -> None:
    world.script.answers(REPOSITORY, HANGS_UP, at(NEW))
    world.forge.move([MAIN, STATE])
    assert world.script.requests[1:] == ["POST /graphql", MAIN_REF]


def test_a_move_that_did_not_happen_is_made(world: World) -> None:
    broken = says_no("Something went wrong while executing your query. Please include `A:B` when reporting.", "")
    world.script.answers(REPOSITORY, broken, at(OLD), MOVED)
    world.forge.move([MAIN, STATE])
    assert world.script.requests[1:] == ["POST /graphql", MAIN_REF, "POST /graphql"]


def test_a_move_that_others_have_built_on_is_seen_in_the_other_ref(world: World) -> None:
    world.script.answers(REPOSITORY, HANGS_UP, at("e" * 40), at(OTHER))
    world.forge.move([MAIN, STATE])
    assert world.script.requests[-1] == f"GET {ROOT}/git/ref/gitclaw/threads/42"


def test_a_move_is_a_conflict_when_every_ref_is_elsewhere(world: World) -> None:
    world.script.answers(REPOSITORY, HANGS_UP, at("e" * 40), at("f" * 40))
    assert failing(lambda: world.forge.move([MAIN, STATE])).code == "STATE_CONFLICT"


def test_the_limit_of_graphql_comes_as_an_answer_and_is_waited_for(world: World) -> None:
    limited = Says(
        {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}, headers={"Retry-After": "4"}
    )
    world.script.answers(REPOSITORY, limited, at(OLD), MOVED)
    world.forge.move([MAIN])
    assert world.slept == [4]
