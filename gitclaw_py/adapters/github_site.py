"""What GitHub tells of a repository and its settings, as far as the token may know.

https://docs.github.com/en/rest/actions/permissions and https://docs.github.com/en/rest/repos/rules
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from gitclaw_py.adapters import github_documents as documents
from gitclaw_py.adapters.http_pacing import Paced, Request
from gitclaw_py.core.caller import ENVIRONMENT
from gitclaw_py.core.diagnosis import Site
from gitclaw_py.errors import RefusedError

Json = Any
_FOLDER = ".github/workflows"
_NAMED = ("full_name", "html_url", "default_branch")
_MOST = 30
"""Workflow files that are read."""


class GitHubSite:
    """Looks at one repository, whose API paths begin with ``root``."""

    def __init__(self, paced: Paced, root: str) -> None:
        self._paced = paced
        self._root = root

    def look(self, places: Sequence[str]) -> Site:
        """All that can be seen; ``places`` are the paths a configuration may have.

        About ten requests, and one for each workflow file. What the token may not know is None.

        Raises:
            GitclawError: the repository itself cannot be read.
        """
        whole = self._paced.ask(Request("read the repository", "GET", self._root)).document
        name, url, branch = documents.read(lambda one: tuple(str(one[key]) for key in _NAMED), whole)
        permissions, workflow = self._asked("actions/permissions"), self._asked("actions/permissions/workflow")
        return Site(
            name,
            url,
            branch,
            is_archived=bool(whole.get("archived")),
            workflows=self._workflows(branch),
            states=_named(self._asked("actions/workflows", per_page=100), "workflows", "path", "state"),
            configuration=self._configuration(places, branch),
            actions_are_on=_of(permissions, "enabled"),
            allowed_actions=_of(permissions, "allowed_actions"),
            may_open_pulls=_of(workflow, "can_approve_pull_request_reviews"),
            secrets=self._secrets(),
            agent_secrets=self._names_of(f"environments/{ENVIRONMENT}/secrets"),
            is_protected=self._is_protected(branch),
        )

    def head(self, branch: str) -> str | None:
        """The commit a branch is at; None for a branch that is not there. One request."""
        found = self._missing_is_none(f"branches/{quote(branch)}")
        return None if found is None else documents.read(lambda one: str(one["commit"]["sha"]), found)

    def _asked(self, path: str, **query: str | int) -> Json:
        """The document there; None where the token may not read it."""
        try:
            return self._paced.ask(Request(f"read {path}", "GET", f"{self._root}/{path}", query=query)).document
        except RefusedError:
            return None

    def _missing_is_none(self, path: str, **query: str | int) -> Json:
        request = Request(f"read {path}", "GET", f"{self._root}/{path}", query=query, may_be_missing=True)
        return self._paced.ask(request).document

    def _secrets(self) -> frozenset[str] | None:
        """Those of the repository, and those that its organization shares with it."""
        own, shared = self._names_of("actions/secrets"), self._names_of("actions/organization-secrets")
        return None if own is None else own | (shared or frozenset())

    def _names_of(self, path: str) -> frozenset[str] | None:
        """The names of the secrets that are listed there; None where the token may not read them."""
        try:
            document = self._missing_is_none(path, per_page=100)
        except RefusedError:
            return None
        return frozenset(str(one["name"]) for one in _of(document, "secrets") or ())

    def _is_protected(self, branch: str) -> bool | None:
        """By the older protection, or by a rule that wants a pull request."""
        found = self._missing_is_none(f"branches/{quote(branch)}")
        if found is None:
            return False
        rules = self._asked(f"rules/branches/{quote(branch)}")
        if found.get("protected"):
            return True
        return None if rules is None else any(rule.get("type") == "pull_request" for rule in rules)

    def _workflows(self, branch: str) -> Mapping[str, str] | None:
        try:
            listed = self._missing_is_none(f"contents/{_FOLDER}", ref=branch)
            paths = [str(one["path"]) for one in listed or () if str(one["name"]).endswith((".yml", ".yaml"))]
            files = {path: self._file(path, branch) for path in paths[:_MOST]}
        except RefusedError:
            return None
        return {path: data.decode("utf-8", "replace") for path, data in files.items() if data is not None}

    def _configuration(self, places: Sequence[str], branch: str) -> tuple[str, bytes] | None:
        try:
            found = ((path, self._file(path, branch)) for path in places)
            return next(((path, data) for path, data in found if data is not None), None)
        except RefusedError:
            return None

    def _file(self, path: str, branch: str) -> bytes | None:
        found = self._missing_is_none(f"contents/{quote(path)}", ref=branch)
        return None if found is None else documents.read(lambda one: base64.b64decode(one["content"]), found)


def _of(document: Json, key: str) -> Json:
    return document.get(key) if isinstance(document, dict) else None


def _named(document: Json, many: str, key: str, value: str) -> Mapping[str, str] | None:
    listed = _of(document, many)
    return None if listed is None else {str(one[key]): str(one[value]) for one in listed}
