"""What git and the forge behind it answer to a fetch or a push, as errors for people."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitclaw_py.adapters.git_process import GitError
from gitclaw_py.errors import ConflictError, InternalError, RefusedError
from gitclaw_py.ports.values import Move

# What a server says when a rule, not a race, is in the way.
# https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches
_RULES = ("protected branch", "GH006", "GH013", "pre-receive hook declined", "hook declined")
# https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps#repository-permissions-for-workflows
_WORKFLOW = re.compile(r"refusing to allow .* workflow .* without `?workflows?`? (?:permission|scope)")
_DENIED = ("Permission to", "The requested URL returned error: 403", "Write access to repository not granted")
_STALE = (
    "stale info",
    "fetch first",
    "non-fast-forward",
    "cannot lock ref",
    "failed to update ref",
    "atomic push failed",
)


def unreachable(error: GitError) -> InternalError:
    """The error of a fetch that failed."""
    said = error.stderr.decode("utf-8", "replace").strip().split("\n")
    return InternalError(
        "FORGE_UNAVAILABLE", "The repository could not be fetched", "try again in a minute", tuple(said[-3:])
    )


def check_moved(answer: bytes, moves: Sequence[Move]) -> None:
    """See that it was this push that moved every ref.

    A ref that is there already is none of ours: someone made the same commit in the same second, and answers for it.
    https://git-scm.com/docs/git-push#_output

    Raises:
        ConflictError: ``STATE_CONFLICT``.
        InternalError: ``INTERNAL``: git does not say so.
    """
    lines = (line.split("\t") for line in answer.decode("utf-8", "replace").split("\n") if "\t" in line)
    flags = {line[1].partition(":")[2]: line[0] for line in lines}
    if "=" in flags.values():
        raise ConflictError("STATE_CONFLICT", "Someone else made the same change meanwhile", "see what is there now")
    if not flags.keys() >= {move.ref for move in moves}:
        what = "git did not report every ref as moved"
        raise InternalError("INTERNAL", what, "look at the branch before you go on")


def refused(error: GitError) -> ConflictError | RefusedError | InternalError:
    """The error of a push that failed, by what git and the forge said."""
    said = (error.stderr + b"\n" + error.stdout).decode("utf-8", "replace")
    lines = [line.strip() for line in said.split("\n") if line.strip() and not line.startswith(("To ", "Done"))]
    told = [line for line in lines if line.startswith(("remote:", "!")) or "rejected" in line]
    details = tuple((told or lines)[-6:])
    if _WORKFLOW.search(said):
        next_step = "ask for it without that file, or run gitclaw with the token of an app that has workflows: write"
        return RefusedError("PERMISSION_DENIED", "The token may not change workflows", next_step, details)
    if any(text in said for text in _RULES):
        what = "A rule of the repository refuses this push"
        return RefusedError("BRANCH_PROTECTED", what, "ask for a pull request instead", details)
    if any(text in said for text in _DENIED):
        return RefusedError("PERMISSION_DENIED", "The token may not push here", "give the job contents: write", details)
    if any(text in said for text in _STALE):
        what = "The branch or the thread moved meanwhile"
        return ConflictError("STATE_CONFLICT", what, "give the command again", details)
    return InternalError("FORGE_UNAVAILABLE", "The push did not go through", "try again in a minute", details)
