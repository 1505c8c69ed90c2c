"""The state of a thread on a ref of its own: ``state.json`` in the tree of a commit.

The ref's history is the audit log; its commits have the proposals among their parents, which keeps those alive.
The message of each commit repeats the document, so that a fetch without file contents brings it; it counts only
if its object id is the one in the tree.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from gitclaw_py.adapters.git_clone import GitClone
from gitclaw_py.adapters.git_document import kept
from gitclaw_py.adapters.git_session import ours
from gitclaw_py.core import seal, state_json
from gitclaw_py.core.policy import Rules
from gitclaw_py.core.refnames import state_ref
from gitclaw_py.core.secrets import OWN, Watch
from gitclaw_py.core.state import Decision, State, judged
from gitclaw_py.errors import ConfigError, RefusedError
from gitclaw_py.ports.engine import Clock
from gitclaw_py.ports.values import Move

_FILE = b"state.json"
_MOST_IN_MESSAGE = 200_000
"""Bytes of a document that is repeated; a larger one costs a request more to fetch."""
_MOST = 64 << 20
"""Bytes of a document that is read at all: what a forge keeps is not only ours to write."""


class Seals(NamedTuple):
    """With which keys states are sealed, and the id of the repository that they are of."""

    keys: seal.Keys | None
    repository: int


NOT_SEALED = Seals(None, 0)
_BLIND = Watch()


class GitStore:
    """See ``ports.Store``. What is saved here reaches the forge with the next push of its ref.

    With ``seals``, a document counts only if it was sealed by one of the keys, for this thread of this repository.
    Whoever can read the repository can read it, so that no secret that ``watch`` knows as ours gets into it.
    """

    def __init__(
        self, clone: GitClone, thread: int, log: Path, clock: Clock, seals: Seals = NOT_SEALED, watch: Watch = _BLIND
    ) -> None:
        self._watch = watch
        self._clone = clone
        self._thread = thread
        self._clock = clock
        self._seals = seals
        self.ref = state_ref(thread)
        self._known: State | None = None
        self._rules = Rules()
        self.log = log

    @property
    def rules(self) -> Rules:
        """What the repository says of paths."""
        return self._rules

    @rules.setter
    def rules(self, rules: Rules) -> None:
        self._rules = rules
        self._known = judged(self._known, rules) if self._known else None

    def prepare(self) -> None:
        """Nothing to do: the log's folder is there."""

    @contextmanager
    def lock(self) -> Iterator[bool]:
        """Nobody else works on this clone; others are kept off by the lease of the push."""
        yield False

    def load(self) -> State:
        """The state as it is in the clone; an empty one for a new thread.

        Raises:
            ConfigError: ``CONFIG_INVALID``: it cannot be read.
        """
        if self._known is None:
            data = self._document()
            self._known = judged(self._read(data), self._rules) if data else State(str(self._thread))
        return self._known

    def _read(self, data: bytes) -> State:
        found = state_json.load(seal.opened(data, self._place, self._seals.keys), _MOST)
        if found.thread != str(self._thread):
            what = f"The state at {self.ref} is of the thread {found.thread[:50]}"
            raise ConfigError("CONFIG_INVALID", what, "move the ref back to a commit that gitclaw made, or delete it")
        return found

    @property
    def _place(self) -> str:
        return f"{self._seals.repository} {self.ref}"

    def forget(self) -> None:
        """Read it anew next time: the ref was fetched again."""
        self._known = None

    def _document(self) -> bytes | None:
        found = kept(self._clone, self.ref, _FILE)
        if found is None or found.is_repeated:
            return found.repeated if found else None
        if found.blob is None:
            what = f"The state of this thread, {self.ref}, has no {_FILE.decode()}"
            raise ConfigError("CONFIG_INVALID", what, "move the ref back to a commit that has one, or delete it")
        self._clone.bring([found.blob])
        return self._clone.blob(found.blob)

    def save(self, state: State) -> None:
        """One more commit on the ref, on top of the last one and of the proposals that are new.

        Raises:
            RefusedError: ``SECRET_FOUND``: a secret of ours would be in it.
        """
        before = self.load()
        plain = state_json.dump(state)
        if self._watch.own(plain):
            what = f"What would be remembered of this thread holds a {OWN}"
            raise RefusedError("SECRET_FOUND", what, "say it without, and change the secret: it was written somewhere")
        data = seal.sealed(plain, self._place, self._seals.keys)
        repeated = data if len(data) <= _MOST_IN_MESSAGE else b""
        added = state.proposals[len(before.proposals) :]
        new = [oid for p in added for oid in (p.commit, p.apart) if oid]
        message = b"%s\n\n%s" % (os.fsencode(_summary(before, state)), repeated)
        self._clone.write(self.ref, ours(self._clock()), message, {_FILE: data}, new)
        self._known = judged(state, self._rules)

    def announce(self, decision: Decision, move: Move | None) -> None:
        """Not needed: branch and state reach the forge in one push, or neither does."""

    def announced(self) -> tuple[Decision, Move | None] | None:
        """Nothing ever is."""
        return None

    def withdraw(self) -> None:
        """Nothing was announced."""


def _summary(before: State, after: State) -> str:
    """One line for the log."""
    if len(after.decisions) > len(before.decisions):
        last = after.decisions[-1]
        return f"{last.verb} {', '.join(last.parts[:20])} by {last.actor}"
    if len(after.proposals) > len(before.proposals):
        return f"proposal {after.proposals[-1].number}"
    return "answered"
