"""What is read from git's diffs, against unidiff and against the texts themselves."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unidiff.patch import PatchSet

from gitclaw_py.core.diffs import Entry, Span, blob_id, read_diff, span
from gitclaw_py.core.scripts import Hunk, splice, split_lines
from gitclaw_py.errors import InternalError
from tests.core.strategies import texts
from tests.sandbox import ENVIRONMENT

RAW = b":100644 100644 %s %s M\0f\0" % (b"1" * 40, b"2" * 40)
HEADER = b"diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n"


def spans_between(old: bytes, new: bytes, folder: Path) -> tuple[bytes, tuple[Span, ...]]:
    (folder / "old").write_bytes(old)
    (folder / "new").write_bytes(new)
    command = ["git", "diff", "--no-index", "--text", "-U0", "old", "new"]
    patch = subprocess.run(command, cwd=folder, capture_output=True, env=ENVIRONMENT, check=False).stdout
    return patch, read_diff(RAW + b"\0" + patch)[0].spans if patch else ()


@given(texts, texts)
def test_the_spans_rebuild_the_new_text(tmp_path_factory: pytest.TempPathFactory, old: bytes, new: bytes) -> None:
    folder = tmp_path_factory.getbasetemp()
    patch, spans = spans_between(old, new, folder)
    before, after = split_lines(old), split_lines(new)
    hunks = [Hunk(s.start, s.end, tuple(after[s.new_start : s.new_end])) for s in spans]
    assert b"".join(splice(before, hunks)) == new
    # The numbers are those an independent reader finds in a blob-to-blob diff.
    theirs = [h for file in PatchSet(patch.decode("latin-1")) for h in file] if patch else []
    assert spans == tuple(span(h.source_start, h.source_length, h.target_start, h.target_length) for h in theirs)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((3, 1, 3, 2), Span(2, 3, 2, 4)),
        ((0, 0, 1, 1), Span(0, 0, 0, 1)),
        ((5, 0, 6, 1), Span(5, 5, 5, 6)),
        ((1, 1, 0, 0), Span(0, 1, 0, 0)),
    ],
)
def test_a_count_of_nothing_means_after_that_line(numbers: tuple[int, int, int, int], expected: Span) -> None:
    assert span(*numbers) == expected


@pytest.mark.parametrize(
    "line", [b"diff --git a/x b/x", b"@@ -1 +1 @@", b"--- a/x", b"+++ b/x", b"\\ No newline at end of file", b"-- "]
)
def test_content_that_looks_like_a_diff_is_content(line: bytes) -> None:
    patch = HEADER + b"@@ -0,0 +1,2 @@\n+" + line + b"\n+x\n" + b"@@ -5 +7 @@\n-" + line + b"\n+y\n"
    assert read_diff(RAW + b"\0" + patch)[0].spans == (Span(0, 0, 0, 2), Span(4, 5, 6, 7))


def test_names_come_from_the_raw_part_whatever_the_headers_say() -> None:
    name = b'x b/\xff\n\t".txt'
    raw = b":100644 100644 %s %s M\0%s\0" % (b"1" * 40, b"2" * 40, name)
    found = read_diff(raw + b"\0" + HEADER.replace(b"/f", b"/elsewhere") + b"@@ -1 +1 @@\n-a\n+b\n")
    assert [(d.path, d.spans) for d in found] == [(name, (Span(0, 1, 0, 1),))]


def test_an_insertion_at_the_top_is_no_new_file() -> None:
    """A patch reader that goes by ``-0,0`` calls it one, and a tool would write the file anew."""
    patch = HEADER + b"@@ -0,0 +1 @@\n+top\n"
    assert PatchSet(patch.decode())[0].is_added_file
    found = read_diff(RAW + b"\0" + patch)[0]
    assert found.old is not None
    assert found.new is not None


def test_a_rename_has_two_names_and_a_type_change_two_patches() -> None:
    raw = b":100644 100644 %s %s R090\0old\0new\0:100644 120000 %s %s T\0t\0" % ((b"1" * 40, b"2" * 40) * 2)
    patch = HEADER + b"@@ -1 +1 @@\n-a\n+b\n" + HEADER + b"@@ -1 +0,0 @@\n-a\n" + HEADER + b"@@ -0,0 +1 @@\n+b\n"
    renamed, changed = read_diff(raw + b"\0" + patch)
    assert (renamed.old_path, renamed.path, len(renamed.spans)) == (b"old", b"new", 1)
    assert (changed.old, changed.new) == (Entry("100644", "1" * 40), Entry("120000", "2" * 40))
    assert changed.spans == ((0, 1, 0, 1),)


@pytest.mark.parametrize("patch", [b"", HEADER + HEADER, HEADER + HEADER + HEADER])
def test_rows_and_patches_that_do_not_match_are_refused(patch: bytes) -> None:
    with pytest.raises(InternalError) as error:
        read_diff(RAW + RAW[:-2] + b"g\0" + b"\0" + patch if patch.count(b"diff") != 2 else RAW + b"\0" + patch)
    assert error.value.code == "INVALID_DIFF"


def test_nothing_changed_is_nothing() -> None:
    assert read_diff(b"") == []


@given(st.binary(max_size=50), st.sampled_from(["sha1", "sha256"]))
def test_ids_of_blobs_are_git_s(tmp_path_factory: pytest.TempPathFactory, data: bytes, object_format: str) -> None:
    folder = tmp_path_factory.getbasetemp() / object_format
    if not folder.exists():
        subprocess.run(["git", "init", "-q", f"--object-format={object_format}", folder], check=True, env=ENVIRONMENT)
    command = ["git", "hash-object", "--stdin", "--no-filters"]
    expected = subprocess.run(command, cwd=folder, input=data, capture_output=True, check=True, env=ENVIRONMENT).stdout
    assert blob_id(object_format, data) == expected.decode().strip()
