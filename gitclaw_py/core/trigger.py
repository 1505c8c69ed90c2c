"""Which events start something, reduced to what we need of them.

A payload comes from GitHub, but its texts come from anyone and its shape changed over the years. Whatever is missing
or odd makes the event ignored, with a reason for the log; nothing here raises.
https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

import json
import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from gitclaw_py.core import payload as fields
from gitclaw_py.core.commands import LONGEST, Command, Run, read_commands
from gitclaw_py.core.thread import Account, Comment, Thread
from gitclaw_py.core.visible import visible

OPENING = "issue"
"""The key of what the text of a new issue asks for."""
_KEY = re.compile(r"(?=.{1,64}\Z)[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*")
"""What our markers can say: no dots, which number the commands of one text, and no two dashes, which end it."""
_NUMBER = re.compile(r"#?([1-9][0-9]{0,9})")
_OWN_REPLY = "<!-- gitclaw:"
_AT_ONCE = timedelta(minutes=1)
_NOBODY = Account("", 0)
_Fields = Mapping[str, Any]


Reading = Callable[[str, str | None, int], tuple[Command, ...]]
"""Finds the commands in a text, given the mention and how long it may be."""


class Rules(NamedTuple):
    """What the repository wants us to react to.

    ``bot`` is our own login; ``bots`` are the ids of bots that may command, ``apps`` those of apps that may do so in
    the name of people; ``mention`` is like ``@my-bot``; ``longest`` is how many characters a text to be read may have,
    and ``reading`` finds the commands in it.
    """

    mention: str | None = None
    label: str = "gitclaw"
    bots: frozenset[int] = frozenset()
    apps: frozenset[int] = frozenset()
    bot: str = "github-actions[bot]"
    on_opened: bool = True
    on_labeled: bool = True
    longest: int = LONGEST
    reading: Reading = read_commands


class Trigger(NamedTuple):
    """An event that asks for something.

    Attributes:
        event: its name and action, such as ``issue_comment.created``.
        repository: ``owner/name``.
        repository_id: its number, which survives a new name.
        default_branch: of the repository.
        thread: None when a dispatch names none. Of a dispatch only the number is known (see ``knows_thread``).
        actor: whose action it is and whose permission counts.
        comment: what was posted, None for other events.
        request: the text that asks.
        run_key: what tells the event from others of its thread where no comment does; "" when the payload does not say.
        commands: what ``request`` tells us to do, in order; empty only for new commits in a pull request.
    """

    event: str
    repository: str
    repository_id: int
    default_branch: str
    thread: Thread | None
    actor: Account
    comment: Comment | None
    request: str
    run_key: str
    commands: tuple[Command, ...]

    @property
    def key(self) -> str:
        """What its request is known by: the id of the comment, or else ``run_key``."""
        return str(self.comment.id) if self.comment else self.run_key

    @property
    def knows_thread(self) -> bool:
        """Whether the payload held the thread; otherwise its title, author and kind are to be asked of the forge."""
        return self.thread is not None and bool(self.thread.created_at)


class Ignored(NamedTuple):
    """An event that starts nothing, and why, in one sentence."""

    reason: str


class _IgnoredError(Exception):
    """Ends the reading of an event; its text is the reason."""


def read_trigger(event_name: str, payload: bytes, rules: Rules) -> Trigger | Ignored:
    """What an event asks for.

    Args:
        event_name: as in ``GITHUB_EVENT_NAME``.
        payload: the JSON that the forge sent.
        rules: what the repository wants us to react to.
    """
    try:
        document = fields.parsed(payload)
        action = fields.text(document, "action")
        event = visible(f"{event_name}.{action}" if action else event_name)[:100]
        reader = _READERS.get(event_name) or _READERS.get(f"{event_name}.{action}")
        return reader(event, document, rules) if reader else Ignored(f"Nothing starts at {event}")
    except (_IgnoredError, fields.UnreadableError) as reason:
        return Ignored(str(reason))


def elsewhere(trigger: Trigger, repository_id: str | None) -> Ignored | None:
    """Why an event is not of the repository that the run is for; names change hands, the id does not.

    https://docs.github.com/en/actions/reference/workflows-and-actions/variables#default-environment-variables
    """
    if not repository_id or repository_id == str(trigger.repository_id):
        return None
    return Ignored(f"The event is of repository {trigger.repository_id}, and this run of repository {repository_id}")


def _commented(event: str, document: _Fields, rules: Rules) -> Trigger:
    comment = fields.comment(document)
    if comment.author.login.casefold() == rules.bot.casefold() or _is_own_reply(comment.body):
        raise _IgnoredError("The comment is one of our own replies")
    actor = _actor(document, rules)
    if comment.author.id != actor.id:
        raise _IgnoredError(f"The comment of {visible(comment.author.login)} was sent by {visible(actor.login)}")
    if comment.is_edited:
        raise _IgnoredError("The comment was edited, and edited comments do not command")
    if not is_their_own(comment.author, comment.app, rules.apps):
        raise _IgnoredError("The comment was posted by an app in someone's name, and the app is not listed in apps")
    commands = _commands(comment.body, rules)
    if not commands:
        raise _IgnoredError("The comment holds no command of ours")
    return _trigger(event, document, actor, comment.body, commands)._replace(comment=comment)


def _is_own_reply(body: str) -> bool:
    """Whether it carries our marker at its end; a bot with a person's token would otherwise answer itself."""
    return body.rstrip().rpartition("\n")[2].startswith(_OWN_REPLY)


