"""What the configuration says, and what holds when it says nothing."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from gitclaw_py.core.modes import Mode
from gitclaw_py.core.risk import Risk
from gitclaw_py.core.thread import Level


class Via(StrEnum):
    """How a commit is made: pushed with git, or through the forge's API, which signs it."""

    GIT = "git"
    API = "api"


class Destination(StrEnum):
    """Where suggestions of an issue go: the default branch, or a branch and a pull request."""

    DEFAULT_BRANCH = "default-branch"
    PULL_REQUEST = "pull-request"


class Strategy(StrEnum):
    """How a pull request is merged."""

    SQUASH = "squash"
    MERGE = "merge"
    REBASE = "rebase"


class AgentSettings(NamedTuple):
    """The command that does the work on the forge, how long it may take, in seconds, and which variables it gets."""

    command: tuple[str, ...] = ()
    timeout: float = 1800.0
    environment: tuple[str, ...] = ()


class CommitSettings(NamedTuple):
    """How commits are made and where they go."""

    via: Via = Via.GIT
    sign_off: bool = False
    to: Destination = Destination.DEFAULT_BRANCH


class MergeSettings(NamedTuple):
    """How ``/gitclaw merge`` merges, and what it asks for beyond the rules of the forge."""

    strategy: Strategy = Strategy.SQUASH
    resolved_threads: bool = False
    passed_checks: bool = False


class Permissions(NamedTuple):
    """What an account needs for the commands of a group."""

    run: Level = Level.WRITE
    apply: Level = Level.WRITE
    reject: Level = Level.WRITE
    show: Level = Level.READ
    merge: Level = Level.MAINTAIN


class Settings(NamedTuple):
    """The keys of ``suggestions.json``; ``config.py`` reads and explains them."""

    default_mode: Mode = Mode.SUGGEST_ONLY
    risk_threshold: Risk = Risk.HIGH
    max_suggestions_per_comment: int = 15
    show_rationale: bool = True
    enable_pr_suggestions: bool = True
    agent: AgentSettings = AgentSettings()
    mention: str | None = None
    label: str = "gitclaw"
    bots: tuple[str, ...] = ()
    permissions: Permissions = Permissions()
    commit: CommitSettings = CommitSettings()
    merge: MergeSettings = MergeSettings()


DEFAULT = Settings()
