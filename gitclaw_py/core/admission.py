"""What a workflow has to start for an event, decided without anything that has to be installed first.

It errs to one side only: what it lets through is read again, exactly, by the job that carries it out.
"""

import json
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from gitclaw_py.core.access import Level
from gitclaw_py.core.command_lines import needs_agent
from gitclaw_py.core.commands import read_loosely
from gitclaw_py.core.thread import Account
from gitclaw_py.core.trigger import Ignored, Rules, Trigger, read_trigger

CONFIGURATION = (".gitclaw/suggestions.json", ".github/suggestions.json", "suggestions.json")
"""Where the configuration may be, the first that is there."""


class Kind(StrEnum):
    """Which jobs an event starts."""

    IGNORED = "ignored"
    ACT = "act"
    """One job that can write, and runs no agent."""
    AGENT = "agent"
    """A job that runs the agent and cannot write, and then one that publishes what came out of it."""


class Admission(NamedTuple):
    """What the gate tells the jobs after it. Nothing of it is text that someone typed.

    ``head`` is the commit a pull request was at, "" elsewhere; ``thread`` is 0 where a dispatch names none.
    """

    kind: Kind
    thread: int = 0
    head: str = ""


_SETEXT = re.compile(r"^ {0,3}(?:=+|-+)[ \t]*$", re.MULTILINE)


class Remark(NamedTuple):
    """A comment of a review; ``root`` is the one that it replies to, 0 where it begins a thread."""

    id: int
    root: int
    author: Account
    body: str
    at: str
    is_edited: bool = False


def found(event_name: str, payload: bytes, rules: Rules) -> Trigger | Ignored:
    """The event, by what could be a command in it at most."""
    return read_trigger(event_name, payload, rules._replace(reading=read_loosely))


def asks_for_an_agent(trigger: Trigger) -> bool:
    """Whether an agent has to work for any command of it."""
    return needs_agent(trigger.commands)


def is_certain(trigger: Trigger) -> bool:
    """Whether an event asks for an agent however its text is read exactly: it is what the text begins with.

    A line of equals signs or dashes below makes a heading of it. https://spec.commonmark.org/0.31.2/#setext-headings
    """
    if trigger.comment is None and not trigger.event.startswith("issues.opened"):
        return asks_for_an_agent(trigger)
    begins = trigger.request.startswith(("/gitclaw", "/refine")) and not _SETEXT.search(trigger.request)
    return begins and asks_for_an_agent(trigger._replace(commands=trigger.commands[:1]))


def ask_in_reviews(remarks: Sequence[Remark], rules: Rules, since: str) -> list[Account]:
    """Who asked for an agent in reply to a review comment of ours, and has no answer there yet.

    Such a reply starts nothing by itself, since its event runs the pull request's own workflow: the next run in the
    thread carries it out. What is older than ``since`` does not count, so that nothing is waited for again and again.
    """
    ours = [remark for remark in remarks if remark.author.login.casefold() == rules.bot.casefold()]
    begun = {remark.id for remark in ours if not remark.root}
    answered = {remark.root: remark.id for remark in sorted(ours)}
    waiting = [
        remark
        for remark in remarks
        if remark.root in begun and answered.get(remark.root, 0) < remark.id and remark.at >= since
    ]
    return list(dict.fromkeys(remark.author for remark in waiting if _commands_agents(remark, rules)))


def _commands_agents(remark: Remark, rules: Rules) -> bool:
    counts = not remark.is_edited and (not remark.author.is_bot or remark.author.id in rules.bots)
    return counts and needs_agent(read_loosely(remark.body, rules.mention))


def needed_to_run(configurations: Sequence[bytes]) -> Level:
    """What an account needs to start an agent, by the configuration that counts; as by default where it cannot be read.

    Whoever carries it out reads the whole of it, and says what is wrong with it.
    """
    try:
        document: Any = json.loads(configurations[0]) if configurations else {}
        permissions = document.get("permissions", {}) if isinstance(document, Mapping) else {}
        return Level[str(permissions["run"]).upper()] if "run" in permissions else Level.WRITE
    except (ValueError, KeyError, TypeError, RecursionError):
        return Level.WRITE
