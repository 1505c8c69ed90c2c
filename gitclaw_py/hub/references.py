"""Commits that name a thread, such as ``Refs #42``: the thread's page tells of them, as GitHub's does."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.views import Happening
from gitclaw_py.hub.world import World

_NUMBER = re.compile(r"(?<![\w/#])#(\d{1,9})\b")
_MOST = 50


def note_references(world: World, repo: Repository, branches: Mapping[str, str]) -> None:
    """Tell the threads that are named in commits which came to a branch since this was last called."""
    new = [oid for name, oid in branches.items() if repo.seen.get(name) != oid]
    known = [oid for oid in repo.seen.values() if repo.git.kind(oid)] if new else []
    repo.seen = dict(branches)
    if not new or not list(repo.threads):
        return
    options = ("--reverse", f"--max-count={_MOST}", "--format=%H%x00%an%x00%B%x1e")
    listed = repo.git.git("log", *options, *new, "--not", *known).decode("utf-8", "replace")
    for commit in listed.split("\x1e"):
        oid, _, rest = commit.strip("\n").partition("\0")
        author, _, message = rest.partition("\0")
        for number in dict.fromkeys(int(hit[1]) for hit in _NUMBER.finditer(message)):
            _note(world, repo, number, (oid, author, message))


def _note(world: World, repo: Repository, number: int, commit: tuple[str, str, str]) -> None:
    oid, author, message = commit
    if number in {thread.number for thread in repo.threads}:
        said = f"{author} added a commit that names this: {message.splitlines()[0]}"
        link = f"{world.links.url}/{repo.name}/commit/{oid}"
        repo.threads.happenings.setdefault(number, []).append(Happening(world.times.now(), said, link))
