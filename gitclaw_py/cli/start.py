"""Starts gitclaw on a runner where nothing is installed: ``python3 -I -S gitclaw_py/cli/start.py publish …``.

What ``requirements.lock`` names goes into a new folder of the job, and into nothing that other programs use.
"""

from __future__ import annotations

import os
import sys
from itertools import pairwise
from pathlib import Path

_TOLD = ("failed", "partly", "done")
TOP = Path(__file__).resolve().parents[2]


def main(words: list[str], environment: dict[str, str]) -> int:
    """Install, run a verb in this process, and return the exit code for the job."""
    folder = Path(environment.get("RUNNER_TEMP") or "/tmp") / "gitclaw-packages"  # noqa: S108 - as the runner has it
    sys.stdout.write("::group::Install gitclaw from its lock\n")
    installed(folder, environment)
    sys.stdout.write("::endgroup::\n")
    sys.stdout.flush()
    sys.path.insert(1, str(folder))
    # Not in the folder of anyone's files: nothing there can be taken for a module.
    os.chdir(folder)
    from gitclaw_py.cli.line import run

    code = run(words)
    return 0 if is_answered(code, environment) else code


def installed(folder: Path, environment: dict[str, str]) -> None:
    """Install the lock into the folder; with pip where the fast way is not there."""
    from gitclaw_py.adapters import wheels

    lock = TOP / "requirements.lock"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        wheels.install(
            wheels.locked(lock.read_text(encoding="utf-8")),
            folder,
            environment.get("PIP_INDEX_URL") or wheels.INDEX,
        )
    except wheels.NotHereError as why:
        sys.stdout.write(f"pip installs it: {why}\n")
        _with_pip(lock, folder)


def _with_pip(lock: Path, folder: Path) -> None:
    import subprocess

    how = ["--quiet", "--disable-pip-version-check", "--no-compile", "--no-deps", "--only-binary", ":all:"]
    where = ["--require-hashes", "--requirement", str(lock), "--target", str(folder)]
    subprocess.run([sys.executable, "-I", "-m", "pip", "install", *how, *where], check=True)


def is_answered(code: int, environment: dict[str, str]) -> bool:
    """Whether that exit code is of commands that could not be carried out and were answered: the job is green then."""
    if code not in (2, 4, 6):
        return False
    output = environment.get("GITHUB_OUTPUT")
    lines = Path(output).read_text(encoding="utf-8").split("\n") if output else []
    return any(name.startswith("result<<") and value in _TOLD for name, value in pairwise(lines))


if __name__ == "__main__":
    if sys.version_info < (3, 11):  # noqa: UP036 - here it is not pip that asks
        sys.exit("gitclaw needs Python 3.11 or later as python3; actions/setup-python brings one")
    # A file that is run alone does not find its package: https://docs.python.org/3/using/cmdline.html#cmdoption-I
    sys.path.insert(0, str(TOP))
    sys.exit(main(sys.argv[1:], dict(os.environ)))
