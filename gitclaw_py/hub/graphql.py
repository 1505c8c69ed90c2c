"""The GraphQL API: the mutations and the one query that the bot uses.

https://docs.github.com/graphql/reference
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gitclaw_py.hub.accounts import Token
from gitclaw_py.hub.calls import Answer, Json
from gitclaw_py.hub.graphql_refs import update_refs
from gitclaw_py.hub.graphql_reviews import minimise, repository, resolve, unresolve
from gitclaw_py.hub.graphql_shapes import GraphError, shaped
from gitclaw_py.hub.graphql_text import Field, SyntaxRefusedError, parse
from gitclaw_py.hub.refusals import RefusalError, needs_token
from gitclaw_py.hub.world import World

_MUTATIONS: Mapping[str, Callable[[World, Token, Json], Json]] = {
    "updateRefs": update_refs,
    "resolveReviewThread": resolve,
    "unresolveReviewThread": unresolve,
    "minimizeComment": minimise,
}


def answer(world: World, token: Token | None, body: object) -> Answer:
    """Carry out an operation; what goes wrong is told with status 200, as GraphQL does.

    Raises:
        RefusalError: nobody in particular asks, or it is no GraphQL.
    """
    if token is None:
        raise needs_token()
    text = body.get("query") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(text, str):
        raise RefusalError(400, "A query attribute must be specified and must be a string.")
    variables = body.get("variables") or {}
    try:
        operation = parse(text, variables if isinstance(variables, dict) else {})
    except SyntaxRefusedError as error:
        return Answer(200, {"errors": [{"type": "syntaxError", "message": str(error)}]})
    resolved = _mutated if operation.kind == "mutation" else _queried
    data: Json = {}
    errors = []
    for field in operation.fields:
        try:
            data[field.alias] = resolved(world, token, field)
        except GraphError as error:
            data[field.alias] = None
            errors.append(error.document(field.alias))
    return Answer(200, {"data": data, **({"errors": errors} if errors else {})})


def _mutated(world: World, token: Token, field: Field) -> object:
    mutate = _MUTATIONS.get(field.name)
    if mutate is None:
        raise GraphError("undefinedField", f"Field '{field.name}' doesn't exist on type 'Mutation'")
    given = field.arguments.get("input")
    if not isinstance(given, dict):
        kind = f"{field.name[:1].upper()}{field.name[1:]}Input"
        raise GraphError("INVALID", f"Variable $input of type {kind}! was provided invalid value")
    with world.deed():
        done = {"__typename": "Payload", "clientMutationId": given.get("clientMutationId")}
        return shaped({**done, **mutate(world, token, given)}, field)


def _queried(world: World, token: Token, field: Field) -> object:
    if field.name != "repository":
        raise GraphError("undefinedField", f"Field '{field.name}' doesn't exist on type 'Query'")
    with world.deed():
        return shaped(repository(world, token, field.arguments), field)
