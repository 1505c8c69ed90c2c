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
    looked = Looked(WATCH)
    looked.take("id", data)
    if looked.plain:
        assert WATCH.first(data) is None
        assert _hidden(data, []) is None


def test_nearly_everything_is_plain_and_handed_on() -> None:
    contents = {
        "code": b"def f():\n    return 'sk-1'\n",
        "image": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        "secret": PIECES[8],
    }
    handed = dict[str, bytes]()
    looked = Looked(WATCH, handed.__setitem__)
    for oid, data in contents.items():
        looked.take(oid, data)
    assert looked.plain == {"code", "image"}
    assert handed == contents
