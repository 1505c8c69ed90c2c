"""What a repository's settings say of Actions: whether it runs, what it may, its secrets and workflows; and its rules.

https://docs.github.com/rest/actions/permissions, https://docs.github.com/rest/actions/secrets,
https://docs.github.com/rest/actions/workflows and https://docs.github.com/rest/repos/rules
"""

from __future__ import annotations

from collections.abc import Iterable

from gitclaw_py.hub.calls import Answer, Call, Json, one_page
from gitclaw_py.hub.protection import WORKFLOWS
from gitclaw_py.hub.refusals import not_found
from gitclaw_py.hub.world import World

_PARAMETERS: Json = {
    "dismiss_stale_reviews_on_push": False,
    "require_code_owner_review": False,
    "require_last_push_approval": False,
    "required_approving_review_count": 0,
    "required_review_thread_resolution": False,
}


def get_permissions(world: World, call: Call) -> Answer:
    """Whether workflows run here at all, and which actions they may use."""
    del world
    return Answer(
        200,
        {"enabled": call.here.actions_are_on, "allowed_actions": call.here.allowed_actions},
    )


def get_workflow_permissions(world: World, call: Call) -> Answer:
    """What the token of a job may by default, and whether it may open pull requests."""
    del world
    may = call.here.actions_may_open_pulls
    return Answer(200, {"default_workflow_permissions": "read", "can_approve_pull_request_reviews": may})


def list_secrets(world: World, call: Call) -> Answer:
    """The names of the secrets; nobody is ever told their values."""
    del world
    return _secrets(call, call.here.secrets)


def list_organization_secrets(world: World, call: Call) -> Answer:
    """The names of those that an organization shares with a repository; here none does."""
    del world
    return _secrets(call, ())


def list_environment_secrets(world: World, call: Call) -> Answer:
    """The names of those that only jobs of an environment get.

    Raises:
        RefusalError: there is no such environment.
    """
    del world
    environment = call.parameters["environment"]
    if environment not in call.here.environments:
        raise not_found()
    return _secrets(call, call.here.environments[environment])


def _secrets(call: Call, names: Iterable[str]) -> Answer:
    at = call.here.created_at
    secrets = [{"name": name, "created_at": at, "updated_at": at} for name in sorted(names)]
    return Answer(200, {"total_count": len(secrets), "secrets": secrets})


def list_workflows(world: World, call: Call) -> Answer:
    """The workflows of the default branch, with their state."""
    git, here = call.here.git, call.here
    oid = git.resolve(here.default_branch)
    folder = git.entry(oid, WORKFLOWS) if oid else None
    names = [entry.path for entry in git.tree(str(folder.oid))] if folder else []
    found = [_workflow(world, call, number, name) for number, name in enumerate(names, 1)]
    return Answer(200, {"total_count": len(found), "workflows": found})


def _workflow(world: World, call: Call, number: int, name: str) -> Json:
    path, here = f"{WORKFLOWS}/{name}", call.here
    url = f"{world.links.repo(here)}/actions/workflows/{number}"
    return {
        "id": number,
        "node_id": f"W_{number}",
        "name": name,
        "path": path,
        "state": here.workflow_states.get(path, "active"),
        "created_at": here.created_at,
        "updated_at": here.created_at,
        "url": url,
        "html_url": f"{world.links.url}/{here.name}/blob/{here.default_branch}/{path}",
        "badge_url": f"{world.links.url}/{here.name}/workflows/{name}/badge.svg",
    }


def list_rules(world: World, call: Call) -> Answer:
    """The rules of rulesets that hold for a branch; the older protection is none of them."""
    del world
    source = {"ruleset_source_type": "Repository", "ruleset_source": call.here.name, "ruleset_id": 1}
    rules = [{"type": "pull_request", "parameters": _PARAMETERS, **source}]
    return one_page(call, rules if call.parameters["branch"] in call.here.ruled else [])
