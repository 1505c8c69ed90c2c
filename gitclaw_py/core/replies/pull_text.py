"""The text of a pull request that we open: the repository's own template, with what is in it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitclaw_py.core.replies.fitting import size
from gitclaw_py.core.replies.markdown import code, quoted, table
from gitclaw_py.core.replies.said import in_span
from gitclaw_py.core.replies.wording import change, path
from gitclaw_py.core.state import State, applied_by

TEMPLATES = (
    b".github/PULL_REQUEST_TEMPLATE.md",
    b".github/pull_request_template.md",
    b"docs/PULL_REQUEST_TEMPLATE.md",
    b"docs/pull_request_template.md",
    b"PULL_REQUEST_TEMPLATE.md",
    b"pull_request_template.md",
    b".gitclaw/pull_request_template.md",
)
"""Where a template may be, the first that is there.

https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/creating-a-pull-request-template-for-your-repository
"""
_BUILT_IN = "## Summary\n"
_MOST = 60_000
_ROWS = 100
_REQUEST = 4_000
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_PLACE = re.compile(
    r"^#{1,6}[ \t].*\b(?:summary|description|changes?|what|overview)\b.*$", re.IGNORECASE | re.MULTILINE
)


def pull_text(state: State, branch: str, thread: int, *, template: str | None = None, request: str = "") -> str:
    """The template with a table of what the branch has, below its first fitting heading, else above everything.

    ``request`` are words of who asked for the pull request.
    """
    rows = list(_rows(state, branch))
    lines = table(["#", "File", "Change", "Why", "Applied by"], rows[:_ROWS]) if rows else []
    more = f"And {len(rows) - _ROWS} more, listed in #{thread}." if len(rows) > _ROWS else ""
    said = quoted(request, _REQUEST) if request.strip() else ""
    own = "\n\n".join(block for block in (said, "\n".join(lines), more, f"Refs #{thread}") if block)
    return _filled(template if template and template.strip() else _BUILT_IN, own)


def _rows(state: State, branch: str) -> Sequence[list[str]]:
    owners = applied_by(state)
    found = []
    for s in state.suggestions:
        by = [state.decisions[owners[part]] for part in s.parts if part in owners]
        by = [decision for decision in by if decision.branch == branch]
        if by:
            why = s.reason or next((g.reason for g in s.groups if g.reason), None)
            people = ", ".join(code(name) for name in dict.fromkeys(decision.actor for decision in by))
            found.append([str(s.number), path(s), change(s), in_span(why) if why else "", people])
    return found


def _filled(template: str, own: str) -> str:
    text = template.replace("\r\n", "\n").strip("\n")
    hidden = [found.span() for found in _COMMENT.finditer(text)]
    places = (found.end() for found in _PLACE.finditer(text) if not any(a <= found.start() < b for a, b in hidden))
    place = next(places, 0)
    before, after = text[:place].rstrip(), text[place:].strip("\n")
    whole = "\n\n".join(block for block in (before, own, after) if block) + "\n"
    if size(whole) <= _MOST:
        return whole
    return own + "\n"
