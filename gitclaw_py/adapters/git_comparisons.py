"""Texts compared line by line by several algorithms, however many texts there are.

They are stored in a git directory of their own, which goes when the command ends; the repository sees none of them.
Where git lets attributes choose the algorithm, one process compares the same texts in a folder for each of them; should
it take long, each algorithm is a process of its own after all.
https://git-scm.com/docs/gitattributes#_generating_diff_text
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

from gitclaw_py.adapters.fast_import import FastImport
from gitclaw_py.adapters.git_algorithms import PATIENCE_SECONDS, by_each, by_path
from gitclaw_py.adapters.git_directories import bare_directory
from gitclaw_py.adapters.git_process import Git
from gitclaw_py.core.alignment import (
    ALGORITHMS,
    Alignment,
    Comparison,
    Script,
    alignment,
    import_ahead,
    numbered,
    read_numbered,
)
from gitclaw_py.core.diffs import Entry

_FILES = ("-r", "-p", "--text", "--no-renames")
_DRIVERS = "".join(f'[diff "{name}"]\n\talgorithm = {name}\n' for name in ALGORITHMS)
_ATTRIBUTES = "".join(f"{name}/* diff={name}\n" for name in ALGORITHMS).encode()
"""What is in a folder is compared by the algorithm that the folder is named after."""
_FOLDERS = count(1)
_NOBODY = b"nobody <nobody@localhost> 0 +0000"
_ALL_IN_ONE_FILE = ("-c", "fastimport.unpackLimit=1", "-c", "core.compression=0")
"""A file for each of some hundred texts takes ten times as long."""


def compare(
    git: Git, comparisons: Sequence[Comparison], *, by_paths: bool, patience: float = PATIENCE_SECONDS
) -> dict[Comparison, Alignment]:
    """Answer all comparisons, with one process that stores their texts and one for each algorithm, or for all of them.

    ``by_paths``: git takes algorithms from attributes; see ``Place.algorithms_by_path``. ``patience`` is in seconds.
    """
    if not comparisons:
        return {}
    apart = _apart(git)
    with FastImport(apart, _ALL_IN_ONE_FILE) as fast_import:
        sides = [_commit(fast_import, texts) for texts in _sides(comparisons)]
        folders = [_in_folders(fast_import, side) for side in sides] if by_paths else None
    answers = _by_path(apart, folders, patience) if folders else None
    scripts = read_numbered(answers or by_each(apart, ALGORITHMS, _FILES, sides, import_ahead, patience))
    return {c: alignment(c, _only(scripts, number)) for number, c in enumerate(comparisons)}


def _apart(git: Git) -> Git:
    """A git directory for the texts alone."""
    path = git.sealed / f"texts-{next(_FOLDERS)}"
    path.mkdir()
    bare_directory(path, _DRIVERS)
    (path / "info").mkdir()
    (path / "info/attributes").write_bytes(_ATTRIBUTES)
    return git._replace(sealed=path, objects=path / "objects")


def _sides(comparisons: Sequence[Comparison]) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The old and the new texts, by names of our own."""
    old, new = dict[str, bytes](), dict[str, bytes]()
    for number, comparison in enumerate(comparisons):
        for name, (before, after) in numbered(comparison).items():
            old[f"{number}{name}"], new[f"{number}{name}"] = before, after
    return old, new


def _commit(fast_import: FastImport, texts: Mapping[str, bytes]) -> str:
    files = {name.encode(): Entry("100644", name) for name in texts}
    return fast_import.commit(None, b"", files, texts, author=_NOBODY, committer=_NOBODY)


def _in_folders(fast_import: FastImport, commit: str) -> str:
    """The same texts once more in a folder for each algorithm."""
    (tree,) = fast_import.entries(commit, [b""]).values()
    folders = {name.encode(): tree for name in ALGORITHMS}
    return fast_import.commit(None, b"", folders, {}, author=_NOBODY, committer=_NOBODY)


def _by_path(git: Git, sides: Sequence[str], patience: float) -> dict[str, bytes] | None:
    """What each algorithm says, from one process: the folders are gone from the names of the files."""
    said = by_path(git, _FILES, sides, import_ahead, patience)
    if said is None:
        return None
    answers = dict[str, bytes]()
    for name in reversed(ALGORITHMS):  # git goes through the folders by name, and so are the algorithms in order
        folder = b"/%s/" % name.encode()
        said, first, rest = said.partition(b"diff --git a" + folder)
        answers[name] = (first + rest).replace(folder, b"/")
    return {name: answers[name] for name in ALGORITHMS}


def _only(scripts: Mapping[str, Mapping[str, Script]], number: int) -> dict[str, dict[str, Script]]:
    """The scripts of one comparison, by its plain file names."""
    return {
        algorithm: {name: found[f"{number}{name}"] for name in "frcn" if f"{number}{name}" in found}
        for algorithm, found in scripts.items()
    }
