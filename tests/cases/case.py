"""What a change case is: a repository, a change of its files, and what has to come of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from gitclaw_py.core.suggestions import Kind
from tests.sandbox import Sandbox

NOTHING, FILE, PROGRAM, LINK, GITLINK = "", "100644", "100755", "120000", "160000"
Step = Callable[[Sandbox], object]

LINES = b"".join(b"line %d\n" % number for number in range(1, 21))


@dataclass(frozen=True)
class Row:
    """One suggestion that has to be made; a mode is ``NOTHING`` where there is no file.

    ``units`` is the number of its smallest hunks, where a case is about that.
    """

    kind: Kind
    path: bytes
    old: str
    new: str
    old_path: bytes | None = None
    blocked: bool = False
    units: int | None = None


@dataclass(frozen=True)
class Expected:
    """What has to come of the change. Without rows, nothing is proposed.

    ``stored`` are blobs whose bytes are not those in the file, ``unseen`` the paths that stay as in the base
    whatever the files say. ``applied`` and ``undone`` are what ``git status`` says once everything was applied
    to the branch that is checked out, and once that was taken back. ``converted`` says that a check-out does
    not give the bytes that were there before, although git takes them for the same, ``stuck`` that git sees an edit
    in a file it has just checked out, so that nothing can be taken back. ``held`` says that files which are not
    the repository's own keep the change from being applied where the branch is checked out.
    """

    rows: tuple[Row, ...] = ()
    stored: Mapping[bytes, bytes] = field(default_factory=dict)
    unseen: frozenset[bytes] = frozenset()
    warning: str = ""
    applied: str = ""
    undone: str = ""
    converted: bool = False
    stuck: bool = False
    held: bool = False


@dataclass(frozen=True)
class Case:
    """``setup`` is committed, then ``change`` is made: in the working tree, and in an agent's workspace.

    None where the change cannot be made in that way. ``refused`` is the code of the error where a snapshot of the
    working tree must not be made.
    """

    setup: Step
    change: Step
    snapshot: Expected | None
    workspace: Expected | None
    refused: str = ""


def case(setup: Step, change: Step, *rows: Row) -> Case:
    """A case with the same outcome in both ways."""
    return Case(setup, change, Expected(rows), Expected(rows))


def without_workspace(made: Case) -> Case:
    """The same case, where the change needs the repository or its index."""
    return replace(made, workspace=None)


def steps(*each: Step) -> Step:
    """Several steps, one after the other."""

    def run(sandbox: Sandbox) -> None:
        for step in each:
            step(sandbox)

    return run


def wrote(path: str | bytes, data: bytes, mode: int | None = None) -> Step:
    """A step that writes a file."""
    return lambda sandbox: sandbox.write(path, data, mode)


def removed(path: str | bytes) -> Step:
    """A step that removes a file, link or folder."""
    return lambda sandbox: sandbox.remove(path)


def linked(path: str, target: str) -> Step:
    """A step that makes a symbolic link."""
    return lambda sandbox: (sandbox.path / path).symlink_to(target)


def made_executable(path: str) -> Step:
    """A step that sets the executable bit."""
    return lambda sandbox: (sandbox.path / path).chmod(0o755)


def called_git(*arguments: str) -> Step:
    """A step that runs git in the repository."""
    return lambda sandbox: sandbox.git(*arguments)


def edited(
    old: bytes | None,
    new: bytes | None,
    path: bytes = b"f.txt",
    *,
    kind: Kind = Kind.MODIFY,
    attributes: bytes = b"",
    config: Mapping[str, str] | None = None,
    units: int | None = None,
) -> Case:
    """One file with one content and then another; None is no file. ``kind`` says what an edit has to be."""
    setup = [called_git("config", key, value) for key, value in (config or {}).items()]
    if attributes:
        setup.append(wrote(".gitattributes", attributes))
    if old is not None:
        setup.append(wrote(path, old))
    change = removed(path) if new is None else wrote(path, new)
    if old is None:
        row = Row(Kind.CREATE, path, NOTHING, FILE)
    elif new is None:
        row = Row(Kind.DELETE, path, FILE, NOTHING)
    else:
        row = Row(kind, path, FILE, FILE, units=units)
    return case(steps(*setup), change, row)


def moved(old: bytes, new: bytes, data: bytes = LINES) -> Case:
    """A file of twenty lines that goes to another path, perhaps with other content."""
    return case(wrote(old, LINES), steps(removed(old), wrote(new, data)), Row(Kind.RENAME, new, FILE, FILE, old))
