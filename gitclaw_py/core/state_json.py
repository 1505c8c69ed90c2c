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
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gitclaw_py.core.diffs import Entry
from gitclaw_py.core.digests import prefer_fast
from gitclaw_py.core.identity import suggestion_id
from gitclaw_py.core.refnames import is_branch, is_oid
from gitclaw_py.core.scripts import Hunk, new_hunk, split_lines
from gitclaw_py.core.state import VERSION, Conversation, Decision, Proposal, Reply, State, Verb
from gitclaw_py.core.strict_json import Reader, UnreadableError, parse
from gitclaw_py.core.suggestions import Group, Kind, Suggestion, obstacle
from gitclaw_py.errors import ConfigError

SCHEMA = f"urn:gitclaw:schema:state:{VERSION}"
MOST = 1 << 30
"""Bytes of a document, where nobody says less."""
_LONG = 1 << 20
_WITHOUT_IDS = 1
"""The version whose suggestions had no ids yet; it is read, and written as the present one."""
_MODES = ("100644", "100755", "120000", "160000")
_KEYS = {
    kind: frozenset(keys.split())
    for kind, keys in {
        "state": "$schema version thread proposals suggestions decisions conversation",
        "proposal": "number base commit apart at command exit_code mode risk score isolation",
        "suggestion": "number id proposal kind path old_path old new hunks reason requires blocked secret hidden added"
        " removed",
        "group": "number parts reason",
        "decision": "verb parts actor at reason commit branch replaced_by on_branch in_index in_files",
        "conversation": "handled since keys replies",
        "reply": "re bodies thread",
    }.items()
}
"""What an object of each kind may have."""
_PART = re.compile(r"[0-9]{1,9}(?:\.(?:[0-9]{1,9}[a-z]{0,9}|mode|rename))?").fullmatch

Json = Any


def dump(state: State) -> bytes:
    """The document, as UTF-8 that holds no raw line separator but its own line ends.

    A line for each proposal, suggestion, hunk and decision, so that a person can read it and a diff of two
    states is short.
    """
    bases = {p.number: p.base for p in state.proposals}
    lists = {
        "proposals": [_line(dump_proposal(p)) for p in state.proposals],
        "suggestions": [_suggestion(s, suggestion_id(bases[s.proposal], s)) for s in state.suggestions],
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
    try:
        return _Reader(value, None, "decision").decision()
    except UnreadableError as error:
        raise _invalid(error) from error


def load(data: bytes, most: int = MOST) -> State:
    """The state in a document of at most ``most`` bytes.

    The id of every suggestion is computed again from what it changes; one that differs is refused, and so is
    whatever else two readers could understand differently.

    Raises:
        ConfigError: ``CONFIG_INVALID``, with the place that cannot be read.
    """
    if len(data) > _LONG:
        prefer_fast()
    try:
        return _Reader(parse(data, most), None, "state").state()
    except UnreadableError as error:
        raise _invalid(error) from error


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
    some: dict[str, Json] = {"isolation": p.isolation} if p.isolation else {}
    some |= {"apart": p.apart} if p.apart else {}
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
        **some,
    }


def _suggestion(s: Suggestion, its_id: str) -> str:
    """Put together by hand, as its hunks are: there are many, and an encoder for each costs more than all the rest."""
    who = f'"number": {s.number}, "id": "{its_id}", "proposal": {s.proposal}, "kind": "{s.kind}"'
    fields = [f'{who}, "path": {_data(s.path)}']
    if s.path != s.old_path:
        fields.append(f'"old_path": {_data(s.old_path)}')
    if s.old:
        fields.append(f'"old": {_entry(s.old)}')
    if s.new:
        fields.append(f'"new": {_entry(s.new)}')
    if s.reason is not None:
        fields.append(f'"reason": {_text(s.reason)}')
    if s.stopped or s.secret or s.hidden:
        found = {"blocked": s.stopped, "secret": s.secret, "hidden": s.hidden}
        fields += [f'"{key}": {_text(why)}' for key, why in found.items() if why is not None]
    if s.requires:
        fields.append(f'"requires": {_line(s.requires)}')
    fields.append(f'"added": {s.added}, "removed": {s.removed}')
    if s.groups:
        fields.append(f'"hunks": {_listed(_groups(s.groups), " ")}')
    return f"{{{', '.join(fields)}}}"


def _entry(entry: Entry) -> str:
    """Digits need no escape."""
    mode, oid = entry
    return f'["{mode}", "{oid}"]'


def _groups(groups: Iterable[Group]) -> Iterator[str]:
    for number, hunks, why in groups:
        reason = f', "reason": {_text(why)}' if why is not None else ""
        try:  # nearly all is UTF-8, and a call for each hunk costs half as much again
            parts = [f'[{start}, {end}, {{"t": {_text(b"".join(lines).decode())}}}]' for start, end, lines in hunks]
        except UnicodeDecodeError:
            parts = [f"[{start}, {end}, {_data(b''.join(lines))}]" for start, end, lines in hunks]
        yield f'{{"number": {number}{reason}, "parts": [{", ".join(parts)}]}}'


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


