"""Every error a person may read, split by what they can do about it.

    GitclawError
    ├── UsageError             the command was not understood          exit 2
    ├── ConfigError            suggestions.json has to be mended       exit 3
    ├── RefusedError           a rule forbids it                       exit 4
    ├── AgentError             the agent failed or took too long       exit 5
    │   └── CancelledError     someone with the right to it stopped it
    ├── ConflictError          the repository moved; choose or rebase  exit 6
    ├── BudgetError            more was asked for than is allowed      exit 7
    └── InternalError          we are wrong; please report             exit 1

Each error says what happened and what to do next; ``code`` is stable and has one meaning.
"""

from __future__ import annotations


class GitclawError(Exception):
    """Something a person has to know.

    Args:
        code: stable, upper-case name of the kind of error.
        what: one sentence: what happened.
        next_step: one sentence: what to do about it.
        details: lines that belong to it, such as the last ones a program said.
        named: what of ``what`` are not our words, such as paths, in their order; a page shows them as code. Where all
            of ``next_step`` is not, it is among them.
    """

    exit_code = 1

    def __init__(
        self, code: str, what: str, next_step: str, details: tuple[str, ...] = (), *, named: tuple[str, ...] = ()
    ) -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.next_step = next_step
        self.details = details
        self.named = named


class UsageError(GitclawError):
    """The command names something that does not exist or cannot be read."""

    exit_code = 2


class ConfigError(GitclawError):
    """The configuration cannot be used as it is."""

    exit_code = 3


class RefusedError(GitclawError):
    """A rule of the repository forbids it."""

    exit_code = 4


class AgentError(GitclawError):
    """The agent did not do its work."""

    exit_code = 5


class CancelledError(AgentError):
    """The agent was stopped because ``by``, a login, said so in ``comment``.

    ``seconds`` is how long after it began, None before that.
    """

    def __init__(self, by: str, comment: int, seconds: float | None = None) -> None:
        super().__init__("CANCELLED", f"{by} cancelled the run", "run it again with /gitclaw retry")
        self.by = by
        self.comment = comment
        self.seconds = seconds


class ConflictError(GitclawError):
    """The repository is no longer what the proposal was made from."""

    exit_code = 6


class BudgetError(GitclawError):
    """More was asked for, or is used, than the configuration allows."""

    exit_code = 7


class InternalError(GitclawError):
    """gitclaw or the machine under it failed; nothing was written."""
