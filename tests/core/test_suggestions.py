"""What is read to make suggestions, and that nothing else would change them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gitclaw_py.core.diffs import Entry, FileDiff, Span
from gitclaw_py.core.suggestions import Kind, Suggestion, suggest

_POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 1\n"
_SIZE = Span(1, 2, 1, 2)
_VERSION = Span(0, 1, 0, 1)


def _made(old: bytes, new: bytes, span: Span) -> tuple[Suggestion, list[str]]:
    """The suggestion for a file with this one change, and which of its two texts were read."""
    texts, asked = {"old": old, "new": new}, list[str]()

    def read(oids: Iterator[str]) -> Iterator[bytes]:
        for oid in oids:
            asked.append(oid)
            yield texts[oid]

    diff = FileDiff(b"a", b"a", Entry("100644", "old"), Entry("100644", "new"), (span,))
    (made,) = suggest([diff], read, 1, 1)
    return made, asked


def test_the_old_text_is_not_read_where_its_first_line_is_that_of_the_new_one() -> None:
    made, asked = _made(b"a\nb\n", b"a\nc\n", _SIZE)
    assert asked == ["new"]
    assert [hunk.lines for hunk in made.hunks] == [(b"c\n",)]


@pytest.mark.parametrize(
    ("old", "new", "span", "kind"),
    [
        (_POINTER % b"1", _POINTER % b"2", _SIZE, Kind.BINARY),
        (_POINTER % b"1", _POINTER.replace(b"spec/v1", b"spec/v2") % b"1", _VERSION, Kind.BINARY),
        (b"text\n", _POINTER % b"1", _VERSION, Kind.MODIFY),
        (_POINTER % b"1", b"text\n", _VERSION, Kind.MODIFY),
        (_POINTER % b"1", b"text\n" + _POINTER % b"1", Span(0, 0, 0, 1), Kind.MODIFY),
    ],
    ids=["another object", "another version", "text to pointer", "pointer to text", "text before it"],
)
def test_a_pointer_to_a_large_file_that_stays_one_has_no_hunks(old: bytes, new: bytes, span: Span, kind: Kind) -> None:
    made, _ = _made(old, new, span)
    assert made.kind is kind
    assert bool(made.hunks) is (kind is Kind.MODIFY)
