from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.core.pacing import PATIENCE, TRIES, Advice, Failure, Repeat, Step, advise

NO_ANSWER = Failure(None, "timed out")
BROKEN = Failure(502, "Bad gateway")
CLOSED = Failure(503, "Service unavailable", retry_after=20)
TOO_MANY = Failure(429, "", retry_after=7)
SECONDARY = Failure(403, "You have exceeded a secondary rate limit.")
SPENT = Failure(403, "API rate limit exceeded", remaining=0, reset_in=90)
RESET_PASSED = Failure(429, "", remaining=0, reset_in=-3)
RESET_FAR = Failure(403, "API rate limit exceeded", remaining=0, reset_in=3000)
DENIED = Failure(403, "Resource not accessible by integration", remaining=0, reset_in=90)
LOCKED = Failure(403, "Unable to create comment because issue is locked.", remaining=4000)
INVALID = Failure(422, "Validation Failed")

GIVE_UP = Advice(Step.GIVE_UP)


def again(seconds: float) -> Advice:
    return Advice(Step.REPEAT, seconds)


def look(seconds: float) -> Advice:
    return Advice(Step.LOOK, seconds)


@pytest.mark.parametrize(
    ("repeat", "failure", "tried", "waited", "advice"),
    [
        # What can be sent again is, after a pause that grows.
        (Repeat.FREELY, NO_ANSWER, 1, 0, again(1)),
        (Repeat.FREELY, NO_ANSWER, 2, 1, again(2)),
        (Repeat.FREELY, NO_ANSWER, 3, 3, GIVE_UP),
        (Repeat.FREELY, BROKEN, 1, 0, again(1)),
        (Repeat.FREELY, CLOSED, 1, 0, again(20)),
        (Repeat.FREELY, Failure(408), 1, 0, again(1)),
        # What makes something is looked for first, even where the forge says it did nothing.
        (Repeat.AFTER_LOOKING, NO_ANSWER, 1, 0, look(1)),
        (Repeat.AFTER_LOOKING, BROKEN, 2, 1, look(2)),
        (Repeat.AFTER_LOOKING, SECONDARY, 1, 0, look(60)),
        (Repeat.AFTER_LOOKING, BROKEN, 3, 3, GIVE_UP),
        # The time that is asked for is the time that is waited, if it is not too long.
        (Repeat.FREELY, TOO_MANY, 1, 0, again(7)),
        (Repeat.FREELY, TOO_MANY._replace(retry_after=0), 1, 0, again(1)),
        (Repeat.FREELY, TOO_MANY._replace(retry_after=180), 1, 0, again(180)),
        (Repeat.FREELY, TOO_MANY._replace(retry_after=181), 1, 0, GIVE_UP),
        (Repeat.FREELY, TOO_MANY._replace(retry_after=100), 2, 100, GIVE_UP),
        (Repeat.FREELY, SPENT, 1, 0, again(91)),
        (Repeat.FREELY, SPENT._replace(retry_after=5), 1, 0, again(5)),
        (Repeat.FREELY, RESET_PASSED, 1, 0, again(1)),
        (Repeat.FREELY, RESET_FAR, 1, 0, GIVE_UP),
        (Repeat.FREELY, SECONDARY, 1, 0, again(60)),
        (Repeat.FREELY, SECONDARY, 2, 60, again(120)),
        (Repeat.FREELY, Failure(429), 1, 0, again(60)),
        (Repeat.FREELY, Failure(403, "You have triggered an abuse detection mechanism."), 1, 0, again(60)),
        (Repeat.FREELY, Failure(422, "Validation Failed: was submitted too quickly"), 1, 0, again(60)),
        (Repeat.FREELY, Failure(422, "Review comments is invalid and Review threads is invalid"), 1, 0, again(60)),
        # An answer is an answer.
        (Repeat.FREELY, DENIED, 1, 0, GIVE_UP),
        (Repeat.FREELY, LOCKED, 1, 0, GIVE_UP),
        (Repeat.FREELY, INVALID, 1, 0, GIVE_UP),
        (Repeat.FREELY, Failure(404, "Not Found"), 1, 0, GIVE_UP),
        # What nobody would miss is not waited for.
        (Repeat.NEVER, NO_ANSWER, 1, 0, GIVE_UP),
        (Repeat.NEVER, TOO_MANY, 1, 0, GIVE_UP),
    ],
)
def test_what_to_do_after_a_failure(
    repeat: Repeat, failure: Failure, tried: int, waited: float, advice: Advice
) -> None:
    assert advise(repeat, failure, tried, waited) == advice


numbers = st.none() | st.floats(-1e4, 1e6)
failures = st.builds(
    Failure,
    st.none() | st.integers(300, 599),
    st.text(max_size=5) | st.just("You have exceeded a secondary rate limit"),
    numbers,
    st.none() | st.integers(0, 5000),
    numbers,
)


@given(st.sampled_from(Repeat), st.lists(failures, min_size=TRIES, max_size=TRIES))
def test_every_operation_ends_within_its_tries_and_its_patience(repeat: Repeat, met: list[Failure]) -> None:
    waited = 0.0
    for tried, failure in enumerate(met, 1):
        advice = advise(repeat, failure, tried, waited)
        if advice.step is Step.GIVE_UP:
            break
        assert (advice.step is Step.LOOK) == (repeat is Repeat.AFTER_LOOKING)
        assert advice.seconds >= 1
        waited += advice.seconds
    assert advice.step is Step.GIVE_UP
    assert waited <= PATIENCE
