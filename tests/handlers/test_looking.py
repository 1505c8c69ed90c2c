"""What is looked into while it is recorded, and so need not be looked into again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.core.secrets import Watch
from gitclaw_py.handlers.looking import Looked, _hidden

OWNED = "".join(f"{k * 7919 % 36:x}q" for k in range(12))
WATCH = Watch([OWNED])
PIECES = [
    b"x = 1\n",
    b"caf\xc3\xa9\n",
    b"caf\xe9\n",
    b"\r\n",
    b"\0",
    b"\x1b[31m",
    "\u202e".encode(),
    "\u200b".encode(),
    OWNED.encode(),
    OWNED[::-1].encode(),
    b"gh" + b"p_" + OWNED.encode() * 2,
    b"sk" + b"-",
    b"\0" * 9000,
]


@given(st.lists(st.sampled_from(PIECES), max_size=8))
def test_what_is_called_plain_has_nothing_in_it(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    looked = Looked({"id": data}, WATCH)
    assert looked["id"] == data
    if looked.plain:
        assert WATCH.first(data) is None
        assert _hidden(data, []) is None


def test_nearly_everything_is_plain() -> None:
    looked = Looked({"code": b"def f():\n    return 'sk-1'\n", "image": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"}, WATCH)
    assert len([looked[oid] for oid in looked]) == len(looked) == 2
    assert looked.plain == {"code", "image"}


def test_it_is_the_last_reading_that_counts() -> None:
    """An id has one content: a workspace refuses another one. Nothing here relies on the first look alone."""
    blobs = {"id": b"x = 1\n"}
    looked = Looked(blobs, WATCH)
    assert looked["id"]
    assert looked.plain == {"id"}
    blobs["id"] = OWNED.encode()
    assert looked["id"]
    assert looked.plain == set()
