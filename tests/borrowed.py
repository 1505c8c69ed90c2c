"""A scratch repository that reads the objects of another one, which is never written to."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.sandbox import ENVIRONMENT, Sandbox, made


def borrowing(path: Path, source: Path) -> Sandbox:
    """An empty repository at ``path`` with the objects of ``source`` in reach; ``main`` is where its HEAD is."""
    objects = _asked(source, "--git-path", "objects")
    sandbox = made(path, f"--object-format={_asked(source, '--show-object-format')}")
    (path / ".git/objects/info/alternates").write_text(objects + "\n", encoding="utf-8")
    shallow = Path(_asked(source, "--git-path", "shallow"))
    if shallow.exists():
        shutil.copy(shallow, path / ".git/shallow")
    sandbox.git("update-ref", "refs/heads/main", _asked(source, "--verify", "HEAD"))
    return sandbox


def _asked(source: Path, *question: str) -> str:
    command = ["git", "-C", str(source), "rev-parse", "--path-format=absolute", *question]
    return subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT, text=True).stdout.strip()