def _opened(event: str, document: _Fields, rules: Rules) -> Trigger:
    if not rules.on_opened:
        raise _IgnoredError("New issues start nothing here")
    issue = fields.child(document, "issue")
    request = fields.text(issue, "body")
    commands = asked_by_opening(_bounded(request), rules.mention)
    if not commands:
        raise _IgnoredError("The new issue neither starts with /gitclaw nor mentions us")
    actor = _actor(document, rules)
    # A transferred issue is opened by whoever transfers it, with the words of someone else.
    if fields.account(issue, "user").id != actor.id:
        raise _IgnoredError(f"The issue was opened by {visible(actor.login)} with the words of someone else")
    if not is_their_own(actor, fields.app(issue), rules.apps):
        raise _IgnoredError("The issue was opened by an app in someone's name, and the app is not listed in apps")
    return _trigger(event, document, actor, request, commands)._replace(run_key=OPENING)


def is_their_own(author: Account, app: int | None, apps: Collection[int]) -> bool:
    """Whether an author said it without an app in between that nobody has listed; a bot is its own app."""
    return app is None or author.is_bot or app in apps


def asked_by_opening(body: str, mention: str | None) -> tuple[Command, ...]:
    """What the text of a new issue asks for: it starts with ``/gitclaw``, or holds the mention."""
    handle = (mention or "").strip().casefold()
    asks = body.lstrip().casefold().startswith("/gitclaw") or bool(handle and handle in body.casefold())
    return read_commands(body, mention) if asks and len(body) <= LONGEST else ()


def _labeled(event: str, document: _Fields, rules: Rules) -> Trigger:
    """A label makes the issue a request. Commands in it are only text: who sets the label did not write them."""
    if not rules.on_labeled:
        raise _IgnoredError("Labels start nothing here")
    if fields.text(fields.child(document, "label"), "name").casefold() != rules.label.casefold():
        raise _IgnoredError("The label is not the one that starts us")
    issue, actor = fields.child(document, "issue"), _actor(document, rules)
    title, body = fields.text(issue, "title"), fields.text(issue, "body")
    if _is_opening(issue, actor) and rules.on_opened and asked_by_opening(body, rules.mention):
        raise _IgnoredError("The issue was opened with the label, and its text is read when it is opened")
    request = f"{title}\n\n{body}".strip()
    if not request:
        raise _IgnoredError("The labeled issue has no text")
    key = "label-" + re.sub(r"[^0-9TZ]", "", fields.text(issue, "updated_at"))
    return _trigger(event, document, actor, _bounded(request), (Run(request),))._replace(run_key=key)


