"""Runs a command for every event, as GitHub Actions would, and keeps what became of it.

https://docs.github.com/actions/reference/workflows-and-actions/variables
"""

import json
import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gitclaw_py.hub.calls import Json
from gitclaw_py.hub.handle import ACTIONS_PERMISSIONS, RepositoryHandle
from gitclaw_py.hub.server import Hub

_READ_ONLY = dict.fromkeys(ACTIONS_PERMISSIONS, "read")


class Workflow(NamedTuple):
    """What is run: a command, more environment for it, what its token may, and how long it may take.

    ``queue`` is how many runs of one thread may wait; a newer one cancels the oldest beyond that. None is no
    limit. GitHub's own is 1: https://docs.github.com/actions/how-tos/write-workflows/choose-when-workflows-run/control-workflow-concurrency
    """

    argv: Sequence[str]
    environment: Mapping[str, str] = {}
    permissions: Mapping[str, str] = ACTIONS_PERMISSIONS
    queue: int | None = None
    seconds: float = 600.0


class Run(NamedTuple):
    """One run; ``exit_code`` is None while it waits or works, and for one that was cancelled before it began."""

    id: int
    event: str
    group: str
    is_cancelled: bool = False
    exit_code: int | None = None
    output: str = ""
    summary: str = ""


class _Order(NamedTuple):
    run: int
    event: str
    payload: Json
    group: str


