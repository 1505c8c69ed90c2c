"""Whatever an agent plants in its tree, in a git directory there or in a submodule's: no command of ours runs it.

Each attack is shown to work first: git as people use it runs the planted program.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from gitclaw_py import cli
from tests.conversations.talk import talking
from tests.hostile_trees import attacks
from tests.hostile_trees.attacks import ATTACKS, GIT, MARK, Lab, prepare
from tests.isolation.place import python
from tests.sandbox import Sandbox

SCRIPT = str(Path(attacks.__file__))
NAIVE = (
    *(["status", "--porcelain"], ["diff"], ["add", "-A"], ["diff", "--cached"], ["commit", "-qm", "x"]),
    *(["commit", "--allow-empty"], ["log", "-p", "-1"], ["stash"], ["checkout", "-q", "-f", "HEAD", "--", "."]),
    *(["merge", "-q", "--no-edit", "side"], ["show", "--show-signature"], ["gc", "-q"]),
    *(["cat-file", "blob", "HEAD:d/b.txt"], ["fetch", "-q", "origin"], ["push", "-q", "origin", "HEAD:refs/heads/x"]),
)
VERBS = (
    *(["status"], ["show", "1"], ["apply", "all", "--partial"], ["status"], ["undo"], ["apply", "1"], ["reject"]),
    ["suggest", "--uncommitted"],
)


class _WantsPassword(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", "Basic realm=x")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has there
        pass


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Path]:
    """A folder with the programs, an origin, and the address of a server that wants a password."""
    folder = tmp_path / "lab"
    prepare(folder)
    subprocess.run([GIT, "init", "-q", "--bare", "-b", "main", folder / "origin.git"], check=True)
    with _server() as url:
        (folder / "wants-a-password").write_text(url, encoding="ascii")
        yield folder


@contextmanager
def _server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _WantsPassword) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/x.git"
        server.shutdown()


@pytest.fixture
def poisoned(repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """A repository with a submodule, and a home of its own."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    monkeypatch.setenv("HOME", str(home))
    repo.environment.update(HOME=str(home), GIT_CONFIG_GLOBAL=str(home / ".gitconfig"))
    repo.write("a.txt", "one\n")
    repo.write("d/b.txt", "two\n")
    repo.commit("base")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.head},nested")
    repo.git("commit", "-qm", "with a submodule")
    return repo


def _ran(lab: Path) -> str:
    mark = lab / MARK
    return mark.read_text(encoding="ascii") if mark.exists() else ""


@pytest.mark.parametrize("name", ATTACKS)
def test_git_as_people_use_it_runs_what_was_planted(poisoned: Sandbox, lab: Path, tmp_path: Path, name: str) -> None:
    ws = tmp_path / "ws"
    poisoned.git("push", "-q", str(lab / "origin.git"), "HEAD:refs/heads/main")
    poisoned.git("clone", "-q", str(lab / "origin.git"), str(ws))
    tree = Sandbox(ws, {**poisoned.environment, "GIT_TERMINAL_PROMPT": "0"})
    for branch in ("side", "main"):
        tree.git("checkout", "-q", "-B", branch, "origin/main")
        tree.write("a.txt", f"{branch}\n")
        tree.git("commit", "-qam", branch)
    ATTACKS[name](Lab(ws, lab))
    for number, command in enumerate(NAIVE):
        tree.write("a.txt", f"changed {number}\n")
        if command[0] == "merge":
            tree.git("reset", "-q", "--hard", code=None)
        with suppress(subprocess.TimeoutExpired):
            tree.git(*command, code=None)
        if _ran(lab):
            return
    pytest.fail("nothing of the planted ran, so that the other tests would show nothing")


@pytest.mark.parametrize("name", ATTACKS)
def test_rows_06_07_08_no_verb_runs_what_an_agent_planted(
    poisoned: Sandbox, lab: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(poisoned.path)
    planting = ["--", sys.executable, SCRIPT, name, str(lab)]
    assert cli.main(["suggest", "--git", *planting]) == 0
    assert _ran(lab) == ""
    codes = [cli.main(verb) for verb in VERBS]
    assert codes[:5] == [0] * 5
    assert cli.main(["review-plan", "--base", "main", "--head", "main", *planting]) in (0, 5)
    said = capsys.readouterr()
    assert name in said.out
    assert "INTERNAL" not in said.err
    assert _ran(lab) == ""


@pytest.mark.slow
@pytest.mark.parametrize("names", [list(ATTACKS)[k : k + 7] for k in range(0, 28, 7)])
def test_rows_06_07_08_no_command_of_a_thread_runs_it(tmp_path: Path, lab: Path, names: list[str]) -> None:
    _conversed(tmp_path, lab, names)


def test_rows_07_08_no_command_of_a_thread_runs_what_no_flag_could_stop(tmp_path: Path, lab: Path) -> None:
    _conversed(tmp_path, lab, ["submodule_filter", "filter_process"])


def _conversed(tmp_path: Path, lab: Path, names: list[str]) -> None:
    folder = str(Path(SCRIPT).parent)
    lab.chmod(0o755)
    agent = {"command": [python(), SCRIPT, str(lab)], "git": True, "readable": [folder, str(lab)]}
    files = {"a.txt": b"one\n", "d/b.txt": b"two\n"}
    with talking(tmp_path, {"agent": agent}, files) as talk:
        for name in names:
            replies = talk.say(f"/gitclaw attack\nattack {name}\n")
            assert any("Proposal" in reply for reply in replies), talk.runs[-1]
            for command in ("/gitclaw status", "/apply all", "/undo", "/reject no"):
                assert talk.say(command)
            assert _ran(lab) == "", name
        assert "isolation: " in "".join(run.err for run in talk.runs)
        assert all(os.getuid() == 0 or "none" not in run.err for run in talk.runs)
