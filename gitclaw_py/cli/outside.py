"""How a run meets the world outside: the forge, its git repository, the agent, the clock."""

from __future__ import annotations

import importlib
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple, cast

from gitclaw_py.adapters.command_agent import CommandAgent, passed
from gitclaw_py.adapters.directory_workspace import DirectoryWorkspaces
from gitclaw_py.adapters.dry_run import DryForge, DryRemote
from gitclaw_py.adapters.git_clone import GitClone
from gitclaw_py.adapters.git_ledger import GitLedger
from gitclaw_py.adapters.git_repository import GitRepository
from gitclaw_py.adapters.git_store import GitStore, Seals
from gitclaw_py.adapters.github_forge import TIMEOUT, GitHubForge
from gitclaw_py.adapters.job_summary import JobSummary
from gitclaw_py.adapters.preset_agent import PresetAgent, variables
from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.adapters.watched_forge import WatchedForge
from gitclaw_py.cli.held import held, named
from gitclaw_py.core.presets import COMMAND, PRESETS, invocation
from gitclaw_py.core.replies.links import Links, run_log
from gitclaw_py.core.seal import keys
from gitclaw_py.core.secrets import Watch
from gitclaw_py.core.settings import AgentSettings, Isolation, Settings
from gitclaw_py.core.trigger import Trigger
from gitclaw_py.errors import UsageError
from gitclaw_py.handlers.context import Handed, World
from gitclaw_py.handlers.guard import ACTIONS_BOT
from gitclaw_py.ports import Agent, Forge, Remote, Repository, Workspaces

# https://api.github.com/users/github-actions[bot]
_ACTIONS_BOT_ID = 41898282
STATE_KEY, STATE_KEY_OLD = "GITCLAW_STATE_KEY", "GITCLAW_STATE_KEY_OLD"
"""The environment variables with the key that seals states, and with older ones that still count."""


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
def world(
    part: Part,
    environment: Mapping[str, str],
    terminal: Terminal,
    found: Trigger,
    outside: Outside | None,
) -> Iterator[World]:
    """The ports of a run, for as long as it lasts.

    Raises:
        UsageError: ``USAGE``: there is no token.
    """
    outside, repository = outside or Outside(), found.repository
    bot = environment.get("GITCLAW_BOT", ACTIONS_BOT)
    watch = Watch(held(environment))
    note = partial(_note, terminal, watch)
    api = environment.get("GITHUB_API_URL", "https://api.github.com")
    server = environment.get("GITHUB_SERVER_URL", "https://github.com")
    token = environment.get("GITHUB_TOKEN", "")
    if not token:
        raise UsageError("USAGE", "There is no token", "set GITHUB_TOKEN: in a workflow to ${{ github.token }}")
    seals = Seals(keys(environment.get(STATE_KEY), environment.get(STATE_KEY_OLD)), found.repository_id)
    # While git fetches, nothing else is done: what takes long to import is imported meanwhile.
    threading.Thread(target=_import_ahead, daemon=True).start()
    github = GitHubForge(api, token, repository, sleep=outside.sleep, note=note, timeout=outside.timeout)
    with tempfile.TemporaryDirectory(prefix="gitclaw-run-") as folder, closing(github):
        place = Path(folder) / "clone"
        place.mkdir()
        forge = cast("Forge", WatchedForge(github, watch))
        clone = GitClone(f"{server}/{repository}.git", token, place, environment, _identity(bot))
        remote: Remote = clone
        if part.is_mute:
            forge = DryForge(forge, bot, lambda _: None)
        if part.dry_run:
            forge, remote = DryForge(forge, bot, terminal.say), DryRemote(remote, terminal.say)
        yield outside.around(
            World(
                forge,
                remote,
                lambda thread: GitStore(clone, thread, Path(folder) / "agent.log", _now, seals, watch),
                GitLedger(clone, _now, seals),
                _workspaces,
                partial(agent_of, environment),
                partial(_settings, environment, watch),
                _now,
                Links(server, repository, run_log(server, repository, environment.get("GITHUB_RUN_ID"))),
                bot,
                note,
                f"run-{environment.get('GITHUB_RUN_ID', 0)}",
                pin=part.pin,
                handed=part.handed,
                hands_over=part.is_mute,
                publish=JobSummary(None if part.dry_run else environment.get("GITHUB_STEP_SUMMARY")).add,
                watch=watch,
            )
        )


def _note(terminal: Terminal, watch: Watch, line: str) -> None:
    """A line for the log, which may be public."""
    terminal.note(watch.line(line))


def _import_ahead() -> None:
    importlib.import_module("gitclaw_py.config")
    from gitclaw_py.adapters import github_forge

    github_forge.import_ahead()


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
    if not isinstance(repository, GitRepository):
        raise TypeError(repository)
    return DirectoryWorkspaces(repository)


def agent_of(environment: Mapping[str, str], settings: AgentSettings, prompt: bytes) -> Agent:
    """The agent with an environment that holds nothing it was not given by name."""
    from gitclaw_py.adapters.isolation.box import Box

    chosen, box = passed(settings, environment), Box(settings, environment)
    if settings.preset == COMMAND:
        return CommandAgent(settings.command, chosen, settings.timeout, prompt, box)
    preset = PRESETS[settings.preset]
    command = settings.command or invocation(
        preset, settings.arguments, isolated=settings.isolation is not Isolation.NONE
    )
    given = chosen | variables(preset, environment)
    return PresetAgent(preset, CommandAgent(command, given, settings.timeout, prompt, box))
