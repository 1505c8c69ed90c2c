"""A thread on the hub with the bot at work: say something, and read what it answers."""

from __future__ import annotations

import io
import itertools
import json
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.cli import conversation
from gitclaw_py.cli.outside import Outside
from gitclaw_py.core.thread import Account
from gitclaw_py.errors import GitclawError
from gitclaw_py.handlers.world import World
from gitclaw_py.hub.handle import RepositoryHandle
from gitclaw_py.hub.server import Hub
from gitclaw_py.hub.threads import Comment
from tests.contracts.checked import checked
from tests.sandbox import ENVIRONMENT

BOT = "github-actions[bot]"
AGENT = Path(__file__).with_name("agent.py")
LINES = "".join(f"line {number}\n" for number in range(1, 31))
FILES: Mapping[str, bytes] = {
    "app.py": b"old = 1\n" + LINES.encode() + b"old = 2\n",
    "notes.txt": b"notes\n",
    "docs/guide.md": b"# Guide\n",
}


class Ran(NamedTuple):
    """One run of the bot: its exit code, what it printed, and its log."""

    code: int
    out: str
    err: str


class Talk:
    """One thread. ``mona`` may write, ``reader`` may read; ``waiting`` are the events nobody has handled yet.

    ``around`` gets between the bot and its ports, ``timeout`` is how many seconds an answer of the API may take.
    """

    def __init__(self, hub: Hub, folder: Path, repo: RepositoryHandle, mona: Account) -> None:
        self.hub = hub
        self.folder = folder
        self.repo = repo
        self.mona = mona
        self.reader = hub.account("rosa")
        self.number = 0
        self.waiting: list[tuple[str, dict[str, Any]]] = []
        self.runs: list[Ran] = []
        self._events = itertools.count()
        self.token = repo.token()
        self.environment: dict[str, str] = {}
        self.slept: list[float] = []
        self.timeout = 15
        self.around: Callable[[World], World] = lambda world: world
        hub.deliver_to(lambda event, payload: self.waiting.append((event, payload)))

    def open(self, title: str = "Names are old", body: str = "They should be new.") -> int:
        """Open the issue that is talked in from now on."""
        self.number = self.repo.open_issue(self.mona, title, body)
        self.waiting.clear()
        return self.number

    def pull(self, files: Mapping[str, bytes | None], *, branch: str = "topic", title: str = "A topic") -> int:
        """Open a pull request from a branch with these files, to be talked in from now on."""
        self.repo.push_files(branch, files, self.mona)
        self.number = self.repo.open_pull(self.mona, branch, title=title)
        self.waiting.clear()
        return self.number

    def post(self, text: str, who: Account | None = None) -> int:
        """Comment, without the bot doing anything yet; the comment's id."""
        return self.repo.comment(who or self.mona, self.number, text)

    def say(self, text: str, who: Account | None = None) -> list[str]:
        """Comment, let the bot handle it, and read what it answers."""
        before = len(self.replies())
        self.post(text, who)
        self.handle()
        return self.replies()[before:]

    def handle(self) -> None:
        """Let the bot handle every event that waits, in order."""
        while self.waiting:
            self.run(*self.waiting.pop(0))

    def run(self, event: str, payload: Mapping[str, Any], *, dry: bool = False) -> Ran:
        """Start the bot once, in this process, as its command line would."""
        path = self._saved(payload)
        out, err = io.StringIO(), io.StringIO()
        terminal = Terminal(out, err, {})
        options = Namespace(event=str(path), event_name=event, dry_run=dry, rehearse=False)
        try:
            code = conversation.run(options, self.variables(), terminal, self._outside())
        except GitclawError as error:
            code = error.exit_code
            err.write(f"{error.code}: {error.what} {error.details}\n")
        ran = Ran(code, out.getvalue(), err.getvalue())
        self.runs.append(ran)
        return ran

    def at_once(self, events: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Ran]:
        """Start the bot for each event in a process of its own, all of them at the same moment, and wait for all."""
        bot = [sys.executable, "-m", "gitclaw_py", "run"]
        commands = [[*bot, "--event", str(self._saved(told)), "--event-name", name] for name, told in events]
        pipe = subprocess.PIPE
        started = [
            subprocess.Popen(command, env=self.variables(), cwd=self.folder, stdout=pipe, stderr=pipe, text=True)
            for command in commands
        ]
        ended = [(process, *process.communicate()) for process in started]
        return [Ran(process.returncode, out, err) for process, out, err in ended]

    def _saved(self, payload: Mapping[str, Any]) -> Path:
        path = self.folder / f"event-{next(self._events)}.json"
        path.write_text(json.dumps(payload), encoding="utf-8")
        return path

    def _outside(self) -> Outside:
        """Nobody waits in a test; ``slept`` tells how long they would have."""
        return Outside(self.slept.append, self.timeout, self.around)

    def variables(self) -> dict[str, str]:
        """The environment of a run."""
        return {
            **ENVIRONMENT,
            "GITHUB_API_URL": self.hub.api_url,
            "GITHUB_SERVER_URL": self.hub.url,
            "GITHUB_TOKEN": self.token,
            "GITHUB_RUN_ID": "77",
            **self.environment,
        }

    def replies(self) -> list[str]:
        """What the bot has said so far."""
        return [comment.body for comment in self.comments() if comment.author.login == BOT]

    def comments(self) -> list[Comment]:
        """All comments of the thread."""
        return self.repo.comments(self.number)

    def reactions(self, comment: int) -> list[str]:
        """What the bot reacted with."""
        return [reaction.content for reaction in self.repo.reactions(comment)]

    def file(self, path: str, branch: str = "main") -> bytes | None:
        """A file as it is on the branch."""
        return self.repo.file(branch, path)

    def state(self) -> Any:
        """The state of the thread, as it is on its ref; None where there is none."""
        data = self.repo.file(f"refs/gitclaw/threads/{self.number}", "state.json")
        return json.loads(data) if data else None

    def message(self, branch: str = "main") -> str:
        """The message of the last commit of a branch."""
        oid = self.repo.branch(branch)
        assert oid is not None
        return self.repo.repository.git.commit(oid).message

    def prompts(self) -> list[str]:
        """What the agent was told, run by run."""
        told = self.folder / "told.txt"
        return told.read_text(encoding="utf-8").split("\n\x00\n")[:-1] if told.exists() else []

    def let_go(self) -> None:
        """What the agent awaits with ``await go`` is there from now on."""
        (self.folder / "go").touch()

    def requests(self, start: int = 0) -> tuple[list[str], list[str]]:
        """The requests since the log had ``start`` entries: to the API, and of git."""
        made = [f"{call.method} {call.path}" for call in list(self.hub.log)[start:]]
        git = [line for line in made if ".git/" in line]
        return [line for line in made if line not in git], git


@contextmanager
def talking(
    folder: Path,
    configuration: Mapping[str, Any] | None = None,
    files: Mapping[str, bytes] = FILES,
    clock: Callable[[], int] | None = None,
) -> Iterator[Talk]:
    """A repository with the agent configured, and an open issue in it.

    Every exchange with the API is held against GitHub's own description of it.
    """
    told = folder / "told.txt"
    agent: Sequence[str] = [sys.executable, str(AGENT), str(told)]
    document = {"agent": {"command": agent, "isolation": "none"}, **(configuration or {})}
    with Hub(folder / "hub", clock=clock) as hub, checked(hub):
        mona = hub.account("mona")
        repo = hub.repository("octo/hello", {**files, "suggestions.json": json.dumps(document).encode()})
        repo.grant(mona, "write")
        talk = Talk(hub, folder, repo, mona)
        talk.open()
        yield talk
