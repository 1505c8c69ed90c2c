"""What breaks a run: death at a call to the outside, and requests that fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from gitclaw_py.core.replies import marker
from gitclaw_py.handlers.world import Pace, World
from gitclaw_py.hub.faults import Fault, Faults
from gitclaw_py.ports.forge import Forge, Remote
from tests.conversations.talk import BOT, Talk

Around = Callable[[str, Callable[[], Any]], Any]
_FORGE = (
    *("level", "comments", "thread", "comment", "edit", "react", "pull", "pull_of", "open_pull", "commit", "move"),
    *("merge", "close_pull", "update_branch", "checks", "is_protected", "reviews"),
)
_REMOTE = ("fetch", "bring", "bring_all", "push")


class KilledError(BaseException):
    """The process is gone."""


class Kill:
    """Ends the run before or after its call ``at`` to the outside, counted from 1; ``calls`` are those it made."""

    def __init__(self, at: int = 0, *, after: bool = False) -> None:
        self._at = at
        self._after = after
        self.calls: list[str] = []

    def __call__(self, name: str, do: Callable[[], Any]) -> Any:
        self.calls.append(name)
        is_last = len(self.calls) == self._at
        if is_last and not self._after:
            raise KilledError(name)
        result = do()
        if is_last:
            raise KilledError(name)
        return result


class _Watched:
    """A port whose calls to the outside go through ``around``."""

    def __init__(self, port: object, names: tuple[str, ...], around: Around) -> None:
        self._port = port
        self._names = names
        self._around = around

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if name not in self._names:
            return found
        return lambda *given, **named: self._around(name, partial(found, *given, **named))


def watched(around: Around) -> Callable[[World], World]:
    """Gets between a run and everything outside of it: the API, the git server, and the agent."""

    def change(world: World) -> World:
        forge, remote = _Watched(world.forge, _FORGE, around), _Watched(world.remote, _REMOTE, around)
        make = world.agent

        def agent(*given: Any) -> Any:
            return _Watched(make(*given), ("run",), around)

        return world._replace(forge=cast("Forge", forge), remote=cast("Remote", remote), agent=agent)

    return change


def hasty(around: Around = lambda _, do: do()) -> Callable[[World], World]:
    """Like ``watched``, and a long run tells how it is getting on ten times a second."""
    return lambda world: watched(around)(world)._replace(pace=Pace(0.1, 0.1))


class Nth(Faults):
    """The request ``at``, counted from 1, meets the fault; ``made`` are all requests."""

    def __init__(self, at: int = 0, fault: Fault | None = None) -> None:
        super().__init__()
        self._at = at
        self._fault = fault
        self.made: list[str] = []

    def take(self, method: str, path: str) -> Fault | None:
        """The fault, for the one request."""
        self.made.append(f"{method} {path}")
        return self._fault if len(self.made) == self._at else None


def answers(talk: Talk, comment: int) -> list[str]:
    """What the bot answered to a comment, without how it was getting on."""
    found = ((marker.find(said.body), said) for said in talk.comments() if said.author.login == BOT)
    return [said.body for mark, said in found if mark and _is_for(mark, comment)]


def _is_for(mark: marker.Marker, comment: int) -> bool:
    return mark.answers.partition(".")[0] == str(comment) and mark.kind != "progress"


def commits(talk: Talk, branch: str = "main") -> list[str]:
    """The commits of a branch since the first one of the repository, oldest first."""
    listed = talk.repo.repository.git.git("rev-list", "--reverse", "--first-parent", branch)
    return listed.decode().split()[1:]


def assert_agreed(talk: Talk, branch: str = "main") -> None:
    """The branch has the commits that the state tells of, each once, and nobody's else."""
    decisions = talk.state()["decisions"] if talk.state() else []
    there = commits(talk, branch) if talk.repo.branch(branch) else []
    assert [d["commit"] for d in decisions if d["verb"] in ("apply", "undo")] == there


def assert_said_once(talk: Talk) -> None:
    """No comment of the bot is there twice."""
    said = [mark for c in talk.comments() if c.author.login == BOT and (mark := marker.find(c.body))]
    assert len(said) == len(set(said)), json.dumps(said, indent=1)


def cut_off(talk: Talk, kill: Kill) -> bool:
    """Let the bot handle the next event with its death ahead; whether it died."""
    talk.around = watched(kill)
    try:
        talk.run(*talk.waiting.pop(0))
    except KilledError:
        return True
    else:
        return False
    finally:
        talk.around = lambda world: world
