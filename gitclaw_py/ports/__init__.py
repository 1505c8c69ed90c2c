"""What the handlers need from the world, one protocol each; adapters make them real."""

from gitclaw_py.ports.engine import (
    Agent,
    Checkout,
    Clock,
    Head,
    Move,
    Ran,
    Repository,
    Seen,
    Session,
    Store,
    TreeChange,
    Workspace,
    Workspaces,
)
from gitclaw_py.ports.forge import Committed, Declined, Entries, Forge, Remote, ThreadStore

__all__ = [
    "Agent",
    "Checkout",
    "Clock",
    "Committed",
    "Declined",
    "Entries",
    "Forge",
    "Head",
    "Move",
    "Ran",
    "Remote",
    "Repository",
    "Seen",
    "Session",
    "Store",
    "ThreadStore",
    "TreeChange",
    "Workspace",
    "Workspaces",
]
