"""An agent that is known by its name: a command, whose output is understood."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from gitclaw_py.core import printed
from gitclaw_py.core.presets import Preset
from gitclaw_py.core.visible import visible
from gitclaw_py.errors import AgentError
from gitclaw_py.ports.engine import Agent, Ran

_MOST_READ = 20_000_000
"""Bytes of output that are read; the end of it says what counts."""
_NOT_FOUND = 127
"""https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_08_02"""


class PresetAgent(NamedTuple):
    """See ``ports.Agent``. ``inner`` runs the command of the ``preset``, and puts all that it prints into the log."""

    preset: Preset
    inner: Agent

    def run(self, workspace: Path, folder: str, log: Path, progress: Callable[[float, str], None]) -> Ran:
        """Run it, and read from its output what it says of its work.

        Raises:
            AgentError: ``AGENT_FAILED``: it cannot be started; ``AGENT_TIMEOUT``: it was stopped, with what it said of
                its model until then.
        """
        began = log.stat().st_size if log.exists() else 0

        def told(seconds: float, line: str) -> None:
            progress(seconds, printed.doing(line))

        try:
            ran = self.inner.run(workspace, folder, log, told)
        except AgentError as error:
            raise self._explained(error, _output(log, began)) from error
        if ran.exit_code == _NOT_FOUND:
            raise AgentError("AGENT_FAILED", f"{self.preset.program} is not installed", _how_to_install(self.preset))
        text = _output(log, began)
        found = printed.read(self.preset.reads, text)
        return ran._replace(
            answer=found.answer.encode() if found.answer else None,
            reasons=ran.reasons if ran.reasons is not None or found.reasons is None else found.reasons.encode(),
            said=_said(text),
            usage=found.usage,
            failure=found.failure,
        )

    def _explained(self, error: AgentError, text: str) -> AgentError:
        """One that is not there says how to get it; one that was stopped, what it said of its model."""
        failure = printed.read(self.preset.reads, text).failure
        details = (*error.details, *([failure.what] if failure else []), *_said(text))
        return AgentError(error.code, error.what, error.next_step, details)


def _how_to_install(preset: Preset) -> str:
    return f"install it: {' '.join(preset.install)}"


def variables(preset: Preset, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that an agent is given besides those that every agent gets: its own, and ours that it may see.

    A secret that is not there is a variable with nothing in it, which an agent would take for an answer.
    https://docs.github.com/en/actions/how-tos/write-workflows/choose-what-workflows-do/use-secrets

    Neither the key of its model nor the address are among them: those come from the key proxy.
    """
    return {**preset.variables, **{name: environment[name] for name in preset.environment if environment.get(name)}}


def _output(log: Path, began: int) -> str:
    if not log.exists():
        return ""
    with log.open("rb") as file:
        file.seek(max(began, file.seek(0, 2) - _MOST_READ))
        text = file.read().decode("utf-8", "replace").replace("\r\n", "\n")
    # How it ended is written by who ran it.
    return _END.sub("\n", text)


_END = re.compile(r"\n?\[exit -?\d+\]\n\Z")
_LINES = 5


def _said(text: str) -> tuple[str, ...]:
    """The last lines that were meant for people."""
    lines = (line for line in text.split("\n") if line.strip() and printed.doing(line))
    ours = ("== ", "$ ")
    return tuple(visible(line)[:400] for line in list(lines) if not line.startswith(ours))[-_LINES:]
