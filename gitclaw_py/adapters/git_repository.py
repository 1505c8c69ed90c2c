"""A git repository on this machine, through the git command: its objects and refs.

Nothing here reads an index or a working tree, so nothing costs more in a larger repository than git itself
needs for the folders that changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gitclaw_py.adapters.fast_import import FastImport
from gitclaw_py.adapters.git_algorithms import TEXT, by_each
from gitclaw_py.adapters.git_comparisons import compare
from gitclaw_py.adapters.git_directories import sealed_directory
from gitclaw_py.adapters.git_place import Place, Search, branch_ref, search
from gitclaw_py.adapters.git_process import Git, GitError, Running, started
from gitclaw_py.adapters.git_session import GitSession, ours
from gitclaw_py.adapters.obstacles import lock_in
from gitclaw_py.core.alignment import Alignment, Comparison
from gitclaw_py.core.diffs import FileDiff, read_diff
from gitclaw_py.errors import ConflictError, UsageError
from gitclaw_py.ports.values import Head, Move

if TYPE_CHECKING:
    from gitclaw_py.core.review.pull_diff import PullFile

# Every setting that could change a byte of the answer is named. https://git-scm.com/docs/git-diff-tree
_TREES = (
    "-r",
    "-z",
    "--raw",
    "--no-abbrev",
    "--full-index",
    "-p",
    "--find-renames=50%",
    "-l1000",
    "--ignore-submodules=none",
    "--no-relative",
    f"-O{os.devnull}",
)
_KEPT = "refs/gitclaw/proposals/"


class GitRepository:
    """See ``ports.Repository``. Use ``opened``."""

    def __init__(self, git: Git, place: Place) -> None:
        self.git = git
        self.place = place
        self.directory = place.top
        self.object_format = place.object_format
        self._head = Head(place.ref, place.oid)
        self._asked: Running | None = None
        self._branch = Head(*place.branch) if place.branch else None

    def head(self) -> Head:
        """Where it was when it was opened, or last looked at."""
        return self._head

    def look_again(self) -> None:
        """Look where everything is now: others have worked here since it was opened."""
        place = search(self.directory, self.git.environment).found()
        self._head, self._branch = Head(place.ref, place.oid), None

    def branch(self, name: str) -> Head:
        """Where the branch of that short name is.

        Raises:
            UsageError: ``UNKNOWN_REF``: there is none; ``BRANCH_IN_USE``: another worktree has it checked out.
        """
        ref = branch_ref(name)
        # Without a second worktree nobody else can have it checked out, and its place was asked for at the beginning.
        if self._branch and self._branch.ref == ref and not (self.place.common / "worktrees").exists():
            return self._branch
        answer = self.git.user("for-each-ref", "--format=%(refname)%00%(objectname)%00%(worktreepath)", ref)
        for line in answer.decode("utf-8", "surrogateescape").split("\n")[:-1]:
            found, oid, place = line.split("\0")
            if found == ref and place and not self.place.bare and Path(place) != self.directory:
                raise UsageError("BRANCH_IN_USE", f"{name} is checked out in {place}", "give the command there")
            if found == ref:
                return Head(ref, oid)
        raise UsageError("UNKNOWN_REF", f"There is no branch {name}", "git branch lists the branches")

    @contextmanager
    def open(self, commit: str, *, commits: bool = False) -> Iterator[GitSession]:
        """Read the tree of ``commit``, and write on top of it; who ``commits`` is looked up meanwhile."""
        if commits and "variables" not in self.__dict__:
            self._asked = self._ask()
        try:
            with FastImport(self.git) as fast_import:
                yield GitSession(self.git, self.object_format, self.identities, fast_import, commit)
        finally:
            if self._asked:
                self._asked.ended()
                self._asked = None

    def diff(self, old: str, new: str) -> list[FileDiff]:
        """The changes between two commits or trees, each file by the algorithm that needs the fewest lines.

        Histogram alone explains edits in files of repeated lines badly, myers alone splits blocks oddly:
        the shorter script of the two is what a person did, histogram's where both are equally short.
        """
        answers = by_each(self.git, ("histogram", "myers"), _TREES, [old, new])
        if len(set(answers.values())) == 1:
            return read_diff(answers["myers"])
        return [min(same, key=_changed) for same in zip(*map(read_diff, answers.values()), strict=True)]

    def pull_diff(self, base: str, head: str) -> list[PullFile]:
        """What a pull request of ``head`` into ``base`` shows: the changes since they parted, as git diffs by default.

        Raises:
            UsageError: ``UNKNOWN_REF``: the two commits have no history in common.
        """
        found = self.git.user("merge-base", base, head, ok=(0, 1)).split()
        if not found:
            what = f"{base} and {head} have no history in common"
            raise UsageError("UNKNOWN_REF", what, "fetch more of the history, or name another base")
        return self.shown(found[0].decode(), head)

    def shown(self, parted: str, head: str) -> list[PullFile]:
        """What a pull request of ``head`` shows that left its base at ``parted``."""
        from gitclaw_py.core.review.pull_diff import read_pull_diff

        context = ("-U3", "--diff-algorithm=myers")
        return read_pull_diff(self.git.plumbing("diff-tree", *_TREES, *TEXT, *context, parted, head))

    def compare(self, comparisons: Sequence[Comparison]) -> dict[Comparison, Alignment]:
        """Answer all comparisons with a few processes, however many there are."""
        return compare(self.git, comparisons, by_paths=self.place.algorithms_by_path)

    def keep(self, commit: str) -> None:
        """Keep a commit from being collected, under a ref that is named after it."""
        self.git.user("update-ref", _KEPT + commit, commit)

    def move(self, move: Move, message: str) -> None:
        """Compare and swap one ref.

        Raises:
            ConflictError: ``STATE_CONFLICT``: the ref is no longer where it was, or is locked.
        """
        line = b"update %s\0%s\0%s\0" % (os.fsencode(move.ref), move.new.encode(), move.old.encode())
        try:
            self.git.user("update-ref", "-z", "--create-reflog", "-m", message, "--stdin", stdin=line)
        except GitError as error:
            if lock := lock_in(error.stderr):
                raise lock from error
            if b"cannot lock ref" not in error.stderr:
                raise
            raise ConflictError(
                "STATE_CONFLICT",
                f"{move.ref.removeprefix('refs/heads/')} moved while this was prepared",
                "nothing was changed; give the command again",
            ) from error

    def contains(self, ref: str, commit: str) -> bool:
        """Whether ``commit`` is in the history of ``ref``; not, where one of the two is gone."""
        try:
            self.git.user("merge-base", "--is-ancestor", commit, ref)
        except GitError:
            return False
        return True

    @cached_property
    def variables(self) -> dict[str, str]:
        """What ``git var -l`` says: the person's configuration and identity."""
        asked, self._asked = self._asked or self._ask(), None
        lines = asked.finished().decode("utf-8", "surrogateescape").split("\n")
        # A name without a value is true. https://git-scm.com/docs/git-config#_syntax
        return dict((line if "=" in line else f"{line}=true").partition("=")[::2] for line in lines)

    def _ask(self) -> Running:
        return started(("var", "-l"), self.directory, self.git.user_environment())

    def identities(self) -> tuple[bytes, bytes]:
        """Author and committer, with the time, as git writes them into a commit.

        Raises:
            UsageError: ``UNKNOWN_AUTHOR``: git does not know who is working here.
        """
        found = [self.variables.get(f"GIT_{who}_IDENT", "") for who in ("AUTHOR", "COMMITTER")]
        # Where no address is configured, git makes one up out of the machine's name.
        if not all(found) or any(".(none)>" in who for who in found):
            raise UsageError(
                "UNKNOWN_AUTHOR",
                "git does not know who you are",
                'tell it: git config user.name "…" and user.email "…"',
            )
        author, committer = (who.encode("utf-8", "surrogateescape") for who in found)
        return author, committer

    def record_tree(self, tree: str, parent: str, message: str, at: int) -> str:
        """Write a commit of a whole tree, in our name; no ref moves. Returns its id."""
        data = b"tree %s\nparent %s\nauthor %s\ncommitter %s\n\n%s" % (
            tree.encode(),
            parent.encode(),
            ours(at),
            ours(at),
            os.fsencode(message),
        )
        return self.git.plumbing("hash-object", "-t", "commit", "-w", "--stdin", stdin=data).decode().strip()

    def signed(self, commit: str, parent: str, message: str) -> str:
        """The same commit with the person's signature, when their configuration asks for one."""
        if self.variables.get("commit.gpgsign", "").lower() not in ("true", "yes", "on", "1"):
            return commit
        tree = commit + "^{tree}"
        return self.git.user("commit-tree", "-S", "-p", parent, tree, stdin=os.fsencode(message)).decode().strip()


