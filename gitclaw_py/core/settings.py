"""What the configuration says, and what holds when it says nothing."""

from enum import StrEnum
from typing import NamedTuple

from gitclaw_py.core.access import Level
from gitclaw_py.core.bounds import Bounds
from gitclaw_py.core.budget import Allowance
from gitclaw_py.core.modes import Mode
from gitclaw_py.core.policy import Rules
from gitclaw_py.core.presets import COMMAND, PRESETS
from gitclaw_py.core.risk import Risk


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


class Isolation(StrEnum):
    """How an agent's process is kept apart; ``AUTO`` is the strongest way that works."""

    AUTO = "auto"
    NAMESPACES = "namespaces"
    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"
    NONE = "none"


class Network(StrEnum):
    """What an agent reaches: nothing, its model through the key proxy, or all that this machine does."""

    OFF = "off"
    PROXY = "proxy"
    OPEN = "open"


class Api(StrEnum):
    """The kind of a model's API."""

    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    GEMINI = "gemini"


class Usage(NamedTuple):
    """What an agent may use: MiB of memory, processes, MiB of a file and of output that is kept."""

    memory: int = 6144
    processes: int = 512
    file_size: int = 100
    output: int = 10


class ModelSettings(NamedTuple):
    """The API that the key proxy leads to: the variable that holds its key, and what a run may use of it."""

    kind: Api
    key: str
    upstream: str
    max_calls: int = 300
    max_bytes: int = 200_000_000


_OUTPUT = 50


class AgentSettings(NamedTuple):
    """What does the work on the forge: a command, or an agent that is known by its name, with further arguments.

    ``timeout`` in seconds; ``environment`` are the names of variables it gets, ``readable`` folders of this machine.
    """

    command: tuple[str, ...] = ()
    timeout: float = 1800.0
    environment: tuple[str, ...] = ()
    isolation: Isolation = Isolation.AUTO
    network: Network = Network.OFF
    model: ModelSettings | None = None
    limits: Usage = Usage()
    git: bool = False
    readable: tuple[str, ...] = ()
    preset: str = COMMAND
    arguments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What it is called in replies; empty where there is none."""
        if self.preset != COMMAND:
            return self.preset
        return self.command[0].rpartition("/")[2] if self.command else ""


def of_preset(name: str) -> AgentSettings:
    """What holds for an agent of that name where nothing else is said: its model through the key proxy.

    Its output is what tells how it went, so that more of it is kept than of a command's.
    """
    preset = PRESETS[name]
    model = ModelSettings(Api(preset.model.kind), preset.model.key, preset.model.upstream) if preset.model else None
    network = Network.PROXY if model else Network.OPEN
    limits = Usage(output=_OUTPUT)
    return AgentSettings(preset=name, network=network, model=model, limits=limits, git=preset.with_git)


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
    sensitive: Level = Level.MAINTAIN


class Limits(NamedTuple):
    """How much is taken at once from outside; None for runs means that they are not counted."""

    comment_length: int = 65_536
    bounds: Bounds = Bounds()
    runs: Allowance = Allowance()


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
    bots: tuple[int, ...] = ()
    apps: tuple[int, ...] = ()
    permissions: Permissions = Permissions()
    commit: CommitSettings = CommitSettings()
    merge: MergeSettings = MergeSettings()
    limits: Limits = Limits()
    paths: Rules = Rules()


DEFAULT = Settings()
