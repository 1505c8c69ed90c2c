"""What the configuration says, and what holds when it says nothing."""

from __future__ import annotations

from typing import NamedTuple

from gitclaw_py.core.modes import Mode
from gitclaw_py.core.risk import Risk


class Settings(NamedTuple):
    """The keys of ``suggestions.json``; ``config.py`` reads and explains them."""

    default_mode: Mode = Mode.SUGGEST_ONLY
    risk_threshold: Risk = Risk.HIGH
    max_suggestions_per_comment: int = 15
    show_rationale: bool = True
    enable_pr_suggestions: bool = True


DEFAULT = Settings()
