"""What a thread's page shows, apart from how the hub keeps it."""

from typing import NamedTuple


class Reaction(NamedTuple):
    """A reaction such as ``rocket`` and how many gave it."""

    content: str
    given: int


class Entry(NamedTuple):
    """One comment, or the thread's own text when ``id`` is 0. ``role`` is ``admin``, ``write``, … or ``bot``.

    ``hidden`` is why it was minimised, such as ``outdated``.
    """

    id: int
    author: str
    role: str
    at: str
    body: str
    edited: bool = False
    reactions: tuple[Reaction, ...] = ()
    hidden: str = ""


class Happening(NamedTuple):
    """Something between the comments: commits pushed, a label, the thread closed; ``text`` is plain."""

    at: str
    text: str
    link: str | None = None


class Remark(NamedTuple):
    """A comment that a review put on the changes: where it is, and ``Resolved``, ``Outdated`` or nothing."""

    id: int
    place: str
    link: str
    state: str


class Reviewed(NamedTuple):
    """A review; ``verb`` says what it did, such as ``requested changes``."""

    id: int
    author: str
    role: str
    at: str
    verb: str
    body: str
    remarks: tuple[Remark, ...]
    hidden: str = ""


class ThreadView(NamedTuple):
    """A page. ``state`` is ``open``, ``closed`` or ``merged``; ``people`` are the logins one can comment as.

    ``branch_line`` says for a pull request what it would merge into what. ``busy`` tells that a run is at work,
    so that the page looks again by itself. ``notice`` stands above the comment box, such as why the last
    comment was refused. ``changes`` is how many files a pull request changes.
    """

    repository: str
    number: int
    title: str
    state: str
    is_pull_request: bool
    branch_line: str
    entries: tuple[Entry | Happening | Reviewed, ...]
    people: tuple[str, ...]
    form_token: str
    busy: bool = False
    locked: bool = False
    labels: tuple[str, ...] = ()
    notice: str = ""
    changes: int | None = None