class ActionsRunner:
    """Takes the events of a hub. Runs of one thread go one after another, those of several side by side.

    Args:
        hub: whose events start runs.
        folder: where each run has its own folder with event, temporary files and summary.
        workflow: what is run.
    """

    def __init__(self, hub: Hub, folder: Path, workflow: Workflow) -> None:
        self._hub = hub
        self._folder = folder
        self._workflow = workflow
        self._state = threading.Condition()
        self._runs: dict[int, Run] = {}
        self._waiting: dict[str, deque[_Order]] = {}
        self._working: dict[str, subprocess.Popen[bytes] | None] = {}
        self._is_closed = False
        hub.deliver_to(self.deliver)
        hub.is_busy = self.is_busy
        hub.world.run_log = self.log_of

    def deliver(self, event: str, payload: Json) -> None:
        """Queue a run for an event."""
        group = _group(payload)
        with self._state:
            if self._is_closed:
                return
            order = _Order(next(self._hub.world.ids.runs), event, payload, group)
            self._runs[order.run] = Run(order.run, event, group)
            waiting = self._waiting.setdefault(group, deque())
            waiting.append(order)
            self._cancel_old(waiting)
            if group not in self._working:
                self._working[group] = None
                threading.Thread(target=self._work, args=(group,), daemon=True).start()

    def _cancel_old(self, waiting: deque[_Order]) -> None:
        most = self._workflow.queue
        while most is not None and len(waiting) > most:
            old = waiting.popleft()
            self._runs[old.run] = self._runs[old.run]._replace(is_cancelled=True)

    @property
    def runs(self) -> list[Run]:
        """All runs, oldest first."""
        with self._state:
            return list(self._runs.values())

    def is_busy(self, repository: str, number: int) -> bool:
        """Whether a run of that thread waits or works."""
        with self._state:
            return f"{repository}#{number}" in self._working

    def log_of(self, run: int) -> str | None:
        """What a run said, and its summary; nothing yet while it works, None when there is no such run."""
        with self._state:
            found = self._runs.get(run)
        return None if found is None else f"{found.output}\n{found.summary}".strip() + "\n"

    def wait(self, seconds: float = 60.0) -> bool:
        """Wait until nothing waits or works; whether that was reached."""
        with self._state:
            return self._state.wait_for(lambda: not self._working, seconds)

    def close(self) -> None:
        """Start nothing more, and end what works."""
        with self._state:
            self._is_closed = True
            self._waiting.clear()
            for process in self._working.values():
                _kill(process)
        self.wait()

    def _work(self, group: str) -> None:
        while (order := self._next(group)) is not None:
            done = self._carried_out(order)
            with self._state:
                self._runs[order.run] = done

    def _next(self, group: str) -> _Order | None:
        with self._state:
            waiting = self._waiting.get(group)
            if waiting:
                return waiting.popleft()
            del self._working[group]
            self._state.notify_all()
            return None

    def _carried_out(self, order: _Order) -> Run:
        home = self._folder / str(order.run)
        for name in ("home", "temp", "work"):
            (home / name).mkdir(parents=True)
        (home / "event.json").write_text(json.dumps(order.payload), encoding="utf-8")
        for name in ("summary.md", "output.txt", "env.txt"):
            (home / name).touch()
        code, output = self._ended(order, home)
        summary = (home / "summary.md").read_text(encoding="utf-8", errors="replace")
        return Run(order.run, order.event, order.group, exit_code=code, output=output, summary=summary)

    def _ended(self, order: _Order, home: Path) -> tuple[int, str]:
        process = subprocess.Popen(
            self._workflow.argv,
            cwd=home / "work",
            env={**self._variables(order, home), **self._workflow.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        with self._state:
            self._working[order.group] = process
            if self._is_closed:
                _kill(process)
        try:
            said, _ = process.communicate(timeout=self._workflow.seconds)
        except subprocess.TimeoutExpired:
            _kill(process)
            said, _ = process.communicate()
        return process.returncode, said.decode("utf-8", "replace")

    def _variables(self, order: _Order, home: Path) -> dict[str, str]:
        repository = self._hub.find(str(_part(order.payload, "repository")["full_name"]))
        sender = _part(order.payload, "sender")
        actor = str(sender["login"])
        values: dict[str, object] = {
            "CI": "true",
            "LANG": "C.UTF-8",
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": home / "home",
            "RUNNER_TEMP": home / "temp",
            "RUNNER_OS": "Linux",
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": order.event,
            "GITHUB_EVENT_PATH": home / "event.json",
            "GITHUB_STEP_SUMMARY": home / "summary.md",
            "GITHUB_OUTPUT": home / "output.txt",
            "GITHUB_ENV": home / "env.txt",
            "GITHUB_WORKSPACE": home / "work",
            "GITHUB_REPOSITORY": repository.name,
            "GITHUB_REPOSITORY_ID": repository.id,
            "GITHUB_REPOSITORY_OWNER": repository.name.partition("/")[0],
            "GITHUB_ACTOR": actor,
            "GITHUB_ACTOR_ID": sender["id"],
            "GITHUB_TRIGGERING_ACTOR": actor,
            "GITHUB_SERVER_URL": self._hub.url,
            "GITHUB_API_URL": self._hub.api_url,
            "GITHUB_GRAPHQL_URL": self._hub.graphql_url,
            "GITHUB_RUN_ID": order.run,
            "GITHUB_RUN_NUMBER": len(self._runs),
            "GITHUB_RUN_ATTEMPT": 1,
            "GITHUB_WORKFLOW": "gitclaw",
            "GITHUB_JOB": "gitclaw",
            "GITHUB_TOKEN": repository.token(**self._permissions(order)),
            **_commit(repository, order),
        }
        return {name: str(value) for name, value in values.items()}

    def _permissions(self, order: _Order) -> Mapping[str, str]:
        # A run of a fork's pull request reads only: https://docs.github.com/actions/reference/events-that-trigger-workflows#pull_request
        head = order.payload.get("pull_request")
        source = head["head"]["repo"] if isinstance(head, dict) else None
        return _READ_ONLY if source and source["fork"] else self._workflow.permissions


def _commit(repository: RepositoryHandle, order: _Order) -> dict[str, object]:
    pull = order.payload.get("pull_request")
    if isinstance(pull, dict):
        name, oid = f"pull/{pull['number']}/head", pull["head"]["sha"]
        ends = {"GITHUB_HEAD_REF": pull["head"]["ref"], "GITHUB_BASE_REF": pull["base"]["ref"]}
        return {"GITHUB_REF": f"refs/{name}", "GITHUB_REF_NAME": name, "GITHUB_SHA": oid, **ends}
    branch = repository.repository.default_branch
    names = {"GITHUB_REF": f"refs/heads/{branch}", "GITHUB_REF_NAME": branch}
    return {**names, "GITHUB_SHA": repository.branch(branch)}


def _group(payload: Json) -> str:
    name = _part(payload, "repository")["full_name"]
    thread = payload.get("issue") or payload.get("pull_request") or payload.get("client_payload") or {}
    number = thread.get("number", thread.get("issue")) if isinstance(thread, dict) else None
    return f"{name}#{number}"


def _part(payload: Json, name: str) -> Json:
    part = payload[name]
    if not isinstance(part, dict):
        raise TypeError(f"{name} is no object")
    return part


def _kill(process: subprocess.Popen[bytes] | None) -> None:
    if process is not None and process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
