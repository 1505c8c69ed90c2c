"""A throw-away git repository with a person in it, sealed off from this machine's configuration."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "LC_ALL": "C.UTF-8",
    "HOME": "/nonexistent",
    "USER": "ada",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.invalid",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.invalid",
    "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
    "PYTHONWARNINGS": "error",
    "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
}


def git_that(folder: Path, does: str) -> None:
    """Make a ``git`` in a folder for the search path: a line of shell that is run first, then the real one."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "git"
    real = shutil.which("git")
    program.write_text(f"#!/bin/sh\n{does}\nexec '{real}' \"$@\"\n", encoding="utf-8")
    program.chmod(0o755)


@dataclass(frozen=True)
class Ended:
    """How a run of gitclaw ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Sandbox:
    """A repository at ``path``; ``environment`` is what every program in it is started with."""

    path: Path
    environment: dict[str, str] = field(default_factory=lambda: dict(ENVIRONMENT))

    def git(self, *arguments: str | bytes, stdin: bytes = b"", code: int | None = 0, **extra: str) -> bytes:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            input=stdin,
            capture_output=True,
            env={**self.environment, **extra},
            check=False,
        )
        if code is not None:
            assert done.returncode == code, (arguments, done.returncode, done.stderr)
        return done.stdout

    def text(self, *arguments: str) -> str:
        return self.git(*arguments).decode().strip()

    def write(self, name: str | bytes, data: bytes | str, mode: int | None = None) -> Path:
        path = self.path / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        if mode is not None:
            path.chmod(mode)
        return path

    def read(self, name: str | bytes) -> bytes:
        return (self.path / os.fsdecode(name)).read_bytes()

    def remove(self, name: str | bytes) -> None:
        path = self.path / os.fsdecode(name)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()

    def commit(self, message: str = "commit") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.head

    @property
    def head(self) -> str:
        return self.text("rev-parse", "HEAD")

    @property
    def status(self) -> str:
        return self.git("status", "--porcelain", "--untracked-files=all").decode("utf-8", "surrogateescape")

    def tree(self, revision: str = "HEAD") -> str:
        return self.text("rev-parse", f"{revision}^{{tree}}")

    def gitclaw(self, *arguments: str, code: int | None = 0, cwd: str = ".", stdin: bytes = b"", **extra: str) -> Ended:
        """Run gitclaw as a person would, in a process of its own."""
        done = subprocess.run(
            [sys.executable, "-m", "gitclaw_py", *arguments],
            cwd=self.path / cwd,
            input=stdin,
            capture_output=True,
            env={**self.environment, **extra},
            check=False,
        )
        ended = Ended(done.returncode, done.stdout.decode(), done.stderr.decode())
        if code is not None:
            assert ended.code == code, ended
        return ended

    def suggest(self, script: str, *options: str, code: int | None = 0, **extra: str) -> Ended:
        """Run ``gitclaw suggest`` with a shell script as the agent."""
        return self.gitclaw("suggest", *options, "--", "sh", "-c", script, code=code, stdin=b"", **extra)

    def suggesting(self, script: str) -> tuple[subprocess.Popen[bytes], bytes]:
        """Start ``gitclaw suggest`` with a script that says ready; wait for that, and give the log so far."""
        process = subprocess.Popen(
            [sys.executable, "-m", "gitclaw_py", "suggest", "--", "sh", "-c", script],
            cwd=self.path,
            stderr=subprocess.PIPE,
            env=self.environment,
        )
        log = self.path / ".gitclaw/state/main/execution.log"
        while not (log.exists() and b"\nready\n" in log.read_bytes()):
            time.sleep(0.05)
        return process, log.read_bytes()

    def state(self, thread: str = "main") -> Any:
        return json.loads((self.path / ".gitclaw/state" / thread / "state.json").read_bytes())

    def fingerprint(self) -> dict[str, str]:
        """Everything of the person's that must not change: files, index, HEAD, branches, stash, configuration."""
        return {
            "files": _files(self.path),
            "index": _digest(self.path / ".git/index"),
            "config": _digest(self.path / ".git/config"),
            "exclude": _digest(self.path / ".git/info/exclude"),
            "head": (self.path / ".git/HEAD").read_text(),
            "refs": self.text(
                "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags", "refs/stash"
            ),
        }


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "none"


def _files(top: Path) -> str:
    digest = hashlib.sha256()
    for folder, names, files in os.walk(os.fsencode(top)):
        names[:] = sorted(n for n in names if n not in (b".git", b".gitclaw"))
        links = [n for n in names if os.path.islink(os.path.join(folder, n))]
        for name in sorted([*files, *links]):
            path = os.path.join(folder, name)
            found = os.lstat(path)
            content = os.readlink(path) if os.path.islink(path) else _plain(path)
            digest.update(b"%s\0%o\0%d\0%s\0" % (path, found.st_mode, found.st_mtime_ns, content))
    return digest.hexdigest()


def _plain(path: bytes) -> bytes:
    if not os.path.isfile(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


def made(path: Path, *options: str) -> Sandbox:
    """An empty repository at ``path``, on branch main."""
    path.mkdir(parents=True, exist_ok=True)
    sandbox = Sandbox(path)
    sandbox.git("init", "-q", "-b", "main", *options)
    return sandbox
