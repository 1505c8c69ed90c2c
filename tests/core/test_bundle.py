"""The document that one job hands to another: exact there and back, and a stranger's in every other respect."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.core import bundle
from gitclaw_py.core.bundle import Bundle, Failure, Worked
from gitclaw_py.core.usage import Usage
from gitclaw_py.errors import InternalError

OID = "0123456789abcdef0123456789abcdef01234567"
WORKED = Worked("12", OID, OID[::-1], 0, 1.5, b"\xff words", None, ("a warning",))._replace(
    isolation="namespaces", network="off", usage=Usage(5, None, 0.25), trouble=("MODEL_UNAVAILABLE", "it is down")
)
FAILED = Worked("12.2", failure=Failure("AGENT_FAILED", "it failed", "try again", ("boo",)))
BUNDLE = Bundle("77", 5, "12", "my-agent", (WORKED, FAILED))

_lines = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=4).map(tuple)
_bytes = st.none() | st.binary(max_size=30)
_oids = st.text("0123456789abcdef", min_size=40, max_size=40)
_seconds = st.floats(0, 1e5, allow_nan=False)
_tokens = st.none() | st.integers(0, 2**50)
_short = st.sampled_from(["", "namespaces", "no network"])
_works = st.builds(
    Worked,
    st.just("1"),
    _oids,
    _oids,
    st.integers(-15, 255),
    _seconds,
    _bytes,
    _bytes,
    _lines,
    st.none(),
    _short,
    _short,
    st.builds(Usage, _tokens, _tokens, st.none() | _seconds),
    st.none() | st.tuples(st.just("MODEL_UNAVAILABLE"), st.just("it is down")),
)


def changed(change: Callable[[Any], Any]) -> bytes:
    document = json.loads(bundle.dump(BUNDLE))
    change(document)
    return json.dumps(document).encode()


@given(_works)
def test_there_and_back(worked: Worked) -> None:
    whole = BUNDLE._replace(works=(worked, FAILED))
    assert bundle.load(bundle.dump(whole), run="77") == whole


def test_each_run_that_left_a_commit_has_a_name_in_the_git_bundle() -> None:
    assert BUNDLE.refs == {"refs/gitclaw/works/0": OID[::-1]}
    assert BUNDLE.of("12") == WORKED
    assert BUNDLE.of("13") is None


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"version": 1, "version": 1}', 'has the key "version" twice'),
        (b'{"version": NaN}', "has the number NaN"),
        (b"[]", "is not an object"),
        (b" " * (bundle.MOST + 1), "more than"),
        (b"\xff\xfe", "not JSON"),
    ],
)
def test_row_22_what_is_no_such_document_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(InternalError, match=why):
        bundle.load(data, run="77")


CHANGES: dict[str, Callable[[Any], Any]] = {
    "a field more": lambda d: d.update(more=1),
    "a field less": lambda d: d.pop("agent"),
    "a field more in a run": lambda d: d["works"][0].update(more=1),
    "another version": lambda d: d.update(version=2),
    "a number that is true": lambda d: d.update(version=True),
    "a thread that is text": lambda d: d.update(thread="5"),
    "a name with spaces": lambda d: d.update(agent="a b"),
    "a name that is a path": lambda d: d.update(agent="../x"),
    "a long isolation": lambda d: d["works"][0].update(isolation="x" * 81),
    "tokens that are text": lambda d: d["works"][0]["usage"].update(read="5"),
    "money that is owed": lambda d: d["works"][0]["usage"].update(dollars=-1),
    "another trouble": lambda d: d["works"][0].update(trouble=["PERMISSION_DENIED", "no"]),
    "half a trouble": lambda d: d["works"][0].update(trouble=["AGENT_FAILED"]),
    "half a character": lambda d: d["works"][0].update(warnings=["\ud800"]),
    "too many runs": lambda d: d.update(works=[{**d["works"][0], "re": str(k)} for k in range(21)]),
    "one request twice": lambda d: d.update(works=[d["works"][0]] * 2),
    "too many lines": lambda d: d["works"][0].update(warnings=["x"] * 51),
    "a long line": lambda d: d["works"][0].update(warnings=["x" * 4001]),
    "no base64": lambda d: d["works"][0].update(answer="*"),
    "no commit": lambda d: d["works"][0].update(commit=""),
    "a short commit": lambda d: d["works"][0].update(commit=OID[:7]),
    "an option for a commit": lambda d: d["works"][0].update(commit="--upload-pack=x".ljust(40, "a")),
    "a commit of a failed run": lambda d: d["works"][1].update(commit=OID, base=OID),
    "another way to fail": lambda d: d["works"][1]["failure"].update(code="PERMISSION_DENIED"),
    "negative seconds": lambda d: d["works"][0].update(seconds=-1),
    "seconds that are true": lambda d: d["works"][0].update(seconds=True),
    "endless seconds": lambda d: d["works"][0].update(seconds=1e300),
}


@pytest.mark.parametrize("name", CHANGES)
def test_row_22_what_is_changed_in_it_is_refused(name: str) -> None:
    assert bundle.load(changed(lambda _: None), run="77") == BUNDLE
    with pytest.raises(InternalError, match="was not taken"):
        bundle.load(changed(CHANGES[name]), run="77")


def test_row_22_the_bundle_of_another_run_is_refused() -> None:
    with pytest.raises(InternalError, match="of another run"):
        bundle.load(bundle.dump(BUNDLE), run="78")