def _is_opening(issue: _Fields, actor: Account) -> bool:
    """Whether the label came with the new issue: GitHub sends an event for each label of it, too."""
    author = issue.get("user")
    if not isinstance(author, dict) or author.get("id") != actor.id:
        return False
    try:
        created, updated = (datetime.fromisoformat(fields.text(issue, key)) for key in ("created_at", "updated_at"))
        return updated - created < _AT_ONCE
    except (ValueError, TypeError):
        return False


def _pushed(event: str, document: _Fields, rules: Rules) -> Trigger:
    """New commits in a pull request: nobody asks for anything, but people may have taken suggestions by themselves."""
    pull = {**fields.child(document, "pull_request"), "pull_request": {}}
    trigger = _trigger(event, {**document, "issue": pull}, _actor(document, rules), "", ())
    return trigger._replace(run_key="push")


def _dispatched(event: str, document: _Fields, rules: Rules) -> Trigger:
    """A request from elsewhere: a form, a chat, a script. Its sender answers for the commands in it."""
    name, _, kind = event.partition(".")
    if name == "repository_dispatch" and not kind.startswith("gitclaw"):
        raise _IgnoredError(f"The type of a dispatch for us starts with gitclaw, not {kind or 'with nothing'}")
    inputs = document.get("inputs" if name == "workflow_dispatch" else "client_payload")
    values: _Fields = inputs if isinstance(inputs, dict) else {}
    request = fields.text(values, "request").strip()
    if not request:
        raise _IgnoredError("The dispatch holds no request")
    commands = _commands(request, rules) or (Run(request),)
    thread, key = _named_thread(values, document), _key(values)
    trigger = _trigger(event, {**document, "issue": None}, _actor(document, rules), request, commands)
    return trigger._replace(thread=thread, run_key=key)


def _named_thread(values: _Fields, document: _Fields) -> Thread | None:
    """The thread a dispatch names by number; forms send numbers as text, and an empty one when nothing was entered."""
    value = values.get("issue")
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    found = _NUMBER.fullmatch(value.strip() if isinstance(value, str) else json.dumps(value))
    if found is None:
        raise _IgnoredError("The issue that the dispatch names is not a number")
    number = int(found[1])
    url = fields.repository(document).url
    return Thread(number, "", "", _NOBODY, "", f"{url}/issues/{number}")


def _key(values: _Fields) -> str:
    key = fields.text(values, "key")
    if key and not _KEY.fullmatch(key):
        raise _IgnoredError(
            "The key of a dispatch is up to 64 letters, digits and underscores, with single dashes between"
        )
    # A comment's id is a key as well, and no dispatch may pass for one.
    return f"d-{key}" if key else ""


def _actor(document: _Fields, rules: Rules) -> Account:
    actor = fields.account(document, "sender")
    if actor.is_bot and actor.id not in rules.bots:
        raise _IgnoredError(f"{visible(actor.login)} (id {actor.id}) is a bot that is not listed in bots")
    return actor


def _commands(text: str, rules: Rules) -> tuple[Command, ...]:
    return rules.reading(_bounded(text), rules.mention, rules.longest)


def _bounded(text: str) -> str:
    if len(text) > LONGEST:
        raise _IgnoredError(f"The text is longer than {LONGEST} characters")
    return text


def _trigger(event: str, document: _Fields, actor: Account, request: str, commands: tuple[Command, ...]) -> Trigger:
    repository = fields.repository(document)
    thread = fields.thread(document) if document.get("issue") is not None else None
    place = (repository.name, repository.id, repository.default_branch)
    return Trigger(event, *place, thread, actor, None, request, "", commands)


_READERS: dict[str, Callable[[str, _Fields, Rules], Trigger]] = {
    "issue_comment.created": _commented,
    "issues.opened": _opened,
    "issues.labeled": _labeled,
    "pull_request.synchronize": _pushed,
    "workflow_dispatch": _dispatched,
    "repository_dispatch": _dispatched,
}