class _Reader(Reader):
    """A value of a state."""

    def state(self) -> State:
        version = self.at("version").whole()
        if version not in (VERSION, _WITHOUT_IDS):
            why = f"is not the one this gitclaw reads ({VERSION}); use a newer gitclaw"
            raise UnreadableError(f"version {version}", why)
        self.only(_KEYS["state"])
        state = State(
            self.at("thread").text(),
            self.at("proposals").each(_Reader.proposal),
            self.at("suggestions").suggestions(),
            self.at("decisions").each(_Reader.decision),
            self.maybe("conversation", _Reader.conversation) or Conversation(),
        )
        self._hang_together(state)
        if version != _WITHOUT_IDS:
            self._are_themselves(state)
        return state

    def _hang_together(self, state: State) -> None:
        """Every suggestion is of a proposal that is there, once."""
        numbers = {p.number for p in state.proposals}
        if len(numbers) < len(state.proposals):
            raise self.at("proposals").wrong("has a number twice")
        if not all(s.proposal in numbers for s in state.suggestions):
            raise self.at("suggestions").wrong("names a proposal that is not there")

    def _are_themselves(self, state: State) -> None:
        """The ids are computed again: a number means what it meant when it was shown."""
        bases = {p.number: p.base for p in state.proposals}
        ids = self.at("suggestions").each(lambda reader: reader.at("id").text())
        for s, given in zip(state.suggestions, ids, strict=True):
            if given != suggestion_id(bases[s.proposal], s):
                raise self.at("suggestions").wrong(f"has number {s.number} with an id that is not that of its change")

    def suggestions(self) -> tuple[Suggestion, ...]:
        """What one of them requires is there, and no number is twice: nobody looks for it in vain later."""
        found = self.each(_Reader.suggestion)
        numbers = {s.number for s in found}
        if len(numbers) < len(found):
            raise self.wrong("has a number twice")
        if not all(numbers.issuperset(s.requires) for s in found):
            raise self.wrong("names a number that is not there")
        return found

    def conversation(self) -> Conversation:
        self.only(_KEYS["conversation"])
        return Conversation(
            self.at("handled").natural(),
            self.maybe("since", _Reader.text),
            self.some("keys", _Reader.text),
            self.some("replies", _Reader.reply),
        )

    def reply(self) -> Reply:
        self.only(_KEYS["reply"])
        bodies = self.at("bodies").each(_Reader.text)
        return Reply(self.at("re").text(), bodies, self.maybe("thread", _Reader.natural))

    def proposal(self) -> Proposal:
        self.only(_KEYS["proposal"])
        number, at, exit_code, score = (self.at(k).whole() for k in ("number", "at", "exit_code", "score"))
        base, commit = (self.at(k).oid() for k in ("base", "commit"))
        mode, risk = (self.at(k).text() for k in ("mode", "risk"))
        command, isolation = self.at("command").each(_Reader.text), self.maybe("isolation", _Reader.text)
        apart = self.maybe("apart", _Reader.oid)
        return Proposal(number, base, commit, at, command, exit_code, mode, risk, score, isolation, apart)

    def suggestion(self) -> Suggestion:
        self.only(_KEYS["suggestion"])
        path = self.at("path").data()
        old_path = self.maybe("old_path", _Reader.data)
        old_path = path if old_path is None else old_path
        old, new = self.maybe("old", _Reader.entry), self.maybe("new", _Reader.entry)
        return Suggestion(
            self.natural_at("number"),
            self.natural_at("proposal"),
            self.at("kind").one_of(Kind),
            path,
            old_path,
            old,
            new,
            self.some("hunks", _Reader.group),
            self.maybe("reason", _Reader.text),
            self.some("requires", _Reader.natural),
            obstacle(path, old_path, old, new) or self.maybe("blocked", _Reader.text),
            self.natural_at("added"),
            self.natural_at("removed"),
            self.maybe("secret", _Reader.text),
            self.maybe("hidden", _Reader.text),
        )

    def group(self) -> Group:
        self.only(_KEYS["group"])
        # Readers only for what is wrong or odd: there can be thousands of hunks.
        hunks = _plain_hunks(self._value.get("parts")) or self.at("parts").each(_Reader.hunk)
        return Group(self.natural_at("number"), hunks, self.maybe("reason", _Reader.text))

    def hunk(self) -> Hunk:
        self.has(3)
        start, end = self.natural_at(0), self.natural_at(1)
        if end < start:
            raise self.wrong("ends before it starts")
        return Hunk(start, end, tuple(split_lines(self.at(2).data())))

    def entry(self) -> Entry:
        self.has(2)
        mode, oid = self._value
        if mode in _MODES and isinstance(oid, str) and is_oid(oid):
            return Entry(mode, oid)  # readers only for what is wrong: nearly every suggestion has two of these
        return Entry(self.at(0).that(_MODES.__contains__, "the mode of a file"), self.at(1).oid())

    def decision(self) -> Decision:
        self.only(_KEYS["decision"])
        return Decision(
            self.at("verb").one_of(Verb),
            self.at("parts").each(_Reader.part),
            self.at("actor").text(),
            self.at("at").whole(),
            self.maybe("reason", _Reader.text),
            self.maybe("commit", _Reader.oid),
            self.maybe("branch", lambda reader: reader.that(is_branch, "the name of a branch")),
            self.some("replaced_by", _Reader.natural),
            self.some("on_branch", _Reader.part),
            self.some("in_index", _Reader.part),
            self.some("in_files", _Reader.part),
        )

    def part(self) -> str:
        return self.that(_PART, "the name of a part")

    def oid(self) -> str:
        return self.that(is_oid, "an object id")


def _plain_hunks(values: Json) -> tuple[Hunk, ...] | None:
    """Hunks of UTF-8 with nothing wrong about them, which nearly all are; None for others."""
    hunks = []
    try:
        for start, end, text in values:
            if not (type(start) is type(end) is int and 0 <= start <= end and len(text) == 1):
                return None
            hunks.append(new_hunk((start, end, tuple(split_lines(text["t"].encode())))))
    except (AttributeError, LookupError, TypeError, ValueError):
        return None
    return tuple(hunks)


def _invalid(error: UnreadableError) -> ConfigError:
    return ConfigError(
        "CONFIG_INVALID",
        f"The state file cannot be read: {error}",
        "it is written by gitclaw alone; put a copy of it back, or delete it to start anew",
    )
