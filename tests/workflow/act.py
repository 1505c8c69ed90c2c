"""The workflow itself, run by ``act`` on this machine: an event of the hub in, jobs, comments and commits out.

https://nektosact.com; of GitHub's own actions there are stand-ins in ``actions/``, since nothing but package indexes
can be reached everywhere. act 0.2.89 knows neither ``concurrency`` nor ``permissions``, and refuses ``queue`` and
``copilot-requests``, the lines that are left out here; other tests are for those.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gitclaw_py.core import onboarding
from tests.conversations.split import without_progress
from tests.conversations.talk import Talk
from tests.sandbox import Sandbox

TOP = Path(__file__).resolve().parents[2]
WORKFLOWS = TOP / ".github/workflows"
ACTIONS = Path(__file__).with_name("actions")
_UNKNOWN = re.compile(r"\n  queue: max|\n +copilot-requests: write.*")
_USES = re.compile(r"uses: (actions/[a-z-]+)@([0-9a-f]{40})")


class Ran(NamedTuple):
    """One run of the workflow: the exit code of act, what it printed, and the jobs that did anything."""

    code: int
    out: str

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs that were run, in order."""
        return list(
            dict.fromkeys(
                re.findall(r"^\[gitclaw/gitclaw(?: with copilot)?/(.+?)\s*\] ⭐ Run Set up job", self.out, re.MULTILINE)
            )
        )


def caller(agent: str = "claude") -> str:
    """The workflow that ``gitclaw init`` writes for an agent."""
    template = (TOP / "gitclaw_py/templates/workflow.yml").read_text(encoding="utf-8")
    return onboarding.workflow(agent, onboarding.Source("OWNER/gitclaw", "COMMIT"), template)


def installing(install: str, workflow: str) -> str:
    """The workflow with other lines that install its agent."""
    return re.sub(r"(\n +install: ).*", lambda found: found[1] + json.dumps(install), workflow)


class Act:
    """Runs the workflow that ``gitclaw init`` writes, or another, for events of a talk's repository."""

    def __init__(self, talk: Talk, folder: Path, install: str = "", workflow: str | None = None) -> None:
        self.talk = talk
        self.secrets: dict[str, str] = {}
        self._folder = folder
        self._runs = 0
        self._checkout = Sandbox(folder / "checkout")
        path = self._checkout.path / ".github/workflows/gitclaw.yml"
        path.parent.mkdir(parents=True)
        path.write_text(_UNKNOWN.sub("", installing(install, workflow or caller())), encoding="utf-8")
        self._checkout.git("init", "-q", "-b", "main")
        self._checkout.commit()
        self._called = folder / "called"
        for name in ("gitclaw.yml", "gitclaw-copilot.yml"):
            reusable = self._called / ".github/workflows" / name
            reusable.parent.mkdir(parents=True, exist_ok=True)
            whole = (WORKFLOWS / name).read_text(encoding="utf-8")
            reusable.write_text(_UNKNOWN.sub("", whole), encoding="utf-8")

    def say(self, text: str, who: Any = None) -> tuple[Ran, list[str]]:
        """Comment, let the workflow handle it, and read what it answers."""
        before = len(self.talk.replies())
        self.talk.post(text, who)
        ran = self.run(*self.talk.waiting.pop(0))
        return ran, without_progress(self.talk.replies()[before:])

    def run(self, event: str, payload: Mapping[str, Any]) -> Ran:
        """Run the workflow once for an event."""
        self._runs += 1
        home = self._folder / f"run-{self._runs}"
        home.mkdir()
        path = home / "event.json"
        path.write_text(json.dumps(payload), encoding="utf-8")
        own = {
            "GITHUB_API_URL": self.talk.hub.api_url,
            "GITHUB_SERVER_URL": self.talk.hub.url,
            "GITHUB_REPOSITORY": self.talk.repo.name,
            "GITCLAW_SOURCE": str(TOP),
            "GITCLAW_ARTIFACTS": str(home / "artifacts"),
        }
        command = [
            shutil.which("act") or "act",
            event,
            *("--eventpath", str(path), "--defaultbranch", "main", "--no-cache-server", "--no-skip-checkout"),
            *("-P", "ubuntu-24.04=-self-hosted", "-s", f"GITHUB_TOKEN={self.talk.token}"),
            *(part for name, value in self.secrets.items() for part in ("-s", f"{name}={value}")),
            *(part for name, value in own.items() for part in ("--env", f"{name}={value}")),
            *(part for pair in self._instead() for part in ("--local-repository", pair)),
        ]
        environment = {
            **{name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))},
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(home),
            "TMPDIR": str(home),
            "GIT_PAGER": "cat",
            "LC_ALL": "C.UTF-8",
        }
        done = subprocess.run(
            command,
            cwd=self._checkout.path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        return Ran(done.returncode, done.stdout)

    def _instead(self) -> list[str]:
        pinned = sorted(set(_USES.findall((WORKFLOWS / "gitclaw.yml").read_text(encoding="utf-8"))))
        found = re.search(r"uses: ([^/\s]+/[^/\s]+)/\S+@(\S+)", caller())
        assert found
        stand_ins = [f"{name}@{oid}={ACTIONS / name.partition('/')[2]}" for name, oid in pinned]
        return [f"{found[1]}@{found[2]}={self._called}", *stand_ins]
