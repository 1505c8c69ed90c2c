"""The end of a pull request on GitHub: brought up to date, checked, merged, closed.

https://docs.github.com/en/rest/pulls/pulls
"""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import quote

from gitclaw_py.adapters import github_documents as documents
from gitclaw_py.adapters.github_answers import linked
from gitclaw_py.adapters.http_pacing import Paced, Request
from gitclaw_py.core.pacing import Failure, Repeat
from gitclaw_py.core.thread import Check, PullRequest
from gitclaw_py.ports.forge import Declined

Json = Any
_PAGE = 100
_NOT_ALLOWED, _CONFLICT, _INVALID = 405, 409, 422
_ANOTHER_HEAD = ("head branch was modified", "expected head sha")


class GitHubMerging:
    """See ``ports.Forge`` for what each does."""

    def __init__(self, paced: Paced, root: str) -> None:
        self._paced = paced
        self._root = root

    def merge(self, pull: PullRequest, method: str) -> str | Declined:
        """Merge a pull request.

        GitHub answers 405 where it cannot or may not be merged, 409 where its head is another.
        https://docs.github.com/en/rest/pulls/pulls#merge-a-pull-request
        """
        path, content = f"{self._root}/pulls/{pull.number}", {"merge_method": method, "sha": pull.head_oid}
        request = Request(
            f"merge pull request #{pull.number}",
            "PUT",
            f"{path}/merge",
            content,
            repeat=Repeat.AFTER_LOOKING,
            declines=(_NOT_ALLOWED, _CONFLICT, _INVALID),
            are_told=True,
        )
        document = self._paced.ask(request, partial(self._merged, path)).document
        if isinstance(document, Failure):
            return _declined(document)
        return documents.read(lambda found: str(found["sha"]), document)

    def _merged(self, path: str) -> Json:
        """What the answer would have said, if it was merged all the same."""
        document = self._paced.ask(Request("see whether it was merged", "GET", path)).document
        merged_as = documents.read(documents.pull, document).merged_as
        return {"sha": merged_as} if merged_as else None

    def close(self, pull: int) -> None:
        """Close a pull request without merging it."""
        path = f"{self._root}/pulls/{pull}"
        self._paced.ask(Request(f"close pull request #{pull}", "PATCH", path, {"state": "closed"}, are_told=True))

    def update(self, pull: PullRequest) -> Declined | None:
        """Have the base merged into the branch of a pull request.

        https://docs.github.com/en/rest/pulls/pulls#update-a-pull-request-branch
        """
        # Sent twice, the second one is told that there is nothing new, or that the head is another: both end well.
        request = Request(
            f"bring pull request #{pull.number} up to date",
            "PUT",
            f"{self._root}/pulls/{pull.number}/update-branch",
            {"expected_head_sha": pull.head_oid},
            declines=(_INVALID,),
        )
        document = self._paced.ask(request).document
        return _declined(document) if isinstance(document, Failure) else None

    def checks(self, commit: str) -> list[Check]:
        """The checks and statuses of a commit."""
        found: list[Check] = []
        for what, read in (("check-runs", documents.checks), ("status", documents.statuses)):
            page: int | None = 1
            while page:
                query: dict[str, str | int] = {"page": page, "per_page": _PAGE}
                path = f"{self._root}/commits/{commit}/{what}"
                answer = self._paced.ask(Request("read the checks", "GET", path, query=query))
                found += documents.read(read, answer.document)
                page = page + 1 if linked(answer, "next") else None
        return found

    def is_protected(self, branch: str) -> bool:
        """Whether rules protect a branch; not, where it is gone."""
        path = f"{self._root}/branches/{quote(branch)}"
        request = Request(f"ask whether {branch} is protected", "GET", path, may_be_missing=True)
        document = self._paced.ask(request).document
        return document is not None and documents.read(lambda found: bool(found["protected"]), document)


def _declined(failure: Failure) -> Declined:
    words = failure.text.lower()
    return Declined(failure.text, failure.status == _CONFLICT or any(word in words for word in _ANOTHER_HEAD))
