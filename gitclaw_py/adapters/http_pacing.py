"""Sends requests to a forge as often and as fast as it allows, and never makes the same thing twice."""

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from gitclaw_py.adapters.github_answers import Answer, Reply, read_reply
from gitclaw_py.adapters.github_refusals import refusal, unreachable
from gitclaw_py.core.pacing import Failure, Repeat, Step, advise

Json = Any
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_APART = 1.0
"""Seconds between two things that people are told of.

https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#pause-between-mutative-requests
Blobs, trees and commits of one commit are not slowed down: nobody is told of them, and a write counts 5 of
the 900 points of a minute, which requests one after another do not reach.
https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits
"""
_MISSING = 404


class Request(NamedTuple):
    """A request.

    ``doing`` says what it is for, in words that follow "could not". If what it asks for ``may_be_missing``,
    status 404 is an answer, whose document is None. A status that ``declines`` it is one as well, whose document is
    the failure. Those that people ``are_told`` of are kept apart.
    """

    doing: str
    verb: str
    path: str
    body: Json = None
    query: Mapping[str, str | int] = _NOTHING
    repeat: Repeat = Repeat.FREELY
    may_be_missing: bool = False
    declines: tuple[int, ...] = ()
    are_told: bool = False


class Paced:
    """Sends requests one after another.

    Args:
        send: sends one request once; raises ``OSError`` when no answer came.
        sleep: waits for so many seconds.
        note: hears why something takes long, one line at a time.
    """

    def __init__(
        self, send: Callable[[Request], Reply], sleep: Callable[[float], None], note: Callable[[str], None]
    ) -> None:
        self._send = send
        self._sleep = sleep
        self._note = note
        self._last_told = float("-inf")

    def ask(self, request: Request, look: Callable[[], Json] | None = None) -> Answer:
        """Send a request until it is answered, as often as is safe.

        Args:
            request: what to send.
            look: called before a request that makes something is sent again. It returns the document of what
                was made all the same, or None. Without it, only a refusal for now makes it be sent again.

        Raises:
            GitclawError: what the forge refused, or ``FORGE_UNAVAILABLE``.
        """
        self._keep_distance(request)
        tried, waited = 0, 0.0
        while True:
            got = self._try(request)
            if isinstance(got, Answer):
                return got
            tried += 1
            advice = advise(request.repeat, got, tried, waited)
            if advice.step is Step.GIVE_UP or (advice.step is Step.LOOK and got.is_unclear and look is None):
                raise _error(request, got)
            self._note(f"{_seen(got)}; {advice.step.value} in {advice.seconds:.0f} s ({request.doing})")
            self._sleep(advice.seconds)
            waited += advice.seconds
            if advice.step is Step.LOOK and look is not None and (found := look()) is not None:
                return Answer(found, _NOTHING)

    def _try(self, request: Request) -> Answer | Failure:
        try:
            reply = self._send(request)
        except (OSError, RuntimeError) as error:  # RuntimeError: PyGithub follows no redirect to another host
            return Failure(None, str(error))
        finally:
            if request.are_told:
                self._last_told = time.monotonic()
        if request.may_be_missing and reply.status == _MISSING:
            return Answer(None, reply.headers)
        got = read_reply(reply)
        if isinstance(got, Failure) and got.status in request.declines and not got.is_limit:
            return Answer(got, reply.headers)
        return got

    def _keep_distance(self, request: Request) -> None:
        pause = self._last_told + _APART - time.monotonic()
        if request.are_told and pause > 0:
            self._sleep(pause)


def _seen(failure: Failure) -> str:
    what = "no answer" if failure.status is None else f"status {failure.status}"
    return f"GitHub: {what}{': ' if failure.text else ''}{failure.text}"


def _error(request: Request, failure: Failure) -> Exception:
    if failure.is_limit or failure.is_unclear:
        return unreachable(request.doing, failure)
    return refusal(request.doing, failure)
