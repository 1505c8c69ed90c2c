"""What GitHub's refusals mean for a person."""

from __future__ import annotations

from gitclaw_py.core.pacing import Failure
from gitclaw_py.errors import ConflictError, GitclawError, InternalError, RefusedError

_PROTECTED = (
    "protected branch",
    "protected ref",
    "repository rule",
    "ruleset",
    "through a pull request",
    "gh006",
    "gh013",
)
_MOVED = ("not a fast forward", "expected branch to point to")
_EXISTS = ("already exists",)
_NO_ANCHOR = (
    "must be part of the diff",
    "must be part of the same hunk",
    "must precede the end line",
    "hunk can't be blank",
    "review thread path is invalid",
    "review_thread.path is invalid",
    "path diff too large",
    "line could not be resolved",
    "path could not be resolved",
)
"""A comment of a review is not on the diff, in GitHub's older and newer words.

https://github.com/parkerbxyz/suggest-changes/issues/28, https://github.com/villesau/ai-codereviewer/issues/34
"""
_PENDING = "only have one pending review"
_LOCKED = "lock prevents review"
_DENIED = (401, 403, 404, 410, 451)
_CONFLICT = 409


def refusal(doing: str, failure: Failure) -> GitclawError:
    """The error for an answer that says no.

    Returns:
        ``BRANCH_PROTECTED``, ``BRANCH_EXISTS``, ``STATE_CONFLICT``, ``PERMISSION_DENIED`` or ``TOO_LARGE``, with
        GitHub's own words in the details; ``INTERNAL`` for a request that GitHub does not understand.
    """
    known = said(doing, failure.text)
    if known is not None:
        return known
    if failure.status in _DENIED:
        return denied(doing, failure)
    if failure.status == _CONFLICT:
        return moved(doing, failure.text)
    next_step = "see what GitHub says; report it if it makes no sense"
    return InternalError("INTERNAL", f"GitHub would not {doing}", next_step, _words(failure))


def said(doing: str, text: str) -> GitclawError | None:
    """The error that GitHub's words alone tell, None when they tell none."""
    found = text.lower()
    if any(word in found for word in _PROTECTED):
        return protected(doing, text)
    if any(word in found for word in _EXISTS):
        return exists(doing, text)
    if any(word in found for word in _MOVED):
        return moved(doing, text)
    if "too long" in found:
        return RefusedError("TOO_LARGE", f"Could not {doing}: the text is too long", "make it shorter", (text,))
    if "not accessible" in found or "workflows` permission" in found:
        return denied(doing, Failure(403, text))
    return _said_of_review(doing, text)


def _said_of_review(doing: str, text: str) -> GitclawError | None:
    found = text.lower()
    if any(word in found for word in _NO_ANCHOR):
        what = f"Could not {doing}: the pull request's diff is not what it was taken for"
        return RefusedError("INVALID_DIFF", what, "read the diff again", (text,))
    if _PENDING in found:
        what = f"Could not {doing}: a review of the same account is still pending"
        return ConflictError("STATE_CONFLICT", what, "delete it first", (text,))
    if _LOCKED in found:
        what = f"Could not {doing}: the conversation is locked"
        return RefusedError("PERMISSION_DENIED", what, "unlock it, or go on by the numbers", (text,))
    return None


def protected(doing: str, text: str) -> RefusedError:
    """``BRANCH_PROTECTED``: a rule of the repository forbids the move of a ref."""
    return RefusedError(
        "BRANCH_PROTECTED", f"Could not {doing}: a rule protects the branch", "use a pull request", (text,)
    )


def exists(doing: str, text: str) -> ConflictError:
    """``BRANCH_EXISTS``: there is a branch, or a pull request of it, of that name."""
    what = f"Could not {doing}: it exists"
    return ConflictError("BRANCH_EXISTS", what, "take another name, or use what is there", (text,))


def moved(doing: str, text: str) -> ConflictError:
    """``STATE_CONFLICT``: a ref is no longer where it was."""
    return ConflictError("STATE_CONFLICT", f"Could not {doing}: it was changed meanwhile", "try again", (text,))


def denied(doing: str, failure: Failure) -> RefusedError:
    """``PERMISSION_DENIED``: GitHub also says "Not Found" of what a token may not see.

    https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#404-not-found-for-an-existing-resource
    """
    what = f"GitHub did not let gitclaw {doing}"
    return RefusedError(
        "PERMISSION_DENIED", what, "see what the token may do, and whether it is there", _words(failure)
    )


def unreachable(doing: str, failure: Failure) -> GitclawError:
    """``FORGE_UNAVAILABLE``: no answer, or only that it is too busy; it may have happened all the same."""
    if failure.is_limit:
        what = f"Could not {doing}: GitHub's limit of requests is reached"
    else:
        what = f"Could not {doing}: GitHub does not answer"
    return GitclawError("FORGE_UNAVAILABLE", what, "try again in some minutes", _words(failure))


def _words(failure: Failure) -> tuple[str, ...]:
    status = "" if failure.status is None else f"{failure.status} "
    return (f"{status}{failure.text}".strip(),) if failure.text or status else ()
