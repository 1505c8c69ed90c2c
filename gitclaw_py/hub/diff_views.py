"""What the page of a pull request's changes shows, apart from how the hub keeps it."""

from typing import NamedTuple

from gitclaw_py.hub.views import Reaction, ThreadView


class Said(NamedTuple):
    """A comment on the changes. ``replaced`` are the lines that its suggestion would replace."""

    id: int
    author: str
    role: str
    at: str
    body: str
    replaced: tuple[str, ...] = ()
    edited: bool = False
    reactions: tuple[Reaction, ...] = ()
    hidden: str = ""


class Talk(NamedTuple):
    """A thread on the changes.

    ``state`` is empty, ``Resolved`` or ``Outdated``. ``suggestion`` is the comment whose suggestion can be
    applied, 0 when there is none; ``hint`` says why it cannot.
    """

    id: str
    place: str
    said: tuple[Said, ...]
    state: str = ""
    is_resolved: bool = False
    suggestion: int = 0
    hint: str = ""


class Line(NamedTuple):
    """A line of a diff, its numbers before and after, and the threads below it."""

    sign: str
    old: int | None
    new: int | None
    text: str
    has_newline: bool = True
    talks: tuple[Talk, ...] = ()


class Part(NamedTuple):
    """A hunk."""

    head: str
    lines: tuple[Line, ...]


class ChangedFile(NamedTuple):
    """A file. ``note`` says something of the file as a whole; ``talks`` have no line in the diff any more."""

    path: str
    note: str
    additions: int
    deletions: int
    parts: tuple[Part, ...]
    talks: tuple[Talk, ...] = ()


class ChangesView(NamedTuple):
    """The page: the thread it belongs to, and the files."""

    thread: ThreadView
    files: tuple[ChangedFile, ...]
