"""An agent in a thread that is kept apart, and one that turns on us: its words arrive, and nothing else does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitclaw_py.core.settings import Isolation
from tests.conversations.talk import talking
from tests.isolation.model_server import model
from tests.isolation.place import KINDS, place, processes, python

CANARY = "canary-7f3a91"


def _agent(script: str, **more: Any) -> dict[str, Any]:
    return {"agent": {"command": ["/bin/sh", "-c", script], **more}}


def _skip_unless_apart(folder: Path) -> None:
    (folder / "probe").mkdir()
    place(folder / "probe", Isolation.AUTO)


def test_where_it_ran_is_in_the_log_the_record_and_the_execution_log(tmp_path: Path) -> None:
    _skip_unless_apart(tmp_path)
    with talking(tmp_path, _agent("echo new >> notes.txt; id -u")) as talk:
        talk.say("/gitclaw do it")
        (proposal,) = talk.state()["proposals"]
        assert proposal["isolation"] in KINDS
        assert f"isolation: {proposal['isolation']}, no network" in talk.runs[-1].err


HOSTILE = f"""
env > stolen.txt
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline > everything.txt 2>/dev/null
tr '\\0' '\\n' < everything.txt | grep -a {CANARY[:6]} >> stolen.txt
grep -rsh {CANARY[:6]} BOT >> stolen.txt
cat "$GITCLAW_PROMPT" >> stolen.txt
mkfifo pipe
ln -s /proc/self/environ environ
ln -s /etc/passwd passwd
mkdir -p sub/.git/hooks && printf '#!/bin/sh\\necho' > sub/.git/hooks/pre-commit
truncate -s 3G sparse
ln -s /proc/1/environ "$GITCLAW_ANSWER"
(setsid sh -c 'while :; do echo more >> notes.txt; sleep 0.01; done' sh MARK &) >/dev/null 2>&1
echo '::add-path::/tmp'
echo new >> notes.txt
exit 0
"""


@pytest.fixture
def bot(tmp_path: Path) -> Iterator[Path]:
    """What a runner has beside the agent: a process with a secret in its environment, and a folder with one."""
    folder = tmp_path / "runner"
    folder.mkdir(mode=0o700)
    (folder / "token").write_text(f"{CANARY}-file", encoding="ascii")
    process = subprocess.Popen(["sleep", "600"], env={"STATE_KEY": f"{CANARY}-process"})
    yield folder
    process.kill()
    process.wait()


@pytest.mark.parametrize("isolation", ["auto", "none"])
def test_rows_03_04_37_59_63_a_hostile_agent_gets_nothing_and_brings_nothing(
    tmp_path: Path, bot: Path, isolation: str
) -> None:
    if isolation == "auto":
        _skip_unless_apart(tmp_path)
    mark = f"5151.{os.getpid()}"
    script = HOSTILE.replace("MARK", mark).replace("BOT", str(bot))
    with talking(tmp_path, _agent(script, limits={"fileSize": 16}, timeout=60, isolation=isolation)) as talk:
        talk.environment["RUNNER_TEMP"] = str(bot)
        began = time.monotonic()
        replies = talk.say("/gitclaw tidy up")
        assert time.monotonic() - began < 30
        assert processes(mark) == []
        assert replies
        everything = subprocess.run(
            ["git", "-C", talk.repo.folder, "log", "--all", "-p", "--text"], capture_output=True, check=True
        ).stdout.decode("utf-8", "replace")
        heard = "\n".join([*replies, json.dumps(talk.state()), everything, *(run.out + run.err for run in talk.runs)])
        assert "stolen.txt" in heard
        # Without isolation it finds them, which shows that it looks in the right places. Of what others have in their
        # environment everything.txt may hold a token, and is not published then.
        for secret in (f"{CANARY}-process", f"{CANARY}-file"):
            assert (secret in heard) is (isolation == "none")
        assert talk.token not in heard
        assert "\n::add-path::" not in "".join(run.out for run in talk.runs)


def test_row_20_the_clone_with_the_history_is_out_of_its_reach(tmp_path: Path) -> None:
    _skip_unless_apart(tmp_path)
    look = 'find /tmp /var/tmp -name "gitclaw-run-*" -o -name "gitclaw-git-*" > seen.txt; wc -l < seen.txt'

    def seen(folder: Path, **more: Any) -> bytes | None:
        folder.mkdir()
        with talking(folder, _agent(look, **more)) as talk:
            talk.say("/gitclaw look")
            talk.say("/apply all")
            return talk.file("seen.txt")

    assert seen(tmp_path / "apart") == b""
    assert seen(tmp_path / "not", isolation="none")


def test_nothing_runs_where_nothing_keeps_it_apart(tmp_path: Path) -> None:
    if shutil.which("bwrap", path="/usr/bin:/bin"):
        pytest.skip("bubblewrap is installed here")
    with talking(tmp_path, _agent("touch ran.txt", isolation="bubblewrap")) as talk:
        talk.environment["PATH"] = "/usr/bin:/bin"
        (reply,) = talk.say("/gitclaw do it")
        assert "The agent was not started: nothing here keeps it apart from this machine" in reply
        assert '"isolation": "none"' in reply
        assert "bubblewrap: bwrap: No such file or directory" in reply
        assert "AGENT_FAILED" in talk.runs[-1].err
        assert talk.state() is None or talk.state()["proposals"] == []


def test_an_open_network_is_told_below_the_reply(tmp_path: Path) -> None:
    def footer(folder: Path, **more: Any) -> str:
        folder.mkdir()
        with talking(folder, _agent("echo new >> notes.txt", isolation="none", **more)) as talk:
            (reply,) = talk.say("/gitclaw do it")
            return reply.rpartition("<sub>")[2]

    assert "the agent had open network access" in footer(tmp_path / "open", network="open")
    assert "network" not in footer(tmp_path / "off")


@pytest.mark.parametrize("wanted", [True, False])
def test_an_agent_that_needs_git_gets_a_repository_to_throw_away(tmp_path: Path, wanted: bool) -> None:  # noqa: FBT001
    _skip_unless_apart(tmp_path)
    script = "git log --format=%s > log.txt 2>&1; git remote >> log.txt 2>&1; exit 0"
    with talking(tmp_path, _agent(script, git=wanted)) as talk:
        talk.say("/gitclaw look")
        talk.say("/apply all")
        log = talk.file("log.txt")
        assert (log == b"base\n") is wanted


def test_a_model_is_reached_from_a_thread(tmp_path: Path) -> None:
    _skip_unless_apart(tmp_path)
    ask = (
        "import os, urllib.request as u; r = u.Request(os.environ['ANTHROPIC_BASE_URL'] + '/v1/messages', b'{}');"
        "open('said.txt', 'wb').write(u.urlopen(r, timeout=20).read())"
    )
    with model() as upstream:
        settings = {"kind": "anthropic", "key": "MODEL_KEY", "upstream": upstream.url}
        agent = {"command": [python(), "-c", ask], "network": "proxy", "model": settings}
        with talking(tmp_path, {"agent": agent}) as talk:
            talk.environment["MODEL_KEY"] = CANARY
            (reply,) = talk.say("/gitclaw ask")
            assert "said.txt" in reply
            assert [request.headers["x-api-key"] for request in upstream.requests] == [CANARY]
            assert CANARY not in reply + json.dumps(talk.state())
