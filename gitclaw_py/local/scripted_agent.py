"""The agent of the demonstration: always the same four changes, each with a reason."""

from __future__ import annotations

import json
import os
from pathlib import Path

_EDITS = {
    "greeting.py": [('"Hello " + name', 'f"Hello {name}"')],
    "report.py": [
        ("    with open(path) as file:", '    with open(path, newline="", encoding="utf-8") as file:'),
        (
            "    result = 0\n    for row in rows:\n        result = result + int(row[1])\n    return result\n",
            "    return sum(int(row[1]) for row in rows)\n",
        ),
    ],
}
_TEST = """\
from greeting import greet


def test_greet():
    assert greet("Ada") == "Hello Ada"
"""
_NEW = {"tests/test_greeting.py": _TEST}
_GONE = ["old_format.py"]
_REASONS = {
    "greeting.py": "an f-string says it shorter",
    "report.py:7": 'csv wants newline="", and the encoding no longer depends on the machine',
    "report.py:12": "sum says what the loop did",
    "tests/test_greeting.py": "nothing tested the greeting",
    "old_format.py": "nothing imports it",
}


def main() -> None:
    """Change the files of the current folder."""
    for name, edits in _EDITS.items():
        path = Path(name)
        text = path.read_text(encoding="utf-8")
        for old, new in edits:
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8", newline="\n")
    for name, text in _NEW.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8", newline="\n")
    for name in _GONE:
        Path(name).unlink()
    Path(os.environ["GITCLAW_REASONS"]).write_text(json.dumps(_REASONS), encoding="utf-8")


if __name__ == "__main__":
    main()
