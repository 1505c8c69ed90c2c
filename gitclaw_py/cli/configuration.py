"""The verb ``config``: what holds, and where it comes from; and how the configuration is found on this machine."""

import json
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.core.onboarding import PLACES
from gitclaw_py.core.paint import safe
from gitclaw_py.core.settings import DEFAULT, Settings
from gitclaw_py.errors import ConfigError, UsageError

_LONGEST = 40


class Found(NamedTuple):
    """The configuration of this folder: its file, what it says, and how its name is shown."""

    path: Path | None
    shown: str | None
    settings: Settings


def found(given: str | None, environment: Mapping[str, str]) -> Found:
    """The file that was given, or the first of the three places of the repository one is in, or none.

    Raises:
        ConfigError: ``CONFIG_INVALID``.
    """
    place = Path(given) if given else found_at(environment)
    if place is None:
        return Found(None, None, DEFAULT)
    from gitclaw_py import config

    return Found(place, given or str(place.relative_to(top(environment))), config.read(place))


def found_at(environment: Mapping[str, str]) -> Path | None:
    """Where the configuration lies, if there is one."""
    folder = top(environment)
    return next((folder / place for place in PLACES if (folder / place).is_file()), None)


def top(environment: Mapping[str, str]) -> Path:
    """The top of the repository one is in; this folder, where that is none."""
    from gitclaw_py.adapters.git_repository import opened

    try:
        with opened(Path.cwd(), environment) as repository:
            return repository.directory
    except UsageError:
        return Path.cwd()


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def run(options: Namespace, environment: Mapping[str, str], terminal: Terminal) -> int:
    """Print every key with its value and its origin.

    Raises:
        ConfigError: ``CONFIG_INVALID``.
    """
    from gitclaw_py.origins import origins

    here = found(options.config, environment)
    if options.config and not here.path:
        raise ConfigError("CONFIG_INVALID", f"{options.config} is not there", "check the path given with --config")
    every = origins(here.path.read_bytes() if here.path else b"{}", here.shown or "")
    if options.json:
        terminal.say_json({"file": here.shown, "keys": [one._asdict() for one in every]})
        return 0
    terminal.say(f"{here.shown or 'No suggestions.json here'}: what holds, and where it comes from\n")
    width = max(len(one.key) for one in every)
    values = [_clipped(safe(json.dumps(one.value, ensure_ascii=False))) for one in every]
    across = max(map(len, values))
    for one, value in zip(every, values, strict=True):
        terminal.say(f"{one.key:<{width}}  {value:<{across}}  {one.origin}".rstrip())
    return 0
