"""The runs of the last day on a ref that all threads of the repository share."""

from __future__ import annotations

from collections.abc import Sequence

from gitclaw_py.adapters.git_clone import GitClone
from gitclaw_py.adapters.git_document import kept
from gitclaw_py.adapters.git_session import ours
from gitclaw_py.adapters.git_store import NOT_SEALED, Seals
from gitclaw_py.core import budget, seal
from gitclaw_py.core.budget import Spent
from gitclaw_py.errors import ConfigError
from gitclaw_py.ports.engine import Clock

_FILE = b"budget.json"


class GitLedger:
    """See ``handlers.context.Ledger``. As with the state of a thread, the message repeats the document."""

    ref = "refs/gitclaw/budget"

    def __init__(self, clone: GitClone, clock: Clock, seals: Seals = NOT_SEALED) -> None:
        self._clone = clone
        self._clock = clock
        self._seals = seals

    def load(self) -> tuple[Spent, ...]:
        """The runs, as the ref has them here; none where there is no such ref.

        Raises:
            ConfigError: ``CONFIG_INVALID``: they cannot be read.
        """
        found = kept(self._clone, self.ref, _FILE)
        if found is None:
            return ()
        if not found.is_repeated:
            what = f"The count of runs at {self.ref} was not made by gitclaw"
            raise ConfigError("CONFIG_INVALID", what, "delete that ref; it begins anew")
        return budget.load(seal.opened(found.repeated, self._place, self._seals.keys))

    def save(self, runs: Sequence[Spent]) -> None:
        """Replace them here; the next push of the ref brings them to the forge."""
        data = seal.sealed(budget.dump(runs), self._place, self._seals.keys)
        self._clone.write(self.ref, ours(self._clock()), b"run\n\n" + data, {_FILE: data}, [])

    @property
    def _place(self) -> str:
        return f"{self._seals.repository} {self.ref}"
