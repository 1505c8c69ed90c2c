"""Texts in which collisions are common, and changes of them."""

from __future__ import annotations

from hypothesis import strategies as st

from gitclaw_py.core.scripts import Hunk, split_lines

PIECES = [
    b"a",
    b"b",
    b"\n",
    b"\n",
    b"\r",
    b"\x00",
    b"\xff",
    b"\xe2\x80\xa8",
    b"--",
    b"++",
    b"@@",
    b"\\",
    b" ",
    b"\xc2\x85",
    b"\x0c",
]

texts = st.lists(st.sampled_from(PIECES), max_size=24).map(b"".join)
"""Bytes of any kind, with few different lines."""

repeating = st.lists(st.sampled_from([b"a\n", b"b\n", b"{\n", b"\n", b"c\n"]), max_size=14).map(tuple)
"""Lines that repeat, so that there are many ways to align two texts."""


@st.composite
def scripts(draw: st.DrawFn, base: tuple[bytes, ...]) -> tuple[Hunk, ...]:
    """Hunks of ``base`` as a diff gives them: in order, none touching another, each a change."""
    hunks: list[Hunk] = []
    start = draw(st.integers(0, 2))
    while start <= len(base) and len(hunks) < 5:
        end = min(len(base), start + draw(st.integers(0, 2)))
        lines = tuple(draw(st.lists(st.sampled_from([b"x\n", b"y\n", b"a\n", b"\n"]), max_size=2)))
        # Only the last line of a text may lack its newline.
        if lines != base[start:end] and (end < len(base) or not base or base[-1].endswith(b"\n") or end > start):
            hunks.append(Hunk(start, end, lines))
            start = end + 1 + draw(st.integers(0, 2))
        else:
            start += 1
    return tuple(hunks)


@st.composite
def changes(draw: st.DrawFn) -> tuple[tuple[bytes, ...], tuple[Hunk, ...]]:
    """A text and a script for it."""
    base = draw(st.one_of(repeating, texts.map(split_lines).map(tuple)))
    return base, draw(scripts(base))


def subset(draw: st.DrawFn, hunks: tuple[Hunk, ...]) -> frozenset[int]:
    """Some of the hunks, by their place."""
    return frozenset(draw(st.sets(st.sampled_from(range(len(hunks)))))) if hunks else frozenset()
