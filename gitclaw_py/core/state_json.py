"""The state as a JSON document and back: readable, exact to the byte, checked on the way in.

A path that is none, or leads into a git directory, is read: its suggestion is blocked, and can be shown and rejected.
Bytes are ``{"t": text}`` where they are UTF-8 and ``{"b64": …}`` where they are not, so that names and
lines of any encoding survive. The shape is published as ``schemas/state.schema.json``. Written by hand
rather than with pydantic: it is read on every command, and pydantic would take longer than the rest of it.
"""

from __future__ import annotations

import binascii
import json
import re
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeVar

from gitclaw_py.core.diffs import Entry
from gitclaw_py.core.scripts import Hunk, split_lines
from gitclaw_py.core.state import VERSION, Conversation, Decision, Proposal, Reply, State, Verb
from gitclaw_py.core.suggestions import Group, Kind, Suggestion, obstacle
from gitclaw_py.errors import ConfigError

SCHEMA = "urn:gitclaw:schema:state:1"

Json = Any
# A tree is no file: whoever could name one would bring any paths with it.
_MODE, _OID = re.compile("100644|100755|120000|160000"), re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")
_T = TypeVar("_T")
_E = TypeVar("_E", bound=StrEnum)


def dump(state: State) -> bytes:
    """The document, as UTF-8 that holds no raw line separator but its own line ends.

    A line for each proposal, suggestion, hunk and decision, so that a person can read it and a diff of two
    states is short.
    """
    lists = {
        "proposals": [_line(dump_proposal(p)) for p in state.proposals],
        "suggestions": [_suggestion(s) for s in state.suggestions],
        "decisions": [_line(_decision(d)) for d in state.decisions],
    }
    head = f'{{"$schema": {_line(SCHEMA)},\n"version": {VERSION},\n"thread": {_line(state.thread)}'
    body = ",\n".join(f'"{key}": {_listed(lines, "")}' for key, lines in lists.items())
    if state.conversation != Conversation():
        body += f',\n"conversation": {_conversation(state.conversation)}'
    return f"{head},\n{body}}}\n".encode("ascii")


_line = json.JSONEncoder().encode
_text = json.encoder.encode_basestring_ascii


def _listed(lines: Iterable[str], indent: str) -> str:
    inner = f",\n{indent} ".join(lines)
    return f"[\n{indent} {inner}\n{indent}]" if inner else "[]"


def dump_decision(decision: Decision) -> Json:
    """A decision as a JSON value."""
    return _decision(decision)


def load_decision(value: Json) -> Decision:
    """A decision from a JSON value.

    Raises:
        ConfigError: ``CONFIG_INVALID``.
    """
    return _Reader(value, None, "decision").decision()


