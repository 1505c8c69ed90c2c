"""A small agent to try gitclaw with: tidies text files, adds what is missing, and says why.

``gitclaw suggest -- python -m gitclaw_py.local.sample_agent`` works in any repository. It is not clever:
it takes stray blanks from line ends, puts a missing final newline in place, and adds an ``.editorconfig``
and a line about suggestions to the README.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

_TEXT = {".py", ".md", ".txt", ".toml", ".cfg", ".js", ".ts", ".css", ".html", ".yml", ".yaml", ".rst", ".sh"}
_MOST_FILES = 20
_EDITORCONFIG = """\
root = true

[*]
end_of_line = lf
insert_final_newline = true
trim_trailing_whitespace = true
"""
_README_LINE = b"Changes proposed by tools are reviewed one by one: `gitclaw status` lists them.\n"


def main() -> None:
    """Change the current folder, and leave the reasons where gitclaw looks for them."""
    reasons: dict[str, str] = {}
    top = Path.cwd()
    for path in _some(_texts(top)):
        _tidy(path, reasons)
    _add_editorconfig(top, reasons)
    _mention_in_readme(top, reasons)
    for place, why in reasons.items():
        print(f"{place}: {why}")
    if target := os.environ.get("GITCLAW_REASONS"):
        Path(target).write_text(json.dumps(reasons), encoding="utf-8")


def _texts(top: Path) -> Iterator[Path]:
    for path in sorted(top.rglob("*")):
        if path.suffix in _TEXT and path.is_file() and not path.is_symlink():
            yield path


def _some(paths: Iterator[Path]) -> Iterator[Path]:
    """The first few that need it, so that a large repository gives a list one can read."""
    needing = (path for path in paths if _tidied(path.read_bytes()) != path.read_bytes())
    return (path for _, path in zip(range(_MOST_FILES), needing, strict=False))


def _tidied(data: bytes) -> bytes:
    if b"\0" in data or not data:
        return data
    lines = data.split(b"\n")
    endings = [b"\r" if line.endswith(b"\r") else b"" for line in lines]
    tidy = b"\n".join(line.rstrip(b" \t\r") + end for line, end in zip(lines, endings, strict=True))
    return tidy if tidy.endswith(b"\n") else tidy + b"\n"


def _tidy(path: Path, reasons: dict[str, str]) -> None:
    before = path.read_bytes()
    after = _tidied(before)
    path.write_bytes(after)
    name = path.relative_to(Path.cwd()).as_posix()
    for number, (old, new) in enumerate(zip(before.split(b"\n"), after.split(b"\n"), strict=False), 1):
        if old != new:
            reasons[f"{name}:{number}"] = "blanks at the end of the line"
    if not before.endswith(b"\n"):
        last = after.count(b"\n")
        reasons[f"{name}:{last}"] = "the last line had no newline"


def _add_editorconfig(top: Path, reasons: dict[str, str]) -> None:
    path = top / ".editorconfig"
    if not path.exists():
        path.write_text(_EDITORCONFIG, encoding="ascii")
        reasons[path.name] = "editors then keep line ends and blanks as they are here"


def _mention_in_readme(top: Path, reasons: dict[str, str]) -> None:
    readme = next(
        (path for path in (top / "README.md", top / "README.rst", top / "README.txt") if path.is_file()), None
    )
    if readme is None:
        return
    text = readme.read_bytes()
    if _README_LINE not in text:
        readme.write_bytes(text.rstrip(b"\n") + b"\n\n" + _README_LINE)
        line = text.rstrip(b"\n").count(b"\n") + 3
        reasons[f"{readme.name}:{line}"] = "tells readers how changes are made here"


if __name__ == "__main__":
    main()
