"""The first line of a commit: type, scope and a title, from what changed and what was asked for.

https://www.conventionalcommits.org/en/v1.0.0/
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from gitclaw_py.core.visible import inert, visible, visible_path

_LONGEST = 72
_FIX = re.compile(r"\b(fix|bug|broken|crash|error|wrong|fails?|typo|regression)", re.IGNORECASE)
_DONE = re.compile(r"(?P<type>[a-z]+)(\([^)]*\))?!?: ")
_DOCS = (".md", ".rst", ".txt", ".adoc")
_BUILD = frozenset(
    ("pyproject.toml", "setup.py", "setup.cfg", "package.json", "Cargo.toml", "go.mod", "Makefile", "Dockerfile")
)
_SCOPE = re.compile(r"[a-z0-9][a-z0-9._-]{0,24}", re.IGNORECASE)
_SLASH = re.compile(r"^/\S+\s*")


def subject(paths: Sequence[bytes], asked: str, numbers: str, *, undo: bool) -> str:
    """The first line, at most 72 characters.

    Args:
        paths: the paths that change.
        asked: the request, or the title of the thread.
        numbers: the suggestions, as people name them.
        undo: it takes them back.
    """
    title = _title(asked) or f"apply suggestions {numbers}"
    if undo:
        return _cut(f"revert: suggestion{'s' if ',' in numbers or '-' in numbers else ''} {numbers} of {title}")
    if _DONE.match(title):
        return _cut(title)
    scope = _scope(paths)
    return _cut(f"{_type(paths, asked)}{f'({scope})' if scope else ''}: {title}")


def _title(asked: str) -> str:
    lines = (_SLASH.sub("", line.strip()) for line in asked.split("\n"))
    text = inert(visible(" ".join(next((line for line in lines if line), "").split()))).rstrip(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _cut(line: str) -> str:
    """At a word, if one ends in the title; what comes before the title stays whole."""
    if len(line) <= _LONGEST:
        return line
    head, colon, title = line[: _LONGEST - 1].partition(": ")
    return head + colon + (title.rpartition(" ")[0].rstrip(" ,.;:") or title) + "…"


def _type(paths: Sequence[bytes], asked: str) -> str:
    kinds = {_kind(path) for path in paths}
    if len(kinds) == 1 and (kind := kinds.pop()):
        return kind
    return "fix" if _FIX.search(asked.partition("\n")[0]) else "feat"


def _kind(path: bytes) -> str:
    """What a path alone says: ``docs``, ``test``, ``ci``, ``build``, or nothing."""
    name = visible_path(path)
    folders, _, base = name.rpartition("/")
    top = name.partition("/")[0]
    if top == ".github":
        return "ci"
    if base.endswith(_DOCS) or top in ("doc", "docs"):
        return "docs"
    if top in ("test", "tests") or "/tests" in f"/{folders}" or base.startswith("test_"):
        return "test"
    return "build" if base in _BUILD else ""


def _scope(paths: Collection[bytes]) -> str:
    """The one file's name without its ending, or the folder all are in."""
    if len(paths) == 1:
        word = visible_path(next(iter(paths))).rpartition("/")[2].partition(".")[0]
    else:
        above = {visible_path(path).rpartition("/")[0] for path in paths}
        word = above.pop().rpartition("/")[2] if len(above) == 1 else ""
    return word if _SCOPE.fullmatch(word) else ""
