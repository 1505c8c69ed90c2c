"""G6 and G15: from git's diff to the state, in process, and that no byte changes on the way."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from gitclaw_py.adapters.git_algorithms import TEXT
from gitclaw_py.adapters.git_repository import _TREES
from gitclaw_py.cli import RARELY
from gitclaw_py.core import state_json
from gitclaw_py.core.diffs import blob_id, read_diff
from gitclaw_py.core.digests import prefer_fast
from gitclaw_py.core.identity import suggestion_id
from gitclaw_py.core.scripts import splice, split_lines
from gitclaw_py.core.state import Proposal, State, proposed
from gitclaw_py.core.suggestions import suggest
from tests.bench import repositories
from tests.bench.bench import Bench
from tests.bench.measure import Case, Row, alternate
from tests.sandbox import Sandbox, made

Blobs = dict[str, bytes]

AWKWARD: dict[str, tuple[bytes, bytes]] = {
    "cp1252": (b"caf\xe9\nna\xefve\n\x80 euro\n", b"caf\xe9s\nna\xefve\n\x80 euros\n"),
    "NUL": (b"a\0b\nc\n", b"a\0b\nd\n"),
    "CRLF": (b"one\r\ntwo\r\nthree\r\n", b"one\r\n2\r\nthree\r\n"),
    "mixed line ends": (b"one\r\ntwo\nthree\rfour\n", b"one\ntwo\r\nthree\rfive\n"),
    "no final newline": (b"one\ntwo", b"one\ntwo\nthree"),
    "final newline added": (b"one\ntwo", b"one\ntwo\n"),
    "final newline removed": (b"one\ntwo\n", b"one\ntwo"),
    "form feed, NEL, U+2028": ("a\fb\x85c\u2028d\n".encode(), "a\fb\x85c\u2028e\n".encode()),
    "surrogates, BOM": (b"\xef\xbb\xbfa\n\xed\xa0\x80\n", b"\xef\xbb\xbfb\n\xed\xb0\x80\n"),
    "UTF-16": ("ab\ncd\n".encode("utf-16"), "ab\nce\n".encode("utf-16")),
    "a diff": (b"@@ -1 +1 @@\n-a\n+b\n", b"diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+c\n"),
    "empty": (b"", b"\n"),
    "all bytes": (bytes(range(256)) + b"\n1\n", bytes(range(256)) + b"\n2\n"),
}


def find_parser(diff: bytes) -> str:
    """The least there is to do: find every file and hunk of ``git diff --raw -p -z``, and write them all as JSON.

    The text of a hunk is a slice of the diff here. Ours comes from the blob, whose lines are looked at: hunks are
    grouped by what is between them.
    """
    rows, position, find = _raw_rows(diff)
    for row in rows:
        end = find(b"\ndiff --git ", position)
        end = len(diff) if end < 0 else end + 1
        start = find(b"\n@@ -", position, end)
        while start >= 0:
            body, following = find(b"\n", start + 1, end), find(b"\n@@ -", start + 1, end)
            old, new = diff[start + 5 : find(b" @@", start, body)].split(b" +")
            text = diff[body + 1 : end if following < 0 else following + 1].decode("utf-8", "surrogateescape")
            row["hunks"].append([*map(int, old.split(b",")), *map(int, new.split(b",")), text])
            start = following
        position = end
    return json.dumps(rows)


def _raw_rows(diff: bytes) -> tuple[list[dict[str, Any]], int, Callable[..., int]]:
    rows, position = list[dict[str, Any]](), 0
    while diff.startswith(b":", position):
        meta_end = diff.index(b"\0", position)
        path_end = diff.index(b"\0", meta_end + 1)
        old_mode, new_mode, old, new, status = diff[position + 1 : meta_end].decode().split(" ")
        path = diff[meta_end + 1 : path_end].decode("utf-8", "surrogateescape")
        sides = {"old_mode": old_mode, "new_mode": new_mode, "old": old, "new": new}
        rows.append({"path": path, "status": status, **sides, "hunks": []})
        position = path_end + 1
    return rows, position + 1, diff.find


def ours(diff: bytes, blobs: Blobs) -> bytes:
    """What a suggestion does between git's diff and the disk."""
    return state_json.dump(_suggested(diff, blobs))


def _suggested(diff: bytes, blobs: Blobs) -> State:
    proposal = Proposal(1, "0" * 40, "1" * 40, 0, ("agent",), 0, "suggest-only", "low", 0)
    found = suggest(read_diff(diff), lambda oids: map(blobs.__getitem__, oids), 1, 1)
    return proposed(State("main"), proposal, found)


