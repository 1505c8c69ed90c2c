"""The mutation ``updateRefs``, which moves several refs or none.

https://docs.github.com/graphql/reference/mutations#updaterefs
"""

from __future__ import annotations

import re

from gitclaw_py.hub.accounts import Token
from gitclaw_py.hub.bare import ZERO, GitFailedError, RefMove, is_ref_name
from gitclaw_py.hub.calls import Json
from gitclaw_py.hub.graphql_shapes import GraphError
from gitclaw_py.hub.protection import BY_RULE, is_hidden, new_workflow, refused_workflow, rule_against
from gitclaw_py.hub.pulls import follow_push
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.world import Doer, World

_KEYS = {"name", "beforeOid", "afterOid", "force"}
_OID = re.compile(r"[0-9a-f]{40}")


def update_refs(world: World, token: Token, value: Json) -> Json:
    """Move refs.

    Raises:
        GraphError: one of them cannot be moved; then none is.
    """
    if unknown := set(value) - {"repositoryId", "refUpdates", "clientMutationId"}:
        raise GraphError("INVALID", f"Field is not defined on UpdateRefsInput: {', '.join(sorted(unknown))}")
    with world.deed():
        repository = next(
            (one for one in world.repositories().values() if one.node_id == value.get("repositoryId")), None
        )
        if repository is None or not repository.may_read(token):
            raise GraphError(
                "NOT_FOUND", f"Could not resolve to a node with the global id of '{value.get('repositoryId')}'"
            )
        if not repository.may_push(token):
            raise GraphError("FORBIDDEN", "Resource not accessible by integration")
        updates = value.get("refUpdates")
        moves = [_move(repository, update) for update in (updates if isinstance(updates, list) else [])]
        if not moves:
            raise GraphError("INVALID", "refUpdates must not be empty")
        _check(repository, token, moves)
        try:
            repository.git.move(moves)
        except GitFailedError as error:
            raise GraphError("UNPROCESSABLE", f"Reference update failed: {error}") from error
        follow_push(world, repository, Doer.of(token))
    return {}


def _move(repository: Repository, update: object) -> RefMove:
    if not isinstance(update, dict) or not {"name", "afterOid"} <= set(update) <= _KEYS:
        raise GraphError("INVALID", "A RefUpdate has name, beforeOid, afterOid and force")
    name, before, after = str(update["name"]), update.get("beforeOid"), str(update["afterOid"])
    if not is_ref_name(name) or not _OID.fullmatch(after):
        raise GraphError("INVALID", f"Could not coerce value to GitRefname or GitObjectID: {name} {after}")
    there = repository.git.ref(name) or ZERO
    if before is not None and before != there:
        raise GraphError("UNPROCESSABLE", f"Reference update failed: {name} is at {there} but expected {before}")
    if after != ZERO and repository.git.kind(after) is None:
        raise GraphError("UNPROCESSABLE", f"Reference update failed: Object does not exist: {after}")
    if not update.get("force") and ZERO not in {there, after} and not repository.git.is_ancestor(there, after):
        raise GraphError("UNPROCESSABLE", f"Reference update failed: Update is not a fast forward: {name}")
    return RefMove(name, there, after)


def _check(repository: Repository, token: Token, moves: list[RefMove]) -> None:
    for move in moves:
        if is_hidden(move.name):
            raise GraphError("UNPROCESSABLE", f"Reference update failed: {move.name} cannot be updated")
        if rule := rule_against(repository, move.name):
            start = "" if rule == BY_RULE else f"Protected branch update failed for {move.name}. "
            raise GraphError("UNPROCESSABLE", start + rule)
    if not token.allows("workflows", "write") and (path := new_workflow(repository, moves)):
        raise GraphError("FORBIDDEN", refused_workflow(path))
