"""What is promised is looked at, and what is not kept is not taken."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from gitclaw_py.adapters.command_agent import CommandAgent
from gitclaw_py.adapters.isolation.box import Box
from gitclaw_py.adapters.isolation.mounts import Identity
from gitclaw_py.adapters.isolation.promises import Bait, broken
from gitclaw_py.adapters.isolation.recipes import ALL, Recipe
from gitclaw_py.core.settings import AgentSettings, Isolation
from gitclaw_py.errors import AgentError
from tests.isolation.place import INSIDE, place, search

SAID = {
    "user": "it is user",
    "powers": "it may gain privileges",
    "bounds": "it could have capabilities",
    "bot": "the bot's environment can be read",
    "files": "the bot's files can be read; the bot's files can be written; the bot's folders can be written",
    "network": "this machine's own ports can be reached",
}


@pytest.mark.parametrize("promise", SAID)
def test_a_process_with_all_its_power_keeps_no_promise(tmp_path: Path, promise: str) -> None:
    (tmp_path / "token").write_text("x", encoding="ascii")
    with socket.create_server(("127.0.0.1", 0)) as server:
        bait = Bait(os.getpid(), str(tmp_path / "token"), str(tmp_path), server.getsockname()[1])
        found = broken([promise], Identity(62211, 62211), bait, [str(tmp_path)])
    assert SAID[promise] in "; ".join(found)


def test_a_workspace_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    bait = Bait(os.getpid(), "", "", 0)
    assert broken([], Identity(0, 0), bait, [str(tmp_path / "none")]) == [f"it cannot write to {tmp_path}/none"]


def _ran(folder: Path, *ways: Recipe) -> str:
    work = folder / "work"
    work.mkdir(exist_ok=True)
    box = Box(AgentSettings(), {**os.environ, "PATH": search()}, ways)
    agent = CommandAgent(["touch", "ran"], INSIDE, 20, None, box)
    return agent.run(work, "", folder / "log", lambda _seconds, _line: None).isolation


def _without(name: Isolation, step: str) -> Recipe:
    recipe = ALL[name]
    return recipe._replace(steps=lambda network: [one for one in recipe.steps(network) if one != step])


def test_a_way_that_does_not_hold_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "try").mkdir()
    place(tmp_path / "try", Isolation.LANDLOCK)
    leaky = _without(Isolation.LANDLOCK, "sockets")._replace(name=Isolation.NAMESPACES)
    assert _ran(tmp_path, leaky, ALL[Isolation.LANDLOCK]) == "landlock"
    (tmp_path / "work" / "ran").unlink()
    with pytest.raises(AgentError, match="nothing here keeps it apart") as caught:
        _ran(tmp_path, leaky)
    assert "there is a way to the network" in caught.value.details[0]
    assert not (tmp_path / "work" / "ran").exists()


@pytest.mark.parametrize("step", ["user", "mounts"])
def test_namespaces_without_one_of_their_steps_are_passed_over(tmp_path: Path, step: str) -> None:
    (tmp_path / "try").mkdir()
    place(tmp_path / "try", Isolation.NAMESPACES)
    with pytest.raises(AgentError, match="nothing here keeps it apart"):
        _ran(tmp_path, _without(Isolation.NAMESPACES, step))
    assert not (tmp_path / "work" / "ran").exists()
