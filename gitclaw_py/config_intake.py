"""What may be said in ``suggestions.json`` about what is taken from outside: how much, and from which bots."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from gitclaw_py.core.bounds import Bounds
from gitclaw_py.core.budget import Allowance
from gitclaw_py.core.settings import DEFAULT, Limits


class Strict(BaseModel):
    """Takes no keys that it does not have."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_Runs = Annotated[int, Field(strict=True, ge=1, le=1_000)] | None


class Bounded(Strict):
    """How much is taken at once from outside."""

    comment_length: int = Field(
        default=DEFAULT.limits.comment_length,
        alias="commentLength",
        strict=True,
        ge=100,
        le=65_536,
        description="Characters of a comment that holds commands.",
    )
    files: int = Field(
        default=DEFAULT.limits.bounds.files,
        strict=True,
        ge=1,
        le=100_000,
        description="Files that a proposal may change.",
    )
    file_bytes: int = Field(
        default=DEFAULT.limits.bounds.file_bytes,
        alias="fileBytes",
        strict=True,
        ge=1,
        le=100 << 20,
        description="Bytes of one file.",
    )
    proposal_bytes: int = Field(
        default=DEFAULT.limits.bounds.proposal_bytes,
        alias="proposalBytes",
        strict=True,
        ge=1,
        le=1 << 30,
        description="Bytes of all its files together.",
    )
    hunks: int = Field(
        default=DEFAULT.limits.bounds.hunks, strict=True, ge=1, le=1_000_000, description="Places that it may change."
    )
    depth: int = Field(
        default=DEFAULT.limits.bounds.depth,
        strict=True,
        ge=1,
        le=256,
        description="Folders that a file of it may lie in.",
    )
    runs_per_thread_per_hour: _Runs = Field(
        default=DEFAULT.limits.runs.per_thread_and_hour,
        alias="runsPerThreadPerHour",
        description="Runs of the agent in one thread; null: as many as there are.",
    )
    runs_per_user_per_day: _Runs = Field(
        default=DEFAULT.limits.runs.per_user_and_day,
        alias="runsPerUserPerDay",
        description="Runs of the agent for one account; null: as many as there are.",
    )
    runs_per_repository_per_day: _Runs = Field(
        default=DEFAULT.limits.runs.per_repository_and_day,
        alias="runsPerRepositoryPerDay",
        description="Runs of the agent in all threads together; null: as many as there are.",
    )


BOT = re.compile(r"[A-Za-z0-9-]+\[bot\]#([1-9][0-9]{0,17})")
"""A bot by its login and its id."""


def bot_id(entry: object) -> int:
    """The id in an entry: a login alone is whoever has it today.

    Raises:
        PydanticCustomError: there is none.
    """
    if isinstance(entry, int) and not isinstance(entry, bool) and entry > 0:
        return entry
    found = BOT.fullmatch(entry) if isinstance(entry, str) else None
    if found is None:
        raise PydanticCustomError(
            "no_id",
            "each should be a login and its id, like helper[bot]#1234; see https://api.github.com/users/helper[bot]",
        )
    return int(found[1])


def intake(found: Bounded) -> Limits:
    """The settings in it."""
    bounds = Bounds(found.files, found.file_bytes, found.proposal_bytes, found.hunks, found.depth)
    runs = Allowance(found.runs_per_thread_per_hour, found.runs_per_user_per_day, found.runs_per_repository_per_day)
    return Limits(found.comment_length, bounds, runs)
