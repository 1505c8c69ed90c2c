"""Every reason why nothing happens, in one list: what was found on this machine and on the forge, and what it means.

Nothing is asked here: the adapters look, and what they could not see is None, of which it is said that it is not known.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from gitclaw_py.core import caller
from gitclaw_py.core.caller import ANY_KEY, ENVIRONMENT, TAKEN, Caller
from gitclaw_py.core.presets import COMMAND, PRESETS, Preset
from gitclaw_py.core.settings import Destination, Settings

_OLDEST_GIT = (2, 34)
"""All tests pass with it but for merging on the GitHub of the demo, which takes 2.38."""
INSTALL_GIT = f"install git {'.'.join(map(str, _OLDEST_GIT))} or later"


class Verdict(StrEnum):
    """How a check went: well, not known or only in part, or so that nothing can work."""

    PASS = "PASS"  # noqa: S105 - a word of a list
    WARN = "WARN"
    FAIL = "FAIL"


class Finding(NamedTuple):
    """One line of the list: what was found, and what to do about it."""

    verdict: Verdict
    what: str
    fix: str = ""


class Machine(NamedTuple):
    """What was found on this machine.

    ``git`` is the version of git, None without one; ``program`` what the agent's program said when it was asked for its
    version, None where it is not installed, empty where it does not answer; ``variables`` the names of those that are
    set; ``answered`` what the agent said to a question, where it was asked one, and ``unanswered`` why it could not;
    ``isolation`` what keeps it apart here, and ``exposed`` why nothing does.
    """

    git: str | None
    program: str | None = None
    variables: frozenset[str] = frozenset()
    answered: str | None = None
    unanswered: str | None = None
    isolation: str | None = None
    exposed: str | None = None
    is_job: bool = False


class Site(NamedTuple):
    """What the forge tells of a repository; None for what it would not tell."""

    repository: str
    url: str
    default_branch: str
    is_archived: bool = False
    workflows: Mapping[str, str] | None = None
    """The text of each workflow file of the default branch, by its path."""
    states: Mapping[str, str] | None = None
    """The state of each workflow that the forge has read, by its path."""
    configuration: tuple[str, bytes] | None = None
    actions_are_on: bool | None = None
    allowed_actions: str | None = None
    may_open_pulls: bool | None = None
    secrets: frozenset[str] | None = None
    """The names of those that its workflows can pass: its own, and those its organization shares with it."""
    agent_secrets: frozenset[str] | None = None
    """The names of those that the environment of the agent's job has."""
    is_protected: bool | None = None


class Seen(NamedTuple):
    """All that was found. ``settings`` are None where the configuration is broken, and ``flaw`` says why.

    ``site`` is None where nobody could ask the forge, and ``unseen`` says why.
    """

    machine: Machine
    settings: Settings | None
    configured_in: str | None
    flaw: str | None
    site: Site | None
    unseen: str | None = None


def diagnose(seen: Seen) -> list[Finding]:
    """The list, what is nearest to the reader first."""
    return [finding for check in _CHECKS for finding in check(seen)]


def document(findings: list[Finding]) -> list[dict[str, Any]]:
    """The list for a program."""
    return [{"verdict": one.verdict.value, "what": one.what, "fix": one.fix} for one in findings]


def _preset(seen: Seen) -> Preset | None:
    return PRESETS.get(seen.settings.agent.preset) if seen.settings else None


def _git(seen: Seen) -> Iterator[Finding]:
    found = seen.machine.git
    if found is None:
        yield Finding(Verdict.FAIL, "git is not installed", INSTALL_GIT)
    elif tuple(int(number) for number in re.findall(r"\d+", found)[:2]) < _OLDEST_GIT:
        yield Finding(Verdict.FAIL, f"git {found} is too old", INSTALL_GIT)
    else:
        yield Finding(Verdict.PASS, f"git {found}")


