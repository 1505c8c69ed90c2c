"""The files that differ between two commits, as GitHub lists them."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from gitclaw_py.hub.bare import BareRepository

_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "T": "changed"}


class FileChange(NamedTuple):
    """One file; ``patch`` is None for what has no text, ``former`` the name it had."""

    path: str
    status: str
    oid: str
    additions: int
    deletions: int
    patch: str | None
    former: str | None


def changed_files(git: BareRepository, base: str, head: str) -> list[FileChange]:
    """What ``head`` changed since it left ``base``, with three lines of context."""
    start = git.merge_base(base, head) or base
    span = (start, head)
    names = _names(git.git("diff-tree", "-r", "-z", "-M", "--raw", "--no-abbrev", *span))
    counts = _counts(git.git("diff-tree", "-r", "-z", "-M", "--numstat", *span))
    patches = _patches(git, span, [status for status, *_ in names])
    changes = []
    for (status, oid, former, path), (added, removed), patch in zip(names, counts, patches, strict=True):
        changes.append(FileChange(path, _STATUS[status], oid, added, removed, patch, former))
    return changes


def _names(raw: bytes) -> list[tuple[str, str, str | None, str]]:
    words = iter(raw.split(b"\0"))
    found = []
    for word in words:
        if not word:
            continue
        _, _, old, new, status = word.decode().lstrip(":").split(" ")
        former = os.fsdecode(next(words)) if status.startswith("R") else None
        path = os.fsdecode(next(words))
        found.append((status[0], old if status == "D" else new, former, path))
    return found


def _counts(raw: bytes) -> list[tuple[int, int]]:
    words = iter(raw.split(b"\0"))
    found = []
    for word in words:
        if not word:
            continue
        added, removed, name = word.split(b"\t", 2)
        if not name:  # a renamed file: both names follow
            next(words)
            next(words)
        found.append((0, 0) if added == b"-" else (int(added), int(removed)))
    return found


def _patches(git: BareRepository, span: tuple[str, str], statuses: Sequence[str]) -> list[str | None]:
    options = ("--no-color", "--no-ext-diff", "--no-textconv")
    text = git.git("-c", "core.quotePath=false", "diff-tree", "-r", "-M", "-p", *options, *span)
    parts = iter(("\n" + text.decode("utf-8", "replace")).split("\ndiff --git ")[1:])
    # A file that became a link, or the other way, is removed and added: two parts of one change.
    return [_joined([next(parts, "") for _ in range(2 if status == "T" else 1)]) for status in statuses]


def _joined(parts: Sequence[str]) -> str | None:
    found = [hunks for part in parts if (hunks := _hunks(part)) is not None]
    return "\n".join(found) or None


def _hunks(part: str) -> str | None:
    _, found, hunks = part.partition("\n@@ ")
    return f"@@ {hunks}".removesuffix("\n") if found else None
