"""A pull request as the forge sees it, written from its documentation and not from the planner.

A comment is accepted only if its lines are on the RIGHT side of one and the same hunk of the diff; its block takes the
place of these lines of the head, split at LF. What a block is, a CommonMark parser of its own says.
https://docs.github.com/en/rest/pulls/reviews#create-a-review-for-a-pull-request
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any

from markdown_it import MarkdownIt

from tests.sandbox import Sandbox

KEYS = {"path", "line", "start_line", "side", "body"}
_HUNK = re.compile(rb"@@ -\d+(?:,(?P<old>\d+))? \+(?P<start>\d+)(?:,(?P<new>\d+))? @@")
_MARKDOWN = MarkdownIt("commonmark")
_MOST = 65_536


class RefusedError(Exception):
    """The forge answers 422."""


@lru_cache(maxsize=4096)
def block_of(body: str) -> list[str]:
    """The lines of the one suggestion block of a comment."""
    found = [t for t in _MARKDOWN.parse(body) if t.type == "fence" and t.info.split() == ["suggestion"]]
    if len(found) != 1:
        raise RefusedError(f"{len(found)} suggestion blocks")
    return found[0].content.split("\n")[:-1]


class Page:
    """What of a pull request the rules for comments are about."""

    def lines(self, path: str) -> Mapping[int, int]:
        """The lines of the new side that the diff shows, from 1, each with the number of its hunk."""
        raise NotImplementedError

    def text(self, path: str) -> bytes:
        """A file of the head."""
        raise NotImplementedError

    def accept(self, comment: dict[str, Any]) -> None:
        """Take a comment of a review.

        Raises:
            RefusedError: the whole review would be refused.
        """
        if not comment.keys() <= KEYS or comment["side"] != "RIGHT":
            raise RefusedError("keys")
        if len(comment["body"]) > _MOST:
            raise RefusedError("body is too long")
        shown = self.lines(comment["path"])
        last, first = comment["line"], comment.get("start_line", comment["line"])
        if last not in shown:
            raise RefusedError("thread line must be part of the diff")
        if "start_line" in comment and not first < last:
            raise RefusedError("start line must precede the end line")
        if shown.get(first) != shown[last]:
            raise RefusedError("start line must be part of the same hunk as the line")


def press(head: bytes, comments: Iterable[dict[str, Any]]) -> bytes:
    """A file after one press of "commit suggestions" for all of these comments on it."""
    chosen = sorted(comments, key=lambda comment: -comment["line"])
    text = head.decode().split("\n")
    above = len(text) + 1
    for comment in chosen:
        first = comment.get("start_line", comment["line"])
        if comment["path"] != chosen[0]["path"] or comment["line"] >= above:
            raise RefusedError("one suggestion per line")
        text[first - 1 : comment["line"]] = block_of(comment["body"])
        above = first
    return "\n".join(text).encode()


class PullRequest(Page):
    """``head`` into ``base``, both commits of ``sandbox``."""

    def __init__(self, sandbox: Sandbox, base: str, head: str) -> None:
        self.sandbox = sandbox
        self.base = base
        self.head = head
        self._shown: dict[str, dict[int, int]] = {}
        self._texts: dict[str, bytes] = {}

    @cached_property
    def names(self) -> dict[str, str]:
        """The files it changes, by their new names, with the old ones."""
        listed = self.sandbox.git("diff", "-z", "-M", "--name-status", f"{self.base}...{self.head}")
        fields = iter(listed.decode("utf-8", "surrogateescape").split("\0")[:-1])
        names = {}
        for status in fields:
            old = next(fields)
            names[next(fields) if status[0] in "RC" else old] = old
        return names

    def lines(self, path: str) -> Mapping[int, int]:
        if path not in self.names:
            return {}
        if path not in self._shown:
            both = sorted({path, self.names[path]})
            command = ("diff", "-U3", "-M", f"{self.base}...{self.head}", "--", *both)
            self._shown[path] = dict(_right_lines(self.sandbox.git(*command, GIT_LITERAL_PATHSPECS="1")))
        return self._shown[path]

    def text(self, path: str) -> bytes:
        if path not in self._texts:
            self._texts[path] = self.sandbox.git("cat-file", "blob", f"{self.head}:{path}")
        return self._texts[path]


def _right_lines(diff: bytes) -> Iterator[tuple[int, int]]:
    lines = iter(diff.split(b"\n"))
    hunk = 0
    for line in lines:
        found = _HUNK.match(line)
        if not found:
            continue
        hunk += 1
        old, new = int(found["old"] or 1), int(found["new"] or 1)
        number = int(found["start"])
        while old or new:
            sign = next(lines)[:1]
            old -= sign in (b" ", b"-")
            if sign in (b" ", b"+"):
                yield number, hunk
                number, new = number + 1, new - 1
