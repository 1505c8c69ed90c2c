"""GitHub as the forge, through PyGithub.

PyGithub does what a connection needs (authentication, addresses of the enterprise edition, redirects); its
requests are made through its ``Requester``, not through its objects: those fetch what they miss when an
attribute is read, so that nobody could say how many requests a call takes.
https://pygithub.readthedocs.io/en/stable/utilities.html
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from gitclaw_py.adapters import github_documents as documents
from gitclaw_py.adapters.github_answers import Answer, Reply, linked
from gitclaw_py.adapters.github_commits import GitHubCommits
from gitclaw_py.adapters.github_merging import GitHubMerging
from gitclaw_py.adapters.github_reviews import GitHubReviews
from gitclaw_py.adapters.github_site import GitHubSite
from gitclaw_py.adapters.http_pacing import Paced, Request
from gitclaw_py.core.access import Level
from gitclaw_py.core.pacing import TIMEOUT, Repeat
from gitclaw_py.core.thread import (
    Account,
    Check,
    Comment,
    Inline,
    PullRequest,
    Review,
    ReviewComment,
    Reviewed,
    Thread,
)
from gitclaw_py.errors import GitclawError, RefusedError
from gitclaw_py.ports.forge import Committed, Declined, Entries
from gitclaw_py.ports.values import Move

if TYPE_CHECKING:
    from github.Requester import Requester

Json = Any
_T = TypeVar("_T")
_PAGE = 100
_MOST_PAGES = 50
_SIGNING = "cryptography"
_NO_USER = "is not a user"
_ONCE = Repeat.AFTER_LOOKING
_HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}


class GitHubForge:
    """See ``ports.Forge``; ``site`` looks at the repository and its settings.

    Args:
        api_url: where the API is, as ``GITHUB_API_URL`` says it.
        token: with which to ask.
        repository: ``owner/name``.
        sleep: waits for so many seconds.
        note: hears why something takes long or was left out, one line at a time.
        timeout: seconds to wait for an answer.
    """

    def __init__(
        self,
        api_url: str,
        token: str,
        repository: str,
        *,
        sleep: Callable[[float], None],
        note: Callable[[str], None],
        timeout: int = TIMEOUT,
    ) -> None:
        self._api_url = api_url.rstrip("/")
        self._token = token
        self._repository = repository
        self._root = f"/repos/{repository}"
        self._note = note
        self._timeout = timeout
        self._paced = Paced(self._send, sleep, note)
        self._commits = GitHubCommits(self._paced, self._root)
        self._merging = GitHubMerging(self._paced, self._root)
        self._reviews = GitHubReviews(self._paced, repository, note)
        self.site = GitHubSite(self._paced, self._root)

    def level(self, account: Account) -> Level | None:
        """What the account may do here, asked now, by its id; ``NONE`` when that cannot be told. One request.

        None for a bot of which GitHub says that it is no user: it has no permission, whatever it may do.
        """
        from urllib.parse import quote

        path = f"{self._root}/collaborators/{quote(account.login, safe='')}/permission"
        try:
            answer = self._paced.ask(Request(f"ask what {account.login} may do", "GET", path))
            level = documents.read(partial(documents.level, wanted=account.id), answer.document)
        except GitclawError as error:
            if account.is_bot and any(_NO_USER in line for line in error.details):
                return None
            self._note(f"{account.login} counts as without permission: {error.what} {' '.join(error.details)}".rstrip())
            return Level.NONE
        if level is Level.NONE:
            self._note(f"{account.login} (id {account.id}) has no permission here")
        return level

    def comments(self, thread: int, since: str | None) -> list[Comment]:
        """The comments of a thread that changed at or after a time (ISO 8601), oldest first. One request per 100."""
        found: list[Comment] = []
        page: int | None = 1
        while page:
            if page > _MOST_PAGES:
                what = f"#{thread} has more than {_MOST_PAGES * _PAGE:,} comments to be read"
                raise RefusedError("TOO_LARGE", what, "go on in a new issue or pull request")
            answer = self._page(thread, page, since)
            found += _all(documents.comment, answer.document)
            page = page + 1 if linked(answer, "next") else None
        return found

    def thread(self, number: int) -> Thread:
        """One issue or pull request. One request."""
        request = Request(f"read #{number}", "GET", f"{self._root}/issues/{number}")
        return documents.read(documents.thread, self._paced.ask(request).document)

    def comment(self, thread: int, body: str, already: Callable[[Comment], bool]) -> Comment:
        """Post a comment; one that is ``already`` there after a failure is taken for it. One request."""
        path = f"{self._root}/issues/{thread}/comments"
        request = Request(f"comment on #{thread}", "POST", path, {"body": body}, repeat=_ONCE, are_told=True)
        answer = self._paced.ask(request, partial(self._posted, thread, already))
        return documents.read(documents.comment, answer.document)

    def _posted(self, thread: int, already: Callable[[Comment], bool]) -> Json:
        """The newest comment that is the one: by the order they came in, since clocks differ."""
        for page in self._newest_pages(thread):
            for document in reversed(page):
                if already(documents.read(documents.comment, document)):
                    return document
        return None

    def _newest_pages(self, thread: int) -> Iterator[Json]:
        """The last two pages: meanwhile not more than that is written."""
        first = self._page(thread, 1, None)
        last = linked(first, "last") or 1
        for page in range(last, max(last - 2, 0), -1):
            yield first.document if page == 1 else self._page(thread, page, None).document

    def _page(self, thread: int, page: int, since: str | None) -> Answer:
        query: dict[str, str | int] = {"page": page, "per_page": _PAGE}
        if since:
            query["since"] = since
        path = f"{self._root}/issues/{thread}/comments"
        return self._paced.ask(Request(f"read the comments of #{thread}", "GET", path, query=query))

    def edit(self, comment: int, body: str) -> None:
        """Replace a comment's text. One request."""
        path = f"{self._root}/issues/comments/{comment}"
        self._paced.ask(Request(f"edit comment {comment}", "PATCH", path, {"body": body}))

    def react(self, thread: int, comment: int | None, content: str) -> None:
        """React to a comment, or to the thread's own text; best effort, never raises. One request."""
        place = f"issues/{thread}" if comment is None else f"issues/comments/{comment}"
        path = f"{self._root}/{place}/reactions"
        try:
            self._paced.ask(Request(f"react with {content}", "POST", path, {"content": content}, repeat=Repeat.NEVER))
        except GitclawError as error:
            self._note(f"left out a reaction: {error.what} {' '.join(error.details)}".rstrip())

    def open_issue(self, title: str, body: str) -> Thread:
        """Open an issue. One request; after one that got no answer it is not known whether there is one."""
        content = {"title": title, "body": body}
        request = Request("open an issue", "POST", f"{self._root}/issues", content, repeat=_ONCE, are_told=True)
        return documents.read(documents.thread, self._paced.ask(request).document)

    def pull(self, number: int) -> PullRequest:
        """One pull request. One request."""
        request = Request(f"read pull request #{number}", "GET", f"{self._root}/pulls/{number}")
        return documents.read(documents.pull, self._paced.ask(request).document)

    def parted(self, base: str, head: str) -> str:
        """The commit where two revisions parted: their merge base. One request.

        https://docs.github.com/en/rest/commits/commits#compare-two-commits
        """
        from urllib.parse import quote

        path = f"{self._root}/compare/{quote(base, safe='')}...{quote(head, safe='')}"
        # Neither its commits nor its files are wanted; the first page holds as few as it can.
        request = Request(f"ask where {head} left {base}", "GET", path, query={"per_page": 1})
        return documents.read(documents.parted, self._paced.ask(request).document)

    def pull_of(self, branch: str) -> PullRequest | None:
        """The open pull request from a branch of this repository, else the latest one. One request."""
        documents_of = self._pulls_from(branch)
        document = next((one for one in documents_of if one["state"] == "open"), next(iter(documents_of), None))
        return None if document is None else documents.read(documents.pull, document)

    def _pulls_from(self, branch: str, state: str = "all") -> list[Json]:
        """A fork of the same owner has the same name before the colon, so the repository is compared too."""
        owner = self._repository.partition("/")[0]
        query: dict[str, str | int] = {"head": f"{owner}:{branch}", "per_page": _PAGE, "state": state}
        answer = self._paced.ask(
            Request(f"look for the pull request of {branch}", "GET", f"{self._root}/pulls", query=query)
        )
        return [
            document
            for document, found in zip(answer.document, _all(documents.pull, answer.document), strict=True)
            if (found.head_repository or "").lower() == self._repository.lower() and found.head_branch == branch
        ]

    def _opened_from(self, branch: str) -> Json:
        return next(iter(self._pulls_from(branch, "open")), None)

    def open_pull(self, branch: str, base: str, title: str, body: str, *, draft: bool) -> PullRequest:
        """Open a pull request. One request.

        Raises:
            RefusedError: ``PERMISSION_DENIED``: the repository does not let the token open any.
        """
        content = {"head": branch, "base": base, "title": title, "body": body, "draft": draft}
        doing = f"open a pull request from {branch}"
        request = Request(doing, "POST", f"{self._root}/pulls", content, repeat=_ONCE, are_told=True)
        answer = self._paced.ask(request, partial(self._opened_from, branch))
        return documents.read(documents.pull, answer.document)

    def merge(self, pull: PullRequest, method: str) -> str | Declined:
        """Merge a pull request, if its head still is where it was read; the commit that has it. One request."""
        return self._merging.merge(pull, method)

    def close_pull(self, pull: int) -> None:
        """Close a pull request without merging it. One request."""
        self._merging.close(pull)

    def update_branch(self, pull: PullRequest) -> Declined | None:
        """Have the base merged into the branch of a pull request, if that still is where it was read. One request."""
        return self._merging.update(pull)

    def checks(self, commit: str) -> list[Check]:
        """The checks and statuses of a commit. Two requests, and one more per 100 of each."""
        return self._merging.checks(commit)

    def is_protected(self, branch: str) -> bool:
        """Whether rules protect a branch; not, where it is gone. One request."""
        return self._merging.is_protected(branch)

    def commit(self, entries: Entries) -> Committed:
        """Make a commit through the API, on no ref: a request for each new blob, one each for tree and commit."""
        return self._commits.commit(entries)

    def move(self, moves: Sequence[Move]) -> None:
        """Move all refs or none. One request, and one more for the first time.

        Raises:
            ConflictError: ``STATE_CONFLICT``: one of them is no longer where it was.
            RefusedError: ``BRANCH_PROTECTED``: a rule forbids it.
        """
        self._commits.move(moves)

    def reviews(self, pull: int) -> list[Review]:
        """The reviews of a pull request, oldest first. One request per 100."""
        return self._reviews.reviews(pull)

    def review(
        self, pull: int, commit: str, body: str, comments: Sequence[Inline], already: Callable[[Review], bool]
    ) -> Review:
        """Post a review with all its comments or nothing; one ``already`` there after a failure is taken for it.

        Raises:
            RefusedError: ``INVALID_DIFF``: a comment is not on the diff; ``PERMISSION_DENIED``.
            ConflictError: ``STATE_CONFLICT``: there is a pending review of our own.
        """
        return self._reviews.review(pull, commit, body, comments, already)

    def drop_review(self, pull: int, review: int) -> None:
        """Delete a pending review of our own; one that is gone is well. One request."""
        self._reviews.drop_review(pull, review)

    def reviewed(self, pull: int) -> Reviewed:
        """The threads of a pull request, each with at most 100 comments, and its last 100 reviews.

        One request per 100 threads.
        """
        return self._reviews.reviewed(pull)

    def resolve(self, threads: Sequence[str]) -> int:
        """Resolve threads by their ids; how many could be. One request per 20."""
        return self._reviews.resolve(threads)

    def minimise(self, nodes: Sequence[str]) -> int:
        """Hide comments or reviews as outdated, by their node ids; how many could be. One request per 20."""
        return self._reviews.minimise(nodes)

    def reply_in_review(self, pull: int, comment: int, body: str) -> ReviewComment:
        """Reply to the first comment of a review's thread. One request."""
        return self._reviews.reply_in_review(pull, comment, body)

    def close(self) -> None:
        """End the connection, if there is one."""
        if "_requester" in self.__dict__:
            self._requester.close()

    @cached_property
    def _requester(self) -> Requester:
        """PyGithub takes long to import and paces by sleeping; both only where it is wanted."""
        github = imported()
        made: Requester = github.Github(
            auth=github.Auth.Token(self._token),
            base_url=self._api_url,
            timeout=self._timeout,
            user_agent="gitclaw",
            retry=None,
            seconds_between_requests=0,
            seconds_between_writes=0,
        ).requester
        return made

    def _send(self, request: Request) -> Reply:
        requester = self._requester
        path = requester.graphql_url if request.path == "/graphql" else request.path
        return Reply(*requester.requestJson(request.verb, path, dict(request.query), dict(_HEADERS), request.body))


def _all(make: Callable[[Json], _T], document: Json) -> list[_T]:
    return documents.read(lambda items: [make(item) for item in items], document)


def imported() -> ModuleType:
    """PyGithub; the first time, it takes a fifth of a second.

    A third of that would be the library that signs for apps. We have a token and sign nothing, and what PyGithub calls
    for it does without where there is none, which is what None says.
    https://docs.python.org/3/reference/import.html#the-module-cache and
    https://pyjwt.readthedocs.io/en/stable/installation.html
    """
    sys.modules.setdefault(_SIGNING, cast("ModuleType", None))
    try:
        import github
    finally:
        if sys.modules.get(_SIGNING) is None:
            sys.modules.pop(_SIGNING, None)
    return github
