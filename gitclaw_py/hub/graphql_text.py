"""The part of the GraphQL language that is used here: one operation, fields with aliases and arguments, fragments.

https://spec.graphql.org/October2021/
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

_TOKEN = re.compile(
    r"""[\s,\ufeff]+|\#[^\n]*|(?P<token>\.\.\.|[!$():=@\[\]{|}]|[_A-Za-z]\w*|-?\d+(?:\.\d+)?|"(?:[^"\\\n]|\\.)*")"""
)
_NAME = re.compile(r"[_A-Za-z]\w*")
_WORDS: Mapping[str, object] = {"true": True, "false": False, "null": None}


class SyntaxRefusedError(Exception):
    """The text is not in that part of the language."""


class Field(NamedTuple):
    """A field that is asked for; ``on_type`` is the type of the fragment it stands in, empty outside of one."""

    name: str
    alias: str
    arguments: Mapping[str, object]
    fields: "tuple[Field, ...]"
    on_type: str = ""


class Operation(NamedTuple):
    """``query`` or ``mutation``, and its fields with the variables put in."""

    kind: str
    fields: tuple[Field, ...]


def parse(text: str, variables: Mapping[str, object]) -> Operation:
    """The operation that a text asks for.

    Raises:
        SyntaxRefusedError: it is none, or a variable has no value.
    """
    reader = _Reader(list(_tokens(text)), variables)
    kind = "query" if reader.sees("{") else reader.name()
    if kind not in {"query", "mutation"}:
        raise SyntaxRefusedError(f"Unexpected {kind}")
    if not reader.sees("{", "("):
        reader.name()
    if reader.sees("("):
        reader.skip_declarations()
    operation = Operation(kind, reader.fields(""))
    reader.end()
    return operation


def _tokens(text: str) -> Iterator[str]:
    place = 0
    while place < len(text):
        hit = _TOKEN.match(text, place)
        if hit is None:
            raise SyntaxRefusedError(f"Unexpected character {text[place]!r}")
        if hit["token"]:
            yield hit["token"]
        place = hit.end()


class _Reader:
    def __init__(self, tokens: Sequence[str], variables: Mapping[str, object]) -> None:
        self._tokens = tokens
        self._variables = variables
        self._place = 0
        self._declared: dict[str, object] = {}

    def sees(self, *tokens: str) -> bool:
        return self._place < len(self._tokens) and self._tokens[self._place] in tokens

    def next(self) -> str:
        if self._place >= len(self._tokens):
            raise SyntaxRefusedError("Unexpected end of document")
        self._place += 1
        return self._tokens[self._place - 1]

    def take(self, token: str) -> None:
        if (found := self.next()) != token:
            raise SyntaxRefusedError(f"Expected {token}, got {found}")

    def name(self) -> str:
        if not _NAME.fullmatch(found := self.next()):
            raise SyntaxRefusedError(f"Expected a name, got {found}")
        return found

    def end(self) -> None:
        if self._place < len(self._tokens):
            raise SyntaxRefusedError(f"Unexpected {self._tokens[self._place]}")

    def skip_declarations(self) -> None:
        self.take("(")
        while not self.sees(")"):
            self._declaration()
        self.take(")")

    def _declaration(self) -> None:
        self.take("$")
        name = self.name()
        while not self.sees(")", "$", "="):
            self.next()
        default: object = None
        if self.sees("="):
            self.next()
            default = self._value()
        self._declared[name] = default

    def fields(self, on_type: str) -> tuple[Field, ...]:
        self.take("{")
        found: list[Field] = []
        while not self.sees("}"):
            found += self._fragment() if self.sees("...") else [self._field(on_type)]
        self.take("}")
        return tuple(found)

    def _fragment(self) -> tuple[Field, ...]:
        self.take("...")
        self.take("on")
        return self.fields(self.name())

    def _field(self, on_type: str) -> Field:
        name = alias = self.name()
        arguments: Mapping[str, object] = {}
        if self._place < len(self._tokens) and self.sees(":"):
            self.next()
            name = self.name()
        if self.sees("("):
            arguments = self._pairs("(", ")")
        return Field(name, alias, arguments, self.fields("") if self.sees("{") else (), on_type)

    def _pairs(self, start: str, end: str) -> Mapping[str, object]:
        self.take(start)
        found: dict[str, object] = {}
        while not self.sees(end):
            name = self.name()
            self.take(":")
            found[name] = self._value()
        self.take(end)
        return found

    def _value(self) -> object:
        if self.sees("{"):
            return self._pairs("{", "}")
        if self.sees("["):
            return self._list()
        token = self.next()
        if token == "$":  # noqa: S105 - a sign
            return self._variable(self.name())
        if token.startswith('"') or token.lstrip("-")[:1].isdigit():
            return json.loads(token)
        return _WORDS.get(token, token)

    def _list(self) -> list[object]:
        self.take("[")
        found = []
        while not self.sees("]"):
            found.append(self._value())
        self.take("]")
        return found

    def _variable(self, name: str) -> object:
        if name not in self._declared:
            raise SyntaxRefusedError(f"Variable ${name} is used by anonymous query but not declared")
        return self._variables.get(name, self._declared[name])
