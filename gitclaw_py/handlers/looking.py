"""Looking into what an agent changed before it is recorded and shown: for secrets, and for characters that deceive."""

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from gitclaw_py.core.diffs import Entry, SameChange
from gitclaw_py.core.secrets import Watch, added
from gitclaw_py.core.suggestions import SUBMODULE, Kind, Suggestion, judged
from gitclaw_py.core.visible import code_point, deceptive
from gitclaw_py.handlers.watched import Watched
from gitclaw_py.ports.engine import Session, Taken, nobody
from gitclaw_py.ports.values import TreeChange

_BINARY_BY = 8000
"""Git takes a file for binary by the NUL bytes in its first 8000."""


class Withheld(NamedTuple):
    """The change of a file that adds a secret; its content is recorded nowhere."""

    path: bytes
    old: Entry | None
    new: Entry
    secret: str


class Looked:
    """Looks into the contents of a change, each when it is read; ``then`` gets it too, before.

    ``plain`` are the ids of those in which nothing was found, so that what was there before need not be known.
    """

    def __init__(self, watch: Watch, then: Taken = nobody) -> None:
        self.plain: set[str] = set()
        self._watch = watch
        self._then = then

    def take(self, oid: str, data: bytes) -> None:
        """Look into the content of that id."""
        self._then(oid, data)
        if _shows_itself(data) and self._watch.first(data) is None:
            self.plain.add(oid)


def secrets_in(context: Watched, session: Session, change: TreeChange) -> Iterator[Withheld]:
    """The files of a change that add a secret. What a file had before, or one that goes, is not new."""
    session.prefetch(list(change.writes))
    before = {path: entry for path in change.writes if _is_blob(entry := session.entry(path)) and entry}
    gone = [session.text(entry.oid) for path, entry in before.items() if change.writes[path] is None]
    for path, entry in sorted(change.writes.items()):
        if entry is None or not _is_blob(entry):
            continue
        old = before.get(path)
        texts = [session.text(old.oid)] if old else []
        new = change.blobs[entry.oid] if entry.oid in change.blobs else session.text(entry.oid)
        if secret := added(context.watch, new, [*texts, *gone]):
            yield Withheld(path, old, entry, secret)


def without(change: TreeChange, withheld: Iterable[Withheld]) -> TreeChange:
    """The change without these files."""
    left_out = {one.path for one in withheld}
    if not left_out:
        return change
    return change._replace(writes={path: entry for path, entry in change.writes.items() if path not in left_out})


def suggested(
    withheld: Iterable[Withheld], first: int, proposal: int, known: Mapping[SameChange, int]
) -> Iterator[Suggestion]:
    """Suggestions, of one part each, for files that are shown by their names alone."""
    for one in withheld:
        kind = Kind.MODIFY if one.old else Kind.CREATE
        made = Suggestion(first, proposal, kind, one.path, one.path, one.old, one.new, secret=one.secret)
        if made.change not in known:
            yield made
            first += 1


def looked_into(
    context: Watched, session: Session, suggestions: Iterable[Suggestion], plain: Container[str] = ()
) -> Iterator[Suggestion]:
    """The suggestions with what was found in their contents, and what the policy says of their paths.

    In ``plain`` contents there is nothing to be found.
    """
    made = list(suggestions)
    wanted = [_sides(s) if s.new and s.new.oid not in plain else [] for s in made]
    gone = [s.old.oid for s in made if s.new is None and _is_blob(s.old) and s.old] if any(wanted) else []
    texts = session.texts([*gone, *chain.from_iterable(wanted)])
    left = [next(texts) for _ in gone]
    for s, oids in zip(made, wanted, strict=True):
        contents = [next(texts) for _ in oids]
        found = s
        if contents:
            new, old = contents[0], contents[1:]
            found = s._replace(secret=added(context.watch, new, [*old, *left]), hidden=_hidden(new, old))
        yield judged(found, context.store.rules)


def _is_blob(entry: Entry | None) -> bool:
    return entry is not None and entry.mode != SUBMODULE and not entry.mode.startswith("04")


def _sides(s: Suggestion) -> list[str]:
    """The new content and the old one, where there is a new one."""
    if s.new is None or not _is_blob(s.new) or (s.old and s.old.oid == s.new.oid):
        return []
    return [entry.oid for entry in (s.new, s.old) if entry and _is_blob(entry)]


def _hidden(new: bytes, old: Collection[bytes]) -> str | None:
    """The first character that deceives and was not there before, and its line."""
    if _shows_itself(new):
        return None
    text = _text(new)
    before = Counter(character for one in old for _, character in deceptive(_text(one)))
    for at, character in deceptive(text):
        if before[character]:
            before[character] -= 1
            continue
        return f"{code_point(character)} in line {text.count(chr(10), 0, at) + 1}"
    return None


def _shows_itself(data: bytes) -> bool:
    """Whether nobody who reads it can be deceived: it has no such character, or is not shown as text."""
    if data.isascii() and not any(code in data for code in _CONTROLS):
        return True
    return b"\0" in data[:_BINARY_BY]


_CONTROLS = [bytes([code]) for code in (*range(1, 9), *range(0x0B, 0x20), 0x7F)]


def _text(data: bytes) -> str:
    """As people read it; the carriage returns of Windows line ends are no characters of their own."""
    return data.decode("utf-8", "replace").replace("\r\n", "\n")
