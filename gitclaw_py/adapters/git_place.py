"""Where a repository is, as git finds it.

Little is imported here, so that git can look while everything else is loaded.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gitclaw_py.adapters.git_process import GitError, Running, person_environment, started
from gitclaw_py.errors import InternalError, UsageError

if TYPE_CHECKING:
    from gitclaw_py.adapters.git_export import Export

_SINCE_2_31, _SINCE_2_44 = "--path-format=absolute", "--show-ref-format"
"""What git does not know it says once more, so these tell how old it is without another process.
https://git-scm.com/docs/git-rev-parse"""
_WHERE = (
    "rev-parse",
    _SINCE_2_31,
    "--git-dir",
    "--git-common-dir",
    "--is-bare-repository",
    "--is-inside-git-dir",
    "--show-object-format",
    _SINCE_2_44,
)
_PLAIN_BRANCH = re.compile(r"[A-Za-z0-9_/-]+")
"""Names that rev-parse can only read as names: no range, path or step in the history."""


class Place(NamedTuple):
    """A repository with its current commit; ``branch`` is the one that was asked for, its ref and its commit.

    ``algorithms_by_path``: git is known to take diff algorithms from attributes, as it does since 2.40.
    """

    git_directory: Path
    common: Path
    bare: bool
    object_format: str
    top: Path
    oid: str
    ref: str
    branch: tuple[str, str] | None
    algorithms_by_path: bool = False

    @property
    def objects(self) -> Path:
        """Where its objects are."""
        return self.common / "objects"


class Search:
    """Git, at work on finding the repository that ``directory`` lies in.

    ``export`` is of the current commit, where one was begun as soon as that was known.
    """

    def __init__(self, directory: Path, environment: Mapping[str, str], branch: str | None, running: Running) -> None:
        self.directory = directory
        self.environment = environment
        self._branch = branch
        self._running = running
        self._place: Place | None = None
        self.export: Export | None = None

    def found(self) -> Place:
        """Wait for it, the first time.

        Raises:
            UsageError: ``NOT_A_REPOSITORY``: there is none, or it has no commit yet.
        """
        if self._place is None:
            self._place = self._found()
        return self._place

    def _found(self) -> Place:
        names = _names(self._branch)
        try:
            answer = self._running.finished()
        except GitError as error:
            if len(names) > 1:  # perhaps it is the branch that is not there
                return self._without_branch()
            raise _no_repository(self.directory, error.stderr) from error
        place = _read(answer, self.directory, has_branch=len(names) > 1)
        # A tag of such a name, and git would not say which of the two is meant.
        return self._without_branch() if place.branch and place.branch[0] != names[1] else place

    def _without_branch(self) -> Place:
        return search(self.directory, self.environment).found()


def search(directory: Path, environment: Mapping[str, str], branch: str | None = None) -> Search:
    """Begin to look for the repository that ``directory`` lies in, and for a ``branch`` that will be needed."""
    here = directory.absolute()
    names = _names(branch)
    words = [*_WHERE, *names, "--symbolic-full-name", *names, "--show-cdup"]
    return Search(here, environment, branch, started(words, here, person_environment(environment)))


def _names(branch: str | None) -> list[str]:
    return ["HEAD", branch_ref(branch)] if branch and _PLAIN_BRANCH.fullmatch(branch) else ["HEAD"]


def branch_ref(name: str) -> str:
    """The ref of a branch, by its short or its full name."""
    return f"refs/heads/{name.removeprefix('refs/heads/')}"


def _read(answer: bytes, directory: Path, *, has_branch: bool) -> Place:
    fields = answer.decode("utf-8", "surrogateescape").split("\n")
    if fields[0] == _SINCE_2_31:
        from gitclaw_py.core.diagnosis import INSTALL_GIT

        raise InternalError("INTERNAL", "git is too old", INSTALL_GIT)
    git_directory, common, bare, inside, object_format, refs, oid = fields[:7]
    names = 1 + has_branch
    found = (fields[9], fields[7]) if has_branch else None
    ref, up = fields[6 + names], fields[6 + 2 * names]  # the way to the top; a bare repository has none
    if bare == "false" and inside == "true":
        raise UsageError(
            "NOT_A_REPOSITORY", f"{directory} is inside a git directory", "go to the files of the repository"
        )
    top = Path(git_directory) if bare == "true" else Path(os.path.normpath(directory / up))
    by_path = refs != _SINCE_2_44
    return Place(Path(git_directory), Path(common), bare == "true", object_format, top, oid, ref, found, by_path)


def _no_repository(directory: Path, stderr: bytes) -> InternalError | UsageError:
    if b"unknown revision" in stderr or b"ambiguous argument 'HEAD'" in stderr:
        return UsageError(
            "NOT_A_REPOSITORY", "The repository has no commit yet", "make the first one: git add -A && git commit"
        )
    if b"dubious ownership" in stderr or b"unsafe repository" in stderr:
        return UsageError(
            "NOT_A_REPOSITORY",
            "git refuses this repository: it belongs to another user",
            f"if you trust it: git config --global --add safe.directory {directory}",
        )
    if b"not a git repository" in stderr:
        next_step = "go to one, or make one: git init"
        return UsageError("NOT_A_REPOSITORY", f"{directory} is in no git repository", next_step)
    said = stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
    return UsageError(
        "NOT_A_REPOSITORY", f"git cannot work in {directory}: {said}", "see to that; git status says more"
    )
