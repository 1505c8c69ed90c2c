"""A plan as text for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitclaw_py.core.paint import Paint
from gitclaw_py.core.review.blocks import suggestion_blocks
from gitclaw_py.core.review.plan import WORDS, Comment, Plan
from gitclaw_py.core.visible import visible_path


def document(plan: Plan) -> dict[str, Any]:
    """The plan for a program; a comment has just the keys that the API takes, and its numbers."""
    return {
        "comments": [_comment(comment) for comment in plan.comments],
        "fallbacks": [{"number": f.number, "path": _path(f.path), "reason": f.reason.value} for f in plan.fallbacks],
    }


def _comment(comment: Comment) -> dict[str, Any]:
    start = {"start_line": comment.start_line} if comment.start_line is not None else {}
    place = {"path": _path(comment.path), "line": comment.line, **start, "side": comment.side}
    return {**place, "body": comment.body, "numbers": list(comment.numbers)}


def _path(path: bytes) -> str:
    """The name as the API takes it; bytes that are not UTF-8 are escaped, and never in a comment."""
    try:
        return path.decode()
    except UnicodeDecodeError:
        return visible_path(path)


def lines(plan: Plan, paint: Paint) -> Iterator[str]:
    """The plan for people."""
    if not plan.comments and not plan.fallbacks:
        yield "Nothing to plan: no changes."
        return
    yield paint("bold", f"{_count(len(plan.comments), 'comment')}, {_count(len(plan.fallbacks), 'fallback')}")
    for comment in plan.comments:
        yield ""
        yield paint("bold", _place(comment)) + f"  {', '.join(comment.numbers)}"
        yield from _block(comment, paint)
    if plan.fallbacks:
        yield ""
    for f in plan.fallbacks:
        line = f":{f.line}" if f.line else ""
        yield paint("yellow", f.number) + f"  {visible_path(f.path)}{line}  {f.reason}: {WORDS[f.reason]}"


def _block(comment: Comment, paint: Paint) -> Iterator[str]:
    block = suggestion_blocks(comment.body)[0]
    for line in block:
        yield paint("green", f"   {line}".rstrip())
    if not block:
        yield paint("dim", "   (deleted)")


def _place(comment: Comment) -> str:
    first = f"{comment.start_line}-" if comment.start_line is not None else ""
    return f"{visible_path(comment.path)}:{first}{comment.line}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}" + ("" if number == 1 else "s")
