"""All that the hub knows, behind one lock, and the events that leave it."""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from gitclaw_py.core.thread import Account
from gitclaw_py.hub.accounts import Accounts, Token
from gitclaw_py.hub.bare import BareRepository
from gitclaw_py.hub.calls import Json
from gitclaw_py.hub.documents import Links
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.threads import Ids, Threads
from gitclaw_py.hub.times import Times

Deliver = Callable[[str, Json], None]


class Doer(NamedTuple):
    """Who does something; what a ``quiet`` one does starts no workflow."""

    account: Account
    is_quiet: bool = False

    @classmethod
    def of(cls, token: Token) -> "Doer":
        """The one who holds a token."""
        return cls(token.account, token.starts_nothing)


class World:
    """The hub's memory. Change it only inside ``deed``; events go out when the outermost deed is done."""

    def __init__(self, folder: Path, times: Times, deliver: Deliver | None) -> None:
        self.folder = folder
        self.times = times
        self.accounts = Accounts()
        self.ids = Ids()
        self.links = Links("")
        self.deliver = deliver
        self.run_log: Callable[[int], str | None] = lambda _: None
        self._repositories: dict[str, Repository] = {}
        self._lock = threading.RLock()
        self._depth = 0
        self._outbox: deque[tuple[str, Json]] = deque()

    @contextmanager
    def deed(self) -> Iterator[None]:
        """Alone with the world. The events of it are delivered after it, outside the lock."""
        with self._lock:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                outermost = not self._depth
        if outermost:
            self._flush()

    def emit(self, event: str, payload: Json) -> None:
        """Have an event delivered."""
        self._outbox.append((event, payload))

    def repository(self, name: str) -> Repository | None:
        """The repository of that name, in any case."""
        return self._repositories.get(name.lower())

    def repositories(self) -> Mapping[str, Repository]:
        """All repositories by name."""
        return dict(self._repositories)

    def found(self, name: str, owner: Account) -> Repository:
        """A new, empty repository."""
        git = BareRepository(self.folder / f"{name}.git")
        git.create("main")
        threads = Threads(self.ids, self.times.now)
        repository = Repository(next(self.ids.repositories), name, owner, git, threads)
        repository.created_at = self.times.now()
        self._repositories[name.lower()] = repository
        return repository

    def _flush(self) -> None:
        while self._outbox:
            try:
                event, payload = self._outbox.popleft()
            except IndexError:  # another thread was faster
                return
            if self.deliver is not None:
                self.deliver(event, payload)
