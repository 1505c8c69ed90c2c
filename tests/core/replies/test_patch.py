"""What is shown of a suggestion is a patch, as git understands it."""

from __future__ import annotations

import random

import pytest

from gitclaw_py.core.diffs import Entry, Span, read_diff
from gitclaw_py.core.replies.patch import CRLF, ESCAPED, NO_TEXT, Patch, patch
from gitclaw_py.core.scripts import Hunk, splice, split_lines
from gitclaw_py.core.suggestions import SUBMODULE, Group, Kind, Suggestion, grouped, suggest
from tests.cases.catalogue import CASES
from tests.cases.oracle import blobs_of
from tests.core.states import NEW, OLD
from tests.sandbox import Sandbox

_DIFF = ("diff-tree", "-r", "-z", "--raw", "-p", "-U0", "-M", "--no-ext-diff", "--no-textconv", "--full-index")
_OTHERWISE = {"mode_filemode_false", "nested_repo_nocommit_others", "wte_utf16_workspace"}
"""Changes that ``git add`` does not take."""
_CHANGING = [name for name, case in CASES.items() if case.workspace and case.workspace.rows and name not in _OTHERWISE]
_FLAWS = {
    NO_TEXT: "binary_nul utf16_bom attr_binary_text",
    CRLF: "crlf crlf_in_index_then_textattr cr_blank_lines",
    ESCAPED: "binary_no_nul binary_nul_late lf_to_crlf mixed_eol bom_add bom_edit latin1 shift_jis invalid_utf8"
    " sep_nel sep_ff sep_vt sep_ls sep_ps sep_fs sep_rs sep_nul_attr_text lone_cr lone_cr_only cr_at_eof",
}
FLAWS = {name: {flaw} for flaw, names in _FLAWS.items() for name in names.split()}


def proposed(name: str, repo: Sandbox) -> tuple[str, str, dict[Suggestion, tuple[bytes, bytes]]]:
    """The base, the commit with a case's change, and its suggestions with the texts on both sides."""
    case = CASES[name]
    case.setup(repo)
    base = repo.commit("base")
    case.change(repo)
    commit = repo.commit("change")
    diffs = read_diff(repo.git(*_DIFF, base, commit))
    entries = [side for diff in diffs for side in (diff.old, diff.new) if side and side.mode != SUBMODULE]
    blobs = blobs_of(repo, (entry.oid for entry in entries))

    def text(entry: Entry | None) -> bytes:
        return blobs[entry.oid] if entry and entry.mode != SUBMODULE else b""

    found = suggest(diffs, lambda oids: (blobs[oid] for oid in oids), 1, 1)
    return base, commit, {s: (text(s.old), text(s.new)) for s in found}


def applied(repo: Sandbox, base: str, patches: list[Patch]) -> str:
    """The tree of the base with the blocks in it, put together in order, by plain ``git apply``."""
    repo.git("read-tree", base)
    repo.git("apply", "--cached", stdin="".join(f"{line}\n" for made in patches for line in made.lines).encode())
    return repo.text("write-tree")


@pytest.mark.parametrize("name", _CHANGING)
def test_row_14_the_blocks_of_a_comment_are_one_patch_of_the_base(name: str, repo: Sandbox) -> None:
    base, commit, sides = proposed(name, repo)
    made = [patch(s, *texts) for s, texts in sides.items()]
    assert {shown.flaw for shown in made} - {""} == FLAWS.get(name, set())
    if name in FLAWS:
        return
    assert applied(repo, base, made) == repo.tree(commit)
    narrow = [patch(s, *texts, context=1) for s, texts in sides.items()]
    assert narrow == made or applied(repo, base, narrow) == repo.tree(commit)


@pytest.mark.parametrize(
    "name", ["name_space", "name_quote", "name_tab", "name_newline", "name_backslash", "rename_spaces"]
)
def test_names_are_written_as_git_writes_them(name: str, repo: Sandbox) -> None:
    base, commit, sides = proposed(name, repo)
    ours = [line for s, texts in sides.items() for line in patch(s, *texts).header]
    git = repo.git("-c", "core.quotePath=false", "diff-tree", "-p", "-M", base, commit).decode().split("\n@@ ")[0]
    assert ours == [line for line in git.split("\n") if not line.startswith(("index ", "similarity "))]


def test_any_hunks_of_files_that_repeat_themselves_land_where_they_belong(repo: Sandbox) -> None:
    chance = random.Random(7)
    made: dict[bytes, tuple[bytes, Suggestion]] = {}
    for k in range(300):
        path = b"%03d" % k
        old = [chance.choice([b"a\n", b"b\n", b"{\n", b"\n"]) for _ in range(chance.randint(0, 40))]
        if chance.random() < 0.3:
            old.append(b"end")
        spans = some_spans(chance, len(old))
        new = splice(old, [Hunk(s.start, s.end, (b"new\n",) * (s.new_end - s.new_start)) for s in spans])
        if b"".join(new) != b"".join(old):
            suggestion = Suggestion(k, 1, Kind.MODIFY, path, path, OLD, NEW, grouped(tuple(new), spans))
            made[path] = (b"".join(old), suggestion)
    for path, (old_text, _) in made.items():
        repo.write(path, old_text)
    base = repo.commit()
    for context in (3, 2, 1):
        repo.git("reset", "-q", "--hard", base)
        lines = [line for old_text, s in made.values() for line in patch(s, old_text, b"", context).lines]
        repo.git("apply", stdin="".join(f"{line}\n" for line in lines).encode())
        for path, (old_text, s) in made.items():
            assert (repo.path / path.decode()).read_bytes() == b"".join(splice(split_lines(old_text), s.hunks))


def some_spans(chance: random.Random, length: int) -> list[Span]:
    """Changes of a text of that many lines, none touching another."""
    spans: list[Span] = []
    start, growth = chance.randint(0, 4), 0
    while start <= length and len(spans) < 6:
        end = min(length, start + chance.randint(0, 3))
        lines = chance.randint(0, 2) if end < length else 0
        if (end > start or lines) and start < length:
            spans.append(Span(start, end, start + growth, start + growth + lines))
            growth += lines - (end - start)
        start = end + chance.randint(1, 9)
    return spans


def test_one_hunk_alone_is_a_patch_too(repo: Sandbox) -> None:
    lines = [b"line %d\n" % k for k in range(40)]
    groups = (Group(1, (Hunk(2, 3, (b"x\n", b"y\n")),)), Group(2, (Hunk(30, 31, (b"z\n",)),)))
    s = Suggestion(1, 1, Kind.MODIFY, b"f", b"f", OLD, NEW, groups)
    repo.write("f", b"".join(lines))
    repo.commit()
    made = patch(s, b"".join(lines), b"", only={2})
    assert made.pieces[0].lines[0] == "@@ -28,7 +28,7 @@"
    repo.git("apply", stdin="".join(f"{line}\n" for line in made.lines).encode())
    assert (repo.path / "f").read_bytes() == b"".join(splice(lines, groups[1].hunks))
