"""The agent of the demonstration: always the same four changes, each with a reason.

Asked for more once they are there, it adds a test; asked for anything else, it says that it knows nothing else.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

_TASK = "GITCLAW_PROMPT" in os.environ
"""Whether someone asked in a thread; in a terminal there is nobody to answer."""
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
_MORE = """\


def test_greet_nobody():
    assert greet("") == "Hello "
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
    """Change the files of the current folder, or say why not."""
    if _TASK and not Path("greeting.py").exists():
        _say("I am the scripted agent of the demonstration, and know only its own files.")
    elif _TASK and Path("tests/test_greeting.py").exists():
        _add_a_test()
    else:
        _tidy()


def _add_a_test() -> None:
    path = Path("tests/test_greeting.py")
    text = path.read_text(encoding="utf-8")
    if "test_greet_nobody" in text:
        _say("I am the scripted agent of the demonstration: there is nothing more that I know how to do.")
        return
    path.write_text(text + _MORE, encoding="utf-8", newline="\n")
    _explain({"tests/test_greeting.py": "tests the greeting, with an empty name too"})


def _say(text: str) -> None:
    Path(os.environ["GITCLAW_ANSWER"]).write_text(text, encoding="utf-8")


def _explain(reasons: dict[str, str]) -> None:
    Path(os.environ["GITCLAW_REASONS"]).write_text(json.dumps(reasons), encoding="utf-8")


def _tidy() -> None:
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
    _explain(_REASONS)


if __name__ == "__main__":
    main()
