"""The operations on repositories, accounts and roles, and requests from elsewhere."""

from __future__ import annotations

from gitclaw_py.core.access import Level
from gitclaw_py.hub import documents
from gitclaw_py.hub.calls import Answer, Call, Json
from gitclaw_py.hub.events import dispatch_event
from gitclaw_py.hub.refusals import RefusalError, not_for_this_token, not_found
from gitclaw_py.hub.world import World

_LIMIT = 5000
_RESOURCES = ("core", "graphql", "search", "code_search", "integration_manifest", "source_import")


def get_repository(world: World, call: Call) -> Answer:
    """A repository."""
    level = call.here.level(call.token.account if call.token else None)
    return Answer(200, documents.full_repository(world.links, call.here, level))


def get_permission(world: World, call: Call) -> Answer:
    """What an account may do in the repository. Bots of apps are no collaborators.

    https://docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user
    """
    if call.who.permissions is None and call.here.level(call.who.account) < Level.WRITE:
        raise RefusalError(403, "Must have push access to view collaborator permission.")
    account = world.accounts.find(call.parameters["username"])
    if account is None or account.is_bot:
        raise RefusalError(404, f"{call.parameters['username']} is not a user")
    return Answer(200, documents.permission(world.links, call.here, account))


def get_me(world: World, call: Call) -> Answer:
    """The account of the token; an installation has none."""
    if call.who.permissions is not None:
        raise not_for_this_token()
    since = next(iter(world.repositories().values())).created_at if world.repositories() else world.times.now()
    return Answer(200, documents.profile(world.links, call.who.account, since))


def get_user(world: World, call: Call) -> Answer:
    """An account by its login."""
    account = world.accounts.find(call.parameters["username"])
    if account is None:
        raise not_found()
    since = next(iter(world.repositories().values())).created_at if world.repositories() else world.times.now()
    return Answer(200, documents.profile(world.links, account, since))


def get_rate_limit(world: World, call: Call) -> Answer:
    """How much may still be asked: here, always all of it."""
    del call
    left: Json = {"limit": _LIMIT, "remaining": _LIMIT, "reset": world.times.seconds() + 3600, "used": 0}
    return Answer(200, {"resources": dict.fromkeys(_RESOURCES, left), "rate": left})


def dispatch(world: World, call: Call) -> Answer:
    """A request from elsewhere."""
    payload = call.fields.get("client_payload")
    with world.deed():
        event_type = str(call.fields["event_type"])
        dispatch_event(world, call.here, call.who.account, event_type, payload if isinstance(payload, dict) else {})
    return Answer(204)
