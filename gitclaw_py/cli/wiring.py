"""The ports of a run on the forge, each with what stands behind it."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, cast

from gitclaw_py.adapters.dry_run import DryForge, DryRemote
from gitclaw_py.adapters.git_clone import GitClone
from gitclaw_py.adapters.git_connection import GitConnection
from gitclaw_py.adapters.git_ledger import GitLedger
from gitclaw_py.adapters.git_repository import GitRepository
from gitclaw_py.adapters.git_store import GitStore, Seals
from gitclaw_py.adapters.github_forge import GitHubForge
from gitclaw_py.adapters.job_summary import JobSummary
from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.adapters.watched_forge import WatchedForge
from gitclaw_py.cli.held import held, named
from gitclaw_py.cli.outside import Outside, Part, server
from gitclaw_py.core.replies.links import Links, run_log
from gitclaw_py.core.seal import keys
from gitclaw_py.core.secrets import Watch
from gitclaw_py.core.trigger import Trigger
from gitclaw_py.handlers.guard import ACTIONS_BOT
from gitclaw_py.handlers.world import World
from gitclaw_py.ports.engine import Agent, Repository, Workspaces
from gitclaw_py.ports.forge import Forge, Remote

if TYPE_CHECKING:
    from gitclaw_py.core.settings import AgentSettings, Settings

# https://api.github.com/users/github-actions[bot]
_ACTIONS_BOT_ID = 41898282
STATE_KEY, STATE_KEY_OLD = "GITCLAW_STATE_KEY", "GITCLAW_STATE_KEY_OLD"
"""The environment variables with the key that seals states, and with older ones that still count."""


@contextmanager
def ports(
    part: Part,
    environment: Mapping[str, str],
    terminal: Terminal,
    found: Trigger,
    outside: Outside,
    connection: GitConnection,
) -> Iterator[World]:
    """The ports, for as long as they are used."""
    # Git works in a process of its own: what takes long to import is imported meanwhile.
    threading.Thread(target=_import_ahead, daemon=True).start()
    bot, repository = environment.get("GITCLAW_BOT", ACTIONS_BOT), found.repository
    watch = Watch(held(environment))
    note = partial(_note, terminal, watch)
    clone = GitClone(connection, _identity(bot))
    seals = Seals(keys(environment.get(STATE_KEY), environment.get(STATE_KEY_OLD)), found.repository_id)
    run = environment.get("GITHUB_RUN_ID")
    with closing(_github(environment, repository, outside, note)) as github:
        forge, remote = cast("Forge", WatchedForge(github, watch)), cast("Remote", clone)
        if part.is_mute:
            forge = DryForge(forge, bot, lambda _: None)
        if part.dry_run:
            forge, remote = DryForge(forge, bot, terminal.say), DryRemote(remote, terminal.say)
        yield outside.around(
            World(
                forge,
                remote,
                lambda thread: GitStore(clone, thread, connection.directory / "agent.log", _now, seals, watch),
                GitLedger(clone, _now, seals),
                _workspaces,
                partial(_agent, environment),
                partial(_settings, environment, watch),
                _now,
                Links(server(environment), repository, run_log(server(environment), repository, run)),
                bot,
                note,
                f"run-{run or 0}",
                pin=part.pin,
                handed=part.handed,
                hands_over=part.is_mute,
                publish=JobSummary(None if part.dry_run else environment.get("GITHUB_STEP_SUMMARY")).add,
                watch=watch,
            )
        )


def _github(
    environment: Mapping[str, str], repository: str, outside: Outside, note: Callable[[str], None]
) -> GitHubForge:
    api, token = environment.get("GITHUB_API_URL", "https://api.github.com"), environment["GITHUB_TOKEN"]
    return GitHubForge(api, token, repository, sleep=outside.sleep, note=note, timeout=outside.timeout)


def _note(terminal: Terminal, watch: Watch, line: str) -> None:
    """A line for the log, which may be public."""
    terminal.note(watch.line(line))


def _import_ahead() -> None:
    importlib.import_module("gitclaw_py.config")
    from gitclaw_py.adapters import github_forge

    github_forge.imported()


def _identity(bot: str) -> tuple[str, str]:
    number = f"{_ACTIONS_BOT_ID}+" if bot == ACTIONS_BOT else ""
    return bot, f"{number}{bot}@users.noreply.github.com"


def _now() -> int:
    return int(time.time())


def _settings(environment: Mapping[str, str], watch: Watch, data: bytes, name: str) -> Settings:
    """The configuration. What it names as a secret is looked for from then on."""
    from gitclaw_py import config

    found = config.parse(data, name)
    watch.also(named(environment, found.agent))
    return found


def _workspaces(repository: Repository) -> Workspaces:
    from gitclaw_py.adapters.directory_workspace import DirectoryWorkspaces

    if not isinstance(repository, GitRepository):
        raise TypeError(repository)
    return DirectoryWorkspaces(repository)


def _agent(environment: Mapping[str, str], settings: AgentSettings, prompt: bytes) -> Agent:
    from gitclaw_py.cli.agent import agent_of

    return agent_of(environment, settings, prompt)
