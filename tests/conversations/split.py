"""A run as the workflow splits it: the gate, then a job that acts or one that works, and then one that publishes.

Each has the token that its job has, and what one tells the next goes through its outputs.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.cli import conversation
from gitclaw_py.cli.outside import Outside
from gitclaw_py.core.replies import marker
from gitclaw_py.errors import GitclawError
from tests.conversations.talk import Ran, Talk

RUN = "/gitclaw tidy up"
GATE = Path(conversation.__file__).with_name("gate.py")
READS = {"contents": "read", "issues": "read", "pull_requests": "read"}


def without_progress(replies: Sequence[str]) -> list[str]:
    """Without what was only told on the way, which has to be over."""
    marks = [marker.find(body) for body in replies]
    told = [body for body, mark in zip(replies, marks, strict=True) if mark and mark.kind == "progress"]
    assert [body for body in told if not body.startswith("Finished")] == []
    return [body for body in replies if body not in told]


class Told(NamedTuple):
    """What the gate told the jobs after it, and what it printed."""

    kind: str
    head: str
    thread: str
    out: str
    err: str


class Split:
    """Handles events of a talk in three steps; ``between`` may change the bundle on its way."""

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.folder = talk.folder / "bundle"
        self.between: Callable[[], None] = lambda: None
        self.variables: dict[str, str] = {}

    def say(self, text: str, who: Any = None) -> list[str]:
        """Comment, let the jobs handle it, and read what they answer."""
        before = len(self.talk.replies())
        self.talk.post(text, who)
        self.handle()
        return without_progress(self.talk.replies()[before:])

    def handle(self) -> list[str]:
        """Let the jobs handle every event that waits; the kinds that the gate said."""
        kinds = []
        while self.talk.waiting:
            event, payload = self.talk.waiting.pop(0)
            told = self.gate(event, payload)
            kinds.append(told.kind)
            if told.kind == "agent":
                self.work(event, payload, told)
                self.between()
            if told.kind != "ignored":
                self.publish(event, payload, told)
        return kinds

    def gate(self, event: str, payload: Mapping[str, Any], **environment: str) -> Told:
        """Start the gate as a file, before anything is installed."""
        path, output = self.talk.folder / "gate-event.json", self.talk.folder / "gate-output"
        path.write_text(json.dumps(payload), encoding="utf-8")
        output.write_text("", encoding="utf-8")
        variables = {
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_API_URL": self.talk.hub.api_url,
            "GITHUB_SERVER_URL": self.talk.hub.url,
            "GITHUB_RUN_ID": "77",
            "GITHUB_TOKEN": self.talk.repo.token(contents="read", issues="write", pull_requests="write"),
            **{key: value for key, value in self.talk.environment.items() if key == "GITHUB_REPOSITORY_ID"},
            **self.variables,
            **environment,
        }
        ended = subprocess.run(
            [sys.executable, "-I", "-S", str(GATE)], env=variables, capture_output=True, text=True, check=True
        )
        lines = output.read_text(encoding="utf-8").split("\n")
        values = {line.partition("<<")[0]: lines[k + 1] for k, line in enumerate(lines) if "<<" in line}
        return Told(values["kind"], values["head"], values["thread"], ended.stdout, ended.stderr)

    def work(self, event: str, payload: Mapping[str, Any], told: Told) -> Ran:
        """Let the agent work, with a token that reads."""
        return self._ran(conversation.work, event, payload, self.talk.repo.token(**READS), told, out=str(self.folder))

    def publish(self, event: str, payload: Mapping[str, Any], told: Told) -> Ran:
        """Publish, with a token that writes and no agent."""
        bundle = str(self.folder) if told.kind == "agent" else None
        return self._ran(conversation.publish, event, payload, self.talk.token, told, bundle=bundle)

    def _ran(
        self,
        verb: Callable[[Namespace, Mapping[str, str], Terminal, Outside | None], int],
        event: str,
        payload: Mapping[str, Any],
        token: str,
        told: Told,
        **options: str | None,
    ) -> Ran:
        path = self.talk.folder / "split-event.json"
        path.write_text(json.dumps(payload), encoding="utf-8")
        out, err = io.StringIO(), io.StringIO()
        given = Namespace(event=str(path), event_name=event, head=told.head, **options)
        environment = {**self.talk.variables(), "GITHUB_TOKEN": token, "GITHUB_ACTIONS": "true", **self.variables}
        try:
            code = verb(given, environment, Terminal(out, err, environment), self.talk._outside())
        except GitclawError as error:
            code = error.exit_code
            err.write(f"{error.code}: {error.what} {error.details}\n")
        ran = Ran(code, out.getvalue(), err.getvalue())
        self.talk.runs.append(ran)
        return ran


def asked(split: Split, text: str = RUN, who: Any = None, **environment: Any) -> Told:
    """What the gate says to a new comment."""
    split.talk.post(text, who)
    return split.gate(*split.talk.waiting.pop(0), **environment)
