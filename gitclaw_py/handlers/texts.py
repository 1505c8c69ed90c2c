"""Reading both sides of a suggestion, for showing it."""

from __future__ import annotations

from gitclaw_py.core.render import Texts
from gitclaw_py.core.suggestions import SUBMODULE, Kind, Suggestion
from gitclaw_py.ports.engine import Session


def texts(session: Session) -> Texts:
    """Reads both sides of a suggestion; nothing for a submodule, a file that stays as it is, or one with a secret."""

    def read(s: Suggestion) -> tuple[bytes, bytes]:
        if s.secret:
            return b"", b""
        sides = (s.old, None if s.groups or s.kind in (Kind.MODE, Kind.RENAME) else s.new)
        old, new = (session.text(e.oid) if e and e.mode != SUBMODULE else b"" for e in sides)
        return old, new

    return read