def _configuration(seen: Seen) -> Iterator[Finding]:
    if seen.flaw is not None:
        yield Finding(Verdict.FAIL, seen.flaw, "mend it; gitclaw config shows what holds")
    elif seen.configured_in is None:
        yield Finding(Verdict.FAIL, "there is no suggestions.json, so no agent is known", "gitclaw init")
    else:
        yield Finding(Verdict.PASS, f"{seen.configured_in} is valid")


def _agent(seen: Seen) -> Iterator[Finding]:
    if seen.settings is None or seen.configured_in is None:
        return
    agent, preset, machine = seen.settings.agent, _preset(seen), seen.machine
    if not agent.name:
        yield Finding(Verdict.FAIL, "no agent is configured", 'set "agent": {"preset": "claude"} in suggestions.json')
        return
    if agent.preset == COMMAND and machine.program is None:
        yield Finding(Verdict.WARN, f"{agent.name} is not installed here", "it has to be where the workflow runs")
    elif machine.program is None and preset:
        # Where it runs it is installed by the workflow; here it is wanted only by those who use it here.
        how = " ".join(preset.install)
        verdict = Verdict.FAIL if machine.is_job else Verdict.WARN
        yield Finding(verdict, f"{preset.program} is not installed here", f"{how} (the workflow needs it too)")
    elif machine.program == "" and preset:
        yield Finding(Verdict.FAIL, f"{preset.program} does not say its version", "install it again")
    else:
        yield Finding(Verdict.PASS, f"the agent {agent.name} is installed: {machine.program or agent.name}")
    if preset and preset.note:
        yield Finding(Verdict.WARN, f"{preset.name}: {preset.note}", "see gitclaw_py/docs/agents.md")


def _isolation(seen: Seen) -> Iterator[Finding]:
    """In a job it has to work; elsewhere it tells what ``suggest --isolate`` could do."""
    machine = seen.machine
    if machine.isolation == "none":
        yield Finding(
            Verdict.WARN, "the agent is not kept apart, as the configuration says", 'leave out "isolation": "none"'
        )
    elif machine.isolation:
        yield Finding(Verdict.PASS, f"an agent is kept apart here by {machine.isolation}")
    elif machine.exposed:
        verdict = Verdict.FAIL if machine.is_job else Verdict.WARN
        yield Finding(verdict, machine.exposed, "see Kept apart in gitclaw_py/docs/agents.md")


def _answers(seen: Seen) -> Iterator[Finding]:
    if seen.settings is None or not seen.settings.agent.name:
        return
    if seen.machine.unanswered:
        yield Finding(Verdict.FAIL, f"the agent did not answer: {seen.machine.unanswered}", "see its key and its model")
    elif seen.machine.answered is not None:
        yield Finding(Verdict.PASS, "the agent answers")


def _key(seen: Seen) -> Iterator[Finding]:
    """Whether the agent's job gets the key of the model, and what else is a secret by its name."""
    if seen.settings is None or seen.configured_in is None:
        return
    agent = seen.settings.agent
    if agent.model:
        yield from _one_key(seen, agent.model.key, "agent.model.key")
    for name in filter(_SECRET.search, agent.environment):
        # Lines of install may set it, too.
        found = _one_key(seen, name, "agent.environment")
        yield from (one if one.verdict is Verdict.PASS else one._replace(verdict=Verdict.WARN) for one in found)


_SECRET = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)$")


def _one_key(seen: Seen, name: str, named_by: str) -> Iterator[Finding]:
    if seen.machine.is_job or seen.site is None:
        if seen.machine.is_job and name not in seen.machine.variables:
            yield Finding(Verdict.WARN, f"{name} is not set in this job", "only the agent's job needs it")
        return
    ours = _callers(seen.site)
    if not ours or name in (seen.site.agent_secrets or ()):
        yield _is_there(seen, name)
    for one in ours if name not in (seen.site.agent_secrets or ()) else ():
        yield _passed(seen, one, name, named_by)


