"""The verb ``init``: writes what a repository needs to have the bot, or opens a pull request with it."""

from __future__ import annotations

import re
import time
from argparse import Namespace
from collections.abc import Mapping
from contextlib import closing
from importlib import resources
from pathlib import Path

from gitclaw_py.adapters import this_machine
from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.cli.configuration import top
from gitclaw_py.cli.doctor import repository_of, token_of
from gitclaw_py.core import onboarding
from gitclaw_py.core.diffs import Entry, blob_id
from gitclaw_py.core.onboarding import BRANCH, PLACES, WORKFLOW, Plan, Source
from gitclaw_py.core.presets import COMMAND, NAMES, PRESETS
from gitclaw_py.errors import UsageError
from gitclaw_py.ports.forge import Entries
from gitclaw_py.ports.values import Move

_TITLE = "Let gitclaw make suggestions"
_AGENT = "claude"


def run(options: Namespace, environment: Mapping[str, str], terminal: Terminal) -> int:
    """Show what is needed, and write it where nothing is yet.

    Raises:
        UsageError: ``USAGE``: the agent is not known, or it is not known where gitclaw itself is from.
        GitclawError: with ``--pr``: GitHub would not take it.
    """
    agent = options.agent or _AGENT
    if agent not in NAMES:
        raise UsageError("USAGE", f"No agent is called {agent}", f"the names are {', '.join(NAMES)}")
    source = _source(options, environment)
    template = resources.files("gitclaw_py").joinpath("templates/workflow.yml").read_text(encoding="utf-8")
    if options.pr:
        return _opened(options, environment, terminal, (agent, source, template))
    folder = top(environment)
    there = [path for path in (WORKFLOW, *PLACES) if (folder / path).exists()]
    plan = onboarding.plan(agent, source, template, there)
    if not options.dry_run:
        _write(folder, plan)
    if options.json:
        terminal.say_json(
            {"written": list(plan.new) if not options.dry_run else [], "files": dict(plan.new), "kept": list(plan.kept)}
        )
        return 0
    for line in onboarding.told(plan):
        terminal.say(line)
    terminal.say(_next_step(plan, dry=options.dry_run))
    return 0


def _source(options: Namespace, environment: Mapping[str, str]) -> Source:
    """The gitclaw that the workflow will use: the one named, or this one."""
    if options.uses:
        hit = re.fullmatch(r"(?P<repository>[\w.-]+/[\w.-]+)@(?P<commit>[0-9a-f]{40})", options.uses)
        if hit is None:
            raise UsageError("USAGE", f"{options.uses} is no OWNER/NAME@COMMIT", "name a commit by its full id")
        return Source(hit["repository"], hit["commit"])
    found = this_machine.source(environment)
    if found is None:
        what = "It is not known from which repository and commit this gitclaw was installed"
        raise UsageError("USAGE", what, "say it: gitclaw init --uses OWNER/gitclaw@COMMIT")
    return found


def _write(folder: Path, plan: Plan) -> None:
    """Each file only where none is: not even one that came a moment ago is overwritten."""
    for path, text in plan.new.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("x", encoding="utf-8") as file:
            file.write(text)


def _next_step(plan: Plan, *, dry: bool) -> str:
    if dry:
        return "Next: the same without --dry-run writes it."
    if not plan.new:
        return "Next: gitclaw doctor says whether all is well."
    return "Next: commit and push this to the default branch, then let gitclaw doctor say what is left to do."


def _opened(
    options: Namespace, environment: Mapping[str, str], terminal: Terminal, chosen: tuple[str, Source, str]
) -> int:
    """The same files on a branch of their own, with a pull request."""
    from gitclaw_py.adapters.github_forge import GitHubForge

    token, repository = token_of(environment), repository_of(options, environment)
    if not token or not repository:
        missing = "a token (GITHUB_TOKEN, GH_TOKEN)" if repository else "the repository (--repository OWNER/NAME)"
        raise UsageError("USAGE", f"A pull request needs {missing}", "or leave --pr out, and commit the files yourself")
    api = environment.get("GITHUB_API_URL", "https://api.github.com")
    with closing(GitHubForge(api, token, repository, sleep=time.sleep, note=terminal.note)) as forge:
        known = forge.pull_of(BRANCH)
        if known is not None:
            terminal.say(f"A pull request is open already.\nNext: merge {known.url}")
            return 0
        site = forge.site.look(PLACES)
        head = forge.site.head(site.default_branch)
        if head is None:
            what = f"{repository} has no commit yet that a pull request could start from"
            raise UsageError("USAGE", what, "leave --pr out, and commit the files yourself")
        there = [*(site.workflows or ()), *([site.configuration[0]] if site.configuration else [])]
        plan = onboarding.plan(*chosen, there)
        if not options.json:
            for line in onboarding.told(plan):
                terminal.say(line)
        if not plan.new or options.dry_run:
            terminal.say(_next_step(plan, dry=options.dry_run))
            return 0
        commit = forge.commit(_entries(head, plan)).oid
        forge.move([Move(f"refs/heads/{BRANCH}", "0" * len(head), commit)])
        body = _body(chosen[0], repository)
        pull = forge.open_pull(BRANCH, site.default_branch, _TITLE, body, draft=False)
    if options.json:
        terminal.say_json({"pull_request": pull.url, "files": dict(plan.new), "kept": list(plan.kept)})
    else:
        terminal.say(f"Next: merge {pull.url}, then let gitclaw doctor say what is left to do.")
    return 0


def _entries(head: str, plan: Plan) -> Entries:
    data = {path: text.encode() for path, text in plan.new.items()}
    ids = {path: blob_id("sha1", content) for path, content in data.items()}
    writes = {path.encode(): Entry("100644", ids[path]) for path in data}
    return Entries(head, f"ci: {_TITLE[0].lower()}{_TITLE[1:]}\n", writes, {ids[path]: data[path] for path in data})


def _body(agent: str, repository: str) -> str:
    preset = PRESETS.get(agent)
    needs = (
        f"\n\nIt needs the secret `{preset.secret}`: Settings, Secrets and variables, Actions of {repository}."
        if preset and preset.secret
        else ""
    )
    own = " Put your own command into `suggestions.json` first." if agent == COMMAND else ""
    return (
        "With this workflow people can write `/gitclaw <request>` in an issue or a pull request; what the agent "
        "changes comes back as numbered suggestions, and nothing is committed before someone says `/apply`."
        f"{own}{needs}"
    )
