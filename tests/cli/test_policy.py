"""What is never applied, in a terminal: shown with its command, and that command takes it."""

from __future__ import annotations

import shlex
import subprocess

import pytest

from tests.sandbox import Sandbox

NAMES = [
    "deployment/a.yml",
    "deployment/it's b.yml",
    "deployment/n\new.yml",
    "deployment/\u00e9*[x].yml",
    "deployment/-rf",
]


@pytest.mark.parametrize("name", NAMES)
def test_row_16_the_command_for_a_blocked_change_takes_it_and_loses_no_edit(repo: Sandbox, name: str) -> None:
    lines = "".join(f"line {number}\n" for number in range(1, 21))
    repo.write(name, lines)
    repo.write("gone.pem", "key\n")
    repo.commit("base")
    place = shlex.quote(name)
    shown = repo.suggest(f"sed -i 's/line 3$/LINE 3/' -- {place}; rm gone.pem; echo a > a.txt").out
    assert "blocked: it says how things are deployed" in shown
    commands = [line.partition("a person must do this: ")[2] for line in shown.split("\n") if "must do this" in line]
    assert len(commands) == 2
    assert "BLOCKED_PATH" in repo.gitclaw("apply", "2", code=4).err
    repo.gitclaw("apply", "all")
    assert (repo.read(name).decode(), repo.read("gone.pem")) == (lines, b"key\n")
    # Someone changes the end of the file meanwhile.
    repo.write(name, lines.replace("line 18\n", "mine\n"))
    repo.commit("mine")
    for command in commands:
        subprocess.run(["bash", "-c", command], cwd=repo.path, env=repo.environment, check=True, capture_output=True)
    assert repo.read(name).decode() == lines.replace("line 18\n", "mine\n").replace("line 3\n", "LINE 3\n")
    assert not (repo.path / "gone.pem").exists()


def test_row_69_a_mode_and_line_ends_are_suggestions_that_are_seen(repo: Sandbox) -> None:
    repo.write("run.sh", "#!/bin/sh\n")
    repo.write("a.txt", "a\nb\n")
    repo.commit("base")
    shown = repo.suggest("chmod +x run.sh; printf 'a\\r\\nb\\r\\n' > a.txt").out
    assert "mode, executable" in shown
    assert "\\x0d" in shown or "\\r" in shown


def test_row_49_what_deceives_is_left_out_of_all(repo: Sandbox) -> None:
    repo.write("a.py", "x = 1\n")
    repo.write("b.py", "y = '\u202e'\n")
    repo.commit("base")
    shown = repo.suggest("printf 'x = \\342\\200\\256 1\\n' > a.py; echo z >> b.py; echo c > c.py").out
    assert "only by its number: it has U+202E in line 1" in shown
    said = repo.gitclaw("apply", "all").out
    assert "U+202E" in said
    assert repo.read("a.py") == b"x = 1\n"
    assert repo.read("b.py").endswith(b"z\n")
    repo.gitclaw("apply", "1")
    assert repo.read("a.py").decode() == "x = \u202e 1\n"


def test_row_16_a_configuration_holds_for_every_verb(repo: Sandbox) -> None:
    repo.write("a.sql", "a\n")
    repo.commit("base")
    repo.suggest("echo b >> a.sql")
    repo.write("suggestions.json", '{"paths": {"block": ["*.sql"]}}')
    assert "suggestions.json says so" in repo.gitclaw("apply", "1", code=4).err
    repo.write("suggestions.json", '{"paths": {"block": "*.sql"}}')
    repo.gitclaw("apply", "1", code=3)