def _passed(seen: Seen, one: Caller, name: str, named_by: str) -> Finding:
    """Whether a workflow of the default branch brings a secret to the variable of that name."""
    secret = one.secret_of(name)
    if one.is_reusing and name not in TAKEN:
        what = f"{one.path} can pass no {name}, which {named_by} names"
        fix = f"let {named_by} name {ANY_KEY}, and add to secrets: of that file: {_line(ANY_KEY, name)}"
        return Finding(Verdict.FAIL, what, fix)
    if secret is None and one.is_reusing and seen.site and seen.site.agent_secrets is None:
        what = f"{one.path} does not pass {name}, and the secrets of the environment {ENVIRONMENT} are not known"
        return Finding(Verdict.WARN, what, _at(seen, "environments"))
    if secret is None:
        where = "secrets: of that file" if one.is_reusing else "env: of its step"
        return Finding(Verdict.FAIL, f"{one.path} does not pass {name}", f"add to {where}: {_line(name, name)}")
    return _is_there(seen, secret)


def _line(variable: str, secret: str) -> str:
    return f"{variable}: ${{{{ secrets.{secret} }}}}"


def _is_there(seen: Seen, secret: str) -> Finding:
    """Whether the repository, its organization or the environment of the agent's job has the secret."""
    known = [seen.site.secrets, seen.site.agent_secrets] if seen.site else [None]
    # GitHub stores the names in capitals, and takes them in any case.
    if secret.upper() in {name.upper() for names in known for name in names or ()}:
        return Finding(Verdict.PASS, f"the secret {secret} is there")
    if None in known:
        return Finding(Verdict.WARN, f"whether there is a secret {secret} is not known", _at(seen, "secrets/actions"))
    return Finding(Verdict.FAIL, f"there is no secret {secret}", f"add it: {_at(seen, 'secrets/actions')}")


def _token(seen: Seen) -> Iterator[Finding]:
    """An agent without a key of its own works with a token of the job, where that may, or with one that is a secret."""
    preset = _preset(seen)
    token = next((name for name in preset.environment if name.endswith("_TOKEN")), None) if preset else None
    if not preset or not token:
        return
    if seen.machine.is_job and token not in seen.machine.variables:
        fix = "in the agent's job set it to ${{ github.token }}, and add to its permissions: copilot-requests: write"
        yield Finding(Verdict.WARN, f"{token} is not set in this job", fix)
    if seen.machine.is_job or seen.site is None:
        return
    for one in _callers(seen.site):
        if one.is_for_copilot or token in (seen.site.agent_secrets or ()):
            continue  # what that one lacks is said with the workflow
        if one.secret_of(token) is not None:
            yield _passed(seen, one, token, "agent.preset")
        elif one.is_reusing:
            called = caller.called_for(preset.name).removeprefix(caller.FOLDER)
            fix = f"call {called} there, and add to permissions: {preset.permission}: write; or pass a secret {token}"
            yield Finding(Verdict.FAIL, f"{one.path} gives {preset.name} no token", fix)


def _callers(site: Site) -> list[Caller]:
    found = (caller.read(path, text) for path, text in (site.workflows or {}).items())
    return [one for one in found if one]


def _at(seen: Seen, page: str) -> str:
    return f"{seen.site.url if seen.site else ''}/settings/{page}"


def _site(seen: Seen) -> Iterator[Finding]:
    if seen.site is None:
        yield Finding(
            Verdict.WARN,
            f"what GitHub knows of the repository is not known: {seen.unseen}",
            "see gitclaw doctor --help: it asks with GITHUB_TOKEN or GH_TOKEN, such as gh auth token prints",
        )
    elif seen.site.is_archived:
        yield Finding(Verdict.FAIL, f"{seen.site.repository} is archived", "nothing can be written to it")


_SHA = re.compile(r"[0-9a-f]{40}")


