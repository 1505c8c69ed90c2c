"""How a person takes a change that is never applied for them: one line for a shell, that merges and loses nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gitclaw_py.core.paths import objection
from gitclaw_py.core.policy import is_of_workflows
from gitclaw_py.core.state import Proposal, State
from gitclaw_py.core.suggestions import SUBMODULE, Suggestion

_BARE = rb"[0-9A-Za-z_./][0-9A-Za-z_./+=@%-]*"
_SHOWN = frozenset(range(0x20, 0x7F)) - set(b"'\\")
_QUOTABLE = rb"[ -&(-~]+"


def command(state: State, s: Suggestion, remote: str | None = None) -> str | None:
    """The command, to be given at the top of a clone; None where there is nothing to take.

    With ``remote``, an address, the proposal is fetched from there first: it is on the thread's own ref.
    """
    entries = [entry for entry in (s.old, s.new) if entry]
    paths = dict.fromkeys((s.old_path, s.path))
    if s.secret or any(entry.mode == SUBMODULE for entry in entries) or any(map(objection, paths)):
        return None
    named = " ".join(map(_quoted, paths))
    fetch = f"git fetch {remote} refs/gitclaw/threads/{state.thread} && " if remote else ""
    literal = "--literal-pathspecs " if any(set(b":*?[\\").intersection(path) for path in paths) else ""
    before, after = _sides(state.proposal(s.proposal), paths)
    made = f"git {literal}diff-tree -p --binary -M --full-index {before} {after} -- {named}"
    return f"{fetch}{made} | git apply --3way"


def _sides(proposal: Proposal, paths: Iterable[bytes]) -> tuple[str, str]:
    """The two trees between which the change is."""
    if proposal.apart and is_of_workflows(*paths):
        return f"{proposal.apart}:before", f"{proposal.apart}:after"
    return proposal.base, proposal.commit


def _quoted(path: bytes) -> str:
    """A name as a word of a shell: as it is, in quotes, or byte by byte as bash reads it."""
    if re.fullmatch(_BARE, path):
        return path.decode("ascii")
    if re.fullmatch(_QUOTABLE, path):
        return f"'{path.decode('ascii')}'"
    inside = (chr(byte) if byte in _SHOWN else f"\\{byte:03o}" for byte in path)
    return f"$'{''.join(inside)}'"
