"""The workflow by which a repository calls the bot, read as lines: which of ours it calls, what it gives and passes."""

import re
from typing import NamedTuple

from gitclaw_py.core.presets import COPILOT, PRESETS

FOLDER = ".github/workflows/"
_PLAIN, _WITH_COPILOT = f"{FOLDER}gitclaw.yml", f"{FOLDER}gitclaw-copilot.yml"
ENVIRONMENT = "gitclaw-agent"
"""The environment of the agent's job. A secret of its own comes before one that the caller passes.

https://docs.github.com/en/actions/how-tos/reuse-automations/reuse-workflows#passing-inputs-and-secrets-to-a-reusable-workflow
"""
ANY_KEY = "MODEL_KEY"
"""The secret that carries what none of the others is called for."""
TAKEN = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", ANY_KEY, "COPILOT_GITHUB_TOKEN")
"""The secrets that our workflows take for the agent's job; there each is a variable of the same name."""
_PERMISSIONS = ("contents", "issues", "pull-requests")
_USES = re.compile(r"^\s*(?:-\s*)?uses:\s*(?P<what>\S*gitclaw\S*?)@(?P<ref>[^\s#]+)", re.MULTILINE)
_RUNS = re.compile(r"\bgitclaw run\b")
_INHERITS = re.compile(r"^\s*secrets:\s*inherit\b", re.MULTILINE)


def called_for(agent: str) -> str:
    """Which of our workflows an agent needs: its job's token may what its caller gives, and no other than that.

    A workflow with a job that wants a permission its caller does not give is not started at all, whatever the ``if:``
    of the job says. So the permission that only one agent needs is in a workflow for its callers alone.
    https://github.com/actions/runner/issues/4151
    """
    preset = PRESETS.get(agent)
    return _WITH_COPILOT if preset and preset.permission else _PLAIN


class Caller(NamedTuple):
    """A workflow file with the bot in it: its path and text, and what it uses of ours, at which ref.

    ``uses`` is empty where it runs ``gitclaw`` itself.
    """

    path: str
    text: str
    uses: str = ""
    ref: str = ""

    @property
    def is_reusing(self) -> bool:
        """Whether it calls a workflow of ours, rather than to use the action or the program."""
        return self.uses.endswith((".yml", ".yaml"))

    @property
    def is_for_copilot(self) -> bool:
        """Whether the agent's job may ask Copilot with its own token."""
        return self.uses.endswith(_WITH_COPILOT)

    @property
    def lacks(self) -> list[str]:
        """The permissions that the bot needs and the file does not give."""
        needed = (*_PERMISSIONS, *([COPILOT.permission] if self.is_for_copilot else []))
        return [name for name in needed if not re.search(rf"^[^#\n]*\b{name}: write\b", self.text, re.MULTILINE)]

    def secret_of(self, variable: str) -> str | None:
        """The secret that a variable of the agent's job gets its value from; None for none."""
        if self.is_reusing and _INHERITS.search(self.text):
            return variable
        found = re.search(rf"^[^#\n]*\b{re.escape(variable)}:\s*\$\{{\{{\s*secrets\.(\w+)", self.text, re.MULTILINE)
        return found[1] if found else None


def read(path: str, text: str) -> Caller | None:
    """What a workflow has to do with the bot; None for nothing."""
    used = _USES.search(text)
    if used:
        return Caller(path, text, used["what"], used["ref"])
    return Caller(path, text) if _RUNS.search(text) else None