def _workflow(seen: Seen) -> Iterator[Finding]:
    if seen.site is None:
        return
    where = f"on {seen.site.default_branch}"
    if seen.site.workflows is None:
        yield Finding(Verdict.WARN, f"which workflows there are {where} is not known", "the token needs contents: read")
        return
    ours = _callers(seen.site)
    if not ours:
        fix = "gitclaw init, and bring what it writes to that branch: comments start only what is there"
        yield Finding(Verdict.FAIL, f"no workflow {where} uses gitclaw", fix)
    for one in ours:
        yield from _one_workflow(seen.site, one, where)


def _one_workflow(site: Site, one: Caller, where: str) -> Iterator[Finding]:
    path, text, missing = one.path, one.text, one.lacks
    state = (site.states or {}).get(path)
    if state not in (None, "active"):
        yield Finding(
            Verdict.FAIL, f"{path} is {state.replace('_', ' ')}", f"gh workflow enable {path.rpartition('/')[2]}"
        )
        return
    if "issue_comment" not in text:
        yield Finding(Verdict.FAIL, f"{path} does not start for comments", "add issue_comment to on:")
    if missing:
        lines = ", ".join(f"{name}: write" for name in missing)
        yield Finding(Verdict.FAIL, f"{path} does not give the bot all it needs", f"add to permissions: {lines}")
    if one.uses and not _SHA.fullmatch(one.ref):
        yield Finding(
            Verdict.WARN, f"{path} uses {one.uses} at {one.ref}, which can move", "name a commit by its full id"
        )
    if "issue_comment" in text and not missing:
        yield Finding(Verdict.PASS, f"{path} is {where}")


def _actions(seen: Seen) -> Iterator[Finding]:
    if seen.site is None:
        return
    page = _at(seen, "actions")
    if seen.site.actions_are_on is None:
        yield Finding(
            Verdict.WARN, "whether Actions may run, and what they may, is not known to this token", f"see {page}"
        )
        return
    if not seen.site.actions_are_on:
        yield Finding(Verdict.FAIL, "Actions are off in this repository", f"turn them on: {page}")
        return
    if seen.site.allowed_actions == "local_only":
        yield Finding(Verdict.FAIL, "only actions of this repository's owner may run", f"allow gitclaw's: {page}")
    elif seen.site.allowed_actions == "selected":
        yield Finding(Verdict.WARN, "only chosen actions may run", f"see that gitclaw's are among them: {page}")
    else:
        yield Finding(Verdict.PASS, "Actions may run")


def _pulls(seen: Seen) -> Iterator[Finding]:
    if seen.site is None or seen.site.may_open_pulls is None:
        return
    if seen.site.may_open_pulls:
        yield Finding(Verdict.PASS, "Actions may create pull requests")
        return
    needs = seen.settings is not None and seen.settings.commit.to is Destination.PULL_REQUEST
    verdict = Verdict.FAIL if needs or seen.site.is_protected else Verdict.WARN
    fix = f'tick "Allow GitHub Actions to create and approve pull requests": {_at(seen, "actions")}'
    yield Finding(verdict, "Actions may not create pull requests", fix)


def _target(seen: Seen) -> Iterator[Finding]:
    if seen.site is None or seen.settings is None:
        return
    branch, to = seen.site.default_branch, seen.settings.commit.to
    if seen.site.is_protected is None:
        yield Finding(Verdict.WARN, f"whether {branch} is protected is not known", "nothing to do, if it is not")
    elif not seen.site.is_protected or to is Destination.PULL_REQUEST:
        goes = "a branch and a pull request" if to is Destination.PULL_REQUEST else branch
        yield Finding(Verdict.PASS, f"what is applied in an issue goes to {goes}")
    else:
        what = f"{branch} takes changes by pull request only, so what is applied in an issue becomes one"
        yield Finding(Verdict.WARN, what, 'say so: "commit": {"to": "pull-request"} in suggestions.json')


_CHECKS: tuple[Callable[[Seen], Iterator[Finding]], ...] = (
    _git,
    _configuration,
    _agent,
    _isolation,
    _answers,
    _site,
    _workflow,
    _actions,
    _pulls,
    _key,
    _token,
    _target,
)
