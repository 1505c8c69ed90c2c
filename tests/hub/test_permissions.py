"""Who may do what: roles of people, permissions of tokens."""

from __future__ import annotations

import pytest

from tests.hub.conftest import World


@pytest.mark.parametrize(
    ("role", "permission"),
    [
        ("none", "read"),  # the repository is public
        ("read", "read"),
        ("triage", "read"),
        ("write", "write"),
        ("maintain", "write"),
        ("admin", "admin"),
    ],
)
def test_a_role_has_a_name_and_one_of_four_permissions(world: World, role: str, permission: str) -> None:
    world.repo.grant(world.rando, role)
    said = world.ask("GET", "R/collaborators/rando/permission").body
    assert (said["permission"], said["role_name"]) == (permission, "read" if role == "none" else role)
    assert said["user"]["id"] == world.rando.id


def test_an_organizations_own_role_has_its_own_name(world: World) -> None:
    world.repo.grant(world.rando, "write", called="release manager")
    said = world.ask("GET", "R/collaborators/rando/permission").body
    assert (said["permission"], said["role_name"]) == ("write", "release manager")


def test_a_login_can_change_hands_and_the_role_stays_with_the_id(world: World) -> None:
    renamed = world.hub.rename(world.hubot, "hubot-2")
    assert world.ask("GET", "R/collaborators/hubot/permission").status == 404
    someone = world.hub.account("hubot")
    new, old = (world.ask("GET", f"R/collaborators/{one}/permission").body for one in ("hubot", "hubot-2"))
    assert (new["permission"], new["user"]["id"]) == ("read", someone.id)
    assert (old["permission"], old["user"]["id"]) == ("write", renamed.id)


def test_bots_and_strangers_have_no_permission_to_tell(world: World) -> None:
    for login in ("nobody", "github-actions[bot]"):
        said = world.ask("GET", f"R/collaborators/{login.replace('[', '%5B').replace(']', '%5D')}/permission")
        assert (said.status, said.body["message"]) == (404, f"{login} is not a user")


def test_only_those_who_push_may_ask_for_permissions(world: World) -> None:
    said = world.ask("GET", "R/collaborators/mona/permission", token=world.hub.token(world.rando))
    assert (said.status, said.body["message"]) == (403, "Must have push access to view collaborator permission.")


def test_a_read_only_token_reads_and_is_told_why_it_may_not_write(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    token = world.repo.token(contents="read", issues="read", pull_requests="read")
    assert world.ask("GET", f"R/issues/{number}", token=token).status == 200
    for path, body in (
        (f"R/issues/{number}/comments", {"body": "Hi"}),
        ("R/git/blobs", {"content": "x"}),
        ("R/pulls", {"title": "T", "head": "x", "base": "main"}),
    ):
        refused = world.ask("POST", path, body, token)
        assert (refused.status, refused.body["message"]) == (403, "Resource not accessible by integration")


def test_a_token_for_pull_requests_may_not_talk_in_issues(world: World) -> None:
    world.repo.push_files("topic", {"b": b"b"}, world.hubot)
    issue, pull = world.repo.open_issue(world.mona, "T"), world.repo.open_pull(world.hubot, "topic")
    token = world.repo.token(pull_requests="write")
    assert world.ask("POST", f"R/issues/{issue}/comments", {"body": "Hi"}, token).status == 403
    assert world.ask("POST", f"R/issues/{pull}/comments", {"body": "Hi"}, token).status == 201


def test_a_token_of_one_repository_is_nothing_in_another(world: World) -> None:
    other = world.hub.repository("octo/other", {"a": b"a"}, world.mona)
    number = other.open_issue(world.mona, "T")
    assert world.ask("GET", f"/repos/octo/other/issues/{number}").status == 200
    assert world.ask("POST", f"/repos/octo/other/issues/{number}/comments", {"body": "Hi"}).status == 403
    other.repository.is_private = True
    assert world.ask("GET", f"/repos/octo/other/issues/{number}").status == 404


def test_labels_and_locks_take_a_role(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    refused = world.ask("POST", f"R/issues/{number}/labels", {"labels": ["x"]}, world.hub.token(world.rando))
    assert (refused.status, refused.body["message"]) == (403, "Must have admin rights to Repository.")
    assert world.repo.thread(number).labels == ()


def test_somebody_elses_comment_is_edited_only_by_those_who_can_write(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    comment = world.repo.comment(world.mona, number, "Mine")
    path, body = f"R/issues/comments/{comment}", {"body": "Theirs"}
    assert world.ask("PATCH", path, body, world.hub.token(world.rando)).status == 403
    assert world.ask("PATCH", path, body, world.hub.token(world.hubot)).status == 200


def test_wrong_and_missing_tokens_are_told_apart(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    wrong = world.ask("GET", "R/issues/1", token="ghp_wrong")  # noqa: S106
    nobody = world.ask("POST", f"R/issues/{number}/comments", {"body": "Hi"}, token="")
    assert (wrong.status, wrong.body["message"]) == (401, "Bad credentials")
    assert (nobody.status, nobody.body["message"]) == (401, "Requires authentication")
    assert world.ask("GET", "R/issues/1", token="").status == 200


def test_accounts_and_limits_can_be_asked_for(world: World) -> None:
    assert world.ask("GET", "/user", token=world.hub.token(world.mona)).body["login"] == "mona"
    assert world.ask("GET", "/user").status == 403
    assert world.ask("GET", "/users/github-actions%5Bbot%5D").body["id"] == 41898282
    assert world.ask("GET", "/users/nobody").status == 404
    assert world.ask("GET", "/rate_limit").body["resources"]["core"]["limit"] == 5000
    assert world.ask("GET", "/repos/octo/hello").body["id"] == world.repo.id
    assert world.ask("GET", "/repos/octo/nothing").body["message"] == "Not Found"
