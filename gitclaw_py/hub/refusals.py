"""What GitHub answers when it refuses, in its own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_DOCUMENTATION = "https://docs.github.com/rest"
# https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api
SECONDARY_LIMIT = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. "
    "For more on scraping GitHub and how it may affect your rights, please review our Terms of Service "
    "(https://docs.github.com/en/site-policy/github-terms/github-terms-of-service)"
)


class RefusalError(Exception):
    """A request that ends with an error of GitHub's.

    Args:
        status: the HTTP status.
        message: GitHub's text.
        errors: the single errors of a validation, each with at least ``code``.
        headers: more headers of the answer.
    """

    def __init__(
        self,
        status: int,
        message: str,
        errors: Sequence[Mapping[str, str]] = (),
        headers: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = errors
        self.headers = headers

    def document(self) -> dict[str, object]:
        """The answer's body."""
        errors = {"errors": [dict(error) for error in self.errors]} if self.errors else {}
        return {"message": self.message, **errors, "documentation_url": _DOCUMENTATION, "status": str(self.status)}


class UnprocessableError(RefusalError):
    """A refusal of the operations on reviews: sentences instead of fields."""

    def __init__(self, sentences: Sequence[str]) -> None:
        super().__init__(422, "Unprocessable Entity")
        self.sentences = sentences

    def document(self) -> dict[str, object]:
        """The answer's body."""
        return {**super().document(), "errors": list(self.sentences)}


def not_found() -> RefusalError:
    """It does not exist, or whoever asks may not know that it does."""
    return RefusalError(404, "Not Found")


def bad_credentials() -> RefusalError:
    """The token is none of ours."""
    return RefusalError(401, "Bad credentials")


def needs_token() -> RefusalError:
    """Nobody in particular asked for something that needs an account."""
    return RefusalError(401, "Requires authentication")


def not_for_this_token() -> RefusalError:
    """An installation's token lacks the permission."""
    return RefusalError(403, "Resource not accessible by integration")


def not_for_this_role() -> RefusalError:
    """A person's role is too low."""
    return RefusalError(403, "Must have admin rights to Repository.")


def locked() -> RefusalError:
    """The thread is locked for this account."""
    return RefusalError(403, "Unable to create comment because issue is locked.")


def invalid(resource: str, field: str, code: str, message: str = "") -> RefusalError:
    """A field's value breaks a rule."""
    said = {"message": message} if message else {}
    return RefusalError(422, "Validation Failed", [{"resource": resource, "field": field, "code": code, **said}])


def malformed(what: str) -> RefusalError:
    """The body is not what the operation takes; ``what`` is GitHub's sentence about it."""
    return RefusalError(422, f"Invalid request.\n\n{what}")
