"""What an agent has: a copy of the files, and no power of anyone.

The script is the one of the threat table's laboratory; without isolation it finds everything, which is shown too.
"""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from gitclaw_py.core.settings import AgentSettings, Isolation
from gitclaw_py.errors import AgentError
from tests.isolation.conftest import Making
from tests.isolation.place import Place, processes, python

PROBE = """
echo "uid $(id -u)"; echo "groups $(id -G | wc -w)"
grep -E 'NoNewPrivs|CapBnd|CapEff|CapPrm|CapInh|CapAmb' /proc/self/status | tr '\\t' ' '
echo "names $(env | cut -d= -f1 | sort | tr '\\n' ' ')"
cat /proc/$BOT/environ >/dev/null 2>&1 && echo "environ read" || echo "environ denied"
cat "$SECRET" 2>/dev/null && echo "secret read" || echo "secret denied"
(echo x >> "$COMMANDS") 2>/dev/null && echo "commands written" || echo "commands denied"
sudo -n id >/dev/null 2>&1 && echo "sudo works" || echo "sudo denied"
(: > $PLANTED) 2>/dev/null && echo "path written" || echo "path denied"
echo two >> a.py && echo "workspace written" || echo "workspace denied"
cat "$GITCLAW_PROMPT"; echo; ls /proc/self/fd | wc -l
PYTHON - <<'END'
import socket
udp, tcp = ("route", socket.SOCK_DGRAM, "192.0.2.1", 9), ("port", socket.SOCK_STREAM, "127.0.0.1", PORT)
for name, kind, *address in (udp, tcp):
    try:
        s = socket.socket(socket.AF_INET, kind)
        s.settimeout(3)
        s.connect(tuple(address))
        print(name, "open")
    except OSError as error:
        print(name, error.strerror)
END
setsid sleep MARK >/dev/null 2>&1 &
echo end
"""
ALLOWED = {
    *("PATH", "LANG", "HOME", "USER", "LOGNAME", "PWD", "TMPDIR", "PYTHONDONTWRITEBYTECODE", "GIT_CEILING_DIRECTORIES"),
    *("GITCLAW_REASONS", "GITCLAW_PROMPT", "GITCLAW_ANSWER", "OLDPWD", "SHLVL", "_"),
    *("BOT", "SECRET", "COMMANDS", "PLANTED"),
}
SECRETS = {"GITHUB_TOKEN": "ghs_bot", "SECRET_KEY": "sk-bot"}
NO_POWER = {"0000000000000000"}


class Bot(NamedTuple):
    """What the bot has: a process with a token, a file with one, the runner's command file, an open port."""

    pid: int
    secret: Path
    commands: Path
    port: int


@contextmanager
def _bot(folder: Path) -> Iterator[Bot]:
    secret, commands = folder / "secret", folder / "commands"
    secret.write_text("ghs_file", encoding="ascii")
    commands.write_text("", encoding="ascii")
    process = subprocess.Popen(["sleep", "600"], env={"GITHUB_TOKEN": "ghs_process"})
    with socket.create_server(("127.0.0.1", 0)) as server:
        try:
            yield Bot(process.pid, secret, commands, server.getsockname()[1])
        finally:
            process.kill()
            process.wait()


def _probed(place: Place, bot: Bot, mark: str, planted: str) -> tuple[list[str], dict[str, str]]:
    script = PROBE.replace("PYTHON", python()).replace("PORT", str(bot.port)).replace("MARK", mark)
    names = {"BOT": str(bot.pid), "SECRET": str(bot.secret), "COMMANDS": str(bot.commands), "PLANTED": planted}
    found = place.run(script, 30.0, **names)
    assert found.ran.exit_code == 0, found.log
    lines = found.said.splitlines()
    assert lines[-1] == "end", found.log
    return lines, dict(line.split(" ", 1) for line in lines if " " in line)


