"""What a repository needs to have the bot: two files, written from the choice of an agent."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gitclaw_py.core.caller import FOLDER, called_for
from gitclaw_py.core.presets import COMMAND, PRESETS

WORKFLOW = f"{FOLDER}gitclaw.yml"
CONFIGURATION = "suggestions.json"
PLACES = (".gitclaw/suggestions.json", ".github/suggestions.json", CONFIGURATION)
"""Where a configuration is looked for; the first that is there holds."""
BRANCH = "gitclaw/init"


class Source(NamedTuple):
    """Where gitclaw is taken from: ``owner/name`` and the full id of a commit."""

    repository: str
    commit: str


class Plan(NamedTuple):
    """The files to write, and those that are there already and stay as they are."""

    new: Mapping[str, str]
    kept: tuple[str, ...]


def plan(agent: str, source: Source, template: str, there: Sequence[str]) -> Plan:
    """What to write for an agent, in a repository that has the paths ``there`` already."""
    files = {WORKFLOW: workflow(agent, source, template)}
    configured = next((path for path in PLACES if path in there), None)
    if configured is None:
        files[CONFIGURATION] = configuration(agent, source)
    new = {path: text for path, text in files.items() if path not in there}
    kept = [path for path in (WORKFLOW, configured) if path and path not in new]
    return Plan(new, tuple(kept))


def workflow(agent: str, source: Source, template: str) -> str:
    """The workflow that calls the bot's own; lines that an agent needs nothing for are left out."""
    preset = PRESETS.get(agent)
    values = {
        "repository": source.repository,
        "commit": source.commit,
        "called": called_for(agent).removeprefix(FOLDER),
        "permission": preset.permission if preset else "",
        "install": " ".join(preset.install) if preset else "",
        "secret": (preset.secret or "") if preset else "",
    }
    return "\n".join(_filled(template, values))


def _filled(template: str, values: Mapping[str, str]) -> Iterator[str]:
    held: str | None = None
    for line in template.split("\n"):
        if line.strip() in ("with:", "secrets:"):
            held = line
            continue
        asked = [name for name in values if f"{{{name}}}" in line]
        if any(not values[name] for name in asked):
            held = None
            continue
        if held is not None:
            yield held
            held = None
        for name in asked:
            line = line.replace(f"{{{name}}}", values[name])  # noqa: PLW2901 - filled piece by piece
        yield line


def configuration(agent: str, source: Source) -> str:
    """The configuration; its schema says in an editor what else it may hold."""
    schema = f"https://raw.githubusercontent.com/{source.repository}/{source.commit}"
    chosen = {"command": ["my-agent"]} if agent == COMMAND else {"preset": agent}
    document = {
        "$schema": f"{schema}/gitclaw_py/schemas/suggestions.schema.json",
        "agent": chosen,
    }
    return json.dumps(document, indent=2) + "\n"


def told(made: Plan) -> Iterator[str]:
    """What is written, whole, and what stays."""
    for path, text in made.new.items():
        yield f"{path} (new)"
        yield from (f"  {line}".rstrip() for line in text.rstrip("\n").split("\n"))
        yield ""
    for path in made.kept:
        yield f"{path} is there already and stays as it is"
