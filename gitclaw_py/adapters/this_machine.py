"""What is installed on this machine: git, an agent's program, and where gitclaw itself came from."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from importlib import metadata
from urllib.parse import unquote, urlsplit

from gitclaw_py.core.onboarding import Source

_SECONDS = 20.0


def git_version(environment: Mapping[str, str]) -> str | None:
    """The version of git, as far as numbers; None without one."""
    said = _said(["git", "--version"], environment)
    found = re.search(r"\d+(?:\.\d+)+", said or "")
    return found[0] if found else None


def program_version(program: str, environment: Mapping[str, str]) -> str | None:
    """What a program says when it is asked for its version; None where it is not there, empty where it fails."""
    if shutil.which(program, path=environment.get("PATH")) is None:
        return None
    said = _said([program, "--version"], environment) or ""
    lines = [line.strip() for line in said.split("\n") if re.search(r"\d", line)]
    return lines[0][:80] if lines else ""


def found(program: str, environment: Mapping[str, str]) -> str | None:
    """Where a program lies; None where it is not there."""
    return shutil.which(program, path=environment.get("PATH"))


def _said(command: Sequence[str], environment: Mapping[str, str]) -> str | None:
    try:
        done = subprocess.run(
            list(command),
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def source(environment: Mapping[str, str]) -> Source | None:
    """The repository and the commit that this gitclaw was installed from, where pip has written that down.

    https://packaging.python.org/en/latest/specifications/direct-url
    """
    try:
        noted = metadata.distribution("gitclaw_py").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return None
    document = json.loads(noted) if noted else {}
    url = str(document.get("url", ""))
    if url.startswith("file:"):
        folder = unquote(urlsplit(url).path)
        origin = _said(["git", "-C", folder, "config", "--get", "remote.origin.url"], environment)
        return _source(origin or "", _said(["git", "-C", folder, "rev-parse", "HEAD"], environment) or "")
    return _source(url, str(document.get("vcs_info", {}).get("commit_id", "")))


def _source(url: str, commit: str) -> Source | None:
    repository = repository_of(url)
    return Source(repository, commit.strip()) if repository and re.fullmatch(r"[0-9a-f]{40}", commit.strip()) else None


def origin(directory: str, environment: Mapping[str, str]) -> str | None:
    """``owner/name`` of the repository whose clone lies there, by its remote called origin."""
    return repository_of(_said(["git", "-C", directory, "config", "--get", "remote.origin.url"], environment) or "")


def repository_of(url: str) -> str | None:
    """``owner/name`` at the end of an address of a repository, as git takes it."""
    found = re.search(r"[/:](?P<owner>[\w.-]+)/(?P<name>[\w.-]+?)(?:\.git)?/?\s*$", url)
    local = url.startswith(("/", "file:", "."))
    return f"{found['owner']}/{found['name']}" if found and not local else None
