"""What a partial clone has left with the one it was made from, brought in one batch.

Git does so itself where it misses an object, one by one; where nobody's configuration applies, it does not.
https://git-scm.com/docs/partial-clone
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gitclaw_py.adapters.git_process import Git, GitError
from gitclaw_py.errors import UsageError

LIST = ("ls-tree", "-r", "-z", "--full-tree")
CHECK = ("cat-file", "--batch-check=%(objectname)")
_FETCH = ("fetch", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no", "--filter=blob:none", "--stdin")


def bring(git: Git, variables: Mapping[str, str], commit: str) -> bool:
    """Bring the files of a commit that are not here; whether there were any.

    ``variables`` are what ``git var -l`` says.

    Raises:
        UsageError: ``NOT_A_REPOSITORY``: they could not be brought.
    """
    remote = next((key.split(".", 1)[1] for key in variables if key.endswith(".promisor")), "").rpartition(".")[0]
    lacks = _missing(git, commit) if remote else []
    if not lacks:
        return False
    try:
        git.user("-c", "fetch.negotiationAlgorithm=noop", *_FETCH, remote, stdin=lines(lacks))
    except GitError as error:
        said = error.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        what = f"This is a partial clone, and {len(lacks)} files of its commit could not be brought: {said}"
        raise UsageError("NOT_A_REPOSITORY", what, f"see that git fetch {remote} works, then try again") from error
    return True


def _missing(git: Git, commit: str) -> list[str]:
    """Folders are read as the person's git does, which brings them, too."""
    blobs = blobs_listed(git.user(*LIST, commit))
    return missing(git.plumbing(*CHECK, stdin=lines(sorted(blobs))))


def lines(oids: Iterable[str]) -> bytes:
    """Object ids as git reads them, each in a line."""
    return "".join(f"{oid}\n" for oid in oids).encode()


def blobs_listed(answer: bytes) -> set[str]:
    """The blobs in what ``LIST`` says of a commit."""
    metas = (line.partition(b"\t")[0].decode().split(" ") for line in answer.split(b"\0")[:-1])
    return {oid for _, kind, oid in metas if kind == "blob"}


def missing(answer: bytes) -> list[str]:
    """The objects that are not here, in what ``CHECK`` says where nothing is brought to answer it."""
    return [line.split(" ")[0] for line in answer.decode().split("\n") if line.endswith(" missing")]
