"""G1 to G3 and G14: what an event costs that is not for us, what a command costs before an agent, and the install."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench.bench import Bench
from tests.bench.measure import Case, Row, alternate, process
from tests.sandbox import ENVIRONMENT

TOP = Path(__file__).resolve().parents[2]
GATE = TOP / "gitclaw_py/cli/gate.py"
PAYLOAD = TOP / "tests/payloads/issue_comment.created.1.json"
FIRST_LOOK, CONSOLE_SCRIPT, ACCEPTED, INSTALL = 1.2, 2.0, 4.0, 0.2
"""The goals: an ignored event by file and by script, an accepted one, over a bare interpreter; then over pip."""
STANDARD = frozenset(sys.stdlib_module_names) | {"gitclaw_py", "__main__"}


def ignored(folder: Path) -> dict[str, str]:
    """The environment of a gate whose event is a real comment that is not for us."""
    return {**ENVIRONMENT, "GITHUB_EVENT_NAME": "issue_comment", "GITHUB_EVENT_PATH": str(PAYLOAD), **_files(folder)}


def accepted(folder: Path) -> dict[str, str]:
    """The same with a comment that is; nobody can be asked, so that it ends before the first request."""
    event = json.loads(PAYLOAD.read_bytes())
    event["comment"] |= {"body": "/gitclaw tidy up", "updated_at": event["comment"]["created_at"]}
    path = folder / "event.json"
    path.write_text(json.dumps(event), encoding="utf-8")
    asks = {"GITHUB_TOKEN": "t", "GITHUB_API_URL": "http://127.0.0.1:9"}
    return {**ignored(folder), "GITHUB_EVENT_PATH": str(path), **asks}


def _files(folder: Path) -> dict[str, str]:
    return {"GITHUB_OUTPUT": str(folder / "output"), "GITHUB_STEP_SUMMARY": str(folder / "summary")}


def as_file() -> list[str]:
    """The gate as the workflow starts it."""
    return [sys.executable, "-I", "-S", str(GATE)]


def measured(bench: Bench) -> list[Row]:
    """The rows of G1 and G3."""
    folder = bench.scratch("gate")
    script = folder / "gitclaw"
    script.write_text(f"#!{sys.executable}\nimport sys\nfrom gitclaw_py.cli import command\ncommand()\n")
    script.chmod(0o755)
    times = alternate(
        {
            "bare": _case([sys.executable, "-c", "pass"], folder, ENVIRONMENT),
            "file": _case(as_file(), folder, ignored(folder)),
            "script": _case([str(script), "gate"], folder, ignored(folder)),
            "accepted": _case(as_file(), folder, accepted(folder)),
        },
        max(bench.rounds, 21),
    )
    file, console, before = (times.pair("bare", name) for name in ("file", "script", "accepted"))
    return [
        file.row("G1", "ignored event, the gate as a file", f"<= {FIRST_LOOK}x", met=file.ratio <= FIRST_LOOK),
        console.row(
            "G1", "ignored event, the console script", f"<= {CONSOLE_SCRIPT}x", met=console.ratio <= CONSOLE_SCRIPT
        ),
        before.row(
            "G3",
            "accepted event, the gate without the answers of GitHub",
            f"<= {ACCEPTED}x",
            met=before.ratio <= ACCEPTED,
        ),
    ]


def _case(command: list[str], folder: Path, environment: dict[str, str]) -> Case:
    return lambda: process(command, folder, environment)


def installed(bench: Bench) -> list[Row]:
    """The rows of G14: into an empty folder from the index, by pip and by ourselves."""
    folder = bench.scratch("install")
    ways: dict[str, Callable[[Path], list[str]]] = {"pip": _pip, "ours": _ours}
    times = alternate({name: _install(way, folder) for name, way in ways.items()}, min(bench.rounds, 5))
    pair = times.pair("pip", "ours")
    return [pair.row("G14", "install the lock, cold", f"<= {INSTALL}x pip", met=pair.ratio <= INSTALL)]


def _install(way: Callable[[Path], list[str]], folder: Path) -> Case:
    def case() -> float:
        target = Path(tempfile.mkdtemp(dir=folder))
        own = ("PIP_", "SSL_", "REQUESTS_")
        environment = {name: value for name, value in os.environ.items() if name.startswith(own)}
        started = time.perf_counter()
        subprocess.run(
            way(target),
            env={**environment, "PATH": os.environ["PATH"], "HOME": str(folder)},
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        took = time.perf_counter() - started
        shutil.rmtree(target)
        return took

    return case


def _pip(target: Path) -> list[str]:
    lock = str(TOP / "requirements.lock")
    how = ["--quiet", "--disable-pip-version-check", "--no-cache-dir", "--require-hashes"]
    return [sys.executable, "-I", "-m", "pip", "install", *how, "--requirement", lock, "--target", str(target)]


def _ours(target: Path) -> list[str]:
    script = (
        f"import sys; sys.path.insert(0, {str(TOP)!r}); from pathlib import Path;"
        f"from gitclaw_py.cli.start import installed; installed(Path({str(target)!r}), {{}})"
    )
    return [sys.executable, "-I", "-S", "-c", script]


def modules(environment: dict[str, str]) -> set[str]:
    """The top-level modules that the gate has imported when it ends."""
    script = (
        f"import sys; sys.path.insert(0, {str(TOP)!r}); from gitclaw_py.cli.gate import main; main();"
        "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    return set(done.stderr.split("\n")[-2].split())
