"""Installs the known agents, each in a folder of its own, and runs the tests of this package with them.

    python -m tests.agents [NAME ...] [--to FOLDER] [--install-only]

Without names all of them: about three gigabytes, from npm and PyPI. With ``--to`` they stay there for the next time.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gitclaw_py.core.presets import PRESETS, Preset


def main() -> int:
    """Install, then test; the exit code is that of the tests."""
    parser = argparse.ArgumentParser(prog="python -m tests.agents", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PRESETS)}")
    parser.add_argument("--to", metavar="FOLDER", help="where they are installed; by default a temporary folder")
    parser.add_argument("--install-only", action="store_true", help="print the path to put before PATH, and end")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gitclaw-agents-") as temporary:
        folder = Path(options.to or temporary).resolve()
        names = options.names or [*PRESETS]
        places = [str(_installed(PRESETS[name], folder / name)) for name in names]
        path = os.pathsep.join([*places, os.environ["PATH"]])
        if options.install_only:
            print(os.pathsep.join(places))
            return 0
        return _tested(names, path)


def _installed(preset: Preset, folder: Path) -> Path:
    """The folder with the program; the versions are the preset's own."""
    place = folder / ("node_modules/.bin" if preset.install[0] == "npm" else "bin")
    if not (place / preset.program).exists():
        print(f"installing {preset.name}: {preset.install[-1]}", file=sys.stderr, flush=True)
        for command in _commands(preset, folder):
            # Its output would be taken for the path that is printed.
            subprocess.run(command, check=True, stdout=sys.stderr)
    return place


def _commands(preset: Preset, folder: Path) -> Sequence[Sequence[str]]:
    folder.mkdir(parents=True, exist_ok=True)
    package = preset.install[-1]
    if preset.install[0] == "npm":
        return [["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), package]]
    pip = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return [[sys.executable, "-m", "venv", str(folder)], ["env", "-u", "PIP_CONSTRAINT", *pip, package]]


def _tested(names: Sequence[str], path: str) -> int:
    wanted = " or ".join(name.replace("-", "") if name not in PRESETS else f"[{name}]" for name in names)
    command = [sys.executable, "-m", "pytest", "-q", "-m", "agents", "tests/agents", "-k", wanted]
    return subprocess.run(command, env={**os.environ, "PATH": path}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
