"""What needs no server: paging, the report on a push, the clock."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as some

from gitclaw_py.hub.bare import is_ref_name
from gitclaw_py.hub.calls import Call, one_page
from gitclaw_py.hub.push_report import with_reasons
from gitclaw_py.hub.times import Times, iso, normal


@given(some.integers(0, 250), some.integers(1, 120))
def test_the_pages_together_are_the_whole_list(count: int, size: int) -> None:
    everything, found, page = list(range(count)), [], 1
    while True:
        query = {"per_page": str(size), "page": str(page)}
        answer = one_page(Call("http://h/x", {}, query, None, None, None), everything)
        assert isinstance(answer.body, list)
        found += answer.body
        if not any('rel="next"' in value for _, value in answer.headers):
            break
        page += 1
    assert found == everything


def packet(content: bytes) -> bytes:
    return b"%04x" % (len(content) + 4) + content


def data_of(stream: bytes) -> Iterator[bytes]:
    place = 0
    while (size := int(stream[place : place + 4], 16)) != 0:
        if stream[place + 4] == 1:
            yield stream[place + 5 : place + size]
        place += size


@given(some.lists(some.integers(1, 40), max_size=6))
def test_a_report_is_worded_anew_however_it_was_cut(cuts: list[int]) -> None:
    lines = [b"unpack ok\n", b"ng refs/heads/main hook declined\n", b"ng refs/x/y stale\n", b"ok refs/heads/b\n"]
    report, parts = b"".join(map(packet, lines)) + b"0000", []
    for cut in cuts:
        parts.append(report[:cut])
        report = report[cut:]
    said = packet(b"\2error: GH006: Protected branch update failed for refs/heads/main.\n")
    body = said + b"".join(packet(b"\1" + part) for part in [*parts, report] if part) + b"0000"
    worded = with_reasons(body)
    lines[1] = b"ng refs/heads/main protected branch hook declined\n"
    assert b"".join(data_of(worded)) == b"".join(map(packet, lines)) + b"0000"
    assert worded.startswith(said)


@given(some.binary(max_size=60))
def test_what_declines_nothing_is_left_as_it_is(body: bytes) -> None:
    assert with_reasons(body) == body


@given(some.lists(some.integers(0, 4_000_000_000), min_size=1))
def test_time_only_goes_forward(seconds: list[int]) -> None:
    clock = iter(seconds)
    times = Times(lambda: next(clock))
    moments = [times.now() for _ in seconds]
    assert moments == sorted(set(moments))


def test_times_of_any_zone_are_written_one_way() -> None:
    assert (
        normal("2026-01-05T10:00:00+01:00")
        == normal("2026-01-05T09:00:00")
        == "2026-01-05T09:00:00Z"
        == iso(1767603600)
    )


@pytest.mark.parametrize("name", ["refs/heads/a", "refs/gitclaw/threads/1", "refs/heads/a/b.c", "refs/heads/ä"])
def test_a_ref_may_be_called(name: str) -> None:
    assert is_ref_name(name)


@pytest.mark.parametrize(
    "name",
    ["heads/a", "refs/heads/a..b", "refs/../HEAD", "refs/heads/.a", "refs/heads/a.lock", "refs/heads/a/", "refs/a b"],
)
def test_a_ref_may_not_be_called(name: str) -> None:
    assert not is_ref_name(name)