def _changed(diff: FileDiff) -> int:
    return sum(s.end - s.start + s.new_end - s.new_start for s in diff.spans)


@contextmanager
def opened(directory: Path, environment: Mapping[str, str], branch: str | None = None) -> Iterator[GitRepository]:
    """The repository that ``directory`` lies in; a ``branch`` that will be needed is looked up at once.

    Raises:
        UsageError: ``NOT_A_REPOSITORY``: there is none, or it has no commit yet.
    """
    with found(search(directory, environment, branch)) as repository:
        yield repository


@contextmanager
def found(searching: Search) -> Iterator[GitRepository]:
    """The repository that git was told to look for.

    Raises:
        UsageError: ``NOT_A_REPOSITORY``: there is none, or it has no commit yet.
    """
    with _at(searching.found(), searching.environment) as repository:
        yield repository


@contextmanager
def our_own(directory: Path, environment: Mapping[str, str], head: Head) -> Iterator[GitRepository]:
    """A bare git directory that ``bare_directory`` made, with ``head`` as its branch: git has nothing to find out."""
    place = Place(directory, directory, True, "sha1", directory, head.oid, head.ref, head)
    with _at(place, environment) as repository:
        yield repository


@contextmanager
def _at(place: Place, environment: Mapping[str, str]) -> Iterator[GitRepository]:
    with sealed_directory(place.object_format, environment) as sealed:
        yield GitRepository(Git(environment, place.top, place.git_directory, place.objects, sealed), place)
