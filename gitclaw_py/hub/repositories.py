"""A repository of the hub: who may what in it, its threads, and its git side."""

from __future__ import annotations

from pathlib import Path

from gitclaw_py.core.access import Level
from gitclaw_py.core.thread import Account
from gitclaw_py.hub.accounts import Token
from gitclaw_py.hub.bare import BareRepository
from gitclaw_py.hub.reviews import Reviews
from gitclaw_py.hub.threads import Threads


class Repository:
    """One repository, found by its name ``owner/name``.

    ``protected`` branches and those ``ruled`` by a ruleset are changed by pull requests only; the two differ in
    what is said. ``secrets`` are names, those that only jobs of an environment get are in ``environments``;
    ``workflow_states`` tells of workflows that are not active. ``verified`` are commits, ``seen`` the branches as they
    were when last looked at. ``checks`` are the
    conclusions of each commit's checks by name, None for one that runs; those that are ``required_checks`` have to
    pass before a merge, by one of the ``merge_methods``.
    """

    def __init__(self, identity: int, name: str, owner: Account, git: BareRepository, threads: Threads) -> None:
        self.id = identity
        self.name = name
        self.owner = owner
        self.git = git
        self.threads = threads
        self.reviews = Reviews(threads.ids, threads.now)
        self.created_at = ""
        self.default_branch = "main"
        self.is_private = False
        self.fork_of: str | None = None
        self.actions_may_open_pulls = True
        self.actions_are_on = True
        self.allowed_actions = "all"
        self.secrets: set[str] = set()
        self.environments: dict[str, set[str]] = {}
        self.workflow_states: dict[str, str] = {}
        self.roles: dict[int, Level] = {owner.id: Level.ADMIN}
        self.role_names: dict[int, str] = {}
        self.members: dict[int, Account] = {owner.id: owner}
        self.protected: set[str] = set()
        self.ruled: set[str] = set()
        self.seen: dict[str, str] = {}
        self.verified: set[str] = set()
        self.checks: dict[str, dict[str, str | None]] = {}
        self.required_checks: set[str] = set()
        self.merge_methods: set[str] = {"merge", "squash", "rebase"}

    @property
    def node_id(self) -> str:
        """Its name in GraphQL."""
        return f"R_{self.id}"

    @property
    def path(self) -> Path:
        """Where its git side lies."""
        return self.git.path

    def level(self, account: Account | None) -> Level:
        """What an account, or nobody in particular, may do here; everyone reads what is public."""
        least = Level.NONE if self.is_private else Level.READ
        return max(least, self.roles.get(account.id, Level.NONE)) if account else least

    def may_read(self, token: Token | None) -> bool:
        """Whether its existence may be known."""
        if not self.is_private:
            return True
        if token is None:
            return False
        if token.permissions is not None:
            return token.repository == self.name
        return self.level(token.account) >= Level.READ

    def may_push(self, token: Token | None) -> bool:
        """Whether refs may be moved."""
        if token is None:
            return False
        if token.permissions is not None:
            return token.repository == self.name and token.allows("contents", "write")
        return self.level(token.account) >= Level.WRITE
