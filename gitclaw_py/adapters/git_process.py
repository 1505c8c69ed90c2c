"""The one door to the git command: bytes in, bytes out, deaf to everything that could change its answers.

Two kinds of call. ``Git.plumbing`` runs on a git directory of our own that borrows the repository's
objects: no configuration, hook, filter or attribute of anyone applies. ``Git.user`` runs in the person's
repository with their configuration, where filters and identity have to count.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gitclaw_py.errors import InternalError

_QUIET = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
}
_SEALED = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "HOME": "/nonexistent",
    "XDG_CONFIG_HOME": "/nonexistent",
    # Up to 32 MiB that are free stay with git. The C library would hand what one blob took back, and ask for it again
    # for the next: a third of fast-import's time. https://man7.org/linux/man-pages/man3/mallopt.3.html
    "MALLOC_TRIM_THRESHOLD_": "33554432",
    "MALLOC_MMAP_THRESHOLD_": "33554432",
}
_PASSED = (
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "TMPDIR",
    "TMP",
    "TEMP",
    "SYSTEMROOT",
    "SSH_AUTH_SOCK",
    "GNUPGHOME",
    "GPG_TTY",
)
_IDENTITY = (
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_DATE",
    "EMAIL",
)
_CONFIGURED = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
# A person's own hooks must not run on our plumbing (post-index-change would), nor their file watcher.
# https://git-scm.com/docs/githooks
# An index that leaves folders out is written wrongly by update-index --index-info of git 2.39: whole ones only.
_NO_HOOKS = (
    "-c",
    "index.sparse=false",
    "-c",
    f"core.hooksPath={os.devnull}",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "advice.addEmbeddedRepo=false",
)


class GitError(InternalError):
    """A git command ended with an error."""

    def __init__(self, arguments: Sequence[str], code: int, stderr: bytes, stdout: bytes = b"") -> None:
        said = stderr.decode("utf-8", "replace").strip()
        super().__init__(
            "INTERNAL",
            f"git {' '.join(arguments[:2])} failed with {code}: {said or 'it said nothing'}",
            "nothing was changed; see to what git complains about, then give the command again",
        )
        self.stderr = stderr
        self.stdout = stdout


class Git(NamedTuple):
    """How to run git for one repository.

    ``environment`` is the caller's; of it only the search path, the home, the identity and the choice of
    configuration files are passed on, and the latter two only to ``user``.
    """

    environment: Mapping[str, str]
    directory: Path
    git_directory: Path
    objects: Path
    sealed: Path

    def user(
        self,
        *arguments: str,
        stdin: bytes = b"",
        index: Path | None = None,
        worktree: Path | None = None,
        ok: tuple[int, ...] = (0,),
    ) -> bytes:
        """Run git in the person's repository, at its top, with their configuration but without hooks."""
        instead = {"GIT_INDEX_FILE": index, "GIT_WORK_TREE": worktree}
        extra = {name: str(path) for name, path in instead.items() if path}
        return run(arguments, self.directory, self.user_environment() | extra, stdin=stdin, ok=ok)

    def plumbing(self, *arguments: str, stdin: bytes = b"", ok: tuple[int, ...] = (0,)) -> bytes:
        """Run git on the repository's objects with nobody's configuration."""
        return run(arguments, self.sealed, self.plumbing_environment(), stdin=stdin, ok=ok)

    def user_environment(self) -> dict[str, str]:
        """The environment ``user`` runs in."""
        places = {"GIT_DIR": str(self.git_directory)}
        if self.directory != self.git_directory:
            places["GIT_WORK_TREE"] = str(self.directory)
        return person_environment(self.environment) | places

    def plumbing_environment(self) -> dict[str, str]:
        """The environment ``plumbing`` runs in."""
        return plumbing_environment(self.environment, self.sealed, self.objects)


def person_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which git has the person's configuration and identity, and looks for the repository."""
    chosen = {k: environment[k] for k in (*_PASSED, *_IDENTITY, *_CONFIGURED) if k in environment}
    return {**chosen, **_QUIET}


def plumbing_environment(environment: Mapping[str, str], sealed: Path, objects: Path) -> dict[str, str]:
    """An environment in which git works in a git directory of our own, on the objects of a repository."""
    return {**sealed_environment(environment), "GIT_DIR": str(sealed), "GIT_OBJECT_DIRECTORY": str(objects)}


def sealed_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which git knows no configuration but the repository's."""
    chosen = {k: environment[k] for k in _PASSED if k in environment}
    return {**chosen, **_QUIET, **_SEALED}


def run(
    arguments: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    *,
    stdin: bytes = b"",
    ok: tuple[int, ...] = (0,),
) -> bytes:
    """The standard output of one git command.

    Raises:
        GitError: it ended with a code that is not in ``ok``.
    """
    return started(arguments, directory, environment).finished(stdin, ok)


class Running(NamedTuple):
    """A git command that was begun, and is told apart from others by its ``arguments``."""

    arguments: tuple[str, ...]
    process: subprocess.Popen[bytes]

    def finished(self, stdin: bytes = b"", ok: tuple[int, ...] = (0,)) -> bytes:
        """Its standard output, once it has ended.

        Raises:
            GitError: it ended with a code that is not in ``ok``.
        """
        with self.process:
            try:
                stdout, stderr = self.process.communicate(stdin)
            except:
                self.process.kill()
                raise
        if self.process.returncode not in ok:
            raise GitError(self.arguments, self.process.returncode, stderr, stdout)
        return stdout

    def ended(self) -> None:
        """End it now; git removes what it has begun to write."""
        with self.process:
            self.process.terminate()
            self.process.communicate()


def started(arguments: Sequence[str], directory: Path, environment: Mapping[str, str]) -> Running:
    """Begin one git command.

    Raises:
        InternalError: there is no git.
    """
    pipe = subprocess.PIPE
    command = ["git", *_NO_HOOKS, *arguments]
    try:
        process = subprocess.Popen(command, cwd=directory, env=dict(environment), stdin=pipe, stdout=pipe, stderr=pipe)
    except FileNotFoundError as error:
        from gitclaw_py.core.diagnosis import INSTALL_GIT

        raise InternalError("INTERNAL", "git is not installed, or not on the search path", INSTALL_GIT) from error
    return Running(tuple(arguments), process)


def quoted(path: bytes) -> bytes:
    """A path as git reads it from a line, whatever bytes it holds."""
    return b'"' + path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'
