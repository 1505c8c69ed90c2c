"""Threads to speak about, made of file contents."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher
from hashlib import sha1

from gitclaw_py.core.diffs import Entry, FileDiff, Span, blob_id
from gitclaw_py.core.reasons import explained, read_reasons
from gitclaw_py.core.render import Texts
from gitclaw_py.core.replies.links import Links
from gitclaw_py.core.replies.wording import Run
from gitclaw_py.core.scripts import split_lines
from gitclaw_py.core.state import Proposal, State, proposed
from gitclaw_py.core.suggestions import suggest

BASE, COMMIT, LANDED = (sha1(word, usedforsecurity=False).hexdigest() for word in (b"base", b"commit", b"landed"))
LINKS = Links("https://github.com", "octo/hello", "https://github.com/octo/hello/actions/runs/7")
RUN = Run("ruff", 112.3)
File = bytes | tuple[str, bytes] | None
"""The content of a plain file, or a mode and the content, or no file."""
FIRST = Proposal(1, BASE, COMMIT, 1_700_000_000, ("ruff", "check"), 0, "suggest-only", "low", 0)


class Scene:
    """A thread, and the texts of its suggestions."""

    def __init__(self) -> None:
        self.state = State("42")
        self._blobs: dict[str, bytes] = {}

    def propose(
        self,
        files: Mapping[bytes, tuple[File, File]],
        moved: Mapping[bytes, bytes] | None = None,
        reasons: bytes = b"{}",
    ) -> Scene:
        """One more proposal: from what the files were to what they shall be; ``moved`` gives old names by new ones."""
        number = len(self.state.proposals) + 1
        diffs = [self._diff(path, (moved or {}).get(path, path), *sides) for path, sides in files.items()]
        found = list(suggest(diffs, lambda oids: (self._blobs[oid] for oid in oids), self.state.next_number, number))
        made = FIRST._replace(number=number)
        self.state = proposed(self.state, made, explained(found, read_reasons(reasons)))
        return self

    @property
    def texts(self) -> Texts:
        return lambda s: (self._text(s.old), b"" if s.groups else self._text(s.new))

    def _text(self, entry: Entry | None) -> bytes:
        return self._blobs[entry.oid] if entry else b""

    def _diff(self, path: bytes, old_path: bytes, old: File, new: File) -> FileDiff:
        before, after = self._entry(old), self._entry(new)
        return FileDiff(path, old_path, before, after, tuple(_spans(self._text(before), self._text(after))))

    def _entry(self, file: File) -> Entry | None:
        if file is None:
            return None
        mode, data = file if isinstance(file, tuple) else ("100644", file)
        oid = blob_id("sha1", data)
        self._blobs[oid] = data
        return Entry(mode, oid)


def _spans(old: bytes, new: bytes) -> list[Span]:
    if b"\0" in old + new:
        return []
    matched = SequenceMatcher(None, split_lines(old), split_lines(new), autojunk=False).get_opcodes()
    return [Span(a, b, c, d) for tag, a, b, c, d in matched if tag != "equal"]


_PRINTING = b"        if args.csv:\n            print(row.csv())\n        else:\n            print(row)\n"
REPORT = b"".join(
    [
        b'"""Reports."""\n\nimport argparse\nimport sys\n\n\ndef main():\n',
        b"    p = argparse.ArgumentParser()\n",
        b'    p.add_argument("--csv", action="store_true")\n',
        b"    args = p.parse_args()\n    rows = load(sys.stdin)\n\n",
        b"    for row in rows:\n",
        _PRINTING,
    ]
)
NEW_REPORT = (
    REPORT.replace(b"import sys\n", b"import sys\n\nfrom .formats import render\n")
    .replace(b'"--csv", action="store_true")\n', b'"--csv", action="store_true")\n    p.add_argument("--json")\n')
    .replace(
        b"        if args.csv:\n            print(row.csv())\n        else:\n            print(row)\n",
        b"        print(render(row, args))\n",
    )
)
FORMATS = b"def render(row, args):\n    return row.json() if args.json else str(row)\n"
LEGACY = b"".join(b"line %d of the old formatter\n" % k for k in range(12))
MANUAL = b"# CLI\n\nRun it with `--csv`.\n"
REASONS = b"""{
    "src/report.py": "Adds the flag and calls the new formatter",
    "src/report.py:4-6": "Import the formatter",
    "src/formats.py": "One place for output formats",
    "docs/usage/cli.md": "Layout asked for in AGENTS.md",
    "src/legacy_fmt.py": "Nothing calls it after 5",
    "docs/flow.png": "Shows the new step"
}"""


def report() -> Scene:
    """An everyday proposal: edits, a new file, a rename, a deletion, a picture, and a file nobody may touch."""
    files: dict[bytes, tuple[File, File]] = {
        b"src/report.py": (REPORT, NEW_REPORT),
        b"src/formats.py": (None, FORMATS),
        b"docs/usage/cli.md": (MANUAL, MANUAL.replace(b"# CLI", b"# Command line")),
        b"src/legacy_fmt.py": (LEGACY, None),
        b"docs/flow.png": (b"\x89PNG\0old", b"\x89PNG\0newer"),
        b"tools/.git/config": (None, b"[core]\n"),
        b"run.sh": (("100644", b"echo hi\n"), ("100755", b"echo hi\n")),
    }
    return Scene().propose(files, {b"docs/usage/cli.md": b"docs/cli.md"}, REASONS)


def many(count: int, data: bytes = b"old\n", new: bytes = b"new\n") -> Scene:
    """A proposal of that many edits."""
    return Scene().propose({b"src/module_%03d.py" % k: (data, new) for k in range(1, count + 1)})
