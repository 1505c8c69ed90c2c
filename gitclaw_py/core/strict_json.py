"""JSON that someone else may have written, read without doubt: each value in its place, nothing else, nothing twice.

What two readers could understand differently is refused: keys that come twice, numbers that JSON does not have,
half characters, keys nobody knows. https://www.rfc-editor.org/rfc/rfc8259#section-4
"""

from __future__ import annotations

import binascii
import json
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, NoReturn, Self, TypeVar

Json = Any
_T = TypeVar("_T")
_E = TypeVar("_E", bound=StrEnum)
_DEEPEST = 64


class UnreadableError(ValueError):
    """A document is not what it should be; ``place`` is where and ``why`` what is wrong there."""

    def __init__(self, place: str, why: str) -> None:
        super().__init__(f"{place} {why}")
        self.place = place
        self.why = why


def parse(data: bytes, most: int) -> Json:
    """The value of a document of at most ``most`` bytes.

    Characters that stand for bytes of no encoding (U+DC80 to U+DCFF, as Python reads file names) are kept.

    Raises:
        UnreadableError: it is larger, is not JSON, has a key twice, a number that JSON does not have, half a
            character, or values in one another that no document of ours has.
    """
    if len(data) > most:
        raise UnreadableError("the document", f"has {len(data):,} bytes, more than {most:,}")
    try:
        document = json.loads(data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError as error:
        raise UnreadableError("the document", "is not JSON: it is nested too deeply") from error
    except UnreadableError:
        raise
    except ValueError as error:
        raise UnreadableError("the document", f"is not JSON: {error}") from error
    if b"\\ud" in data or b"\\uD" in data:
        _whole_characters(document)
    return document


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise UnreadableError("the document", f"has the key {json.dumps(twice[:50])} twice")
    return found


def _no_number(word: str) -> NoReturn:
    raise UnreadableError("the document", f"has the number {word}, which JSON does not have")


def _whole_characters(document: Json, depth: int = 0) -> None:
    if depth > _DEEPEST:
        raise UnreadableError("the document", "is nested too deeply")
    if isinstance(document, str):
        try:
            document.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as error:
            raise UnreadableError("the document", "has half a character in a text") from error
    elif isinstance(document, dict):
        _whole_characters([*document, *document.values()], depth + 1)
    elif isinstance(document, list):
        for value in document:
            _whole_characters(value, depth + 1)


class Reader:
    """A value of a document and where it is, so that what is wrong can be named. All methods raise UnreadableError."""

    __slots__ = ("_key", "_parent", "_value")

    def __init__(self, value: Json, parent: Reader | None, key: str | int) -> None:
        self._value = value
        self._parent = parent
        self._key = key

    @property
    def place(self) -> str:
        """Where it is, like ``state.suggestions[0].path``."""
        if self._parent is None:
            return str(self._key)
        step = f".{self._key}" if isinstance(self._key, str) else f"[{self._key}]"
        return self._parent.place + step

    def wrong(self, why: str) -> UnreadableError:
        """What to raise about this value."""
        return UnreadableError(self.place, why)

    def only(self, known: frozenset[str]) -> None:
        """See that it is an object that has no other keys."""
        if not isinstance(self._value, dict):
            raise self.wrong("is not an object")
        if not self._value.keys() <= known:
            unknown = min(self._value.keys() - known)
            raise self.wrong(f"has an unknown key, {json.dumps(unknown[:50])}")

    @property
    def is_null(self) -> bool:
        """Whether it is null."""
        return self._value is None

    def at(self, key: str | int) -> Self:
        """The value at a key of an object, or at an index of a list."""
        try:
            return type(self)(self._value[key], self, key)
        except (LookupError, TypeError):
            raise self.wrong(f"has no {key}") from None

    def natural_at(self, key: str | int) -> int:
        """``at(key).natural()``, with a reader only for what is wrong: there is a number for every hunk."""
        try:
            value = self._value[key]
        except (LookupError, TypeError):
            value = None
        return value if type(value) is int and value >= 0 else self.at(key).natural()

    def maybe(self, key: str, read: Callable[[Self], _T]) -> _T | None:
        """What is read at a key, None where there is none."""
        if isinstance(self._value, dict) and key not in self._value:
            return None
        return read(self.at(key))

    def some(self, key: str, read: Callable[[Self], _T]) -> tuple[_T, ...]:
        """The items of the list at a key; nothing where there is none."""
        if isinstance(self._value, dict) and key not in self._value:
            return ()
        return self.at(key).each(read)

    def each(self, read: Callable[[Self], _T]) -> tuple[_T, ...]:
        """The items of a list."""
        if not isinstance(self._value, list):
            raise self.wrong("is not a list")
        kind = type(self)
        return tuple([read(kind(value, self, k)) for k, value in enumerate(self._value)])

    def has(self, count: int) -> None:
        """See that it is a list of that length."""
        if not isinstance(self._value, list):
            raise self.wrong("is not a list")
        if len(self._value) != count:
            raise self.wrong(f"does not have {count} items")

    def exactly(self, count: int) -> Sequence[Self]:
        """The items of a list of that length."""
        self.has(count)
        return [self.at(k) for k in range(count)]

    def whole(self) -> int:
        """A whole number."""
        if not isinstance(self._value, int) or isinstance(self._value, bool):
            raise self.wrong("is not a whole number")
        return self._value

    def between(self, least: int, most: int) -> int:
        """A whole number of a range, both ends included."""
        number = self.whole()
        if not least <= number <= most:
            raise self.wrong(f"is not between {least} and {most}")
        return number

    def number(self, most: float) -> float:
        """A number that is neither negative nor larger than ``most``."""
        if not isinstance(self._value, int | float) or isinstance(self._value, bool) or not 0 <= self._value <= most:
            raise self.wrong(f"is not a number between 0 and {most:g}")
        return float(self._value)

    def natural(self) -> int:
        """A whole number that is not negative."""
        number = self.whole()
        if number < 0:
            raise self.wrong("is negative")
        return number

    def text(self) -> str:
        """A text."""
        if not isinstance(self._value, str):
            raise self.wrong("is not a text")
        return self._value

    def that(self, holds: Callable[[str], object], what: str) -> str:
        """A text that is ``what``."""
        text = self.text()
        if not holds(text):
            raise self.wrong(f"is not {what}")
        return text

    def one_of(self, kind: type[_E]) -> _E:
        """One of the words of an enumeration."""
        try:
            return kind(self.text())
        except ValueError as error:
            raise self.wrong(f"is none of {', '.join(kind)}") from error

    def data(self) -> bytes:
        """Bytes: ``{"t": text}`` or ``{"b64": …}``."""
        try:
            if len(self._value) == 1 and "t" in self._value:
                return str.encode(self._value["t"], "utf-8")
            if len(self._value) == 1 and "b64" in self._value:
                return binascii.a2b_base64(self._value["b64"], strict_mode=True)
        except (AttributeError, TypeError, UnicodeEncodeError, binascii.Error, ValueError) as error:
            raise self.wrong("is neither a text nor base64") from error
        raise self.wrong('is not {"t": …} or {"b64": …}')
