"""Refs, objects and branches over the API."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import unquote

import pytest

from tests.hub.conftest import Got, World

ZERO = "0" * 40
MUTATION = "mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }"


def commit_on(world: World, entries: list[dict[str, Any]], token: str | None = None, **more: object) -> Got:
    parent = world.repo.branch("main")
    tree = world.ask("POST", "R/git/trees", {"base_tree": parent, "tree": entries})
    assert tree.status == 201
    body = {"message": "A change", "tree": tree.body["sha"], "parents": [parent], **more}
    return world.ask("POST", "R/git/commits", body, token)


def entry(path: str, content: str = "x", mode: str = "100644") -> dict[str, Any]:
    return {"path": path, "mode": mode, "type": "blob", "content": content}


def test_a_commit_is_put_together_with_modes_links_and_removals(world: World) -> None:
    blob = world.ask("POST", "R/git/blobs", {"content": base64.b64encode(b"\x00\xff").decode(), "encoding": "base64"})
    entries = [
        entry("run.sh", "#!/bin/sh\n", "100755"),
        entry("link", "README.md", "120000"),
        {"path": "deep/er/raw", "mode": "100644", "type": "blob", "sha": blob.body["sha"]},
        {"path": "src/a.py", "mode": "100644", "type": "blob", "sha": None},
    ]
    commit = commit_on(world, entries).body["sha"]
    moved = world.ask("PATCH", "R/git/refs/heads/main", {"sha": commit})
    assert (moved.status, world.repo.branch("main")) == (200, commit)
    listed = world.ask("GET", f"R/git/trees/{commit}?recursive=1").body["tree"]
    modes = {one["path"]: one["mode"] for one in listed if one["type"] == "blob"}
    assert modes == {"README.md": "100644", "deep/er/raw": "100644", "link": "120000", "run.sh": "100755"}
    assert base64.b64decode(world.ask("GET", f"R/git/blobs/{blob.body['sha']}").body["content"]) == b"\x00\xff"


def test_what_an_app_commits_in_its_own_name_is_verified(world: World) -> None:
    made = commit_on(world, [entry("b")])
    assert made.body["verification"]["verified"] is True
    assert made.body["author"]["email"] == "41898282+github-actions[bot]@users.noreply.github.com"
    assert world.ask("GET", f"R/git/commits/{made.body['sha']}").body["verification"]["reason"] == "valid"
    assert world.ask("GET", f"R/commits/{made.body['sha']}").body["author"]["login"] == "github-actions[bot]"


def test_a_named_author_or_a_person_is_not(world: World) -> None:
    author = {"name": "Mona", "email": "mona@example.com", "date": "2026-02-03T04:05:06Z"}
    for made in (
        commit_on(world, [entry("b")], author=author),
        commit_on(world, [entry("b")], world.hub.token(world.hubot)),
    ):
        assert (made.body["verification"]["verified"], made.body["verification"]["reason"]) == (False, "unsigned")


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"path": "../x", "mode": "100644", "content": ""}, "tree.path contains a malformed path component"),
        ({"path": ".git/config", "mode": "100644", "content": ""}, "tree.path contains a malformed path component"),
        ({"path": "a\0b", "mode": "100644", "content": ""}, "tree.path contains a malformed path component"),
        ({"path": "x", "mode": "100666", "content": ""}, "Must supply a valid tree.mode"),
        ({"path": "x", "mode": "100644"}, "Must supply either tree.sha or tree.content"),
        ({"path": "x", "mode": "100644", "sha": "1" * 40}, f"tree.sha {'1' * 40} is not a valid blob"),
        ({"path": "nothing", "mode": "100644", "sha": None}, "GitRPC::BadObjectState"),
    ],
)
def test_a_tree_that_cannot_be_is_refused(world: World, wanted: dict[str, Any], message: str) -> None:
    made = world.ask("POST", "R/git/trees", {"base_tree": world.repo.branch("main"), "tree": [wanted]})
    assert (made.status, made.body["message"]) == (422, message)


def test_refs_are_made_moved_and_removed(world: World) -> None:
    main = world.repo.branch("main")
    newer = commit_on(world, [entry("b")]).body["sha"]
    made = world.ask("POST", "R/git/refs", {"ref": "refs/gitclaw/threads/1", "sha": newer})
    again = world.ask("POST", "R/git/refs", {"ref": "refs/gitclaw/threads/1", "sha": newer})
    assert (made.status, again.body["message"]) == (201, "Reference already exists")
    assert world.ask("GET", "R/git/ref/gitclaw/threads/1").body["object"]["sha"] == newer
    path = "R/git/refs/gitclaw/threads/1"
    assert world.ask("PATCH", path, {"sha": main}).body["message"] == "Update is not a fast forward"
    assert world.ask("PATCH", path, {"sha": main, "force": True}).status == 200
    assert world.ask("PATCH", path, {"sha": "1" * 40}).body["message"] == "Object does not exist"
    assert world.ask("DELETE", path).status == 204
    assert world.ask("DELETE", path).body["message"] == "Reference does not exist"
    assert world.ask("GET", "R/git/ref/gitclaw/threads/1").status == 404


def test_protected_and_hidden_refs_do_not_move(world: World) -> None:
    world.repo.protect("main")
    main, newer = world.repo.branch("main"), commit_on(world, [entry("b")]).body["sha"]
    moved = world.ask("PATCH", "R/git/refs/heads/main", {"sha": newer})
    assert (moved.status, moved.body["message"]) == (422, "Changes must be made through a pull request.")
    assert world.ask("DELETE", "R/git/refs/heads/main").body["message"] == "Cannot delete protected branch"
    hidden = world.ask("POST", "R/git/refs", {"ref": "refs/pull/9/head", "sha": newer})
    assert hidden.body["message"] == "Reference update failed"
    assert world.repo.branch("main") == main


def test_a_ruleset_says_so_over_the_api(world: World) -> None:
    world.repo.protect("main", by_ruleset=True)
    main, newer = str(world.repo.branch("main")), commit_on(world, [entry("b")]).body["sha"]
    sentence = "Repository rule violations found\n\nChanges must be made through a pull request.\n\n"
    assert world.ask("PATCH", "R/git/refs/heads/main", {"sha": newer}).body["message"] == sentence
    done = update_refs(world, {"name": "refs/heads/main", "beforeOid": main, "afterOid": newer})
    assert [error["message"] for error in done.body["errors"]] == [sentence]
    assert world.repo.branch("main") == main


def test_a_workflow_needs_its_own_permission(world: World) -> None:
    commit = commit_on(world, [entry(".github/workflows/ci.yml")]).body["sha"]
    ref = {"ref": "refs/heads/ci", "sha": commit}
    assert world.ask("POST", "R/git/refs", ref).body["message"] == "Resource not accessible by integration"
    assert world.ask("POST", "R/git/refs", ref, world.repo.token(contents="write", workflows="write")).status == 201


def update_refs(world: World, *updates: dict[str, Any], token: str | None = None) -> Got:
    value = {"repositoryId": world.repo.repository.node_id, "refUpdates": list(updates)}
    return world.ask("POST", "/graphql", {"query": MUTATION, "variables": {"input": value}}, token)


def test_update_refs_moves_all(world: World) -> None:
    main, newer = world.repo.branch("main"), commit_on(world, [entry("b")]).body["sha"]
    state = {"name": "refs/gitclaw/threads/1", "beforeOid": ZERO, "afterOid": newer}
    done = update_refs(world, {"name": "refs/heads/main", "beforeOid": main, "afterOid": newer}, state)
    assert done.body == {"data": {"updateRefs": {"clientMutationId": None}}}
    assert (world.repo.branch("main"), world.repo.ref("refs/gitclaw/threads/1")) == (newer, newer)


@pytest.mark.parametrize("trouble", ["stale", "protected", "hidden", "backwards", "missing", "read-only"])
def test_update_refs_moves_none_when_one_cannot_move(world: World, trouble: str) -> None:
    main, newer = str(world.repo.branch("main")), commit_on(world, [entry("b")]).body["sha"]
    if trouble == "protected":
        world.repo.protect("main")
    second = {
        "stale": {"name": "refs/heads/main", "beforeOid": newer, "afterOid": newer},
        "protected": {"name": "refs/heads/main", "beforeOid": main, "afterOid": newer},
        "hidden": {"name": "refs/pull/1/head", "afterOid": newer},
        "backwards": {"name": "refs/heads/main", "beforeOid": main, "afterOid": unrelated(world)},
        "missing": {"name": "refs/heads/main", "beforeOid": main, "afterOid": "1" * 40},
        "read-only": {"name": "refs/heads/main", "beforeOid": main, "afterOid": newer},
    }[trouble]
    token = world.repo.token(contents="read") if trouble == "read-only" else None
    done = update_refs(world, {"name": "refs/gitclaw/threads/1", "afterOid": newer}, second, token=token)
    assert (done.status, done.body["data"]) == (200, {"updateRefs": None})
    assert len(done.body["errors"]) == 1
    assert (world.repo.branch("main"), world.repo.ref("refs/gitclaw/threads/1")) == (main, None)


def unrelated(world: World) -> str:
    tree = world.ask("POST", "R/git/trees", {"tree": [entry("c")]}).body["sha"]
    return str(world.ask("POST", "R/git/commits", {"message": "m", "tree": tree, "parents": []}).body["sha"])


def test_update_refs_takes_its_fields_one_by_one_too(world: World) -> None:
    newer = commit_on(world, [entry("b")]).body["sha"]
    fields = "{repositoryId: $r, refUpdates: $u}"
    query = f"mutation($r: ID!, $u: [RefUpdate!]!) {{ updateRefs(input: {fields}) {{ clientMutationId }} }}"
    updates = [{"name": "refs/heads/main", "afterOid": newer}]
    variables = {"r": world.repo.repository.node_id, "u": updates}
    assert "errors" not in world.ask("POST", "/graphql", {"query": query, "variables": variables}).body
    assert world.repo.branch("main") == newer


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"repositoryId": "R_1"}, "NOT_FOUND"),
        ({"refUpdates": []}, "INVALID"),
        ({"refUpdates": [{"name": "refs/heads/x"}]}, "INVALID"),
        ({"refUpdates": [{"name": "heads/x", "afterOid": "1" * 40}]}, "INVALID"),
        ({"refUpdates": [{"name": "refs/heads/x", "afterOid": "1" * 40, "forced": True}]}, "INVALID"),
        ({"updates": []}, "INVALID"),
    ],
)
def test_update_refs_says_what_it_does_not_take(world: World, change: dict[str, Any], kind: str) -> None:
    updates = [{"name": "refs/heads/x", "afterOid": world.repo.branch("main")}]
    value = {"repositoryId": world.repo.repository.node_id, "refUpdates": updates, **change}
    done = world.ask("POST", "/graphql", {"query": MUTATION, "variables": {"input": value}})
    assert [error["type"] for error in done.body["errors"]] == [kind]
    assert world.repo.branch("x") is None


def test_graphql_needs_a_token_a_query_and_a_mutation_it_knows(world: World) -> None:
    assert world.ask("POST", "/graphql", {"query": MUTATION}, token="").status == 401
    assert world.ask("POST", "/graphql", {}).status == 400
    assert world.ask("POST", "/graphql", {"query": MUTATION}).body["errors"][0]["type"] == "INVALID"
    assert (
        world.ask("POST", "/graphql", {"query": "{ viewer { login } }"}).body["errors"][0]["type"] == "undefinedField"
    )


def test_update_refs_lets_no_workflow_through(world: World) -> None:
    newer = commit_on(world, [entry(".github/workflows/ci.yml")]).body["sha"]
    done = update_refs(world, {"name": "refs/heads/ci", "afterOid": newer})
    assert "without `workflows` permission" in done.body["errors"][0]["message"]
    assert world.repo.branch("ci") is None


@pytest.mark.parametrize(
    ("path", "body", "status", "message"),
    [
        ("blobs", {"content": "x", "encoding": "rot13"}, 422, "The encoding must be"),
        ("blobs", {"content": "=x", "encoding": "base64"}, 422, "content is not valid Base64"),
        ("trees", {"tree": [], "base_tree": "1" * 40}, 404, "Not Found"),
        ("trees", {"tree": ["x"]}, 422, "an entry is not an object"),
        ("trees", {"tree": [{"path": "x", "mod": "100644"}]}, 422, '"mod" is not a permitted key'),
        ("commits", {"message": "m", "tree": "1" * 40}, 422, "Tree SHA does not exist"),
        ("commits", {"message": "m", "tree": "TREE", "parents": ["1" * 40]}, 422, "Parent SHA does not exist"),
        ("commits", {"message": "m", "tree": "TREE", "author": {"nam": "x"}}, 422, '"nam" is not a permitted key'),
        (
            "commits",
            {"message": "m", "tree": "TREE", "author": {"name": "x", "date": "now"}},
            422,
            "not a valid date-time",
        ),
        ("commits", {"message": "m"}, 422, '"tree" wasn\'t supplied.'),
    ],
)
def test_what_no_object_can_be_made_of_is_refused(
    world: World, path: str, body: dict[str, Any], status: int, message: str
) -> None:
    if body.get("tree") == "TREE":
        body = {**body, "tree": world.ask("POST", "R/git/trees", {"tree": [entry("a")]}).body["sha"]}
    made = world.ask("POST", f"R/git/{path}", body)
    assert made.status == status
    assert message in made.body["message"]


def test_a_whole_folder_is_put_into_a_tree_by_its_id(world: World) -> None:
    folder = world.ask("POST", "R/git/trees", {"tree": [entry("one"), entry("two/three")]}).body["sha"]
    whole = {"path": "src", "mode": "040000", "type": "tree", "sha": folder}
    made = world.ask("POST", "R/git/trees", {"base_tree": world.repo.branch("main"), "tree": [whole]})
    listed = world.ask("GET", f"R/git/trees/{made.body['sha']}?recursive=1").body["tree"]
    assert [one["path"] for one in listed if one["type"] == "blob"] == ["README.md", "src/one", "src/two/three"]


def test_refs_are_found_by_how_they_begin(world: World) -> None:
    world.repo.push_files("feature/a", {"b": b"b"}, world.mona)
    found = world.ask("GET", "R/git/matching-refs/heads/f").body
    assert [one["ref"] for one in found] == ["refs/heads/feature/a"]


def test_branches_commits_and_contents_are_shown(world: World) -> None:
    world.repo.push_files("feature/a", {"src/b.py": b"b = 2\n", "link:@": b"README.md"}, world.hubot, "Add b")
    world.repo.protect("main")
    branches = {one["name"]: one["protected"] for one in world.ask("GET", "R/branches").body}
    assert branches == {"feature/a": False, "main": True}
    assert world.ask("GET", "R/branches/feature/a").body["commit"]["author"]["login"] == "hubot"
    assert world.ask("GET", "R/branches/nothing").body["message"] == "Branch not found"
    commit = world.ask("GET", "R/commits/feature/a").body
    assert {one["filename"]: one["status"] for one in commit["files"]} == {"link": "added", "src/b.py": "added"}
    file = world.ask("GET", "R/contents/src/b.py?ref=feature/a").body
    assert base64.b64decode(file["content"]) == b"b = 2\n"
    assert world.ask("GET", "R/contents/link?ref=feature/a").body["target"] == "README.md"
    assert [one["path"] for one in world.ask("GET", "R/contents/src?ref=feature/a").body] == ["src/a.py", "src/b.py"]
    assert world.ask("GET", "R/contents/src/b.py").status == 404
    assert world.ask("GET", "R/commits/nothing").status == 422


@pytest.mark.parametrize("name", ["../../config", "heads/a..b", "heads/x%00", "heads/a%20b", "heads/"])
def test_names_that_no_ref_can_have_are_of_no_ref(world: World, name: str) -> None:
    assert world.ask("GET", f"R/git/ref/{name}").status == 404
    made = world.ask("POST", "R/git/refs", {"ref": f"refs/{unquote(name)}", "sha": world.repo.branch("main")})
    assert made.status == 422
    assert list(world.repo.repository.git.refs("refs")) == ["refs/heads/main"]


@pytest.mark.parametrize(
    "path", ["contents/a%00b", "contents/README.md?ref=%00", "contents/x?ref=--all", "branches/%00"]
)
def test_odd_paths_are_only_not_there(world: World, path: str) -> None:
    assert world.ask("GET", f"R/{path}").status == 404
