"""The configuration file, ``suggestions.json``: what may be said in it.

Imported only where there is such a file: pydantic takes longer to import than most commands to run.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

from gitclaw_py.config_intake import BOT, Bounded, Strict, bot_id, intake
from gitclaw_py.core.access import Level
from gitclaw_py.core.modes import Mode
from gitclaw_py.core.policy import Rules
from gitclaw_py.core.presets import COMMAND, NAMES, PRESETS
from gitclaw_py.core.risk import Risk
from gitclaw_py.core.settings import (
    DEFAULT,
    AgentSettings,
    Api,
    CommitSettings,
    Destination,
    Isolation,
    MergeSettings,
    ModelSettings,
    Network,
    Permissions,
    Settings,
    Strategy,
    Via,
    of_preset,
)
from gitclaw_py.errors import ConfigError

_UPSTREAMS = {
    Api.ANTHROPIC: "https://api.anthropic.com",
    Api.OPENAI: "https://api.openai.com",
    Api.GEMINI: "https://generativelanguage.googleapis.com",
}
_UPSTREAM = r"^(https://[A-Za-z0-9.-]+|http://(127\.0\.0\.1|localhost))(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?$"
_VARIABLE = "^[A-Za-z_][A-Za-z0-9_]*$"
_OURS = re.compile(r"GITCLAW_STATE_KEY|ACTIONS_|(?:GITHUB|GH)_TOKEN\Z|GITHUB_(?:ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)\Z")
"""Variables of the job that no agent may have: its token, its files, and the key of the state."""


class Model(Strict):
    """The API of the agent's model. A process of gitclaw's holds the key, and lets the agent make its calls only."""

    kind: Api = Field(description="anthropic: messages. openai: responses and chat completions. gemini.")
    key: str = Field(pattern=_VARIABLE, description="The name of the environment variable with the key.")
    upstream: str | None = Field(
        default=None, pattern=_UPSTREAM, description="Where the API is, without /v1; by default its maker's."
    )
    max_calls: int = Field(default=300, alias="maxCalls", ge=1, strict=True, description="The calls of one run.")
    max_bytes: int = Field(
        default=200_000_000,
        alias="maxBytes",
        ge=1,
        strict=True,
        description="The bytes of one run, sent and received.",
    )


class AgentLimits(Strict):
    """What an agent may use before it is stopped."""

    memory: int = Field(
        default=DEFAULT.agent.limits.memory, ge=16, strict=True, description="MiB, all its processes together."
    )
    processes: int = Field(default=DEFAULT.agent.limits.processes, ge=1, strict=True, description="At one time.")
    file_size: int = Field(
        default=DEFAULT.agent.limits.file_size, alias="fileSize", ge=1, strict=True, description="MiB of one file."
    )
    output: int = Field(
        default=DEFAULT.agent.limits.output, ge=1, strict=True, description="MiB it may say; the rest is left out."
    )


class Agent(Strict):
    """What does the work when someone asks for it in a thread."""

    preset: Literal[NAMES] = Field(  # type: ignore[valid-type]
        default=DEFAULT.agent.preset,
        description="An agent that is known by its name; command: the one that command has.",
    )
    arguments: tuple[str, ...] = Field(
        default=DEFAULT.agent.arguments,
        description='Further arguments for the agent of that name, such as "--model" and a model.',
    )
    command: tuple[str, ...] = Field(
        default=DEFAULT.agent.command,
        description="The command and its arguments. It finds its task in the file that GITCLAW_PROMPT names.",
    )
    timeout: float = Field(default=DEFAULT.agent.timeout, gt=0, description="After how many seconds it is stopped.")
    environment: tuple[str, ...] = Field(
        default=DEFAULT.agent.environment,
        description="The names of environment variables it gets beside PATH, HOME and the language.",
    )
    isolation: Isolation = Field(
        default=DEFAULT.agent.isolation,
        description="How it is kept apart. auto: the strongest way that works, or it is not started. none: not at all; "
        "it may do what gitclaw may.",
    )
    network: Network = Field(
        default=DEFAULT.agent.network,
        description="off: none. proxy: its model only, through gitclaw. open: all that this machine reaches.",
    )
    model: Model | None = Field(default=None, description="The API of its model, for network proxy or open.")
    limits: AgentLimits = Field(default=AgentLimits(), description="What it may use before it is stopped.")
    git: bool = Field(
        default=DEFAULT.agent.git, strict=True, description="Give it a throw-away repository, for tools that need git."
    )
    readable: tuple[str, ...] = Field(
        default=DEFAULT.agent.readable,
        description="Folders it may read although they are hidden from it, such as where a tool is installed at home.",
    )

    @field_validator("readable")
    @classmethod
    def _only_folders(cls, places: tuple[str, ...]) -> tuple[str, ...]:
        for place in places:
            if not place.startswith(("/", "~/")) or ".." in place.split("/") or not place.strip("/~"):
                raise PydanticCustomError("folder", "it should be folders by their full paths, such as /opt/tool")
        return places

    @model_validator(mode="after")
    def _model_and_network(self) -> Self:
        preset = PRESETS.get(self.preset)
        own = preset.model if preset else None
        is_given = preset is None or "network" in self.model_fields_set
        if self.network is Network.PROXY and self.model is None and own is None:
            raise PydanticCustomError("model", "network proxy needs a model, with its kind and key")
        if self.network is Network.OFF and self.model is not None and is_given:
            raise PydanticCustomError("network", "a model needs network proxy (or open)")
        if (self.model or own) and (self.model or own).key in self.environment:  # type: ignore[union-attr]
            raise PydanticCustomError("key", "the model's key is not for the agent: leave it out of environment")
        return self

    @field_validator("environment")
    @classmethod
    def _no_seal(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if any(map(_OURS.match, names)):
            raise PydanticCustomError("ours", "an agent that has what is gitclaw's could act as it, or could forge it")
        return names


class Commit(Strict):
    """How commits are made."""

    via: Via = Field(
        default=DEFAULT.commit.via,
        description="git: pushed. api: made through GitHub's API, which marks commits of an app as verified.",
    )
    sign_off: bool = Field(
        default=DEFAULT.commit.sign_off, alias="signOff", strict=True, description="Add Signed-off-by."
    )
    to: Destination = Field(
        default=DEFAULT.commit.to,
        description="Where suggestions of an issue go: the default branch, or a branch and a pull request.",
    )


class Merge(Strict):
    """How ``/gitclaw merge`` merges. The rules of the repository hold in any case."""

    strategy: Strategy = Field(default=DEFAULT.merge.strategy, description="squash, merge or rebase.")
    resolved_threads: bool = Field(
        default=DEFAULT.merge.resolved_threads,
        alias="resolvedThreads",
        strict=True,
        description="Only when no review thread is unresolved.",
    )
    passed_checks: bool = Field(
        default=DEFAULT.merge.passed_checks,
        alias="passedChecks",
        strict=True,
        description="Only when every check of the head has passed. Needs checks: read and statuses: read.",
    )


_Level = Literal["read", "triage", "write", "maintain", "admin"]


class Needed(Strict):
    """What an account needs for a command."""

    run: _Level = Field(
        default="write", description="/gitclaw, /refine, /gitclaw review, retry and cancel: to run the agent."
    )
    apply: _Level = Field(
        default="write",
        description="/apply, /undo, /gitclaw pr, update and close: to change a branch. Never below write.",
    )
    reject: _Level = Field(default="write", description="/reject.")
    show: _Level = Field(default="read", description="/gitclaw status, show and help.")
    merge: _Level = Field(default="maintain", description="/gitclaw merge. Never below write.")
    sensitive: _Level = Field(
        default="maintain", description="/apply and /undo of what is sensitive, beside apply. Never below write."
    )

    @field_validator("apply", "merge", "sensitive")
    @classmethod
    def _no_less_than_write(cls, level: str) -> str:
        if Level[level.upper()] < Level.WRITE:
            raise PydanticCustomError("too_low", "it should be write, maintain or admin")
        return level


_Patterns = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^\r\n]*$")], ...], Field(max_length=200)
]


class Paths(Strict):
    """Which changes are not taken like any other, as lines of a .gitignore."""

    block: _Patterns = Field(default=(), description="Nobody can apply a change of these; a person has to make it.")
    sensitive: _Patterns = Field(
        default=(), description="Applied only by their own number, never by all or a range, by who may: permissions."
    )
    allow: _Patterns = Field(
        default=(), description="Blocked or sensitive for everyone by default, and not here, where that is allowed."
    )


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
    agent: Agent = Field(Agent(), description="What does the work when someone asks for it in a thread.")
    mention: str | None = Field(
        DEFAULT.mention,
        pattern="^@[A-Za-z0-9-]+$",
        description="A handle such as @my-bot that works like /gitclaw. Only one that is yours.",
    )
    label: str = Field(DEFAULT.label, min_length=1, description="The label that asks for a proposal.")
    bots: tuple[int, ...] = Field(
        DEFAULT.bots,
        description="Bots that may command, each by login and id: helper[bot]#1234. Only the id counts.",
        json_schema_extra={"items": {"type": ["string", "integer"], "pattern": f"^{BOT.pattern}$", "minimum": 1}},
    )
    apps: tuple[Annotated[int, Field(strict=True, gt=0)], ...] = Field(
        DEFAULT.apps, description="The ids of apps through which people may command."
    )
    permissions: Needed = Field(Needed(), description="What an account needs for a command.")
    commit: Commit = Field(Commit(), description="How commits are made, and where they go.")
    merge: Merge = Field(Merge(), description="How a pull request is merged when someone asks for it.")
    paths: Paths = Field(Paths(), description="Which changes are not taken like any other.")
    limits: Bounded = Field(Bounded(), description="How much is taken at once from outside.")

    @field_validator("mention")
    @classmethod
    def _is_no_commit(cls, handle: str | None) -> str | None:
        if handle and re.fullmatch("@[0-9a-f]{7,64}", handle):
            raise PydanticCustomError("commit", "in a command that stands for a commit; choose another handle")
        return handle

    @field_validator("bots", mode="before")
    @classmethod
    def _by_id(cls, entries: object) -> object:
        return tuple(map(bot_id, entries)) if isinstance(entries, list) else entries


def read(path: Path) -> Settings:
    """The configuration in a file.

    Raises:
        ConfigError: ``CONFIG_INVALID``: it cannot be read, or says something that does not exist.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
        raise _invalid(path.name, what, "check the path given with --config") from error
    return parse(data, path.name)


