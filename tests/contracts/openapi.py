"""GitHub's own description of its API, held against what is asked and answered.

``github.json.gz`` is the part of ``@octokit/openapi`` 23.0.2 (MIT) that the bot and the hub use, its schemas turned
into JSON Schema 2020-12. Beyond the schemas a request may hold no key and no parameter that is not declared, since the
schemas are open and would let a misspelt optional key pass.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

Check = Callable[[object], list[str]]

_DESCRIPTION = Path(__file__).parent / "github.json.gz"
# Refusals and outages are documented unevenly: where they are not, a message is all that is asked for.
_GENERAL = frozenset({400, 401, 403, 404, 405, 409, 410, 415, 422, 429, 500, 502, 503})
_MALFORMED = frozenset({400, 404, 422})
# GitHub takes slashes here, and its description does not say so.
_WITH_SLASHES = ("/branches/{branch}", "/rules/branches/{branch}", "/labels/{name}")
_BARE_LABELS = "POST /repos/{owner}/{repo}/issues/{issue_number}/labels"
# Described at https://docs.github.com/rest, but not in the part we keep.
_UNDESCRIBED = re.compile(r"DELETE /repos/[^/]+/[^/]+/issues/\d+/lock|POST /graphql|GET /repos/[^/]+/[^/]+/contents")


class _Route(NamedTuple):
    method: str
    pattern: re.Pattern[str]
    literal: int
    operation: str


class Contract:
    """The description. ``request`` and ``response`` give reasons, none when all is well."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._operations = document["operations"]
        self._schemas = document["$defs"]
        routes = [_route(operation, description) for operation, description in self._operations.items()]
        self._routes = sorted(routes, key=lambda route: -route.literal)
        self._checks: dict[tuple[str, ...], Check] = {}

    def exchange(
        self, method: str, path: str, query: Mapping[str, str], body: object, status: int, answer: object
    ) -> list[str]:
        """What is wrong with a request and its answer; a request that was found malformed may be anything."""
        if _UNDESCRIBED.fullmatch(f"{method} {path}"):
            return []
        operation, parameters = self._match(method, path)
        if operation is None:
            return [] if status in _MALFORMED else [f"no such operation: {method} {path}"]
        wrong = [] if status in _MALFORMED else self._request(operation, parameters, query, body)
        return wrong + self._response(operation, status, answer)

    def _match(self, method: str, path: str) -> tuple[str | None, dict[str, str]]:
        for route in self._routes:
            if route.method == method and (hit := route.pattern.fullmatch(path)):
                return route.operation, {name: unquote(value) for name, value in hit.groupdict().items()}
        return None, {}

    def _request(
        self, operation: str, parameters: Mapping[str, str], query: Mapping[str, str], body: object
    ) -> list[str]:
        description = self._operations[operation]
        declared = {one["name"] for one in description["params"] if one["in"] == "query"}
        wrong = [f"query {name}: not a parameter of {operation}" for name in query if name not in declared]
        for place, parameter in enumerate(description["params"]):
            wrong += self._parameter(operation, place, parameter, query if parameter["in"] == "query" else parameters)
        return wrong + self._body(operation, description.get("body"), body)

    def _parameter(
        self, operation: str, place: int, parameter: Mapping[str, Any], values: Mapping[str, str]
    ) -> list[str]:
        name, where = parameter["name"], parameter["in"]
        if where not in {"query", "path"}:
            return []
        if name not in values:
            return [f"{where} {name}: missing"] if parameter["required"] else []
        value = _converted(values[name], self._resolved(parameter["schema"]))
        check = self._check(operation, "params", str(place), "schema")
        return [f"{where} {name}: {reason}" for reason in check(value)]

    def _body(self, operation: str, declared: Mapping[str, Any] | None, body: object) -> list[str]:
        if declared is None:
            return [] if body in (None, {}) else [f"body: {operation} takes none"]
        if body is None:
            return ["body: missing"] if declared["required"] else []
        if operation == _BARE_LABELS and isinstance(body, list):
            return []  # GitHub still takes it, and PyGithub sends it
        names = self._names(declared["schema"])
        unknown = [name for name in body if name not in names] if names and isinstance(body, dict) else []
        wrong = [f"body {name}: not a property of {operation}" for name in unknown]
        return wrong + [f"body {reason}" for reason in self._check(operation, "body", "schema")(body)]

    def _response(self, operation: str, status: int, answer: object) -> list[str]:
        responses = self._operations[operation]["responses"]
        declared = responses.get(str(status))
        if declared is None:
            return _undeclared(operation, status, answer, is_known=str(status) in responses)
        media = next((media for media in ("application/json", *declared) if media in declared), "")
        where: tuple[str, ...] = (operation, "responses", str(status), media)
        # A refusal's kinds overlap in the description, so that a right one is found to be two of them.
        alternatives = self._at(where).get("oneOf") if status in _GENERAL else None
        choices = [(*where, "oneOf", str(place)) for place in range(len(alternatives or ()))] or [where]
        found = [self._check(*choice)(_without_outdated(operation, answer)) for choice in choices]
        return [f"response {status} {reason}" for reason in min(found, key=len)]

    def _check(self, *where: str) -> Check:
        if where not in self._checks:
            self._checks[where] = _validator(self._bundled(self._at(where)))
        return self._checks[where]

    def _at(self, where: tuple[str, ...]) -> Any:
        node: Any = self._operations
        for key in where:
            node = node[int(key)] if isinstance(node, list) else node[key]
        return node

    def _bundled(self, schema: object) -> dict[str, object]:
        needed: dict[str, object] = {}
        todo = list(_references(schema))
        while todo:
            name = todo.pop()
            if name not in needed:
                needed[name] = self._schemas[name]
                todo.extend(_references(needed[name]))
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": needed, "allOf": [schema]}

    def _resolved(self, schema: Any) -> Any:
        while isinstance(schema, dict) and "$ref" in schema:
            schema = self._schemas[schema["$ref"].removeprefix("#/$defs/")]
        return schema

    def _names(self, schema: Any) -> set[str] | None:
        """The declared keys of an object, None when it is open on purpose."""
        schema = self._resolved(schema)
        if not isinstance(schema, dict) or schema.get("additionalProperties"):
            return None
        names = set(schema.get("properties", {}))
        for combination in ("allOf", "anyOf", "oneOf"):
            for part in schema.get(combination, []):
                names |= self._names(part) or set()
        return names or None


