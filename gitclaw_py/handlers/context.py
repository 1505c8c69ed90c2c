"""What a handler of decisions works with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Only named here: a command in a terminal needs none of the protocols.
    from gitclaw_py.ports.engine import Checkout, Clock, Repository, Store


class Context:
    """The ports of this invocation, and who is asking.

    ``checkout`` is None where no files are checked out; ``note`` tells the person something on the side.
    """

    __slots__ = ("actor", "checkout", "clock", "note", "repository", "store")

    def __init__(
        self,
        repository: Repository,
        checkout: Checkout | None,
        store: Store,
        clock: Clock,
        actor: str,
        note: Callable[[str], None],
    ) -> None:
        self.repository = repository
        self.checkout = checkout
        self.store = store
        self.clock = clock
        self.actor = actor
        self.note = note

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep others from changing the state; what one of them did while it was waited for is seen."""
        with self.store.lock() as waited:
            if waited:
                self.repository.look_again()
            yield

    def keeping(self, store: Store) -> Context:
        """The same, with the state in another place."""
        return Context(self.repository, self.checkout, store, self.clock, self.actor, self.note)
