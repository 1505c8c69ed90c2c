"""How a run meets the world outside: the forge, its git repository, the agent, the clock.

What it needs for that takes long to import. Git begins before, and works meanwhile.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import NamedTuple

from gitclaw_py.adapters.git_connection import GitConnection
from gitclaw_py.adapters.private_folders import private_folder
from gitclaw_py.core.command_lines import needs_agent
from gitclaw_py.core.pacing import TIMEOUT
from gitclaw_py.core.refnames import state_ref
from gitclaw_py.core.trigger import Trigger
from gitclaw_py.errors import UsageError
from gitclaw_py.handlers.world import Handed, World


def _unchanged(world: World) -> World:
    return world


class Outside(NamedTuple):
    """How a run meets the world outside.

    ``sleep`` waits for so many seconds, ``timeout`` is how many of them an answer of the API may take, ``around``
    gets between the run and its ports.
    """

    sleep: Callable[[float], None] = time.sleep
    timeout: int = TIMEOUT
    around: Callable[[World], World] = _unchanged


class Part(NamedTuple):
    """Which part of the work is done here: all of it, unless something is said.

    ``dry_run`` writes nothing and prints what would have been written; ``is_mute`` writes nothing, and what came out
    of it is handed over. ``pin`` is the commit of the pull request that was decided on. With ``handed`` no agent runs.
    """

    dry_run: bool = False
    is_mute: bool = False
    pin: str | None = None
    handed: Handed | None = None


@contextmanager
def connected(environment: Mapping[str, str], found: Trigger) -> Iterator[GitConnection]:
    """The connection to the repository; git has begun to fetch where it is certain what the commands need first.

    Of a pull request the forge is asked before where its branch is, and an agent needs more.

    Raises:
        UsageError: ``USAGE``: there is no token.
    """
    token, address = environment.get("GITHUB_TOKEN"), f"{server(environment)}/{found.repository}.git"
    if not token:
        raise UsageError("USAGE", "There is no token", "set GITHUB_TOKEN: in a workflow to ${{ github.token }}")
    thread = found.thread
    with (
        private_folder(environment, "run") as folder,
        closing(GitConnection(address, token, folder, environment)) as made,
    ):
        if thread and found.knows_thread and not thread.is_pull_request and not needs_agent(found.commands):
            made.begin([f"refs/heads/{found.default_branch}", state_ref(thread.number)])
        yield made


def server(environment: Mapping[str, str]) -> str:
    """The address of the forge."""
    return environment.get("GITHUB_SERVER_URL", "https://github.com")
