"""The configuration file, ``suggestions.json``: what may be said in it.

Imported only where there is such a file: pydantic takes longer to import than most commands to run.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gitclaw_py.core.modes import Mode
from gitclaw_py.core.risk import Risk
from gitclaw_py.core.settings import DEFAULT, Settings
from gitclaw_py.errors import ConfigError


class Config(BaseModel):
    """The keys of ``suggestions.json``."""

    model_config = ConfigDict(extra="forbid", frozen=True, title="gitclaw: suggestions.json")

    schema_url: str | None = Field(None, alias="$schema", description="The JSON Schema of this file, for editors.")
    default_mode: Mode = Field(
        DEFAULT.default_mode,
        alias="defaultMode",
        description="suggest-only: show, commit nothing. suggest-and-commit: below the risk threshold also commit. "
        "commit-only: commit without showing. hybrid: below the threshold commit silently, from it on suggest.",
    )
    risk_threshold: Risk = Field(
        DEFAULT.risk_threshold,
        alias="riskThreshold",
        description="From this risk on, nothing is committed without a decision.",
    )
    max_suggestions_per_comment: int = Field(
        DEFAULT.max_suggestions_per_comment,
        alias="maxSuggestionsPerComment",
        ge=1,
        le=100,
        strict=True,
        description="How many suggestions are shown with their diffs at once; the others are listed.",
    )
    show_rationale: bool = Field(
        DEFAULT.show_rationale, alias="showRationale", strict=True, description="Show the reasons the agent gave."
    )
    enable_pr_suggestions: bool = Field(
        DEFAULT.enable_pr_suggestions,
        alias="enablePRSuggestions",
        strict=True,
        description="On pull requests, post native suggestions too.",
    )


def read(path: Path) -> Settings:
    """The configuration in a file.

    Raises:
        ConfigError: ``CONFIG_INVALID``: it cannot be read, or says something that does not exist.
    """
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise _invalid(path, f"cannot be read: {error.strerror}", "check the path given with --config") from error
    except ValueError as error:
        raise _invalid(
            path, f"is not JSON: {error}", "mend it; comments and trailing commas are not allowed"
        ) from error
    if not isinstance(document, dict):
        raise _invalid(path, "is not a JSON object", "begin it with { and end it with }")
    try:
        return Settings(**Config.model_validate(document).model_dump(exclude={"schema_url"}))
    except ValidationError as error:
        raise _rejected(path, error) from error


def _rejected(path: Path, error: ValidationError) -> ConfigError:
    first = error.errors(include_url=False)[0]
    key = str(first["loc"][0])
    known = [field.alias or name for name, field in Config.model_fields.items()]
    if first["type"] == "extra_forbidden":
        close = difflib.get_close_matches(key, known, n=1)
        return _invalid(
            path,
            f"has an unknown key, {key}",
            f"did you mean {close[0]}?" if close else f"the keys are {_listed(known)}",
        )
    return _invalid(
        path,
        f"has a wrong {key}: {first['msg'].replace('Input should be', 'it should be')}",
        f"change {key}, which is {json.dumps(first['input'])} there",
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _invalid(path: Path, what: str, next_step: str) -> ConfigError:
    return ConfigError("CONFIG_INVALID", f"{path.name} {what}", next_step)


def schema() -> dict[str, Any]:
    """The JSON Schema of the configuration, as published in ``schemas/suggestions.schema.json``."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Config.model_json_schema(by_alias=True)}
