"""Names that are handed to git: object ids, branches, and refs of ours.

Whatever they come from, git reads nothing else in them.
"""

from __future__ import annotations

import re

_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NEVER = r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|\Z)"
_LONGEST = 255


def is_oid(text: str) -> bool:
    """Whether it is a full object id, of either kind."""
    return _OID.fullmatch(text) is not None


def is_branch(name: str) -> bool:
    """Whether a branch can be called that: so it is no option, no refspec and no other revision.

    https://git-scm.com/docs/git-check-ref-format
    """
    if not name or len(name) > _LONGEST or name == "@" or name[0] in "-./" or name[-1] in "./":
        return False
    return re.search(_NEVER, name) is None


def state_ref(thread: int) -> str:
    """The ref of a thread's state."""
    return f"refs/gitclaw/threads/{thread}"
