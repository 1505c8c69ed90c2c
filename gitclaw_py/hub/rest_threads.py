"""The operations on issues and their comments, labels, reactions and locks.

https://docs.github.com/rest/issues
"""

from __future__ import annotations

from gitclaw_py.core.access import Level
from gitclaw_py.hub import documents, talk
from gitclaw_py.hub.calls import Answer, Call, one_page
from gitclaw_py.hub.refusals import RefusalError, invalid, malformed, not_for_this_role, not_for_this_token
from gitclaw_py.hub.threads import Comment, Thread, is_too_long
from gitclaw_py.hub.times import normal
from gitclaw_py.hub.world import Doer, World


def thread_of(call: Call, access: str) -> Thread:
    """The thread of the path, if the token may do that with an issue, or with a pull request.

    Raises:
        RefusalError: there is none, or the token may not.
    """
    thread = call.here.threads.get(call.number("number"))
    return _may(call, thread, access)


def _may(call: Call, thread: Thread, access: str) -> Thread:
    token = call.token
    if token is None or token.permissions is None or (access == "read" and not call.here.is_private):
        return thread
    names = ("issues", "pull_requests") if thread.pull else ("issues",)
    if not any(token.allows(name, access) for name in names):
        raise not_for_this_token()
    return thread


def comment_of(call: Call, access: str) -> Comment:
    """The comment of the path, likewise.

    Raises:
        RefusalError: there is none, or the token may not.
    """
    comment = call.here.threads.get_comment(call.number("id"))
    _may(call, call.here.threads.get(comment.thread), access)
    return comment


def get_issue(world: World, call: Call) -> Answer:
    """One issue or pull request."""
    return Answer(200, documents.issue(world.links, call.here, thread_of(call, "read")))


def list_issues(world: World, call: Call) -> Answer:
    """Issues and pull requests, newest first."""
    state = call.query.get("state", "open")
    labels = {name for name in call.query.get("labels", "").split(",") if name}
    threads = [
        thread
        for thread in reversed(list(call.here.threads))
        if state in {"all", thread.state} and labels <= {label.name for label in thread.labels}
    ]
    return one_page(call, [documents.issue(world.links, call.here, thread) for thread in threads])


def create_issue(world: World, call: Call) -> Answer:
    """Open an issue."""
    names = _label_names(call.fields.get("labels", []))
    title = str(call.fields["title"])
    thread = talk.open_issue(world, call.here, Doer.of(call.who), title, call.text("body"), names)
    return Answer(201, documents.issue(world.links, call.here, thread))


def edit_issue(world: World, call: Call) -> Answer:
    """Change title, text, labels, or whether it is open."""
    thread, doer = thread_of(call, "write"), Doer.of(call.who)
    if doer.account != thread.author:
        need_role(call, Level.TRIAGE)
    if call.text("title") is not None or "body" in call.fields:
        title = call.text("title") or thread.title
        body = call.text("body") if "body" in call.fields else thread.body
        if is_too_long(body or ""):
            body = thread.body  # 200, and nothing changed: https://github.com/dead-claudia/github-limits
        thread = call.here.threads.touch(thread._replace(title=title, body=body))
    if "labels" in call.fields:
        names = _label_names(call.fields["labels"])
        kept = tuple(label for label in thread.labels if label.name in names)
        thread = call.here.threads.touch(thread._replace(labels=kept))
        thread = talk.label(world, call.here, doer, thread.number, names)
    match call.text("state"):
        case "closed" if not thread.closed_at:
            thread = talk.close(world, call.here, doer, thread, call.text("state_reason"))
        case "open" if thread.closed_at:
            thread = talk.reopen(world, call.here, doer, thread)
        case None | "open" | "closed":
            pass
        case _:
            raise invalid("Issue", "state", "invalid")
    return Answer(200, documents.issue(world.links, call.here, thread))


def need_role(call: Call, level: Level) -> None:
    """Let a person pass whose role is high enough, and every app that came this far.

    Raises:
        RefusalError: the role is too low.
    """
    if call.who.permissions is None and call.here.level(call.who.account) < level:
        raise not_for_this_role()


def list_comments(world: World, call: Call) -> Answer:
    """The comments of a thread, oldest first, ``since`` by the time of their last change."""
    thread = thread_of(call, "read")
    comments = call.here.threads.comments(thread.number)
    if since := call.query.get("since"):
        try:
            moment = normal(since)
        except ValueError as error:
            raise malformed(f"For 'properties/since', {since} is not a valid date-time.") from error
        comments = [comment for comment in comments if comment.updated_at >= moment]
    return one_page(call, [documents.comment(world.links, call.here, comment) for comment in comments])


