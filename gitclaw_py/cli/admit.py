"""The rest of the gate, for what looks like a command: who asks, whether they may, and what the head is."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

from gitclaw_py.adapters.gate_api import GateApi
from gitclaw_py.cli.told import ignored, tell
from gitclaw_py.core import admission
from gitclaw_py.core.access import Level
from gitclaw_py.core.admission import Admission, Kind
from gitclaw_py.core.thread import Account
from gitclaw_py.core.trigger import Ignored, Rules, Trigger, elsewhere
from gitclaw_py.core.visible import harmless
from gitclaw_py.errors import GitclawError

_MOST = 3
"""Accounts that are asked about because of what they said in a review."""


def admit(event_name: str, payload: bytes, environment: Mapping[str, str]) -> int:
    """Decide on an event, and react to what it says; the exit code."""
    rules = _rules(environment)
    trigger = admission.found(event_name, payload, rules)
    if isinstance(trigger, Ignored):
        return ignored(harmless(trigger.reason))
    if other := elsewhere(trigger, environment.get("GITHUB_REPOSITORY_ID")):
        return ignored(harmless(other.reason))
    token = environment.get("GITHUB_TOKEN", "")
    if not token:
        sys.stderr.write("USAGE: There is no token\nNext: set GITHUB_TOKEN: in a workflow to ${{ github.token }}\n")
        return 2
    api = GateApi(environment.get("GITHUB_API_URL", "https://api.github.com"), token, trigger.repository, _note)
    try:
        if reason := _unheard(api, trigger):
            return ignored(reason)
        decided = _decided(api, trigger, rules)
    except GitclawError as error:
        _note(f"{error.code}: {error.what}. Next: {error.next_step}")
        return error.exit_code
    if trigger.thread is not None and trigger.commands:
        api.react(trigger.thread.number, trigger.comment.id if trigger.comment else None, "eyes")
        if decided.kind is Kind.AGENT and admission.is_certain(trigger):
            _announce(api, trigger, environment)
    outputs = [("kind", str(decided.kind)), ("head", decided.head), ("thread", str(decided.thread))]
    tell(outputs, f"Thread {decided.thread}: {decided.kind} for {harmless(trigger.actor.login)}")
    return 0


def _announce(api: GateApi, trigger: Trigger, environment: Mapping[str, str]) -> None:
    """Say that the agent is at work and where, once: its own job cannot write. The job that publishes collapses it."""
    if trigger.thread is None or environment.get("GITHUB_RUN_ATTEMPT", "1") != "1":
        return
    from gitclaw_py.core.replies.links import Links, run_log
    from gitclaw_py.core.replies.under_way import begun

    server = environment.get("GITHUB_SERVER_URL", "https://github.com")
    run = environment.get("GITHUB_RUN_ID")
    links = Links(server, trigger.repository, run_log(server, trigger.repository, run))
    key = trigger.key or f"run-{run or 0}"
    api.comment(trigger.thread.number, begun(re=key, requester=trigger.actor.login, links=links))


def _rules(environment: Mapping[str, str]) -> Rules:
    plain = Rules()
    bots = re.findall(r"(?:^|[\s,#])([0-9]{1,18})(?=[\s,]|$)", environment.get("GITCLAW_BOTS", ""))
    return Rules(
        mention=environment.get("GITCLAW_MENTION") or None,
        label=environment.get("GITCLAW_LABEL") or plain.label,
        bots=frozenset(map(int, bots)),
        bot=environment.get("GITCLAW_BOT") or plain.bot,
    )


def _unheard(api: GateApi, trigger: Trigger) -> str | None:
    """Why a command in a locked thread starts nothing, not even an answer: its talk was ended for all but admins."""
    if trigger.thread is None or not trigger.thread.is_locked or not trigger.commands:
        return None
    if api.level(trigger.actor) >= Level.ADMIN:
        return None
    return f"The thread is locked, and only admins command in it; {harmless(trigger.actor.login)} is none"


def _decided(api: GateApi, trigger: Trigger, rules: Rules) -> Admission:
    """An agent is started only for who may; whoever may not gets that answered by the job without one."""
    asks = admission.asks_for_an_agent(trigger) and _may_run(api, trigger, rules, trigger.actor)
    thread = trigger.thread
    if thread is None:
        return Admission(Kind.AGENT if asks else Kind.ACT)
    head = ""
    if thread.is_pull_request and trigger.commands:
        head, is_reviewed = api.pull(thread.number)
        asks = asks or (is_reviewed and _asked_in_review(api, trigger, rules))
    return Admission(Kind.AGENT if asks else Kind.ACT, thread.number, head)


def _asked_in_review(api: GateApi, trigger: Trigger, rules: Rules) -> bool:
    """Whether someone who may asked for an agent in a review since yesterday. One request, and one for who did."""
    if trigger.thread is None or trigger.comment is None or trigger.thread.is_locked:
        return False
    from datetime import datetime, timedelta  # only here, and the gate has to be quick

    try:
        at = datetime.fromisoformat(trigger.comment.created_at)
    except ValueError:
        return False
    since = (at - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    asking = admission.ask_in_reviews(api.remarks(trigger.thread.number), rules, since)
    return any(_may_run(api, trigger, rules, who) for who in asking[:_MOST])


def _may_run(api: GateApi, trigger: Trigger, rules: Rules, actor: Account) -> bool:
    if trigger.thread is not None and trigger.thread.is_locked:
        return True  # an admin: nobody else came this far
    if actor.is_bot and actor.id in rules.bots:
        # Only people are collaborators. The job reads the list of the configuration, too.
        return True
    level = api.level(actor)
    if level >= Level.WRITE or level is Level.NONE:
        return level is not Level.NONE
    return level >= admission.needed_to_run(api.files(admission.CONFIGURATION, trigger.default_branch))


def _note(line: str) -> None:
    sys.stderr.write(f"{harmless(line)}\n")