@cache
def github() -> Contract:
    """The contract, read once."""
    return Contract(json.loads(gzip.decompress(_DESCRIPTION.read_bytes())))


def _route(operation: str, description: Mapping[str, Any]) -> _Route:
    method, _, template = operation.partition(" ")
    many = {parameter["name"] for parameter in description["params"] if parameter.get("multi")}
    if template.endswith(_WITH_SLASHES):
        many.add(template.rpartition("{")[2].removesuffix("}"))
    pattern, literal = "", 0
    for text, name in re.findall(r"([^{]*)(?:\{([^}]+)\})?", template):
        pattern += re.escape(text) + (f"(?P<{name}>{'.+' if name in many else '[^/]+'})" if name else "")
        literal += len(text)
    return _Route(method, re.compile(pattern), literal, operation)


def _without_outdated(operation: str, answer: object) -> object:
    """An answer without the nulls of outdated comments, which GitHub's description does not foresee."""
    if "/pulls/" not in operation or "/comments" not in operation:
        return answer
    if isinstance(answer, list):
        return [_without_outdated(operation, one) for one in answer]
    if not isinstance(answer, dict):
        return answer
    nulls = {"line"} if "/reviews/" in operation else {"line", "position"}
    return {name: value for name, value in answer.items() if value is not None or name not in nulls}


def _undeclared(operation: str, status: int, answer: object, *, is_known: bool) -> list[str]:
    if status in _GENERAL:
        is_told = isinstance(answer, dict) and isinstance(answer.get("message"), str)
        return [] if is_told else [f"response {status}: an error needs a message"]
    if not is_known:
        return [f"response {status}: not documented for {operation}"]
    return [] if answer is None else [f"response {status}: has no body"]


def _converted(text: str, schema: Any) -> object:
    kinds = schema.get("type") if isinstance(schema, dict) else None
    if kinds == "integer" and re.fullmatch(r"-?\d+", text):
        return int(text)
    if kinds == "boolean" and text in {"true", "false"}:
        return text == "true"
    return text


def _references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        reference = node.get("$ref")
        if isinstance(reference, str):
            yield reference.removeprefix("#/$defs/")
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _validator(schema: dict[str, object]) -> Check:
    try:
        import jsonschema_rs  # ten times as fast, where it is installed
    except ImportError:
        import jsonschema

        slow = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
        return lambda value: [
            f"{'/'.join(map(str, error.absolute_path)) or '(root)'}: {error.message[:300]}"
            for error in slow.iter_errors(value)
        ]
    fast = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    return lambda value: [
        f"{'/'.join(map(str, error.instance_path)) or '(root)'}: {error.message[:300]}"
        for error in fast.iter_errors(value)
    ]
