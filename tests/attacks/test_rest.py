"""Rows of the table that belong to no other place."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gitclaw_py.handlers.suggest import Suggested
from tests.conversations.talk import Talk, talking
from tests.handlers.worlds import propose
from tests.sandbox import Sandbox

_STARTED: list[str] = []
_IS_LISTENING: list[bool] = []


def _listen(event: str, arguments: tuple[Any, ...]) -> None:
    if _IS_LISTENING and event == "subprocess.Popen":
        _STARTED.append(os.fsdecode(arguments[0] or arguments[1][0]))


sys.addaudithook(_listen)  # it cannot be taken away again


@contextmanager
def _listening() -> Iterator[list[str]]:
    """What programs are started meanwhile, in this process."""
    _STARTED.clear()
    _IS_LISTENING.append(True)
    yield _STARTED
    _IS_LISTENING.clear()


def test_row_40_what_can_write_starts_git_and_nothing_of_the_repository(tmp_path: Path) -> None:
    tools = {".pre-commit-config.yaml": b"repos: []\n", "Makefile": b"all:\n\ttouch made\n", "app.py": b"old = 1\n"}
    with talking(tmp_path, files=tools) as talk:
        talk.say("/gitclaw rename\n\nreplace old with new in app.py")
        with _listening() as started:
            for said in ("/apply all", "/gitclaw status", "/undo", "/reject 1"):
                talk.say(said)
        assert talk.state()["decisions"][-1]["verb"] == "reject"
        assert {os.path.basename(name) for name in started} == {"git"}


def test_row_40_an_agent_is_seen_when_it_is_started(talk: Talk) -> None:
    with _listening() as started:
        talk.say("/gitclaw rename\n\nreplace old with new in app.py")
    assert {os.path.basename(name) for name in started} != {"git"}


def test_row_26_submodules_are_neither_fetched_nor_entered(repo: Sandbox, tmp_path: Path) -> None:
    mark = tmp_path / "somebody-ran-it"
    repo.write("a.txt", "a\n")
    repo.write(
        ".gitmodules", f'[submodule "sub"]\n\tpath = sub\n\turl = ext::sh -c "touch {mark}"\n\tupdate = !touch\n'
    )
    repo.commit("base")
    head = repo.git("rev-parse", "HEAD").decode().strip()
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{head},sub")
    repo.git("-c", "submodule.recurse=true", "commit", "--quiet", "--message=with a submodule")
    for setting in ("submodule.recurse", "fetch.recurseSubmodules", "submodule.sub.active"):
        repo.git("config", setting, "true")
    repo.git("config", "protocol.ext.allow", "always")

    def change(folder: Path) -> None:
        assert list((folder / "sub").iterdir()) == []
        (folder / "a.txt").write_text("b\n")

    outcome = propose(repo, change)
    assert isinstance(outcome, Suggested)
    assert [s.path for s in outcome.suggestions] == [b"a.txt"]
    assert not mark.exists()
