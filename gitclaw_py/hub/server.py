"""The hub: a small GitHub on 127.0.0.1, with its API, git over HTTP and the threads' pages on one port."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Self

from gitclaw_py.core.thread import Account
from gitclaw_py.hub import protection
from gitclaw_py.hub.documents import Links
from gitclaw_py.hub.handle import Files, RepositoryHandle
from gitclaw_py.hub.requests import Front, Requests
from gitclaw_py.hub.times import Times
from gitclaw_py.hub.world import Deliver, World


class Hub(Front):
    """A running hub; use it in a ``with``.

    Args:
        folder: where the bare repositories lie; everything else is kept in memory.
        deliver: gets the name and the payload of every event that would start a workflow.
        clock: the time in seconds since 1970; without one it begins at a fixed day and passes a second a deed.
        port: the port to listen on; 0 is any that is free.
    """

    def __init__(
        self,
        folder: Path,
        deliver: Deliver | None = None,
        *,
        clock: Callable[[], int] | None = None,
        port: int = 0,
    ) -> None:
        super().__init__(World(folder, Times(clock), deliver))
        self._server = _Server(("127.0.0.1", port), Requests)
        self._server.hub = self
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.world.links = Links(self.url)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def api_url(self) -> str:
        """The API."""
        return self.world.links.api

    @property
    def graphql_url(self) -> str:
        """The GraphQL API."""
        return f"{self.url}/api/graphql"

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def deliver_to(self, deliver: Deliver) -> None:
        """Hand the events to someone else from now on."""
        self.world.deliver = deliver

    def account(self, login: str) -> Account:
        """The account of that login, made when there is none; ``name[bot]`` is a bot."""
        with self.world.deed():
            return self.world.accounts.account(login)

    def rename(self, account: Account, login: str) -> Account:
        """Give an account another login; the old one is then free for someone with another id."""
        with self.world.deed():
            return self.world.accounts.rename(account, login)

    def token(self, account: Account) -> str:
        """The secret of a new token with all that the account may; see ``RepositoryHandle.token`` for apps."""
        return self.world.accounts.personal_token(account).secret

    def repository(self, name: str, files: Files, owner: Account | None = None) -> RepositoryHandle:
        """A new repository ``owner/name`` with these files on its branch main."""
        with self.world.deed():
            account = owner or self.account(name.partition("/")[0])
            repository = self.world.found(name, account)
            protection.install(repository)
            handle = RepositoryHandle(self.world, repository)
            handle.push_files(repository.default_branch, files, account, "Initial commit")
            return handle

    def find(self, name: str) -> RepositoryHandle:
        """A repository that is there.

        Raises:
            LookupError: it is not.
        """
        repository = self.world.repository(name)
        if repository is None:
            raise LookupError(name)
        return RepositoryHandle(self.world, repository)

    def wait_until(self, is_true: Callable[[], bool], seconds: float = 10.0) -> bool:
        """Wait for something; whether it came true."""
        end = time.monotonic() + seconds
        while not (reached := is_true()) and time.monotonic() < end:
            time.sleep(0.01)
        return reached


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    hub: Front

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: a client that goes away is no error of ours; a real one answers 500 and is told there."""
