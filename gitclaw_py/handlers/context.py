"""What a handler of decisions works with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from gitclaw_py.core.secrets import Watch

if TYPE_CHECKING:
    # Only named here: a command in a terminal needs none of the protocols.
    from gitclaw_py.ports.engine import Checkout, Clock, Repository, Store


class Context(NamedTuple):
    """The ports of this invocation, and who is asking.

    ``checkout`` is None where no files are checked out; ``note`` tells the person something on the side; ``watch``
    looks for secrets.
    """

    repository: Repository
    checkout: Checkout | None
    store: Store
    clock: Clock
    actor: str
    note: Callable[[str], None]
    watch: Watch = Watch()
