"""What a step of GitHub Actions tells its runner: groups of the log, annotations, outputs, its summary.

Outside of Actions all of it is silent but the summary, where one is asked for.
https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from gitclaw_py.adapters.job_summary import JobSummary
from gitclaw_py.core.visible import harmless

_MOST_LINES = 200


class Actions:
    """``command`` prints a line that the runner obeys, ``say`` one that it must not."""

    def __init__(
        self, environment: Mapping[str, str], command: Callable[[str], None], say: Callable[[str], None]
    ) -> None:
        self._environment = environment
        self._is_here = environment.get("GITHUB_ACTIONS") == "true"
        self._command = command
        self._say = say

    @contextmanager
    def group(self, name: str) -> Iterator[None]:
        """What is printed meanwhile is folded in the log."""
        self._obeyed(f"::group::{_data(name)}")
        try:
            yield
        finally:
            self._obeyed("::endgroup::")

    def error(self, text: str) -> None:
        """The reason why the job is red, where people see it first."""
        self._obeyed(f"::error title=gitclaw::{_data(text)}")

    def warning(self, text: str) -> None:
        """Something that was not carried out, while the job went well."""
        self._obeyed(f"::warning title=gitclaw::{_data(text)}")

    def said(self, name: str, lines: Sequence[str]) -> None:
        """What someone else printed, folded; the runner obeys none of it."""
        if not lines:
            return
        stop = f"gitclaw-{secrets.token_hex(16)}"
        with self.group(name):
            self._obeyed(f"::stop-commands::{stop}")
            for line in lines[-_MOST_LINES:]:
                self._say(f"| {harmless(line)}")
            self._obeyed(f"::{stop}::")

    def output(self, **values: str) -> None:
        """Outputs of the step, each ended by something that nobody can guess."""
        end = f"end-{secrets.token_hex(16)}"
        self._append("GITHUB_OUTPUT", "".join(f"{name}<<{end}\n{value}\n{end}\n" for name, value in values.items()))

    def summary(self, text: str) -> None:
        """Add to the summary of the step."""
        JobSummary(self._environment.get("GITHUB_STEP_SUMMARY")).add(text)

    def _append(self, name: str, text: str) -> None:
        path = self._environment.get(name)
        if path:
            with open(path, "a", encoding="utf-8", errors="replace") as file:
                file.write(text)

    def _obeyed(self, line: str) -> None:
        if self._is_here:
            self._command(line)


def _data(text: str) -> str:
    """https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
