"""Reviews on GitHub: one request for a review with all its comments; threads through GraphQL, which alone knows them.

https://docs.github.com/en/rest/pulls/reviews, https://docs.github.com/en/graphql/reference/objects#pullrequestreviewthread
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from gitclaw_py.adapters import github_documents as documents
from gitclaw_py.adapters import github_review_documents as review_documents
from gitclaw_py.adapters.github_answers import linked
from gitclaw_py.adapters.github_refusals import denied
from gitclaw_py.adapters.http_pacing import Paced, Request
from gitclaw_py.core.pacing import Failure, Repeat
from gitclaw_py.core.thread import Inline, Review, ReviewComment, Reviewed

Json = Any
_PAGE = 100
_MOST_ALIASES = 20
"""More in one request exceed GitHub's limit of resources. https://github.com/Reviewable/Reviewable/issues/1275"""
_AUTHOR = "author { __typename login ... on User { databaseId } ... on Bot { databaseId } }"
_REVIEWS = f"""\
      reviews(last: {_PAGE}) {{
        nodes {{ id databaseId body state url commit {{ oid }} {_AUTHOR} }}
      }}
"""
"""Asked for with the first page of threads, so that it is no request of its own."""
_THREADS = """\
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
%s      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated viewerCanResolve path line startLine originalLine
          resolvedBy { login }
          comments(first: 100) {
            nodes {
              id databaseId body createdAt lastEditedAt url isMinimized
              %s
              reactions(content: THUMBS_DOWN) { totalCount }
            }
          }
        }
      }
    }
  }
}"""


class _Mutation(NamedTuple):
    """A mutation that is made for many nodes at once; ``yields`` are the fields that tell whether it was."""

    name: str
    argument: str
    more: str
    yields: str


_RESOLVE = _Mutation("resolveReviewThread", "threadId", "", "thread { isResolved }")
_MINIMISE = _Mutation("minimizeComment", "subjectId", ", classifier: OUTDATED", "minimizedComment { isMinimized }")


