from __future__ import annotations

import json
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.adapters.github_answers import Reply
from gitclaw_py.adapters.http_pacing import Paced, Request
from gitclaw_py.core.pacing import TRIES, Repeat
from gitclaw_py.errors import GitclawError


class Met(Enum):
    """What a request may meet."""

    FINE = "fine"
    LOST_ON_THE_WAY = "lost on the way"
    ANSWER_LOST = "answer lost"
    BROKEN_BEFORE = "broken before"
    BROKEN_AFTER = "broken after"
    CUT_SHORT = "cut short"
    LIMITED = "limited"
    REFUSED = "refused"


_DONE = {Met.FINE, Met.ANSWER_LOST, Met.BROKEN_AFTER, Met.CUT_SHORT}
_TEXTS = {
    Met.FINE: (201, '{"id": 1}'),
    Met.BROKEN_BEFORE: (502, "<html>"),
    Met.BROKEN_AFTER: (504, ""),
    Met.CUT_SHORT: (201, '{"id'),
    Met.LIMITED: (429, '{"message": "later"}'),
    Met.REFUSED: (422, '{"message": "Validation Failed"}'),
}


class Server:
    """Makes things, and answers as it was told to."""

    def __init__(self, met: list[Met]) -> None:
        self.met = iter(met)
        self.made = 0
        self.asked = 0

    def send(self, _: Request) -> Reply:
        self.asked += 1
        met = next(self.met)
        self.made += met in _DONE
        if met in {Met.LOST_ON_THE_WAY, Met.ANSWER_LOST}:
            raise TimeoutError(met.value)
        status, text = _TEXTS[met]
        return Reply(status, {}, text)

    def look(self) -> object:
        return {"id": 1} if self.made else None


def asked(server: Server, repeat: Repeat, *, looking: bool) -> object:
    paced = Paced(server.send, lambda _: None, lambda _: None)
    request = Request("make it", "POST", "/", repeat=repeat)
    return paced.ask(request, server.look if looking else None).document


meetings = st.lists(st.sampled_from(Met), min_size=TRIES, max_size=TRIES)


@given(meetings, st.booleans())
def test_nothing_is_ever_made_twice_and_what_is_told_as_made_was(met: list[Met], looking: bool) -> None:  # noqa: FBT001
    server = Server(met)
    try:
        told = asked(server, Repeat.AFTER_LOOKING, looking=looking)
    except GitclawError:
        assert server.made <= 1
    else:
        assert (server.made, told) == (1, {"id": 1})
    assert server.asked <= TRIES


@given(meetings)
def test_what_may_be_repeated_ends_with_the_first_answer(met: list[Met]) -> None:
    first = next((one for one in met if one in {Met.FINE, Met.REFUSED}), None)
    server = Server(met)
    if first is Met.FINE:
        assert asked(server, Repeat.FREELY, looking=False) == {"id": 1}
    else:
        with pytest.raises(GitclawError) as caught:
            asked(server, Repeat.FREELY, looking=False)
        assert caught.value.code == ("INTERNAL" if first else "FORGE_UNAVAILABLE")
    assert server.asked == (met.index(first) + 1 if first else TRIES)


def test_what_happened_before_an_error_is_not_hidden_by_what_comes_after() -> None:
    server = Server([Met.ANSWER_LOST, Met.REFUSED])
    assert asked(server, Repeat.AFTER_LOOKING, looking=True) == {"id": 1}
    assert server.asked == 1


@pytest.mark.parametrize("status", [200, 302, 400, 418, 451, 500])
@pytest.mark.parametrize(
    "text", ["", "null", "[]", '"x"', '{"errors": "x"}', '{"errors": [null, 3, {}]}', '{"message": {}}']
)
def test_any_status_and_any_text_is_an_answer_or_one_of_our_errors(status: int, text: str) -> None:
    paced = Paced(lambda _: Reply(status, {}, text), lambda _: None, lambda _: None)
    if status == 200 and text not in {"", "null"}:
        assert paced.ask(Request("ask", "GET", "/")).document == json.loads(text)
    else:
        with pytest.raises(GitclawError):
            paced.ask(Request("ask", "GET", "/"))
