"""What the job that runs an agent hands to the job that publishes: a JSON document, and a git bundle beside it.

The reader takes whoever wrote it for an enemy, since an agent ran on that machine. It is of this run of the workflow
and of the request that is carried out, has this shape and no other, and says nothing that is believed: the changes
come from the commits, and the words are an agent's words.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from gitclaw_py.core import strict_json
from gitclaw_py.core.usage import UNKNOWN, Usage
from gitclaw_py.errors import (
    AgentError,
    BudgetError,
    ConfigError,
    ConflictError,
    GitclawError,
    InternalError,
    RefusedError,
    UsageError,
)

VERSION = 1
NAME = "bundle.json"
"""Of the document."""
COMMITS = "proposals.bundle"
"""Of the git bundle; it is not there when no agent left anything."""
MOST = 5 * 1024 * 1024
"""Bytes of the document."""
MOST_OF_COMMITS = 64 * 1024 * 1024
"""Bytes of the git bundle."""
_RUNS = 20
_TEXT = 2_000_000
LONGEST = 400_000
"""Bytes of an answer, and of reasons, that are handed over."""
LINES = 50
LINE = 4_000
"""Characters of a line."""
_LONGEST_RUN = 7 * 24 * 3600.0
_DEAREST = 1e6
_SHORT = 80
_OID = re.compile(r"[0-9a-f]{40}")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
KINDS: Mapping[str, type[GitclawError]] = {
    "AGENT_FAILED": AgentError,
    "AGENT_TIMEOUT": AgentError,
    "CANCELLED": AgentError,
    "MODEL_UNAVAILABLE": AgentError,
    "BUDGET_EXCEEDED": BudgetError,
    "CONFIG_INVALID": ConfigError,
    "TOO_LARGE": RefusedError,
    "SECRET_FOUND": RefusedError,
    "USAGE": UsageError,
    "UNKNOWN_NUMBER": UsageError,
    "ALREADY_DECIDED": UsageError,
    "UNKNOWN_REF": ConflictError,
}
"""What may end a request in the agent's job, by the codes of the errors."""

Json = Any


class Failure(NamedTuple):
    """Why an agent proposed nothing: the code of the error, what happened, what to do, and its last lines."""

    code: str
    what: str
    next_step: str
    details: tuple[str, ...] = ()

    @property
    def error(self) -> GitclawError:
        """The same as the error that it was."""
        return KINDS[self.code](*self)


class Worked(NamedTuple):
    """One run of an agent.

    ``re`` names the command it was for, ``base`` is the commit it started from and ``commit`` what it left, both ""
    where it failed; ``answer`` and ``reasons`` are as it wrote them. ``isolation`` and ``network`` are what kept it
    apart and what it reached, ``usage`` is what it used of its model, ``trouble`` the code and the words of what
    stopped it.
    """

    re: str
    base: str = ""
    commit: str = ""
    exit_code: int = 0
    seconds: float = 0.0
    answer: bytes | None = None
    reasons: bytes | None = None
    warnings: tuple[str, ...] = ()
    failure: Failure | None = None
    isolation: str = ""
    network: str = ""
    usage: Usage = UNKNOWN
    trouble: tuple[str, str] | None = None


class Bundle(NamedTuple):
    """All the agents of one run of the workflow did. ``asked`` is the key of the request that started it."""

    run: str
    thread: int
    asked: str
    agent: str
    works: tuple[Worked, ...] = ()

    def of(self, re: str) -> Worked | None:
        """What was done for one command."""
        return next((worked for worked in self.works if worked.re == re), None)

    @property
    def refs(self) -> dict[str, str]:
        """The refs of the git bundle: one for each run that left a commit."""
        return {ref(number): worked.commit for number, worked in enumerate(self.works) if worked.commit}


def ref(number: int) -> str:
    """The name in the git bundle of what a run left."""
    return f"refs/gitclaw/works/{number}"


def dump(bundle: Bundle) -> bytes:
    """The document."""
    works = [{**worked._asdict(), **_encoded(worked)} for worked in bundle.works]
    document = {"version": VERSION, **bundle._asdict(), "works": works}
    return json.dumps(document, indent=1).encode("ascii") + b"\n"


def _encoded(worked: Worked) -> Json:
    texts = {key: getattr(worked, key) for key in ("answer", "reasons")}
    encoded = {key: None if text is None else base64.b64encode(text).decode() for key, text in texts.items()}
    failure = worked.failure._asdict() if worked.failure else None
    return {**encoded, "failure": failure, "usage": worked.usage._asdict()}


def load(data: bytes, *, run: str) -> Bundle:
    """The bundle in a document of this run.

    Raises:
        InternalError: ``INTERNAL``: it is not what this run's agent job writes.
    """
    try:
        document = strict_json.parse(data, MOST)
    except strict_json.UnreadableError as error:
        raise refused(f"its document {error.why}") from error
    found = _Reader(document, Bundle, "version").bundle()
    if found.run != run:
        raise refused("it is of another run")
    return found


