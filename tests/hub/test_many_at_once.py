"""Many at once: nothing is lost, nothing is numbered twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from gitclaw_py.hub.bare import ZERO
from tests.hub.conftest import World

MUTATION = "mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }"


def test_comments_from_many_are_all_there_once(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    with ThreadPoolExecutor(8) as pool:
        path = f"R/issues/{number}/comments"
        made = list(
            pool.map(lambda n: world.ask("POST", path, {"body": str(n)}, world.hub.token(world.mona)), range(40))
        )
    ids = [one.body["id"] for one in made]
    comments = world.repo.comments(number)
    assert sorted(ids) == [one.id for one in comments]
    assert sorted(int(one.body) for one in comments) == list(range(40))
    assert [one.created_at for one in comments] == sorted({one.created_at for one in comments})
    assert world.events.names.count("issue_comment.created") == 40


def test_of_many_who_move_a_ref_from_the_same_place_one_succeeds(world: World) -> None:
    main = str(world.repo.branch("main"))
    oids = [world.repo.push_files(f"topic{n}", {"b": str(n).encode()}, world.mona) for n in range(4)]

    def move(oid: str) -> bool:
        updates = [
            {"name": "refs/heads/main", "beforeOid": main, "afterOid": oid},
            {"name": "refs/gitclaw/threads/1", "beforeOid": ZERO, "afterOid": oid},
        ]
        value = {"repositoryId": world.repo.repository.node_id, "refUpdates": updates}
        return "errors" not in world.ask("POST", "/graphql", {"query": MUTATION, "variables": {"input": value}}).body

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(move, oids)) == 1
    assert world.repo.branch("main") == world.repo.ref("refs/gitclaw/threads/1") != main
