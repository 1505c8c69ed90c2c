"""What the job that runs an agent hands to the job that publishes: a JSON document, and a git bundle beside it.

The reader takes whoever wrote it for an enemy, since an agent ran on that machine. It is of this run of the workflow
and of the request that is carried out, has this shape and no other, and says nothing that is believed: the changes
come from the commits, and the words are an agent's words.
"""

import base64
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from gitclaw_py.core.strict_json import Reader, UnreadableError, parse
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
_LARGEST = 1 << 53
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
_T = TypeVar("_T")


class Failure(NamedTuple):
    """Why an agent proposed nothing: the code of the error, what happened, what to do, and its last lines."""

    code: str
    what: str
    next_step: str
    details: tuple[str, ...] = ()

    @property
    def error(self) -> GitclawError:
        """The same as the error that it was; another job wrote its words."""
        return KINDS[self.code](*self, named=(self.what, self.next_step))


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
        found = _Reader(parse(data, MOST), None, "bundle").bundle()
    except UnreadableError as error:
        raise refused(str(error), str(error)) from error
    if found.run != run:
        raise refused("it is of another run")
    return found


def refused(why: str, *named: str) -> InternalError:
    """The error of a bundle that is not taken. ``why`` is half a sentence, ``named`` what of it the bundle says."""
    what = f"What the agent's job handed over was not taken: {why}"
    return InternalError("INTERNAL", what, "see the log of both jobs; then give the command again", named=named)


class _Reader(Reader):
    """A value of the document. Every field has to be there, also where it says nothing."""

    def bundle(self) -> Bundle:
        self.only(frozenset(("version", *Bundle._fields)))
        if self.at("version").whole() != VERSION:
            raise self.wrong("is of another version of gitclaw")
        run, asked, agent = (self.at(name).that(_WORD.fullmatch, "a word") for name in ("run", "asked", "agent"))
        works = self.at("works").up_to(_RUNS, _Reader.worked)
        if len({worked.re for worked in works}) != len(works):
            raise self.wrong("has two runs for one command")
        return Bundle(run, self.at("thread").between(0, _LARGEST), asked, agent, works)

    def worked(self) -> Worked:
        self.only(frozenset(Worked._fields))
        worked = Worked(
            self.at("re").that(_WORD.fullmatch, "a word"),
            self.at("base").short(40),
            self.at("commit").short(40),
            self.at("exit_code").between(-255, 1 << 32),
            self.at("seconds").number(_LONGEST_RUN),
            self.given("answer", _Reader.bytes),
            self.given("reasons", _Reader.bytes),
            self.at("warnings").up_to(LINES, _Reader.line),
            self.given("failure", _Reader.failure),
            self.at("isolation").short(_SHORT),
            self.at("network").short(_SHORT),
            self.at("usage").usage(),
            self.given("trouble", _Reader.trouble),
        )
        oids = (worked.base, worked.commit)
        if oids != ("", "") if worked.failure else not all(map(_OID.fullmatch, oids)):
            raise self.wrong("has no commit, or failed and has one")
        return worked

    def usage(self) -> Usage:
        self.only(frozenset(Usage._fields))
        read, written = (self.given(name, lambda it: it.between(0, _LARGEST)) for name in ("read", "written"))
        dollars = self.given("dollars", lambda reader: reader.number(_DEAREST))
        return Usage(read, written, dollars)

    def trouble(self) -> tuple[str, str]:
        code, what = self.exactly(2)
        return code.code(), what.line()

    def failure(self) -> Failure:
        self.only(frozenset(Failure._fields))
        what, next_step = self.at("what").line(), self.at("next_step").line()
        return Failure(self.at("code").code(), what, next_step, self.at("details").up_to(LINES, _Reader.line))

    def code(self) -> str:
        return self.that(KINDS.__contains__, "a way in which agents fail")

    def given(self, key: str, read: Callable[["_Reader"], _T]) -> _T | None:
        """What is read at a key; None where null stands there."""
        reader = self.at(key)
        return None if reader.is_null else read(reader)

    def up_to(self, most: int, read: Callable[["_Reader"], _T]) -> tuple[_T, ...]:
        found = self.each(lambda reader: reader)
        if len(found) > most:
            raise self.wrong(f"has more than {most} items")
        return tuple(map(read, found))

    def line(self) -> str:
        return self.short(LINE)

    def short(self, most: int) -> str:
        return self.that(lambda text: len(text) <= most and _is_encodable(text), f"a text of up to {most} characters")

    def bytes(self) -> bytes:
        text = self.short(_TEXT)
        try:
            return base64.b64decode(text, validate=True)
        except ValueError as error:
            raise self.wrong("is not base64") from error


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
