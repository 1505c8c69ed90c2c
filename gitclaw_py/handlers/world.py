"""What a handler of a thread on the forge works with."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gitclaw_py.core.budget import Spent
from gitclaw_py.core.replies.links import Links
from gitclaw_py.core.secrets import Watch
from gitclaw_py.core.settings import AgentSettings, Settings
from gitclaw_py.ports.engine import Agent, Clock, Repository, Workspaces
from gitclaw_py.ports.forge import Forge, Remote, ThreadStore

if TYPE_CHECKING:
    from gitclaw_py.core.bundle import Bundle


class Pace(NamedTuple):
    """When a run is long and worth a comment of its own, and how far apart the edits of it are, in seconds."""

    patience: float = 20.0
    every: float = 10.0


Handed = Callable[[], "tuple[Bundle, bytes] | None"]
"""Reads what the agent's job handed over, with the commits of it; None where it handed nothing over."""


def _nowhere(_: str) -> None:
    """There is no summary outside of a workflow."""


class Ledger(Protocol):
    """Remembers the runs of the last day of a repository, on a ref that all threads share."""

    ref: str

    def load(self) -> tuple[Spent, ...]:
        """The runs, as the ref has them here."""

    def save(self, runs: Sequence[Spent]) -> None:
        """Replace them here; the next push of the ref brings them to the forge."""


class World(NamedTuple):
    """The ports of a run on the forge.

    ``store`` keeps the state of a thread by its number, ``ledger`` the runs of the last day, ``agent`` makes one from
    its settings and the prompt, ``settings`` reads a configuration file from its bytes and its name. ``bot`` is the
    login we write as, ``note`` writes a line to the log, ``run`` names this run of the workflow, however often it is
    tried, ``pace`` is how often a long run tells how it is getting on, ``publish`` adds Markdown to its summary.
    ``pin`` is the commit that a pull request was at when it was decided to run. With ``handed`` no agent runs here:
    what another job's agent did is read from it. One that ``hands_over`` is that other job, and writes nothing.
    ``watch`` looks for secrets and knows our own.
    """

    forge: Forge
    remote: Remote
    store: Callable[[int], ThreadStore]
    ledger: Ledger
    workspaces: Callable[[Repository], Workspaces]
    agent: Callable[[AgentSettings, bytes], Agent]
    settings: Callable[[bytes, str], Settings]
    clock: Clock
    links: Links
    bot: str
    note: Callable[[str], None]
    run: str = "run"
    pace: Pace = Pace()
    publish: Callable[[str], None] = _nowhere
    pin: str | None = None
    handed: Handed | None = None
    hands_over: bool = False
    watch: Watch = Watch()
