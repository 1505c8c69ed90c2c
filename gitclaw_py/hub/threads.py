"""The issues and pull requests of one repository: values, and the book they are kept in."""

import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from gitclaw_py.core.thread import Account
from gitclaw_py.hub.refusals import invalid, not_found
from gitclaw_py.hub.views import Happening

CONTENTS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")
# The error says characters; https://github.com/dead-claudia/github-limits measured four bytes for each.
LONGEST_BODY = 262_144
TOO_LONG = "body is too long (maximum is 65536 characters)"


class Reaction(NamedTuple):
    """One account's reaction."""

    id: int
    account: Account
    content: str
    created_at: str


class Label(NamedTuple):
    """A label of the repository."""

    id: int
    name: str
    color: str = "ededed"
    description: str | None = None


class Comment(NamedTuple):
    """A comment in a thread."""

    id: int
    thread: int
    author: Account
    body: str
    created_at: str
    updated_at: str
    reactions: tuple[Reaction, ...] = ()


class Pull(NamedTuple):
    """What a pull request has beyond an issue. Repositories are ``owner/name``."""

    head_repository: str
    head_branch: str
    head_oid: str
    base_branch: str
    base_oid: str
    is_draft: bool = False
    maintainer_can_modify: bool = False
    merged_at: str | None = None
    merged_by: Account | None = None
    merge_oid: str | None = None


class Thread(NamedTuple):
    """An issue or, with ``pull``, a pull request."""

    id: int
    number: int
    title: str
    body: str | None
    author: Account
    created_at: str
    updated_at: str
    closed_at: str | None = None
    state_reason: str | None = None
    is_locked: bool = False
    lock_reason: str | None = None
    labels: tuple[Label, ...] = ()
    assignees: tuple[Account, ...] = ()
    reactions: tuple[Reaction, ...] = ()
    pull: Pull | None = None

    @property
    def state(self) -> str:
        """``open`` or ``closed``."""
        return "closed" if self.closed_at else "open"


class Ids:
    """Numbers that nothing else in the hub has, rising with time, per kind of thing."""

    def __init__(self) -> None:
        self.repositories = itertools.count(5001)
        self.threads = itertools.count(700001)
        self.comments = itertools.count(1000001)
        self.reviews = itertools.count(4000001)
        self.review_comments = itertools.count(2000001)
        self.reactions = itertools.count(3000001)
        self.labels = itertools.count(9001)
        self.runs = itertools.count(8000001)


class Threads:
    """The book of one repository. Values go in and out; what is kept is replaced, never changed."""

    def __init__(self, ids: Ids, now: Callable[[], str]) -> None:
        self.ids = ids
        self.now = now
        self._numbers = itertools.count(1)
        self._threads: dict[int, Thread] = {}
        self._comments: dict[int, Comment] = {}
        self._labels: dict[str, Label] = {}
        self.happenings: dict[int, list[Happening]] = {}

    def __iter__(self) -> Iterator[Thread]:
        return iter(tuple(self._threads.values()))

    def get(self, number: int) -> Thread:
        """One thread.

        Raises:
            RefusalError: there is none of that number.
        """
        if number not in self._threads:
            raise not_found()
        return self._threads[number]

    def pull(self, number: int) -> tuple[Thread, Pull]:
        """One pull request.

        Raises:
            RefusalError: there is none of that number.
        """
        thread = self.get(number)
        if thread.pull is None:
            raise not_found()
        return thread, thread.pull

    def open(self, author: Account, title: str, body: str | None, pull: Pull | None = None) -> Thread:
        """A new thread with the next number.

        Raises:
            RefusalError: the body is too long, or the title blank.
        """
        _check_body("Issue", body or "")
        if not title.strip():
            raise invalid("Issue", "title", "missing_field")
        now = self.now()
        thread = Thread(next(self.ids.threads), next(self._numbers), title, body, author, now, now, pull=pull)
        return self.put(thread)

    def put(self, thread: Thread) -> Thread:
        """Keep a thread as it is now."""
        self._threads[thread.number] = thread
        return thread

    def touch(self, thread: Thread, happening: str | None = None, link: str | None = None) -> Thread:
        """Keep a changed thread, note the time, and tell what happened on its page."""
        now = self.now()
        if happening:
            self.happenings.setdefault(thread.number, []).append(Happening(now, happening, link))
        return self.put(thread._replace(updated_at=now))

    def label(self, name: str) -> Label:
        """The repository's label of that name, made when there is none."""
        if name.lower() not in self._labels:
            self._labels[name.lower()] = Label(next(self.ids.labels), name)
        return self._labels[name.lower()]

    def comment(self, number: int, author: Account, body: str) -> Comment:
        """A new comment.

        Raises:
            RefusalError: its body is blank or too long.
        """
        if not body.strip():
            raise invalid("IssueComment", "body", "missing_field", "body can't be blank")
        _check_body("IssueComment", body)
        now = self.now()
        comment = Comment(next(self.ids.comments), number, author, body, now, now)
        self._comments[comment.id] = comment
        self.put(self.get(number)._replace(updated_at=now))
        return comment

    def comments(self, number: int) -> list[Comment]:
        """The comments of a thread, oldest first."""
        return [comment for comment in tuple(self._comments.values()) if comment.thread == number]

    def get_comment(self, identity: int) -> Comment:
        """One comment.

        Raises:
            RefusalError: there is none of that id.
        """
        if identity not in self._comments:
            raise not_found()
        return self._comments[identity]

    def edit_comment(self, identity: int, body: str) -> Comment:
        """Replace a comment's text.

        Raises:
            RefusalError: there is no such comment, or the text is blank or too long.
        """
        comment = self.get_comment(identity)
        if not body.strip():
            raise invalid("IssueComment", "body", "missing_field", "body can't be blank")
        _check_body("IssueComment", body)
        self._comments[identity] = comment._replace(body=body, updated_at=self.now())
        return self._comments[identity]

    def delete_comment(self, identity: int) -> None:
        """Remove a comment.

        Raises:
            RefusalError: there is none of that id.
        """
        del self._comments[self.get_comment(identity).id]

    def react(self, on: Thread | Comment, account: Account, content: str) -> tuple[Reaction, bool]:
        """The account's reaction, and whether it is new.

        Raises:
            RefusalError: there is no such reaction.
        """
        if content not in CONTENTS:
            raise invalid("Reaction", "content", "invalid")
        for reaction in on.reactions:
            if (reaction.account.id, reaction.content) == (account.id, content):
                return reaction, False
        reaction = Reaction(next(self.ids.reactions), account, content, self.now())
        self._keep_reactions(on, (*on.reactions, reaction))
        return reaction, True

    def unreact(self, on: Thread | Comment, identity: int) -> None:
        """Take a reaction back.

        Raises:
            RefusalError: there is none of that id.
        """
        rest = tuple(reaction for reaction in on.reactions if reaction.id != identity)
        if rest == on.reactions:
            raise not_found()
        self._keep_reactions(on, rest)

    def _keep_reactions(self, on: Thread | Comment, reactions: tuple[Reaction, ...]) -> None:
        match on:
            case Thread():
                self.put(on._replace(reactions=reactions))
            case Comment():
                self._comments[on.id] = on._replace(reactions=reactions)


def is_too_long(body: str) -> bool:
    """Whether a text is longer than what GitHub keeps."""
    return len(body.encode("utf-8", "surrogatepass")) > LONGEST_BODY


def _check_body(resource: str, body: str) -> None:
    if is_too_long(body):
        raise invalid(resource, "body", "unprocessable", TOO_LONG)