class GitHubReviews:
    """See ``ports.Forge`` for what each does."""

    def __init__(self, paced: Paced, repository: str, note: Callable[[str], None]) -> None:
        self._paced = paced
        self._repository = repository
        self._root = f"/repos/{repository}/pulls"
        self._note = note

    def reviews(self, pull: int) -> list[Review]:
        """The reviews of a pull request, oldest first."""
        return [
            documents.read(review_documents.review, document)
            for page in self._pages(f"read the reviews of #{pull}", f"{self._root}/{pull}/reviews")
            for document in page
        ]

    def _pages(self, doing: str, path: str) -> Iterator[Json]:
        page = 1
        while True:
            query: dict[str, str | int] = {"page": page, "per_page": _PAGE}
            answer = self._paced.ask(Request(doing, "GET", path, query=query))
            yield answer.document
            if linked(answer, "next") is None:
                return
            page += 1

    def review(
        self, pull: int, commit: str, body: str, comments: Sequence[Inline], already: Callable[[Review], bool]
    ) -> Review:
        """Post a review with all its comments or nothing.

        Raises:
            RefusedError: ``INVALID_DIFF`` or ``PERMISSION_DENIED``.
            ConflictError: ``STATE_CONFLICT``: there is a pending review of our own.
        """
        content = {"commit_id": commit, "event": "COMMENT", "comments": list(map(_inline, comments))}
        if body:
            content["body"] = body
        path, doing = f"{self._root}/{pull}/reviews", f"review pull request #{pull}"
        request = Request(doing, "POST", path, content, repeat=Repeat.AFTER_LOOKING, are_told=True)
        answer = self._paced.ask(request, partial(self._posted, pull, already))
        return documents.read(review_documents.review, answer.document)

    def _posted(self, pull: int, already: Callable[[Review], bool]) -> Json:
        """The document of the newest review that is the one."""
        found = None
        for page in self._pages(f"look for the review of #{pull}", f"{self._root}/{pull}/reviews"):
            for document in page:
                found = document if already(documents.read(review_documents.review, document)) else found
        return found

    def drop_review(self, pull: int, review: int) -> None:
        """Delete a pending review of our own."""
        path = f"{self._root}/{pull}/reviews/{review}"
        self._paced.ask(Request(f"delete review {review}", "DELETE", path, may_be_missing=True))

    def reviewed(self, pull: int) -> Reviewed:
        """The threads, and the last reviews with the first page of them."""
        document = self._threads(pull, None)
        reviews = documents.read(review_documents.reviews, document)
        page = documents.read(review_documents.threads, document)
        threads = [*page.threads]
        while page.after is not None:
            page = documents.read(review_documents.threads, self._threads(pull, page.after))
            threads += page.threads
        return Reviewed(tuple(threads), reviews)

    def _threads(self, pull: int, after: str | None) -> Json:
        owner, _, name = self._repository.partition("/")
        variables = {"owner": owner, "name": name, "number": pull, "after": after}
        doing = f"read the reviews of #{pull}"
        document = self._graphql(doing, _THREADS % ("" if after else _REVIEWS, _AUTHOR), variables)
        if words := documents.read(review_documents.errors, document):
            raise denied(doing, Failure(None, "; ".join(words)))
        return document

    def _graphql(self, doing: str, query: str, variables: Mapping[str, Json]) -> Json:
        content = {"query": query, "variables": variables}
        return self._paced.ask(Request(doing, "POST", "/graphql", content)).document

    def resolve(self, threads: Sequence[str]) -> int:
        """Resolve threads; how many could be.

        GitHub has let tokens do it that have ``contents: write`` only. https://github.com/github/gh-aw/issues/35726
        """
        return self._for_each("resolve review threads", _RESOLVE, threads)

    def minimise(self, nodes: Sequence[str]) -> int:
        """Hide comments or reviews as outdated; how many could be."""
        return self._for_each("hide comments", _MINIMISE, nodes)

    def _for_each(self, doing: str, mutation: _Mutation, nodes: Sequence[str]) -> int:
        done = 0
        for start in range(0, len(nodes), _MOST_ALIASES):
            some = nodes[start : start + _MOST_ALIASES]
            document = self._graphql(doing, _aliased(mutation, len(some)), {f"n{i}": n for i, n in enumerate(some)})
            done += documents.read(review_documents.done, document)
            for words in documents.read(review_documents.errors, document)[:1]:
                self._note(f"could not {doing}: {words}")
        return done

    def reply_in_review(self, pull: int, comment: int, body: str) -> ReviewComment:
        """Reply to the first comment of a thread."""
        path, doing = f"{self._root}/{pull}/comments/{comment}/replies", f"reply in a review of #{pull}"
        request = Request(doing, "POST", path, {"body": body}, repeat=Repeat.AFTER_LOOKING, are_told=True)
        answer = self._paced.ask(request, partial(self._replied, pull, comment, body))
        return documents.read(review_documents.comment, answer.document)

    def _replied(self, pull: int, comment: int, body: str) -> Json:
        """The same reply to the same comment: said twice at most, it would say nothing new."""
        query: dict[str, str | int] = {"sort": "created", "direction": "desc", "per_page": _PAGE}
        request = Request(f"look for a reply in #{pull}", "GET", f"{self._root}/{pull}/comments", query=query)
        for document in self._paced.ask(request).document:
            if document.get("in_reply_to_id") == comment and document.get("body") == body:
                return document
        return None


def _inline(comment: Inline) -> Json:
    """One more key, or a start line for a single line, and GitHub refuses the whole review.

    https://github.com/PyGithub/PyGithub/issues/3293, https://github.com/ubuntu/WSL/pull/244
    """
    end = {"path": comment.path, "line": comment.line, "side": comment.side, "body": comment.body}
    if comment.start_line is None:
        return end
    return {**end, "start_line": comment.start_line, "start_side": comment.side}


def _aliased(mutation: _Mutation, count: int) -> str:
    name, argument, more, yields = mutation
    declared = ", ".join(f"$n{place}: ID!" for place in range(count))
    each = (f"a{place}: {name}(input: {{{argument}: $n{place}{more}}}) {{ {yields} }}" for place in range(count))
    return f"mutation({declared}) {{\n  {chr(10).join(each)}\n}}"