def create_comment(world: World, call: Call) -> Answer:
    """Comment in a thread."""
    thread = thread_of(call, "write")
    body = str(call.fields["body"])
    comment = talk.comment(world, call.here, Doer.of(call.who), thread.number, body)
    return Answer(201, documents.comment(world.links, call.here, comment))


def get_comment(world: World, call: Call) -> Answer:
    """One comment."""
    return Answer(200, documents.comment(world.links, call.here, comment_of(call, "read")))


def edit_comment(world: World, call: Call) -> Answer:
    """Replace the text of a comment: one's own, or with the right to write anyone's."""
    comment = comment_of(call, "write")
    _own_or_writer(call, comment)
    edited = talk.edit_comment(world, call.here, Doer.of(call.who), comment.id, str(call.fields["body"]))
    return Answer(200, documents.comment(world.links, call.here, edited))


def delete_comment(world: World, call: Call) -> Answer:
    """Remove a comment: one's own, or with the right to write anyone's."""
    comment = comment_of(call, "write")
    _own_or_writer(call, comment)
    talk.delete_comment(world, call.here, Doer.of(call.who), comment.id)
    return Answer(204)


def _own_or_writer(call: Call, comment: Comment) -> None:
    if comment.author != call.who.account:
        need_role(call, Level.WRITE)


def _reacted_to(call: Call, access: str) -> Thread | Comment:
    return comment_of(call, access) if "id" in call.parameters else thread_of(call, access)


def list_reactions(world: World, call: Call) -> Answer:
    """The reactions to a comment or to a thread's own text."""
    content = call.query.get("content")
    reactions = [one for one in _reacted_to(call, "read").reactions if content in {None, one.content}]
    return one_page(call, [documents.reaction(world.links, one) for one in reactions])


def create_reaction(world: World, call: Call) -> Answer:
    """React; a second time the same changes nothing."""
    on = _reacted_to(call, "write")
    reaction, is_new = call.here.threads.react(on, call.who.account, str(call.fields["content"]))
    return Answer(201 if is_new else 200, documents.reaction(world.links, reaction))


def delete_reaction(world: World, call: Call) -> Answer:
    """Take a reaction back."""
    del world
    call.here.threads.unreact(_reacted_to(call, "write"), call.number("reaction"))
    return Answer(204)


def list_labels(world: World, call: Call) -> Answer:
    """The labels of a thread."""
    labels = thread_of(call, "read").labels
    return one_page(call, [documents.label(world.links, call.here, label) for label in labels])


def add_labels(world: World, call: Call) -> Answer:
    """Put labels on a thread."""
    thread = thread_of(call, "write")
    wanted = call.body if isinstance(call.body, list) else call.fields.get("labels", [])
    thread = talk.label(world, call.here, Doer.of(call.who), thread.number, _label_names(wanted))
    return Answer(200, [documents.label(world.links, call.here, label) for label in thread.labels])


def remove_label(world: World, call: Call) -> Answer:
    """Take a label off a thread."""
    thread, name = thread_of(call, "write"), call.parameters["name"].lower()
    rest = tuple(label for label in thread.labels if label.name.lower() != name)
    if rest == thread.labels:
        raise RefusalError(404, "Label does not exist")
    call.here.threads.touch(thread._replace(labels=rest), f"{call.who.account.login} removed the label {name}")
    return Answer(200, [documents.label(world.links, call.here, label) for label in rest])


def lock(world: World, call: Call) -> Answer:
    """Lock a thread."""
    thread = thread_of(call, "write")
    talk.lock(world, call.here, Doer.of(call.who), thread.number, on=True, reason=call.text("lock_reason"))
    return Answer(204)


def unlock(world: World, call: Call) -> Answer:
    """Unlock a thread."""
    talk.lock(world, call.here, Doer.of(call.who), thread_of(call, "write").number, on=False)
    return Answer(204)


def _label_names(value: object) -> list[str]:
    items = value if isinstance(value, list) else []
    names = [item.get("name") if isinstance(item, dict) else item for item in items]
    if not isinstance(value, list) or not all(isinstance(name, str) and name.strip() for name in names):
        raise invalid("Label", "name", "invalid")
    return [str(name) for name in names]
