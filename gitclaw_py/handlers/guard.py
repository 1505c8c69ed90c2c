"""Whether an event is for us at all: first without asking anyone, then by the configuration."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from gitclaw_py.core import payload as fields
from gitclaw_py.core.access import Level
from gitclaw_py.core.settings import Settings
from gitclaw_py.core.thread import Account
from gitclaw_py.core.trigger import Ignored, Rules, Trigger, read_trigger
from gitclaw_py.handlers.world import World

_HANDLE = re.compile(r"@(?![0-9a-f]{7,64}(?![A-Za-z0-9-]))[A-Za-z0-9-]+")
"""Any handle, and no commit that a command is for."""
_ANYONE = "@anyone"
ACTIONS_BOT = "github-actions[bot]"
"""As whom the token of Actions writes."""


def possible(event_name: str, payload: bytes, bot: str) -> Trigger | Ignored:
    """The event by the loosest rules any configuration could have; what is ignored here costs no request."""
    try:
        document = fields.parsed(payload)
    except fields.UnreadableError as reason:
        return Ignored(str(reason))
    sender, label = (_child(document, key) for key in ("sender", "label"))
    rules = Rules(
        mention=_ANYONE,
        label=str(label.get("name") or Rules().label),
        bots=frozenset([_id(sender)]),
        apps=frozenset(
            found for found in map(fields.app, (_child(document, "comment"), _child(document, "issue"))) if found
        ),
        bot=bot,
    )
    found = read_trigger(event_name, json.dumps(_to_anyone(document)).encode(), rules)
    if isinstance(found, Ignored) or found.thread is None or not found.knows_thread or "issue" not in document:
        return found
    return found._replace(thread=fields.thread(document))


def _to_anyone(document: Mapping[str, Any]) -> dict[str, Any]:
    """The event with every handle in its text made the same one: which is ours, only the configuration knows."""
    texts = {key: _child(document, key) for key in ("comment", "issue")}
    changed = {key: {**one, "body": _HANDLE.sub(_ANYONE, one["body"])} for key, one in texts.items() if _is_text(one)}
    return {**document, **changed}


def _is_text(document: Mapping[str, Any]) -> bool:
    return isinstance(document.get("body"), str)


def wanted(event_name: str, payload: bytes, bot: str, settings: Settings) -> Trigger | Ignored:
    """The event by the rules of the repository."""
    rules = Rules(
        mention=settings.mention,
        label=settings.label,
        bots=frozenset(settings.bots),
        apps=frozenset(settings.apps),
        bot=bot,
        longest=settings.limits.comment_length,
    )
    return read_trigger(event_name, payload, rules)


def level(world: World, settings: Settings, account: Account) -> Level:
    """What an account may do, asked now. Bots are asked about like everybody.

    Of the bot of an app the forge only says that it is no user, since only people are collaborators. Then what the
    configuration says counts, which lists it by its id: a bot may what it takes to apply.
    https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user
    """
    found = world.forge.level(account)
    if found is None:
        return Level.WRITE if account.is_bot and account.id in settings.bots else Level.NONE
    return found


def _id(account: Mapping[str, Any]) -> int:
    found = account.get("id")
    return found if isinstance(found, int) else 0


def _child(document: Any, key: str) -> dict[str, Any]:  # noqa: ANN401 - JSON of any shape
    value = document.get(key) if isinstance(document, dict) else None
    return value if isinstance(value, dict) else {}
