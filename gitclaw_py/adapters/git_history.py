"""The one door to GitPython: reading a repository's history, where start-up time does not matter.

It takes 130 ms to import and starts a git process for it, so no verb that people wait for comes here. It is
good at refs, commits and the log; content, diffs and the index go through ``git_repository``, because
GitPython loses names that are not UTF-8, final newlines and filters.
"""

from __future__ import annotations

from pathlib import Path


def commits(path: Path, limit: int) -> list[tuple[str, str]]:
    """The newest ``limit`` commits that have exactly one parent, each with it.

    Commits whose parent a shallow clone left out are not among them.
    """
    from git import Repo

    with Repo(path, expand_vars=False) as repository:
        # git counts parents as a shallow clone sees them; the commits themselves still name the missing ones.
        found = repository.iter_commits(max_count=limit, no_merges=True, min_parents=1)
        return [(commit.hexsha, commit.parents[0].hexsha) for commit in found]


def log(path: Path, limit: int) -> list[tuple[str, str]]:
    """The newest commits of the current branch: short id and first line of the message."""
    from git import Repo

    with Repo(path, expand_vars=False) as repository:
        return [(c.hexsha[:10], str(c.message).partition("\n")[0]) for c in repository.iter_commits(max_count=limit)]
