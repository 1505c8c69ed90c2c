"""What goes wrong on request, and the log in which tests count."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from http.client import RemoteDisconnected

import pytest

from tests.hub.conftest import World


def test_a_fault_comes_so_many_times_and_then_no_more(world: World) -> None:
    world.hub.faults.add("/rate_limit$", method="GET", status=503, times=2, headers={"Retry-After": "1"})
    answers = [world.ask("GET", "/rate_limit") for _ in range(3)]
    assert [answer.status for answer in answers] == [503, 503, 200]
    assert answers[0].headers["Retry-After"] == "1"
    assert [entry.status for entry in world.hub.log] == [503, 503, 200]


def test_a_fault_is_for_its_method_and_path_only(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    world.hub.faults.add("/comments$", method="POST", status=403, body={"message": "secondary rate limit"})
    assert world.ask("GET", f"R/issues/{number}/comments").status == 200
    assert world.ask("POST", f"R/issues/{number}/comments", {"body": "x"}).body == {"message": "secondary rate limit"}
    assert world.repo.comments(number) == []


@pytest.mark.parametrize("after", [False, True])
def test_a_dropped_connection_may_hide_that_the_work_was_done(world: World, *, after: bool) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    world.hub.faults.add("/comments$", method="POST", drop=True, after=after)
    with pytest.raises((RemoteDisconnected, urllib.error.URLError)):
        world.ask("POST", f"R/issues/{number}/comments", {"body": "x"})
    assert len(world.repo.comments(number)) == int(after)
    assert world.hub.log[-1].status == 0


def test_rate_limits_say_how_long_to_wait(world: World) -> None:
    world.hub.faults.limit("/rate_limit", seconds=7)
    world.hub.faults.exhaust("/rate_limit", reset=1_800_000_000)
    secondary, primary = world.ask("GET", "/rate_limit"), world.ask("GET", "/rate_limit")
    assert (secondary.status, secondary.headers["Retry-After"]) == (403, "7")
    assert "secondary rate limit" in secondary.body["message"]
    assert (primary.headers["X-RateLimit-Remaining"], primary.headers["X-RateLimit-Reset"]) == ("0", "1800000000")


def test_a_delay_only_delays(world: World) -> None:
    number = world.repo.open_issue(world.mona, "A title")
    world.hub.faults.add("/comments$", delay=0.05)
    start = time.monotonic()
    assert world.ask("POST", f"R/issues/{number}/comments", {"body": "x"}).status == 201
    assert time.monotonic() - start >= 0.05


def test_an_unknown_operation_is_not_found_and_in_the_log(world: World) -> None:
    assert world.ask("GET", "R/unheard-of").status == 404
    assert world.hub.log[-1] == ("GET", "/api/v3/repos/octo/hello/unheard-of", 404, "github-actions[bot]")


def test_an_error_of_the_hubs_own_is_told_to_whoever_asked(world: World) -> None:
    world.hub.observe = None
    del world.repo.repository.__dict__["default_branch"]
    said = world.ask("GET", "/repos/octo/hello")
    assert said.status == 500
    assert "AttributeError" in said.body["message"]


def test_what_is_no_json_is_a_bad_request(world: World) -> None:
    request = urllib.request.Request(f"{world.hub.api_url}/repos/octo/hello/issues", b"{", method="POST")  # noqa: S310
    with pytest.raises(urllib.error.HTTPError, match="400") as caught:
        urllib.request.urlopen(request)  # noqa: S310
    caught.value.close()