def refused(why: str) -> InternalError:
    """The error of a bundle that is not taken. ``why`` is half a sentence."""
    what = f"What the agent's job handed over was not taken: {why}"
    return InternalError("INTERNAL", what, "see the log of both jobs; then give the command again")


class _Reader:
    """One object of the document, which has the fields of ``shape`` and the ``more`` ones, and no others."""

    def __init__(self, value: Json, shape: type[Bundle | Worked | Failure | Usage], *more: str) -> None:
        if not isinstance(value, dict) or value.keys() != {*shape._fields, *more}:
            raise refused(f"{shape.__name__} has other fields than it should")
        self._value: Mapping[str, Json] = value

    def bundle(self) -> Bundle:
        if self._integer("version", 0) != VERSION:
            raise refused("another version of gitclaw wrote it")
        works = tuple(_Reader(item, Worked).worked() for item in self._list("works", _RUNS))
        if len({worked.re for worked in works}) != len(works):
            raise refused("two runs are for one command")
        run, asked, agent = (self._word(name) for name in ("run", "asked", "agent"))
        return Bundle(run, self._integer("thread", 0), asked, agent, works)

    def worked(self) -> Worked:
        failure = self._value["failure"]
        worked = Worked(
            self._word("re"),
            self._text("base", 40),
            self._text("commit", 40),
            self._integer("exit_code", -255),
            self._number("seconds", _LONGEST_RUN),
            self._bytes("answer"),
            self._bytes("reasons"),
            self._lines("warnings"),
            None if failure is None else _Reader(failure, Failure).failure(),
            self._text("isolation", _SHORT),
            self._text("network", _SHORT),
            _Reader(self._value["usage"], Usage).usage(),
            self._trouble(),
        )
        oids = (worked.base, worked.commit)
        if oids != ("", "") if worked.failure else not all(map(_OID.fullmatch, oids)):
            raise refused("a run has no commit, or a failed one has")
        return worked

    def usage(self) -> Usage:
        read, written = (None if self._value[name] is None else self._integer(name, 0) for name in ("read", "written"))
        return Usage(read, written, None if self._value["dollars"] is None else self._number("dollars", _DEAREST))

    def _trouble(self) -> tuple[str, str] | None:
        if self._value["trouble"] is None:
            return None
        found = self._lines("trouble")
        if len(found) != len(("code", "what")) or found[0] not in KINDS:
            raise refused("an agent was stopped in no way that agents are stopped in")
        return found[0], found[1]

    def failure(self) -> Failure:
        code = self._text("code", LINE)
        if code not in KINDS:
            raise refused("an agent failed in no way that agents fail in")
        return Failure(code, self._text("what", LINE), self._text("next_step", LINE), self._lines("details"))

    def _list(self, name: str, most: int) -> list[Json]:
        value = self._value[name]
        if not isinstance(value, list) or len(value) > most:
            raise refused(f"{name} is no list of up to {most}")
        return value

    def _lines(self, name: str) -> tuple[str, ...]:
        return tuple(_text(line, name, LINE) for line in self._list(name, LINES))

    def _text(self, name: str, most: int) -> str:
        return _text(self._value[name], name, most)

    def _word(self, name: str) -> str:
        word = self._text(name, LINE)
        if not _WORD.fullmatch(word):
            raise refused(f"{name} is no word")
        return word

    def _integer(self, name: str, least: int) -> int:
        value = self._value[name]
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 2**53:
            raise refused(f"{name} is no number")
        return value

    def _number(self, name: str, most: float) -> float:
        value = self._value[name]
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= most:
            raise refused(f"{name} is no number of them")
        return float(value)

    def _bytes(self, name: str) -> bytes | None:
        if self._value[name] is None:
            return None
        try:
            return base64.b64decode(self._text(name, _TEXT), validate=True)
        except ValueError as error:
            raise refused(f"{name} is not base64") from error


def _text(value: Json, name: str, most: int) -> str:
    if not isinstance(value, str) or len(value) > most or not _is_encodable(value):
        raise refused(f"{name} is no text of up to {most} characters")
    return value


def _is_encodable(text: str) -> bool:
    """Whether it holds no half of a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def not_here() -> UsageError:
    """The error of a request for an agent in a run that has none, which something else started."""
    what = "This was not given to an agent: its own run was lost, or it was said where no run starts"
    return UsageError("USAGE", what, "give the command again, as a comment of its own in the conversation")


def lost() -> AgentError:
    """The error of a request whose agent left nothing at all."""
    what = "The run of the agent ended before it could hand anything over"
    return AgentError("AGENT_FAILED", what, "see the log of the run, then give the command again")