def test_rows_03_04_05_09_20_38_an_agent_has_no_power(made: Making, kind: Isolation) -> None:
    place = made(**SECRETS)
    mark = f"4242.{os.getpid()}1"
    with _bot(place.folder) as bot:
        lines, said = _probed(place, bot, mark, f"/usr/local/bin/planted-{os.getpid()}")
        assert set(said["names"].split()) <= ALLOWED
        assert {said[f"{name}:"] for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")} == NO_POWER
        assert said["NoNewPrivs:"] == "1"
        denied = ("environ", "secret", "sudo", "path")
        assert {name: said[name] for name in denied} == dict.fromkeys(denied, "denied")
        # With bubblewrap there is an empty folder of that name, for the agent alone; the file of the bot is below.
        assert said["commands"] == "denied" or kind is Isolation.BUBBLEWRAP
        assert said["route"] in ("Network is unreachable", "Permission denied")
        assert said["port"] in ("Connection refused", "Permission denied")
        assert "the task" in lines
        # Its three own, and the one of the folder that is listed.
        assert "4" in lines
        assert bot.commands.read_bytes() == b""
    assert (place.work / "a.py").read_text(encoding="utf-8") == "one\ntwo\n"
    assert processes(mark) == []
    if kind is not Isolation.LANDLOCK:
        assert said["CapBnd:"] == "0000000000000000"
        assert said["uid"] != str(os.getuid())
        assert (said["route"], said["port"]) == ("Network is unreachable", "Connection refused")
    if kind is Isolation.NAMESPACES:
        assert said["groups"] == "1"


def test_without_isolation_it_has_what_the_bot_has(tmp_path: Path) -> None:
    place = Place(tmp_path, AgentSettings(isolation=Isolation.NONE), **SECRETS)
    mark = f"4242.{os.getpid()}2"
    with _bot(tmp_path) as bot:
        _, said = _probed(place, bot, mark, str(tmp_path / "planted"))
        found = (said["environ"], said["commands"], said["port"], said["path"])
        assert found == ("read", "written", "open", "written")
        assert "GITHUB_TOKEN" not in said["names"].split()
        # Not read from a file whose end is no line's end.
        assert said.get("ghs_filesecret") == "read"
    assert processes(mark) == []


def test_what_it_makes_belongs_to_the_bot_afterwards(made: Making) -> None:
    place = made()
    place.run("mkdir d; echo x > d/new; chmod 000 d; ln -s /etc/passwd link; chmod 4755 a.py")
    assert {os.lstat(place.work / name).st_uid for name in ("a.py", "d", "link")} == {os.getuid()}


def test_row_20_files_of_people_and_of_the_bot_are_not_there(made: Making) -> None:
    place = made()
    for folder in ("home", "runner"):
        (place.folder / folder).mkdir()
        (place.folder / folder / "event.json").write_text("the event", encoding="ascii")
    place.environment |= {"HOME": str(place.folder / "home"), "RUNNER_TEMP": str(place.folder / "runner")}
    found = place.run(f"cat {place.folder}/*/event.json {place.folder}/bot/*; ls -a {place.folder} /root /home")
    assert "the event" not in found.log
    assert "event.json" not in found.log.partition("\n$ ")[2].partition("\n")[2].replace("*/event.json", "")


def test_a_folder_can_be_made_readable_and_nothing_else_of_it(made: Making) -> None:
    place = made()
    tool = place.folder / "tool"
    tool.mkdir(mode=0o755)
    (tool / "run").write_text("#!/bin/sh\necho it runs\ntouch $(dirname $0)/planted\n", encoding="ascii")
    (tool / "run").chmod(0o755)
    with pytest.raises(AgentError, match="cannot be started"):
        place.start([str(tool / "run")])
    place.settings = place.settings._replace(readable=(str(tool),))
    found = place.start([str(tool / "run")])
    assert "it runs" in found.said
    assert sorted(path.name for path in tool.iterdir()) == ["run"]


@pytest.mark.parametrize("name", ["no-such-agent", "./no-such-agent"])
def test_an_agent_that_cannot_be_started_is_named(made: Making, name: str) -> None:
    with pytest.raises(AgentError, match=f"{name} cannot be started") as caught:
        made().start([name])
    assert caught.value.code == "AGENT_FAILED"
