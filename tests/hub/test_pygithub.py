"""PyGithub, which the bot uses, gets on with the hub: every kind of call it makes there is answered as GitHub would."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from github import Auth, Github, GithubException, InputGitTreeElement
from github.Repository import Repository

from tests.hub.conftest import World


@pytest.fixture
def there(world: World) -> Iterator[Repository]:
    """The repository in the eyes of PyGithub."""
    with Github(
        base_url=world.hub.api_url,
        auth=Auth.Token(world.token),
        retry=None,
        seconds_between_requests=0,
        seconds_between_writes=0,
    ) as github:
        yield github.get_repo("octo/hello")


def test_it_talks_in_threads(world: World, there: Repository) -> None:
    issue = there.create_issue("A title", body="A text", labels=["bug"])
    comment = issue.create_comment("Hello")
    comment.edit("Bye")
    assert comment.create_reaction("eyes").content == "eyes"
    issue.create_reaction("rocket")
    issue.add_to_labels("gitclaw")
    issue.lock("spam")
    issue.unlock()
    issue.edit(state="closed")
    for n in range(101):
        world.repo.comment(world.mona, issue.number, str(n))
    since = datetime(2020, 1, 1, tzinfo=UTC)
    assert [one.body for one in issue.get_comments(since=since)] == ["Bye", *map(str, range(101))]
    assert there.get_collaborator_permission("mona") == "admin"


def test_it_commits_through_the_git_data_api(world: World, there: Repository) -> None:
    parent = there.get_git_commit(str(world.repo.branch("main")))
    blob = there.create_git_blob("aGk=", "base64")
    elements = [
        InputGitTreeElement("b", "100755", "blob", sha=blob.sha),
        InputGitTreeElement("src/a.py", "100644", "blob", sha=None),
    ]
    tree = there.create_git_tree(elements, base_tree=parent.tree)
    commit = there.create_git_commit("A change", tree, [parent])
    assert commit.verification.verified
    there.get_git_ref("heads/main").edit(commit.sha)
    assert (world.repo.file("main", "b"), world.repo.file("main", "src/a.py")) == (b"hi", None)
    assert there.get_branch("main").commit.files[0].filename == "b"
    there.create_git_ref("refs/heads/x", commit.sha).delete()


def test_it_opens_and_finds_pull_requests(world: World, there: Repository) -> None:
    world.repo.push_files("topic", {"b": b"b"}, world.hubot)
    pull = there.create_pull(base="main", head="topic", title="T", body="B", draft=True)
    assert [one.number for one in there.get_pulls(state="open", head="octo:topic")] == [pull.number]
    assert [file.filename for file in pull.get_files()] == ["b"]
    assert pull.head.repo.full_name == "octo/hello"
    with pytest.raises(GithubException, match="A pull request already exists for octo:topic"):
        there.create_pull(base="main", head="topic", title="T")


def test_it_moves_refs_by_graphql(world: World, there: Repository) -> None:
    oid = world.repo.push_files("topic", {"b": b"b"}, world.hubot)
    value = {
        "repositoryId": there.node_id,
        "refUpdates": [{"name": "refs/heads/main", "beforeOid": world.repo.branch("main"), "afterOid": oid}],
    }
    there.requester.graphql_named_mutation("updateRefs", value, "clientMutationId")
    assert world.repo.branch("main") == oid