def load(data: bytes) -> State:
    """The state in a document.

    Raises:
        ConfigError: ``CONFIG_INVALID``, with the place that cannot be read.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _invalid("the document", f"is not JSON: {error}") from error
    return _Reader(document, None, "state").state()


def encoded(data: bytes) -> dict[str, str]:
    """Bytes as a JSON value."""
    try:
        return {"t": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"b64": binascii.b2a_base64(data, newline=False).decode("ascii")}


def _without_nothing(document: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in document.items() if value is not None and value != []}


def dump_proposal(p: Proposal) -> Json:
    """A proposal as a JSON value."""
    isolation: dict[str, Json] = {"isolation": p.isolation} if p.isolation else {}
    return {
        "number": p.number,
        "base": p.base,
        "commit": p.commit,
        "at": p.at,
        "command": list(p.command),
        "exit_code": p.exit_code,
        "mode": p.mode,
        "risk": p.risk,
        "score": p.score,
        **isolation,
    }


def _suggestion(s: Suggestion) -> str:
    """Put together by hand: there are many of them, and an encoder for each costs more than the rest."""
    fields = [f'"number": {s.number}, "proposal": {s.proposal}, "kind": "{s.kind.value}", "path": {_data(s.path)}']
    if s.is_renamed:
        fields.append(f'"old_path": {_data(s.old_path)}')
    if s.old:
        fields.append(f'"old": {_entry(s.old)}')
    if s.new:
        fields.append(f'"new": {_entry(s.new)}')
    if s.reason is not None:
        fields.append(f'"reason": {_text(s.reason)}')
    if s.blocked is not None:
        fields.append(f'"blocked": {_text(s.blocked)}')
    if s.requires:
        fields.append(f'"requires": {_line(s.requires)}')
    fields.append(f'"added": {s.added}, "removed": {s.removed}')
    if s.groups:
        fields.append(f'"hunks": {_listed(map(_group, s.groups), " ")}')
    return f"{{{', '.join(fields)}}}"


def _entry(entry: Entry) -> str:
    return f"[{_text(entry.mode)}, {_text(entry.oid)}]"


def _group(g: Group) -> str:
    reason = f', "reason": {_text(g.reason)}' if g.reason is not None else ""
    return f'{{"number": {g.number}{reason}, "parts": [{", ".join(map(_hunk, g.hunks))}]}}'


def _hunk(hunk: Hunk) -> str:
    return f"[{hunk.start}, {hunk.end}, {_data(b''.join(hunk.lines))}]"


def _data(data: bytes) -> str:
    """``encoded``, as it is written."""
    try:
        return f'{{"t": {_text(data.decode())}}}'
    except UnicodeDecodeError:
        return _line(encoded(data))


def _decision(d: Decision) -> Json:
    return _without_nothing(
        {
            "verb": d.verb.value,
            "parts": list(d.parts),
            "actor": d.actor,
            "at": d.at,
            "reason": d.reason,
            "commit": d.commit,
            "branch": d.branch,
            "replaced_by": list(d.replaced_by),
            "on_branch": list(d.on_branch),
            "in_index": list(d.in_index),
            "in_files": list(d.in_files),
        }
    )


def _conversation(c: Conversation) -> str:
    head = _line(_without_nothing({"handled": c.handled, "since": c.since, "keys": list(c.keys)}))
    if not c.replies:
        return head
    lines = [
        _line({"re": r.re, "bodies": list(r.bodies), **({"thread": r.thread} if r.thread is not None else {})})
        for r in c.replies
    ]
    return f'{head[:-1]}, "replies": {_listed(lines, " ")}}}'


class _Reader:
    """A value of the document and where it is, so that what is wrong can be named."""

    __slots__ = ("_key", "_parent", "_value")

    def __init__(self, value: Json, parent: _Reader | None, key: str | int) -> None:
        self._value = value
        self._parent = parent
        self._key = key

    @property
    def place(self) -> str:
        if self._parent is None:
            return str(self._key)
        step = f".{self._key}" if isinstance(self._key, str) else f"[{self._key}]"
        return self._parent.place + step

    def state(self) -> State:
        version = self.at("version").whole()
        if version != VERSION:
            raise _invalid(f"version {version}", f"is not the one this gitclaw reads ({VERSION}); use a newer gitclaw")
        return State(
            self.at("thread").text(),
            self.at("proposals").each(_Reader.proposal),
            self.at("suggestions").suggestions(),
            self.at("decisions").each(_Reader.decision),
            self.maybe("conversation", _Reader.conversation) or Conversation(),
        )

    def suggestions(self) -> tuple[Suggestion, ...]:
        """What one of them requires is there, and no number is twice: nobody looks for it in vain later."""
        found = self.each(_Reader.suggestion)
        numbers = {s.number for s in found}
        if len(numbers) < len(found):
            raise _invalid(self.place, "has a number twice")
        if not all(numbers.issuperset(s.requires) for s in found):
            raise _invalid(self.place, "names a number that is not there")
        return found

    def conversation(self) -> Conversation:
        return Conversation(
            self.at("handled").whole(),
            self.maybe("since", _Reader.text),
            self.some("keys", _Reader.text),
            self.some("replies", _Reader.reply),
        )

    def reply(self) -> Reply:
        bodies = self.at("bodies").each(_Reader.text)
        return Reply(self.at("re").text(), bodies, self.maybe("thread", _Reader.whole))

    def proposal(self) -> Proposal:
        number, at, exit_code, score = (self.at(k).whole() for k in ("number", "at", "exit_code", "score"))
        base, commit, mode, risk = (self.at(k).text() for k in ("base", "commit", "mode", "risk"))
        command, isolation = self.at("command").each(_Reader.text), self.maybe("isolation", _Reader.text)
        return Proposal(number, base, commit, at, command, exit_code, mode, risk, score, isolation)

    def suggestion(self) -> Suggestion:
        path = self.at("path").data()
        old_path = self.maybe("old_path", _Reader.data)
        old_path = path if old_path is None else old_path
        old, new = self.maybe("old", _Reader.entry), self.maybe("new", _Reader.entry)
        return Suggestion(
            self.at("number").whole(),
            self.at("proposal").whole(),
            self.at("kind").one_of(Kind),
            path,
            old_path,
            old,
            new,
            self.some("hunks", _Reader.group),
            self.maybe("reason", _Reader.text),
            self.some("requires", _Reader.whole),
            obstacle(path, old_path, old, new) or self.maybe("blocked", _Reader.text),
            self.at("added").whole(),
            self.at("removed").whole(),
        )

    def group(self) -> Group:
        return Group(self.at("number").whole(), self.at("parts").each(_Reader.hunk), self.maybe("reason", _Reader.text))

    def hunk(self) -> Hunk:
        start, end, text = self.exactly(3)
        return Hunk(start.whole(), end.whole(), tuple(split_lines(text.data())))

    def entry(self) -> Entry:
        mode, oid = self.exactly(2)
        return Entry(mode.of_form(_MODE, "the mode of a file"), oid.of_form(_OID, "an object id"))

    def decision(self) -> Decision:
        return Decision(
            self.at("verb").one_of(Verb),
            self.at("parts").each(_Reader.text),
            self.at("actor").text(),
            self.at("at").whole(),
            self.maybe("reason", _Reader.text),
            self.maybe("commit", _Reader.text),
            self.maybe("branch", _Reader.text),
            self.some("replaced_by", _Reader.whole),
            self.some("on_branch", _Reader.text),
            self.some("in_index", _Reader.text),
            self.some("in_files", _Reader.text),
        )

    def at(self, key: str) -> _Reader:
        if not isinstance(self._value, dict) or key not in self._value:
            raise _invalid(self.place, f"has no {key}")
        return _Reader(self._value[key], self, key)

    def maybe(self, key: str, read: Callable[[_Reader], _T]) -> _T | None:
        if isinstance(self._value, dict) and key not in self._value:
            return None
        return read(self.at(key))

    def some(self, key: str, read: Callable[[_Reader], _T]) -> tuple[_T, ...]:
        return self.maybe(key, lambda reader: reader.each(read)) or ()

    def each(self, read: Callable[[_Reader], _T]) -> tuple[_T, ...]:
        if not isinstance(self._value, list):
            raise _invalid(self.place, "is not a list")
        return tuple(read(_Reader(value, self, k)) for k, value in enumerate(self._value))

    def exactly(self, count: int) -> tuple[_Reader, ...]:
        found = self.each(lambda reader: reader)
        if len(found) != count:
            raise _invalid(self.place, f"does not have {count} items")
        return found

    def whole(self) -> int:
        if not isinstance(self._value, int) or isinstance(self._value, bool):
            raise _invalid(self.place, "is not a whole number")
        return self._value

    def text(self) -> str:
        if not isinstance(self._value, str):
            raise _invalid(self.place, "is not a text")
        return self._value

    def of_form(self, form: re.Pattern[str], name: str) -> str:
        if not form.fullmatch(text := self.text()):
            raise _invalid(self.place, f"is not {name}")
        return text

    def one_of(self, kind: type[_E]) -> _E:
        try:
            return kind(self.text())
        except ValueError as error:
            raise _invalid(self.place, f"is none of {', '.join(kind)}") from error

    def data(self) -> bytes:
        try:
            if self._value.keys() == {"t"}:
                return str.encode(self._value["t"], "utf-8")
            if self._value.keys() == {"b64"}:
                return binascii.a2b_base64(self._value["b64"], strict_mode=True)
        except (AttributeError, TypeError, UnicodeEncodeError, binascii.Error, ValueError) as error:
            raise _invalid(self.place, "is neither a text nor base64") from error
        raise _invalid(self.place, 'is not {"t": …} or {"b64": …}')


def _invalid(place: str, why: str) -> ConfigError:
    return ConfigError(
        "CONFIG_INVALID",
        f"The state file cannot be read: {place} {why}",
        "it is written by gitclaw alone; put a copy of it back, or delete it to start anew",
    )
