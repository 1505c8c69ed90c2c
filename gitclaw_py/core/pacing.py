"""What to do after a request that failed: send it again, look first whether it happened, or give up.

https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#handle-rate-limit-errors-appropriately
"""

from enum import StrEnum
from typing import NamedTuple, assert_never

TIMEOUT = 15
"""Seconds to wait for an answer; GitHub itself ends a request after 10.

https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#timeouts
"""
TRIES = 3
PATIENCE = 180.0
"""Seconds to wait in all for one operation: a minute and then two, as GitHub asks when it names no time."""

_LIMIT_WAIT = 60.0
_FIRST_PAUSE = 1.0
_TIMED_OUT = 408
_FORBIDDEN = 403
_TOO_MANY = 429
_SERVER_FAILED = 500
_LIMITS = ("rate limit", "abuse detection")
_TOO_QUICK = ("was submitted too quickly", "review comments is invalid and review threads is invalid")
"""Come with status 422, the second for a review soon after another.

https://github.com/src-d/lookout/issues/264, https://github.com/octokit/plugin-rest-endpoint-methods.js/issues/595
"""
_NO_LIMIT = "resource not accessible"
"""A token without the permission also gets 403, with whatever number of requests it has left."""


class Repeat(StrEnum):
    """When a request may be sent a second time."""

    FREELY = "freely"
    """A second time changes nothing: it reads, or it sets what is set already."""
    AFTER_LOOKING = "after looking"
    """A second time makes a second one: a comment, an issue."""
    NEVER = "never"
    """It is not worth waiting for."""


class Failure(NamedTuple):
    """What is known of a request that failed.

    ``status`` is None when no answer came, or none that could be read; the three numbers are seconds or
    requests as the answer's headers give them.
    """

    status: int | None
    text: str = ""
    retry_after: float | None = None
    remaining: int | None = None
    reset_in: float | None = None

    @property
    def is_limit(self) -> bool:
        """Whether the forge refused it only for now: then it did not happen.

        https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
        """
        text = self.text.lower()
        if self.status == _TOO_MANY or any(words in text for words in _TOO_QUICK):
            return True
        told = self.retry_after is not None or self.remaining == 0 or any(word in text for word in _LIMITS)
        return self.status == _FORBIDDEN and told and _NO_LIMIT not in text

    @property
    def is_unclear(self) -> bool:
        """Whether it may have happened all the same."""
        return self.status is None or self.status == _TIMED_OUT or self.status >= _SERVER_FAILED


class Step(StrEnum):
    """What to do next."""

    REPEAT = "repeat"
    LOOK = "look"
    GIVE_UP = "give up"


class Advice(NamedTuple):
    """What to do next, after waiting so many seconds."""

    step: Step
    seconds: float = 0.0


_GIVE_UP = Advice(Step.GIVE_UP)


def advise(repeat: Repeat, failure: Failure, tried: int, waited: float) -> Advice:
    """What to do after ``failure``, the ``tried``-th one of this operation, which has ``waited`` so long."""
    passes = failure.is_limit or failure.is_unclear
    seconds = _pause(failure, tried)
    if repeat is Repeat.NEVER or not passes or tried >= TRIES or waited + seconds > PATIENCE:
        return _GIVE_UP
    match repeat:
        case Repeat.FREELY:
            return Advice(Step.REPEAT, seconds)
        case Repeat.AFTER_LOOKING:
            return Advice(Step.LOOK, seconds)
        case _:
            assert_never(repeat)


def _pause(failure: Failure, tried: int) -> float:
    """How long to wait: as long as was asked for, else twice as long as the last time."""
    if failure.retry_after is not None:
        return max(failure.retry_after, _FIRST_PAUSE)
    if failure.is_limit and failure.remaining == 0 and failure.reset_in is not None:
        return max(failure.reset_in, 0.0) + _FIRST_PAUSE
    first = _LIMIT_WAIT if failure.is_limit else _FIRST_PAUSE
    return first * 2.0 ** (tried - 1)
