"""Requests that fail, each in turn: nothing is lost, nothing is said twice, and the branch and the state agree."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from typing import NamedTuple

import pytest

from gitclaw_py.hub.faults import Fault
from tests.conversations.breaking import Nth, answers, assert_agreed, assert_said_once
from tests.conversations.talk import Ran, Talk

_MANY = "/gitclaw many\n\n" + "\n".join(f"write f{number:02}.txt {number}" for number in range(1, 41))
_ANY = re.compile("")


class _Said(NamedTuple):
    """A command with a number, and what its reply begins with when it was carried out.

    Every ``step``-th of its requests fails.
    """

    text: str
    done: str
    step: int = 1


APPLY = _Said("/apply {}", "### Applied {}")
REJECT = _Said("/reject {} no", "### Rejected {}")
RUN = _Said("/gitclaw\n\nwrite run{}.txt x", "### Proposal")

_EVERY = [
    pytest.param(APPLY._replace(step=3), id="apply, a sample"),
    *(pytest.param(said, id=said.text[:7], marks=pytest.mark.slow) for said in (APPLY, REJECT, RUN)),
]

PASSING = {
    "limit": Fault("", _ANY, 429, {"message": "You have exceeded a secondary rate limit."}, {"Retry-After": "0"}),
    "limit of a second": Fault("", _ANY, 429, {"message": "Too many requests"}, {"Retry-After": "1"}),
    "error": Fault("", _ANY, 500),
    "bad gateway": Fault("", _ANY, 502, "<html>502 Bad Gateway</html>"),
    "error after": Fault("", _ANY, 502, after=True),
    "closed": Fault("", _ANY, drop=True),
    "closed after": Fault("", _ANY, drop=True, after=True),
}
REFUSING = {
    "forbidden": Fault("", _ANY, 403, {"message": "Resource not accessible by integration"}),
    "not found": Fault("", _ANY, 404, {"message": "Not Found"}),
    "not understood": Fault("", _ANY, 422, {"message": "Validation Failed"}),
}


class _Met(NamedTuple):
    """What one run met: the request that failed, the comment it was about, and how it ended."""

    request: str
    comment: int
    number: int
    ran: Ran


def _each(talk: Talk, said: _Said, fault: Fault, check: Callable[[_Met], None]) -> None:
    """Give the command again and again, with each of its requests failing in turn, and a quiet run after it."""
    talk.say(_MANY)
    for number, at in enumerate(count(said.step, said.step), 1):
        comment = talk.post(said.text.format(number))
        event = talk.waiting.pop(0)
        requests = talk.hub.faults = Nth(at, fault)
        ran = talk.run(*event)
        talk.hub.faults = Nth()
        assert_agreed(talk)
        talk.run(*event)
        talk.say("/gitclaw status")
        assert_agreed(talk)
        assert_said_once(talk)
        if len(requests.made) < at:
            return
        check(_Met(requests.made[at - 1], comment, number, ran))


def _is_read(request: str) -> bool:
    """Whether it reads from the repository with git: there is no second try."""
    return ".git/" in request and not request.endswith("receive-pack")


@pytest.mark.parametrize("said", _EVERY)
@pytest.mark.parametrize("kind", PASSING)
def test_what_passes_is_waited_for_and_looked_at(talk: Talk, said: _Said, kind: str) -> None:
    def check(met: _Met) -> None:
        (reply,) = answers(talk, met.comment)
        if not reply.startswith(said.done.format(met.number)):
            assert "FORGE_UNAVAILABLE" in reply
            assert _is_read(met.request), met
            assert met.ran.code == 1 or "FORGE_UNAVAILABLE" in met.ran.err

    _each(talk, said, PASSING[kind], check)


@pytest.mark.parametrize("after", [False, True])
def test_an_answer_that_takes_too_long_is_not_waited_for_and_looked_at(talk: Talk, after: bool) -> None:  # noqa: FBT001
    talk.timeout = 1
    talk.say(_MANY)
    talk.hub.faults.add("/comments$", method="POST", delay=1.5, after=after)
    (reply,) = talk.say("/apply 1")
    assert "### Applied 1" in reply
    assert "no answer" in talk.runs[-1].err
    assert talk.slept[-1] >= 1
    assert_said_once(talk)
    assert_agreed(talk)


def test_what_github_asks_to_wait_is_waited(talk: Talk) -> None:
    talk.say(_MANY)
    talk.hub.faults.limit("/comments$", method="POST", seconds=17)
    (reply,) = talk.say("/apply 1")
    assert "### Applied 1" in reply
    assert 17.0 in talk.slept


def test_what_never_comes_back_ends_the_run_and_the_next_one_says_it(talk: Talk) -> None:
    talk.say(_MANY)
    talk.hub.faults.add("/comments$", method="POST", status=503, times=9)
    assert talk.say("/apply 1") == []
    assert (talk.runs[-1].code, "FORGE_UNAVAILABLE" in talk.runs[-1].err) == (1, True)
    assert talk.file("f01.txt") == b"1\n"
    talk.hub.faults = Nth()
    replies = talk.say("/gitclaw status")
    assert ["### Applied 1" in replies[0], "### Status" in replies[1]] == [True, True]


@pytest.mark.parametrize("said", _EVERY)
@pytest.mark.parametrize("kind", REFUSING)
def test_a_refusal_is_told_and_named_in_the_log(talk: Talk, said: _Said, kind: str) -> None:
    def check(met: _Met) -> None:
        (reply,) = answers(talk, met.comment)
        if not reply.startswith(said.done.format(met.number)):
            assert re.search("Failed|Nothing changed", reply), (met, reply)
            assert met.ran.err, met
        else:
            assert met.ran.code in (0, 1, 4), met
            named = re.search("PERMISSION_DENIED|INTERNAL|FORGE_UNAVAILABLE|left out a reaction", met.ran.err)
            # git goes on without telling where it only wanted to know what need not be sent.
            assert named or ".git/" in met.request, met

    _each(talk, said, REFUSING[kind], check)
