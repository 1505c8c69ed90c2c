"""What a thread is told while an agent is at work. The gate says it, too, so that nothing here knows a state."""

from __future__ import annotations

from collections.abc import Sequence

from gitclaw_py.core.replies import marker
from gitclaw_py.core.replies.links import Links
from gitclaw_py.core.replies.markdown import code, link
from gitclaw_py.core.replies.marker import Marker

WORKING = "### Working on the request of"
"""How a progress comment begins while the run goes on."""


def working(requester: str, lines: Sequence[str], since: str, links: Links | None) -> list[str]:
    """The blocks of a progress comment: a line for each step, and since when it goes on."""
    log = f" · {link('live log', links.run)}" if links and links.run else ""
    return [
        f"{WORKING} {code(requester)}",
        "\n".join(lines),
        f"{since}{log} · stop with {code('/gitclaw cancel')}",
    ]


def begun(*, re: str, requester: str, links: Links | None = None) -> str:
    """A request was handed to a job that has an agent, and cannot tell by itself how it is getting on."""
    lines = ["- [x] saw the request", "- [ ] the agent gets ready and to work: the log says how far it is"]
    return "\n\n".join([*working(requester, lines, "Begun", links), marker.write(Marker("progress", re))])
