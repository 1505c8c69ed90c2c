"""What every handler works with."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gitclaw_py.ports import Checkout, Clock, Repository, Store


class Context(NamedTuple):
    """The ports of this invocation, and who is asking.

    ``checkout`` is None where no files are checked out; ``note`` tells the person something on the side.
    """

    repository: Repository
    checkout: Checkout | None
    store: Store
    clock: Clock
    actor: str
    note: Callable[[str], None]
