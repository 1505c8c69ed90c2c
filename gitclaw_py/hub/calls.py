"""A request to the API and its answer, and the strict reading of what a request brings."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from gitclaw_py.hub.accounts import Token
from gitclaw_py.hub.refusals import malformed, needs_token, not_found
from gitclaw_py.hub.repositories import Repository

Json = dict[str, object]

_WORDS = {str: "a string", bool: "a boolean", int: "an integer", list: "an array", dict: "an object"}
_PER_PAGE, _MOST_PER_PAGE = 30, 100


class Field(NamedTuple):
    """A key that a body may hold, with the types its value may have."""

    name: str
    types: tuple[type, ...] = (str,)
    is_required: bool = False


class Answer(NamedTuple):
    """An answer of the API; a ``body`` of None is no body, one of bytes is no JSON."""

    status: int
    body: object = None
    headers: tuple[tuple[str, str], ...] = ()


class Call(NamedTuple):
    """A request to the API, with what its path names already found."""

    url: str
    parameters: Mapping[str, str]
    query: Mapping[str, str]
    body: object
    token: Token | None
    repository: Repository | None
    accept: str = ""

    @property
    def here(self) -> Repository:
        """The repository of the path.

        Raises:
            RefusalError: the path has none.
        """
        if self.repository is None:
            raise not_found()
        return self.repository

    @property
    def who(self) -> Token:
        """The token it came with.

        Raises:
            RefusalError: it came with none.
        """
        if self.token is None:
            raise needs_token()
        return self.token

    def number(self, name: str) -> int:
        """A number of the path.

        Raises:
            RefusalError: it is none.
        """
        text = self.parameters[name]
        if not (text.isascii() and text.isdigit() and len(text) < len("9" * 18)):
            raise not_found()
        return int(text)

    def text(self, name: str) -> str | None:
        """A text of the body, if it is there and one."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else None

    def flag(self, name: str, *, default: bool = False) -> bool:
        """A boolean of the body."""
        value = self.fields.get(name)
        return value if isinstance(value, bool) else default

    @property
    def fields(self) -> Json:
        """The body as an object; nothing counts as an empty one."""
        return self.body if isinstance(self.body, dict) else {}


def check_fields(body: object, fields: Sequence[Field]) -> None:
    """Read a body as strictly as GitHub's git endpoints do, everywhere.

    Raises:
        RefusalError: it is no object, or a key is missing, unknown or of another type.
    """
    if body is None:
        body = {}
    if not isinstance(body, dict):
        raise malformed(f"For 'links/0/schema', {body!r} is not an object.")
    known = {field.name: field for field in fields}
    for name in body:
        if name not in known:
            raise malformed(f'"{name}" is not a permitted key.')
    for field in fields:
        _check_field(field, body)


def _check_field(field: Field, body: Json) -> None:
    if field.name not in body:
        if field.is_required:
            raise malformed(f'"{field.name}" wasn\'t supplied.')
        return
    value = body[field.name]
    if type(value) not in field.types:
        said = "nil" if value is None else value
        raise malformed(f"For 'properties/{field.name}', {said} is not {_WORDS[field.types[0]]}.")


def one_page(call: Call, documents: Sequence[object]) -> Answer:
    """A page of a list, with the links to the others.

    https://docs.github.com/rest/using-the-rest-api/using-pagination-in-the-rest-api
    """
    size = min(_count(call.query.get("per_page"), _PER_PAGE), _MOST_PER_PAGE)
    page = _count(call.query.get("page"), 1)
    last = max(1, -(-len(documents) // size))
    places = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
    if page >= last:
        del places["next"], places["last"]
    if page <= 1:
        del places["prev"], places["first"]
    links = ", ".join(f'<{_page_url(call, number)}>; rel="{name}"' for name, number in places.items())
    headers = (("Link", links),) if links else ()
    return Answer(200, documents[(page - 1) * size : page * size], headers)


def _page_url(call: Call, page: int) -> str:
    return f"{call.url}?{urlencode({**call.query, 'page': page})}"


def _count(text: str | None, default: int) -> int:
    if not (text and text.isascii() and text.isdigit()):
        return default
    return int(text) or default
