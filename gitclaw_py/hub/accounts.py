"""Who there is: accounts, their tokens, and what a token may touch."""

import itertools
import secrets
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gitclaw_py.core.thread import Account

# https://api.github.com/users/github-actions[bot]
ACTIONS = Account("github-actions[bot]", 41898282, is_bot=True)

_FIRST_ID = 1001


class Token(NamedTuple):
    """A secret that stands for an account. ``permissions`` is None for a person's, which may what the person may.

    An installation's token works in one ``repository`` and has ``read`` or ``write`` per permission:
    https://docs.github.com/rest/authentication/permissions-required-for-github-apps
    """

    secret: str
    account: Account
    permissions: Mapping[str, str] | None = None
    repository: str = ""

    @property
    def starts_nothing(self) -> bool:
        """Whether its deeds start no workflow.

        https://docs.github.com/actions/security-for-github-actions/security-guides/automatic-token-authentication
        """
        return self.permissions is not None and self.account == ACTIONS

    def allows(self, permission: str, access: str) -> bool:
        """Whether an installation's token has a permission to ``read`` or to ``write``; a person's always has."""
        if self.permissions is None:
            return True
        return self.permissions.get(permission) in {access, "write"}


class Accounts:
    """All accounts by login, which is found in any case, and all tokens."""

    def __init__(self) -> None:
        self._ids = itertools.count(_FIRST_ID)
        self._accounts = {ACTIONS.login.lower(): ACTIONS}
        self._tokens: dict[str, Token] = {}

    def __iter__(self) -> Iterator[Account]:
        return iter(tuple(self._accounts.values()))

    def account(self, login: str) -> Account:
        """The account of that login, made when there is none; ``name[bot]`` makes a bot."""
        known = self._accounts.get(login.lower())
        if known is None:
            known = Account(login, next(self._ids), is_bot=login.endswith("[bot]"))
            self._accounts[login.lower()] = known
        return known

    def rename(self, account: Account, login: str) -> Account:
        """Give an account another login; who asks for the old one from now on finds nobody, or someone new."""
        self._accounts.pop(account.login.lower(), None)
        self._accounts[login.lower()] = account._replace(login=login)
        return self._accounts[login.lower()]

    def find(self, login: str) -> Account | None:
        """The account of that login, if there is one."""
        return self._accounts.get(login.lower())

    def personal_token(self, account: Account) -> Token:
        """A new token with all that the account may."""
        return self._kept(Token(f"ghp_{secrets.token_hex(18)}", account))

    def installation_token(self, account: Account, repository: str, permissions: Mapping[str, str]) -> Token:
        """A new token of an app in one repository; metadata can always be read."""
        return self._kept(
            Token(f"ghs_{secrets.token_hex(18)}", account, {"metadata": "read", **permissions}, repository)
        )

    def token(self, secret: str) -> Token | None:
        """The token with that secret."""
        return self._tokens.get(secret)

    def _kept(self, token: Token) -> Token:
        self._tokens[token.secret] = token
        return token
