"""The summary of a run of Actions: a page of Markdown that whoever may see the run may read."""

from __future__ import annotations

from pathlib import Path

_MOST = 1_000_000
"""Bytes. Of a step that writes more than 1 MiB, GitHub shows nothing.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#step-isolation-and-limits
"""
_CUT = "\n\nThe rest is longer than what GitHub shows here.\n"


class JobSummary:
    """Adds to the file that ``GITHUB_STEP_SUMMARY`` names; without a name nothing is kept."""

    def __init__(self, path: str | None) -> None:
        self._path = Path(path) if path else None

    def add(self, text: str) -> None:
        """Add Markdown, cut at the end of a line where there is no room for all of it."""
        if self._path is None:
            return
        taken = self._path.stat().st_size if self._path.exists() else 0
        room = _MOST - taken - len(_CUT)
        data = f"{text.rstrip()}\n\n".encode()
        if len(data) > room:
            # What was cut may have been inside of a fence: the end of the page closes it.
            data = data[: max(room, 0)].rpartition(b"\n")[0] + _CUT.encode()
        with self._path.open("ab") as file:
            file.write(data)
