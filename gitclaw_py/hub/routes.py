"""The table of operations: who may call what, and who answers it."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from gitclaw_py.core.access import Level
from gitclaw_py.hub import rest_accounts, rest_actions, rest_code, rest_git, rest_pulls, rest_reviews, rest_threads
from gitclaw_py.hub.accounts import Token
from gitclaw_py.hub.calls import Answer, Call, Field, check_fields
from gitclaw_py.hub.refusals import needs_token, not_for_this_role, not_for_this_token, not_found
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.world import World

Handler = Callable[[World, Call], Answer]


class Need(NamedTuple):
    """What it takes: one of the ``permissions`` of an installation's token, or a person's role.

    ``access`` None is for everyone, even without a token. A person without the role is told 403, or 404
    where GitHub does not tell that there is something.
    """

    permissions: tuple[str, ...] = ()
    access: str | None = None
    level: Level = Level.READ
    is_hidden: bool = False


class Route(NamedTuple):
    """One operation. ``fields`` None: the handler reads the body itself."""

    method: str
    path: str
    handler: Handler
    need: Need
    fields: tuple[Field, ...] | None = ()


_ANYONE = Need()
_ACCOUNT = Need(("metadata",), "read")
_TALKS = ("issues", "pull_requests")
_READ_TALK = Need(_TALKS, "read")
_TALK = Need(_TALKS, "write")
_TRIAGE = Need(_TALKS, "write", Level.TRIAGE)
_OPEN_ISSUE = Need(("issues",), "write")
_MODERATE = Need(_TALKS, "write", Level.WRITE)
_READ_CODE = Need(("contents",), "read")
_WRITE_CODE = Need(("contents",), "write", Level.WRITE, is_hidden=True)
_READ_CHECKS, _READ_STATUSES = Need(("checks",), "read"), Need(("statuses",), "read")
_READ_PULLS = Need(("pull_requests",), "read")
_WRITE_PULLS = Need(("pull_requests",), "write")
_SETTINGS = Need(("administration",), "read", Level.ADMIN)
_SECRETS = Need(("secrets",), "read", Level.WRITE)
_ENVIRONMENT = Need(("environments",), "read", Level.WRITE)
_NEVER_PUBLIC = frozenset(("metadata", "administration", "secrets", "environments"))

_TEXT, _MAYBE = (str,), (str, type(None))
_BODY = (Field("body", _TEXT, is_required=True),)
_CONTENT = (Field("content", _TEXT, is_required=True),)
_LISTS = (Field("labels", (list,)), Field("assignees", (list,)))
_DISPATCH = (Field("event_type", _TEXT, is_required=True), Field("client_payload", (dict,)))
_NEW_ISSUE = (
    Field("title", (str, int), is_required=True),
    Field("body", _TEXT),
    *_LISTS,
    Field("milestone", (int, str)),
)
_ISSUE = (
    *(Field(name, _MAYBE) for name in ("title", "body", "assignee", "state_reason")),
    Field("state"),
    Field("milestone", (int, str, type(None))),
    *_LISTS,
)
_SHA = Field("sha", _TEXT, is_required=True)
_NEW_PULL = (
    Field("head", _TEXT, is_required=True),
    Field("base", _TEXT, is_required=True),
    *(Field(name) for name in ("title", "head_repo")),
    Field("body", _MAYBE),
    *(Field(name, (bool,)) for name in ("draft", "maintainer_can_modify")),
    Field("issue", (int,)),
)
_PULL = (
    *(Field(name) for name in ("title", "state", "base")),
    Field("body", _MAYBE),
    Field("maintainer_can_modify", (bool,)),
)
_MERGE = tuple(Field(name) for name in ("commit_title", "commit_message", "sha", "merge_method"))
_REVIEW_ENDS = (Field("body", _MAYBE), Field("event"))
_NEW_REVIEW = (*_REVIEW_ENDS, Field("commit_id"), Field("comments", (list,)))
_NEW_REVIEW_COMMENT = (
    *(Field(name, _TEXT, is_required=True) for name in ("body", "commit_id", "path")),
    *(Field(name, (int,)) for name in ("position", "line", "start_line", "in_reply_to")),
    *(Field(name) for name in ("side", "start_side", "subject_type")),
)
_DISMISSAL = (Field("message", _TEXT, is_required=True), Field("event"))
_NEW_TREE = (Field("tree", (list,), is_required=True), Field("base_tree"))
_NEW_COMMIT = (
    *(Field(name, _TEXT, is_required=True) for name in ("message", "tree")),
    Field("parents", (list,)),
    *(Field(name, (dict,)) for name in ("author", "committer")),
    Field("signature"),
)

REPO = "/repos/{owner}/{repo}"
_ISSUES, _THREAD, _COMMENT = f"{REPO}/issues", f"{REPO}/issues/{{number}}", f"{REPO}/issues/comments/{{id}}"
_PULLS, _GIT = f"{REPO}/pulls/{{number}}", f"{REPO}/git"
_REVIEWS, _REMARK = f"{_PULLS}/reviews", f"{REPO}/pulls/comments/{{id}}"
_REVIEW = f"{_REVIEWS}/{{review}}"

ROUTES: tuple[Route, ...] = (
    Route("GET", "/user", rest_accounts.get_me, _ACCOUNT),
    Route("GET", "/users/{username}", rest_accounts.get_user, _ANYONE),
    Route("GET", "/rate_limit", rest_accounts.get_rate_limit, _ANYONE),
    Route("GET", REPO, rest_accounts.get_repository, _ANYONE),
    Route("GET", f"{REPO}/collaborators/{{username}}/permission", rest_accounts.get_permission, _ACCOUNT),
    Route("GET", f"{REPO}/actions/permissions", rest_actions.get_permissions, _SETTINGS),
    Route("GET", f"{REPO}/actions/permissions/workflow", rest_actions.get_workflow_permissions, _SETTINGS),
    Route("GET", f"{REPO}/actions/secrets", rest_actions.list_secrets, _SECRETS),
    Route("GET", f"{REPO}/actions/organization-secrets", rest_actions.list_organization_secrets, _SECRETS),
    Route("GET", f"{REPO}/environments/{{environment}}/secrets", rest_actions.list_environment_secrets, _ENVIRONMENT),
    Route("GET", f"{REPO}/actions/workflows", rest_actions.list_workflows, Need(("actions",), "read")),
    Route("GET", f"{REPO}/rules/branches/{{branch*}}", rest_actions.list_rules, _ACCOUNT),
    Route("POST", f"{REPO}/dispatches", rest_accounts.dispatch, _WRITE_CODE, _DISPATCH),
    Route("GET", _ISSUES, rest_threads.list_issues, _READ_TALK),
    Route("POST", _ISSUES, rest_threads.create_issue, _OPEN_ISSUE, _NEW_ISSUE),
    Route("GET", _COMMENT, rest_threads.get_comment, _READ_TALK),
    Route("PATCH", _COMMENT, rest_threads.edit_comment, _TALK, _BODY),
    Route("DELETE", _COMMENT, rest_threads.delete_comment, _TALK),
    Route("GET", f"{_COMMENT}/reactions", rest_threads.list_reactions, _READ_TALK),
    Route("POST", f"{_COMMENT}/reactions", rest_threads.create_reaction, _TALK, _CONTENT),
    Route("DELETE", f"{_COMMENT}/reactions/{{reaction}}", rest_threads.delete_reaction, _TALK),
    Route("GET", _THREAD, rest_threads.get_issue, _READ_TALK),
    Route("PATCH", _THREAD, rest_threads.edit_issue, _TALK, _ISSUE),
    Route("GET", f"{_THREAD}/comments", rest_threads.list_comments, _READ_TALK),
    Route("POST", f"{_THREAD}/comments", rest_threads.create_comment, _TALK, _BODY),
    Route("GET", f"{_THREAD}/reactions", rest_threads.list_reactions, _READ_TALK),
    Route("POST", f"{_THREAD}/reactions", rest_threads.create_reaction, _TALK, _CONTENT),
    Route("DELETE", f"{_THREAD}/reactions/{{reaction}}", rest_threads.delete_reaction, _TALK),
    Route("GET", f"{_THREAD}/labels", rest_threads.list_labels, _READ_TALK),
    Route("POST", f"{_THREAD}/labels", rest_threads.add_labels, _TRIAGE, None),
    Route("DELETE", f"{_THREAD}/labels/{{name*}}", rest_threads.remove_label, _TRIAGE),
    Route("PUT", f"{_THREAD}/lock", rest_threads.lock, _MODERATE, (Field("lock_reason"),)),
    Route("DELETE", f"{_THREAD}/lock", rest_threads.unlock, _MODERATE),
    Route("GET", f"{REPO}/pulls", rest_pulls.list_pulls, _READ_PULLS),
    Route("POST", f"{REPO}/pulls", rest_pulls.create_pull, _WRITE_PULLS, _NEW_PULL),
    Route("GET", _PULLS, rest_pulls.get_pull, _READ_PULLS),
    Route("PATCH", _PULLS, rest_pulls.edit_pull, _WRITE_PULLS, _PULL),
    Route("GET", f"{_PULLS}/files", rest_pulls.list_files, _READ_PULLS),
    Route("GET", f"{_PULLS}/merge", rest_pulls.is_merged, _READ_PULLS),
    Route("PUT", f"{_PULLS}/merge", rest_pulls.merge, _WRITE_CODE, _MERGE),
    Route("PUT", f"{_PULLS}/update-branch", rest_pulls.update_branch, _WRITE_PULLS, (Field("expected_head_sha"),)),
    Route("GET", _REVIEWS, rest_reviews.list_reviews, _READ_PULLS),
    Route("POST", _REVIEWS, rest_reviews.create_review, _WRITE_PULLS, _NEW_REVIEW),
    Route("GET", _REVIEW, rest_reviews.get_review, _READ_PULLS),
    Route("PUT", _REVIEW, rest_reviews.edit_review, _WRITE_PULLS, _BODY),
    Route("DELETE", _REVIEW, rest_reviews.delete_review, _WRITE_PULLS),
    Route("POST", f"{_REVIEW}/events", rest_reviews.submit_review, _WRITE_PULLS, _REVIEW_ENDS),
    Route("PUT", f"{_REVIEW}/dismissals", rest_reviews.dismiss_review, _WRITE_PULLS, _DISMISSAL),
    Route("GET", f"{_REVIEW}/comments", rest_reviews.list_comments_of_review, _READ_PULLS),
    Route("GET", f"{_PULLS}/comments", rest_reviews.list_comments, _READ_PULLS),
    Route("POST", f"{_PULLS}/comments", rest_reviews.create_comment, _WRITE_PULLS, _NEW_REVIEW_COMMENT),
    Route("POST", f"{_PULLS}/comments/{{id}}/replies", rest_reviews.reply, _WRITE_PULLS, _BODY),
    Route("GET", _REMARK, rest_reviews.get_comment, _READ_PULLS),
    Route("PATCH", _REMARK, rest_reviews.edit_comment, _WRITE_PULLS, _BODY),
    Route("DELETE", _REMARK, rest_reviews.delete_comment, _WRITE_PULLS),
    Route("GET", f"{_REMARK}/reactions", rest_reviews.list_reactions, _READ_PULLS),
    Route("POST", f"{_REMARK}/reactions", rest_reviews.create_reaction, _WRITE_PULLS, _CONTENT),
    Route("DELETE", f"{_REMARK}/reactions/{{reaction}}", rest_reviews.delete_reaction, _WRITE_PULLS),
    Route("GET", f"{REPO}/branches", rest_code.list_branches, _READ_CODE),
    Route("GET", f"{REPO}/branches/{{branch*}}", rest_code.get_branch, _READ_CODE),
    Route("GET", f"{REPO}/commits/{{ref*}}/check-runs", rest_code.list_checks, _READ_CHECKS),
    Route("GET", f"{REPO}/commits/{{ref*}}/status", rest_code.combined_status, _READ_STATUSES),
    Route("GET", f"{REPO}/commits/{{ref*}}", rest_code.get_history_commit, _READ_CODE),
    Route("GET", f"{REPO}/compare/{{basehead*}}", rest_code.compare, _READ_CODE),
    Route("GET", f"{REPO}/contents/{{path*}}", rest_code.get_contents, _READ_CODE),
    Route("GET", f"{REPO}/contents", rest_code.get_contents, _READ_CODE),
    Route("GET", f"{_GIT}/ref/{{ref*}}", rest_git.get_ref, _READ_CODE),
    Route("GET", f"{_GIT}/matching-refs/{{ref*}}", rest_git.matching_refs, _READ_CODE),
    Route("POST", f"{_GIT}/refs", rest_git.create_ref, _WRITE_CODE, (Field("ref", _TEXT, is_required=True), _SHA)),
    Route("PATCH", f"{_GIT}/refs/{{ref*}}", rest_git.update_ref, _WRITE_CODE, (_SHA, Field("force", (bool,)))),
    Route("DELETE", f"{_GIT}/refs/{{ref*}}", rest_git.delete_ref, _WRITE_CODE),
    Route("POST", f"{_GIT}/blobs", rest_git.create_blob, _WRITE_CODE, (*_CONTENT, Field("encoding"))),
    Route("GET", f"{_GIT}/blobs/{{sha}}", rest_git.get_blob, _READ_CODE),
    Route("POST", f"{_GIT}/trees", rest_git.create_tree, _WRITE_CODE, _NEW_TREE),
    Route("GET", f"{_GIT}/trees/{{sha*}}", rest_git.get_tree, _READ_CODE),
    Route("POST", f"{_GIT}/commits", rest_git.create_commit, _WRITE_CODE, _NEW_COMMIT),
    Route("GET", f"{_GIT}/commits/{{sha}}", rest_git.get_commit, _READ_CODE),
)


def _pattern(path: str) -> re.Pattern[str]:
    pieces = re.split(r"\{(\w+)(\*?)\}", path)
    made = re.escape(pieces[0])
    for name, many, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        made += f"(?P<{name}>{'.+' if many else '[^/]+'})" + re.escape(text)
    return re.compile(made)


_PATTERNS = tuple((route, _pattern(route.path)) for route in ROUTES)


def find(method: str, path: str) -> tuple[Route, Mapping[str, str]]:
    """The operation of a path, and what its names stand for.

    Raises:
        RefusalError: there is none.
    """
    for route, pattern in _PATTERNS:
        if route.method == method and (hit := pattern.fullmatch(path)):
            return route, {name: unquote(value) for name, value in hit.groupdict().items()}
    raise not_found()


def answer(world: World, route: Route, call: Call) -> Answer:
    """Do it, if it may be done.

    Raises:
        RefusalError: it may not, or cannot.
    """
    _authorize(route.need, call)
    if route.fields is not None:
        check_fields(call.body, route.fields)
    with world.deed():
        return route.handler(world, call)


def _authorize(need: Need, call: Call) -> None:
    if need.access is None:
        return
    if call.token is None:
        if need.access == "write" or call.repository is None:
            raise needs_token()
        return
    if call.repository is not None:
        _authorize_here(need, call.token, call.repository)


def _authorize_here(need: Need, token: Token, repository: Repository) -> None:
    if token.permissions is None:
        if repository.level(token.account) < need.level:
            raise not_found() if need.is_hidden else not_for_this_role()
        return
    # What is public anyone reads; a token without any permission can do no less than none at all.
    if need.access == "read" and not repository.is_private and _NEVER_PUBLIC.isdisjoint(need.permissions):
        return
    if token.repository != repository.name or not any(
        token.allows(name, str(need.access)) for name in need.permissions
    ):
        raise not_for_this_token()
