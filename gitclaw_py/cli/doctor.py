"""The verb ``doctor``: looks at this machine and at the repository on GitHub, and says why nothing happens."""

from __future__ import annotations

import os
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from gitclaw_py.adapters import this_machine
from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.cli.configuration import found
from gitclaw_py.core import diagnosis
from gitclaw_py.core.diagnosis import Finding, Machine, Seen, Site, Verdict
from gitclaw_py.core.onboarding import PLACES
from gitclaw_py.core.paint import safe
from gitclaw_py.core.presets import COMMAND, PRESETS
from gitclaw_py.core.settings import AgentSettings, Network, Settings
from gitclaw_py.errors import ConfigError, GitclawError

_COLOURS = {Verdict.PASS: "green", Verdict.WARN: "yellow", Verdict.FAIL: "red"}
_QUESTION = "Answer with the one word: ready. Change nothing."
_PATIENCE = 120.0


def run(options: Namespace, environment: Mapping[str, str], terminal: Terminal) -> int:
    """Print the list; 1 when something in it cannot work."""
    findings = diagnosis.diagnose(_seen(options, environment, terminal))
    if options.json:
        terminal.say_json(diagnosis.document(findings))
    else:
        for line in _lines(findings, terminal):
            terminal.say(line)
    return 1 if any(one.verdict is Verdict.FAIL for one in findings) else 0


def _lines(findings: list[Finding], terminal: Terminal) -> list[str]:
    shown = [
        " · ".join(
            filter(None, [terminal.paint(_COLOURS[one.verdict], one.verdict.value), safe(one.what), safe(one.fix)])
        )
        for one in findings
    ]
    failed = sum(one.verdict is Verdict.FAIL for one in findings)
    unsure = sum(one.verdict is Verdict.WARN for one in findings)
    if failed:
        return [*shown, "", f"{failed} to mend, {unsure} to look at."]
    return [*shown, "", f"Nothing is in the way; {unsure} to look at." if unsure else "Nothing is in the way."]


def _seen(options: Namespace, environment: Mapping[str, str], terminal: Terminal) -> Seen:
    site, unseen = _site(options, environment, terminal)
    settings, shown, flaw = _configured(options, environment, site)
    return Seen(_machine(options, environment, settings), settings, shown, flaw, site, unseen)


def _site(options: Namespace, environment: Mapping[str, str], terminal: Terminal) -> tuple[Site | None, str | None]:
    """What GitHub knows, or why that is not known."""
    token = token_of(environment)
    repository = repository_of(options, environment)
    if repository is None:
        return None, "origin leads to no repository there (name it with --repository)"
    if not token:
        return None, "there is no token"
    from gitclaw_py.adapters.github_forge import GitHubForge

    api = environment.get("GITHUB_API_URL", "https://api.github.com")
    with closing(GitHubForge(api, token, repository, sleep=time.sleep, note=terminal.note)) as forge:
        try:
            return forge.site.look(PLACES), None
        except GitclawError as error:
            return None, f"{error.what} {' '.join(error.details)}".rstrip()


def token_of(environment: Mapping[str, str]) -> str:
    """The token one works with on GitHub, by the names that its own programs use."""
    return environment.get("GITHUB_TOKEN") or environment.get("GH_TOKEN") or ""


def repository_of(options: Namespace, environment: Mapping[str, str]) -> str | None:
    """``owner/name``: as given, of the job, or where origin leads."""
    given = options.repository or environment.get("GITHUB_REPOSITORY")
    return given or this_machine.origin(os.getcwd(), environment)


def _configured(
    options: Namespace, environment: Mapping[str, str], site: Site | None
) -> tuple[Settings | None, str | None, str | None]:
    """The configuration: what threads read, of the default branch, where that is known; else the file that is here."""
    try:
        if site is not None and site.configuration is not None and not options.config:
            from gitclaw_py import config

            path, data = site.configuration
            where = f"{path} on {site.default_branch}"
            return config.parse(data, where), where, None
        here = found(options.config, environment)
    except ConfigError as error:
        return None, None, f"{error.what}; {error.next_step}"
    return here.settings, here.shown, None


def _machine(options: Namespace, environment: Mapping[str, str], settings: Settings | None) -> Machine:
    agent = settings.agent if settings else AgentSettings()
    program = PRESETS[agent.preset].program if agent.preset != COMMAND else "".join(agent.command[:1])
    version = this_machine.program_version(program, environment) if agent.name and agent.preset != COMMAND else None
    if agent.preset == COMMAND and program:
        version = this_machine.found(program, environment)
    isolation, exposed = _kept_apart(agent, environment)
    answered, unanswered = _asked(agent, environment) if options.ask and agent.name else (None, None)
    return Machine(
        this_machine.git_version(environment),
        version,
        frozenset(environment),
        answered,
        unanswered,
        isolation,
        exposed,
        is_job=bool(environment.get("GITHUB_ACTIONS")),
    )


def _kept_apart(agent: AgentSettings, environment: Mapping[str, str]) -> tuple[str | None, str | None]:
    """What keeps an agent apart here, found by starting one that does nothing; or why nothing does."""
    from gitclaw_py.adapters.command_agent import CommandAgent, passed
    from gitclaw_py.adapters.isolation.box import Box

    alone = agent._replace(network=Network.OFF, model=None)
    nothing = CommandAgent(["true"], passed(alone, environment), _PATIENCE, box=Box(alone, environment))
    with _folder() as folder:
        try:
            return nothing.run(folder / "files", ".", folder / "log", lambda *_: None).isolation, None
        except GitclawError as error:
            return None, error.what


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="gitclaw-doctor-") as name:
        (Path(name) / "files").mkdir()
        yield Path(name)


def _asked(agent: AgentSettings, environment: Mapping[str, str]) -> tuple[str | None, str | None]:
    """What the agent says to a question, or why it says nothing."""
    from gitclaw_py.cli.agent import agent_of
    from gitclaw_py.core.prompt import alone

    with _folder() as folder:
        asked = agent_of(environment, agent._replace(timeout=_PATIENCE), alone(_QUESTION, agent.preset).encode())
        try:
            ran = asked.run(folder / "files", ".", folder / "log", lambda *_: None)
        except GitclawError as error:
            return None, "; ".join([error.what, *error.details[:1]])
    if ran.failure or not ran.answer:
        return None, ran.failure.what if ran.failure else "; ".join(ran.said[-1:]) or f"it ended with {ran.exit_code}"
    return ran.answer.decode("utf-8", "replace"), None
