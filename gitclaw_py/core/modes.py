"""How far a run goes on its own: what is committed at once, and what is shown."""

from enum import StrEnum
from typing import NamedTuple

from gitclaw_py.core.risk import Risk, at_least


class Mode(StrEnum):
    """What the configuration or the caller asks for."""

    SUGGEST_ONLY = "suggest-only"
    SUGGEST_AND_COMMIT = "suggest-and-commit"
    COMMIT_ONLY = "commit-only"
    HYBRID = "hybrid"


class Conduct(NamedTuple):
    """What to do with a proposal. At least one of the two is true."""

    commits: bool
    shows: bool


def conduct(mode: Mode, risk: Risk, threshold: Risk) -> Conduct:
    """What a mode means for a proposal of that risk.

    From the threshold on, ``suggest-and-commit`` and ``hybrid`` only suggest. Below it, the former
    commits and shows, the latter commits silently.
    """
    if mode is Mode.SUGGEST_ONLY:
        return Conduct(commits=False, shows=True)
    if mode is Mode.COMMIT_ONLY:
        return Conduct(commits=True, shows=False)
    if at_least(risk, threshold):
        return Conduct(commits=False, shows=True)
    return Conduct(commits=True, shows=mode is Mode.SUGGEST_AND_COMMIT)
