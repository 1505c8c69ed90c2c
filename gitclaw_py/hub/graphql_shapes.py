"""GraphQL answers: what was asked for, cut out of all that there is."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from gitclaw_py.hub.calls import Json
from gitclaw_py.hub.graphql_text import Field

MOST = 100


class GraphError(Exception):
    """What a field's answer is instead of data."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind

    def document(self, *path: str) -> Json:
        """It, in the answer's list of errors."""
        return {"type": self.kind, "path": list(path), "message": str(self)}


class Connection(NamedTuple):
    """A list that is read in pages; ``make`` makes the documents of those that are on the page.

    https://docs.github.com/graphql/guides/using-pagination-in-the-graphql-api
    """

    name: str
    items: Sequence[Any]
    make: Callable[[Any], Json]


Resolver = Callable[[Mapping[str, object]], object]
"""A field's value by its arguments; any value that is no function has none."""


def shaped(value: object, field: Field) -> object:
    """The part of a value that a field asks for.

    Raises:
        GraphError: it asks for something that there is not.
    """
    if callable(value):
        value = value(field.arguments)
    match value:
        case Connection():
            return shaped(_page(value, field), field._replace(arguments={}))
        case dict():
            return {one.alias: _member(value, one) for one in field.fields if _is_meant(value, one)}
        case list():
            return [shaped(one, field) for one in value]
        case _:
            return value


def _is_meant(value: Json, field: Field) -> bool:
    return not field.on_type or field.on_type == value["__typename"]


def _member(value: Json, field: Field) -> object:
    if field.name not in value:
        raise GraphError("undefinedField", f"Field '{field.name}' doesn't exist on type '{value['__typename']}'")
    return shaped(value[field.name], field)


def _page(connection: Connection, field: Field) -> Json:
    first, after, last = (field.arguments.get(name) for name in ("first", "after", "last"))
    if any(one.name == "nodes" for one in field.fields):
        _check(connection.name, "first" if last is None else "last", first if last is None else last)
    start = int(after) if isinstance(after, str) and after.isdigit() else 0
    end = start + first if isinstance(first, int) else start
    if isinstance(last, int):
        start, end = max(0, len(connection.items) - last), len(connection.items)
    more = end < len(connection.items)
    return {
        "__typename": f"{connection.name[:1].upper()}{connection.name[1:]}Connection",
        "nodes": [connection.make(item) for item in connection.items[start:end]],
        "totalCount": len(connection.items),
        "pageInfo": {"__typename": "PageInfo", "hasNextPage": more, "endCursor": str(end)},
    }


def _check(connection: str, bound: str, count: object) -> None:
    if not isinstance(count, int):
        said = f"You must provide a `first` or `last` value to properly paginate the `{connection}` connection."
        raise GraphError("MISSING_PAGINATION_BOUNDARIES", said)
    if not 0 < count <= MOST:
        wanted = f"Requesting {count} records on the `{connection}` connection"
        raise GraphError("EXCESSIVE_PAGINATION", f"{wanted} exceeds the `{bound}` limit of {MOST} records.")
