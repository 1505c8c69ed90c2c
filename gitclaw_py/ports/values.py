"""What passes through the ports of the engine. A command in a terminal needs these, and none of the protocols."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gitclaw_py.core.applying import View
from gitclaw_py.core.diffs import Entry


class Head(NamedTuple):
    """Where the repository is: the full name of the ref that a commit moves, and the commit it is at."""

    ref: str
    oid: str

    @property
    def name(self) -> str:
        """The short name of the branch; ``HEAD`` when none is checked out."""
        return self.ref.removeprefix("refs/heads/")


class Move(NamedTuple):
    """One ref with its old and its new commit; it happens only if the ref still is at ``old``.

    ``begins_anew``: the new one need not hold the old one's history.
    """

    ref: str
    old: str
    new: str
    begins_anew: bool = False


class TreeChange(NamedTuple):
    """What an agent left in its workspace: the entries that may differ from the base, and the new blobs."""

    writes: Mapping[bytes, Entry | None]
    blobs: Mapping[str, bytes]
    warnings: tuple[str, ...] = ()


class Seen(NamedTuple):
    """The index (None when it has just what the commit has) and the working tree, as git would store it.

    ``hidden`` are tracked files that a sparse checkout keeps out of the working tree, ``marks`` those that
    git was told not to look at, by the option that tells it.
    """

    staged: View | None
    worktree: View
    hidden: frozenset[bytes]
    marks: Mapping[str, Sequence[bytes]]
