"""Digests are the same, whoever computes them."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.core import digests
from gitclaw_py.core.digests import digest, prefer_fast

ALGORITHMS = pytest.mark.parametrize("algorithm", ["sha1", "sha256"])


@ALGORITHMS
@given(first=st.binary(max_size=5_000), second=st.binary(max_size=50))
def test_python_s_own_are_those_of_openssl(algorithm: str, first: bytes, second: bytes) -> None:
    own = digests._own(algorithm)
    assert own is not None
    made = own(first)
    made.update(second)
    assert made.hexdigest() == hashlib.new(algorithm, first + second).hexdigest()


@ALGORITHMS
def test_a_python_without_its_own_has_openssl_s(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "_chosen", {})
    monkeypatch.setattr(digests, "_OWN", {algorithm: ("of_no_python",)})
    assert digest(algorithm)(b"a").hexdigest() == hashlib.new(algorithm, b"a").hexdigest()


@ALGORITHMS
def test_where_there_is_much_to_do_the_fast_one_takes_over(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "_chosen", {})
    slow = digest(algorithm)
    prefer_fast()
    assert digest(algorithm) is not slow
    assert digest(algorithm)(b"a").hexdigest() == slow(b"a").hexdigest()