def parse(data: bytes, name: str) -> Settings:
    """The configuration in the bytes of a file called ``name``.

    Raises:
        ConfigError: ``CONFIG_INVALID``.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _invalid(
            name, f"is not JSON: {error}", "mend it; comments and trailing commas are not allowed"
        ) from error
    if not isinstance(document, dict):
        raise _invalid(name, "is not a JSON object", "begin it with { and end it with }")
    try:
        found = Config.model_validate(document)
    except ValidationError as error:
        raise _rejected(name, error) from error
    return _settings(found)


def _settings(found: Config) -> Settings:
    plain = found.model_dump(exclude={"schema_url", "agent", "permissions", "commit", "merge", "limits", "paths"})
    return Settings(
        **plain,
        agent=_agent(found.agent),
        permissions=Permissions(**{key: Level[level.upper()] for key, level in found.permissions}),
        commit=CommitSettings(**found.commit.model_dump()),
        merge=MergeSettings(**found.merge.model_dump()),
        limits=intake(found.limits),
        paths=Rules(**found.paths.model_dump()),
    )


def _agent(found: Agent) -> AgentSettings:
    """An agent of a name begins with what holds for it, and takes what the file says over that."""
    start = AgentSettings() if found.preset == COMMAND else of_preset(found.preset)
    given = start._replace(**found.model_dump(exclude={"model", "limits"}, exclude_unset=True))
    limits = given.limits._replace(**found.limits.model_dump(exclude_unset=True))
    model = None if given.network is Network.OFF else given.model
    if found.model is not None:
        named = found.model.model_dump()
        model = ModelSettings(**{**named, "upstream": found.model.upstream or _UPSTREAMS[found.model.kind]})
    return given._replace(model=model, limits=limits)


def _rejected(name: str, error: ValidationError) -> ConfigError:
    first = error.errors(include_url=False)[0]
    key = ".".join(str(step) for step in first["loc"])
    if first["type"] == "extra_forbidden":
        known = _keys(first["loc"][:-1])
        close = difflib.get_close_matches(str(first["loc"][-1]), known, n=1)
        next_step = f"did you mean {close[0]}?" if close else f"the keys are {', '.join(known)}"
        return _invalid(name, f"has an unknown key, {key}", next_step)
    return _invalid(
        name,
        f"has a wrong {key}: {first['msg'].replace('Input should be', 'it should be')}",
        f"change {key}, which is {json.dumps(first['input'])} there",
    )


def _keys(place: Sequence[str | int]) -> list[str]:
    """The keys that exist at a place: of the whole, or of one of its parts."""
    parts: dict[str, type[BaseModel]] = {
        "agent": Agent,
        "agent.model": Model,
        "agent.limits": AgentLimits,
        "commit": Commit,
        "merge": Merge,
        "paths": Paths,
        "permissions": Needed,
        "limits": Bounded,
        "": Config,
    }
    model = parts[".".join(map(str, place))]
    return [field.alias or name for name, field in model.model_fields.items()]


def _invalid(name: str, what: str, next_step: str) -> ConfigError:
    return ConfigError("CONFIG_INVALID", f"{name} {what}", next_step)


def schema() -> dict[str, Any]:
    """The JSON Schema of the configuration, as published in ``schemas/suggestions.schema.json``."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Config.model_json_schema(by_alias=True)}
