"""Changes of workflows, which the token of Actions may push on no ref: on a commit beside the proposal's.

GitHub refuses a push with a commit that changes ``.github/workflows``. So the proposal's commit does without those
changes, and another one, on top of nothing, has the files as they were and as they should be, in two folders of its
own. https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps
"""

from collections.abc import Sequence
from typing import NamedTuple

from gitclaw_py.core.diffs import Entry, FileDiff
from gitclaw_py.core.policy import is_of_workflows
from gitclaw_py.core.suggestions import Suggestion
from gitclaw_py.handlers.context import Context
from gitclaw_py.ports.engine import Session
from gitclaw_py.ports.values import TreeChange

_EMPTY = Entry("100644", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")
"""Keeps a folder in the tree where a change leaves nothing in it. It is written with the commit."""


class Parted(NamedTuple):
    """The commit of what can be pushed as it is, and the one of what cannot, where there is such a change."""

    commit: str
    apart: str | None = None


def parted(
    context: Context, session: Session, made: tuple[str, str], message: str, found: Sequence[Suggestion]
) -> Parted:
    """Of a commit and the one it was ``made`` on, what a token without a permission for workflows may push."""
    start, commit = made
    diffs = context.repository.diff(start, commit)
    rest = _writes([diff for diff in diffs if not is_shut(diff)])
    pushable = session.record(start, message, TreeChange(rest, {}), context.clock())
    return Parted(pushable, _beside(context, session, message, [s for s in found if is_shut(s) and not s.secret]))


def is_shut(change: FileDiff | Suggestion) -> bool:
    """Whether such a token may not push it."""
    return is_of_workflows(change.path, change.old_path)


def _writes(diffs: Sequence[FileDiff]) -> dict[bytes, Entry | None]:
    gone: dict[bytes, Entry | None] = {diff.old_path: None for diff in diffs if diff.old}
    return gone | {diff.path: diff.new for diff in diffs if diff.new}


def _beside(context: Context, session: Session, message: str, changes: Sequence[Suggestion]) -> str | None:
    if not changes:
        return None
    files: dict[bytes, Entry | None] = {b"before/.gitkeep": _EMPTY, b"after/.gitkeep": _EMPTY}
    files |= {b"before/" + s.old_path: s.old for s in changes if s.old}
    files |= {b"after/" + s.path: s.new for s in changes if s.new}
    return session.record(None, message, TreeChange(files, {_EMPTY.oid: b""}), context.clock())
