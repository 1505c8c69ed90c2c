"""A git directory of our own, connected to the forge whose commits it fetches.

Little is imported here, so that git can begin before everything else is loaded.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from gitclaw_py.adapters.git_directories import bare_directory
from gitclaw_py.adapters.git_process import GitError, Running, sealed_environment, started

_NEVER_PACKED = "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
"""Git leaves each ref in a file of its own then, where it is read."""


class GitConnection:
    """``directory`` is an empty folder, which becomes a bare git directory; ``url`` is where the forge has the other.

    The token goes to git in its environment, never into arguments or files. ``sealed`` is the
    environment without it and without anyone's configuration.
    """

    def __init__(self, url: str, token: str | None, directory: Path, environment: Mapping[str, str]) -> None:
        self.url = url
        self.directory = directory
        self.environment = environment
        self.sealed = sealed_environment(environment)
        self.network = {**self.sealed, **_credentials(token)}
        self._begun: Running | None = None
        bare_directory(directory, _NEVER_PACKED)

    def git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """The standard output of a git command in the directory, which can reach the forge.

        Raises:
            GitError: it failed.
        """
        return self._started(arguments).finished(stdin)

    def begin(self, refs: Iterable[str]) -> None:
        """Begin to fetch what the first call of ``fetch`` will surely ask for."""
        self._begun = self._started(self._fetching(as_there(refs)))

    def fetch(self, wanted: Sequence[str] = (), stdin: bytes = b"", *, whole: bool = False) -> None:
        """Bring what is ``wanted``, or what ``stdin`` lists; files only by their ids, or with ``whole``.

        Raises:
            GitError: something is not there, or the forge cannot be reached.
        """
        arguments = self._fetching(wanted, whole=whole, by_stdin=bool(stdin))
        begun, self._begun = self._begun, None
        if begun and begun.arguments != arguments:
            # Ended early, git can leave the lock of a file behind that the next command needs.
            with suppress(GitError):
                begun.finished()
            begun = None
        (begun or self._started(arguments)).finished(stdin)

    def push(self, how: Sequence[str], targets: Sequence[str], *, negotiates: bool = False) -> bytes:
        """What git says of having moved refs on the forge; with ``negotiates`` it asks first what is there.

        Raises:
            GitError: they were not moved.
        """
        negotiate = f"push.negotiate={'true' if negotiates else 'false'}"
        # Over HTTP git makes deltas against what the forge has, whatever it is told; we do not have that.
        return self.git("-c", negotiate, "-c", "pack.window=0", "push", "--no-verify", *how, self.url, *targets)

    def close(self) -> None:
        """End what was begun and nobody waits for."""
        if self._begun:
            self._begun.ended()

    def _fetching(self, wanted: Sequence[str], *, whole: bool = False, by_stdin: bool = False) -> tuple[str, ...]:
        """The words of the command. https://git-scm.com/docs/git-fetch."""
        how = ["--quiet", "--no-tags", "--no-write-fetch-head", "--force", "--update-head-ok"]
        how += ["--stdin"] if by_stdin else ["--depth=1"]
        how += [] if whole else ["--filter=blob:none"]
        return ("-c", "fetch.negotiationAlgorithm=noop", "fetch", *how, self.url, *wanted)

    def _started(self, arguments: Sequence[str]) -> Running:
        return started(arguments, self.directory, {**self.network, "GIT_DIR": str(self.directory)})


def as_there(refs: Iterable[str]) -> list[str]:
    """Refs to be fetched, under the names that they have on the forge."""
    return [f"+{ref}:{ref}" for ref in refs]


def _credentials(token: str | None) -> dict[str, str]:
    """As actions/checkout does it: https://github.com/actions/checkout/blob/main/src/git-auth-helper.ts."""
    if token is None:
        return {}
    basic = b64encode(f"x-access-token:{token}".encode()).decode()
    return {
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "http.extraHeader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Basic {basic}",
        # The header goes wherever git goes. https://git-scm.com/docs/git-config#Documentation/git-config.txt-httpfollowRedirects
        "GIT_CONFIG_KEY_1": "http.followRedirects",
        "GIT_CONFIG_VALUE_1": "false",
    }