def measured(bench: Bench) -> list[Row]:
    """The rows of G6."""
    rarely_collected()
    prefer_fast()  # as a suggestion does
    count = 500 if bench.quick else 4000
    hunks = 3 * count
    folder = bench.scratch("parse")
    sandbox = repositories.made_of(folder / "repo", 2 * count)
    cases: dict[str, Case] = {}
    for name, files in (("K", count), ("2K", 2 * count)):
        diff, plain, blobs = _answers(sandbox, files)
        cases[f"find {name}"] = _case(partial(find_parser, plain))
        cases[f"ours {name}"] = _case(partial(ours, diff, blobs))
        if name == "K":
            cases["read"] = _case(partial(read_diff, diff))
            state = _suggested(diff, blobs)
            cases["write"] = _case(partial(state_json.dump, state))
            cases["ids"] = _case(partial(_ids, state))
            cases["load"] = _case(partial(state_json.load, state_json.dump(state)))
    times = alternate(cases, bench.rounds)
    micro = 1e3 * times.ms("ours K") / hunks
    pair, growth = times.pair("find K", "ours K"), times.pair("ours K", "ours 2K")
    read, write, ids, load = (times.ms(name) for name in ("read", "write", "ids", "load"))
    cut = times.ms("ours K") - read - write
    note = f"of ours: reading the diff {read:.0f} ms, cutting the hunks from the blobs and grouping them {cut:.0f}, "
    note += f"writing {write:.0f}, {ids:.0f} of it for the ids, which the limit does not have; "
    note += f"not counted: reading the state again {load:.0f}"
    return [
        Row(
            "G6",
            f"parse and serialise {hunks} hunks, per hunk",
            f"{1e3 * pair.limit / hunks:.1f} us",
            f"{micro:.1f} us",
            "",
            "<= 20 us",
            micro <= 20,
        ),
        pair.row("G6", f"the same against a find parser, {hunks} hunks", "<= 2x", met=pair.ratio <= 2, note=note),
        growth.row("G6", f"{2 * hunks} against {hunks} hunks", "<= 2.2x", met=growth.ratio <= 2.2),
    ]


def _ids(state: State) -> list[str]:
    return [suggestion_id(state.proposals[0].base, s) for s in state.suggestions]


def rarely_collected() -> None:
    """Search for garbage as rarely as the command line does, for both sides."""
    gc.set_threshold(RARELY, *gc.get_threshold()[1:])


def _case(work: Callable[[], object]) -> Case:
    def run() -> float:
        started = time.perf_counter()
        work()
        return time.perf_counter() - started

    return run


def _answers(sandbox: Sandbox, files: int) -> tuple[bytes, bytes, Blobs]:
    """Git's diff as gitclaw asks for it and with usual context, of three hunks in so many files; and the blobs."""
    changed = [(repositories.path_of(k), repositories.edited(k)) for k in range(files)]
    commit = repositories.imported(sandbox, b"refs/heads/changed-%d" % files, changed, sandbox.head)
    diff = sandbox.git("diff-tree", *_TREES, *TEXT, sandbox.head, commit)
    plain = sandbox.git("diff-tree", *_TREES, "-p", sandbox.head, commit)
    blobs = {}
    for number in range(files):
        for data in (repositories.content(number), repositories.edited(number)):
            blobs[blob_id("sha1", data)] = data
    return diff, plain, blobs


def mismatches(folder: Path) -> list[str]:
    """The awkward contents that are not the same after a way through suggestion, state and application."""
    sandbox = made(folder / "repo")
    names = {name: f"{k}.txt" for k, name in enumerate(AWKWARD)}
    for name, (old, _) in AWKWARD.items():
        sandbox.write(names[name], old)
    sandbox.commit()
    sandbox.git("branch", "other")
    changed: dict[bytes, bytes | None] = {names[name].encode(): new for name, (_, new) in AWKWARD.items()}
    sandbox.suggest(repositories.overlaid(folder / "overlay", changed), "--json")
    state = state_json.load((repositories.state_folder(sandbox) / "main" / "state.json").read_bytes())
    by_path = {s.path: s for s in state.suggestions}
    sandbox.gitclaw("apply", "all", "--branch", "other")
    wrong = []
    for name, (old, new) in AWKWARD.items():
        s = by_path[names[name].encode()]
        stored = b"".join(splice(split_lines(old), s.hunks)) if s.groups else new
        if stored != new or sandbox.git("show", f"other:{names[name]}") != new:
            wrong.append(name)
    return wrong if state_json.load(state_json.dump(state)) == state else [*wrong, "the state"]


def exact(bench: Bench) -> list[Row]:
    """The row of G15."""
    wrong = mismatches(bench.scratch("exact"))
    assert not wrong, wrong
    return [
        Row("G15", f"of {len(AWKWARD)} awkward contents, changed on the way", "0", str(len(wrong)), "", "0", met=True)
    ]
