"""The end of a pull request on GitHub: what is asked, and what its refusals are taken for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gitclaw_py.core.thread import Check, PullRequest
from gitclaw_py.ports.forge import Declined
from tests.adapters.github_world import BROKEN, DENIED, HANGS_UP, NEW, OTHER, ROOT, World, failing, pull, working
from tests.adapters.scripted_github import Says

PULL = PullRequest(9, "https://github.com/octo/hello/pull/9", True, "octo/hello", "fix", NEW, "main")
MERGED = {**pull(), "state": "closed", "merged_at": "2026-01-02T03:04:05Z", "merge_commit_sha": OTHER}


@pytest.fixture
def world() -> Iterator[World]:
    """A forge on a scripted server."""
    with working() as found:
        yield found


def test_a_merge_names_the_head_and_the_way(world: World) -> None:
    world.script.answers(Says({"sha": OTHER, "merged": True, "message": "done"}))
    assert world.forge.merge(PULL, "squash") == OTHER
    assert world.script.requests == [f"PUT {ROOT}/pulls/9/merge"]
    assert world.script.asked[0].body == {"merge_method": "squash", "sha": NEW}


@pytest.mark.parametrize(
    ("status", "words", "has_moved"),
    [
        (405, "Pull Request is not mergeable", False),
        (405, "Base branch was modified. Review and try the merge again.", False),
        (405, "At least 1 approving review is required by reviewers with write access.", False),
        (409, "Head branch was modified. Review and try the merge again.", True),
        (422, "Repository rule violations found", False),
    ],
)
def test_what_github_declines_is_an_answer_in_its_words(world: World, status: int, words: str, has_moved: bool) -> None:  # noqa: FBT001
    world.script.answers(Says({"message": words}, status))
    assert world.forge.merge(PULL, "merge") == Declined(words, has_moved)
    assert world.slept == []


def test_a_token_that_may_not_merge_is_an_error(world: World) -> None:
    world.script.answers(DENIED)
    assert failing(lambda: world.forge.merge(PULL, "merge")).code == "PERMISSION_DENIED"


@pytest.mark.parametrize("lost", [BROKEN, HANGS_UP])
def test_a_merge_without_an_answer_is_looked_for_before_it_is_asked_for_again(world: World, lost: Says) -> None:
    world.script.answers(lost, Says(MERGED))
    assert world.forge.merge(PULL, "merge") == OTHER
    world.script.answers(lost, Says(pull()), Says({"sha": OTHER, "merged": True, "message": "done"}))
    assert world.forge.merge(PULL, "merge") == OTHER
    assert [line.partition(" ")[0] for line in world.script.requests] == ["PUT", "GET", "PUT", "GET", "PUT"]


def test_being_too_quick_is_no_refusal(world: World) -> None:
    quick = Says({"message": "was submitted too quickly"}, 422)
    world.script.answers(quick, Says(pull()), Says({"sha": OTHER, "merged": True, "message": "done"}))
    assert world.forge.merge(PULL, "merge") == OTHER
    assert world.slept


def test_an_update_names_the_head_it_was_asked_for(world: World) -> None:
    refused = [
        ("There are no new commits on the base branch.", False),
        ("expected head sha didn’t match current head ref.", True),
        ("merge conflict between base and head", False),
    ]
    world.script.answers(Says({"message": "Updating pull request branch."}, 202))
    world.script.answers(*(Says({"message": words}, 422) for words, _ in refused))
    assert world.forge.update_branch(PULL) is None
    assert [world.forge.update_branch(PULL) for _ in refused] == [Declined(*one) for one in refused]
    assert world.script.asked[0].body == {"expected_head_sha": NEW}


def test_closing_is_one_request(world: World) -> None:
    world.script.answers(Says({**pull(), "state": "closed"}))
    world.forge.close_pull(9)
    assert (world.script.requests, world.script.asked[0].body) == ([f"PATCH {ROOT}/pulls/9"], {"state": "closed"})


def test_checks_and_statuses_are_told_alike_page_by_page(world: World) -> None:
    def check(name: str, conclusion: str | None) -> dict[str, str | None]:
        return {"name": name, "conclusion": conclusion}

    more = {"Link": f'<{world.script.url}{ROOT}/commits/{NEW}/check-runs?page=2>; rel="next"'}
    statuses = [{"context": "old", "state": "pending"}, {"context": "older", "state": "success"}]
    world.script.answers(
        Says({"check_runs": [check("ci", "success"), check("lint", None)]}, headers=more),
        Says({"check_runs": [check("types", "failure")]}),
        Says({"statuses": statuses}),
    )
    found = world.forge.checks(NEW)
    assert found == [
        Check("ci", "success"),
        Check("lint", None),
        Check("types", "failure"),
        Check("old", None),
        Check("older", "success"),
    ]
    assert [check.name for check in found if check.has_passed] == ["ci", "older"]


def test_a_branch_that_is_gone_is_not_protected(world: World) -> None:
    world.script.answers(Says({"protected": True}), Says({"protected": False}), Says({"message": "Not Found"}, 404))
    assert [world.forge.is_protected("gitclaw/issue-1") for _ in range(3)] == [True, False, False]
    assert world.script.requests[0] == f"GET {ROOT}/branches/gitclaw/issue-1"


def test_an_open_pull_request_of_a_branch_goes_before_a_later_one_that_is_closed(world: World) -> None:
    closed = {**pull(12), "state": "closed"}
    world.script.answers(Says([closed, pull(9)]), Says([{**MERGED, "number": 12}, closed]))
    assert world.forge.pull_of("fix") == PULL
    latest = world.forge.pull_of("fix")
    assert latest is not None
    assert (latest.number, latest.is_open, latest.merged_as) == (12, False, OTHER)
