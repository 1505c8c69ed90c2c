"""The words of a review comment: why, the block with the button, and how else to decide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitclaw_py.core.replies.markdown import code, fence
from gitclaw_py.core.replies.said import in_span
from gitclaw_py.core.review import mark
from gitclaw_py.core.review.landing import Unit
from gitclaw_py.core.review.mark import Mark
from gitclaw_py.core.review.sheet import Block

_MOST_REASONS = 5
_MOST_NAMES = 20


def body(units: Sequence[Unit], block: Block, found: Mark) -> str:
    """The body of a comment that takes ``units``."""
    return "\n\n".join([*_reasons(units), suggestion(block), _ways(found.numbers) + "\n" + mark.write(found)])


def suggestion(block: Block) -> str:
    """The block itself. Without a line in it, it is a deletion; one empty line would be an empty line."""
    return fence(block, "suggestion") if block else "```suggestion\n```"


def _reasons(units: Iterable[Unit]) -> list[str]:
    reasons = dict.fromkeys(why for unit in units if (why := unit.group.reason or unit.suggestion.reason))
    return [in_span(why) for why in list(reasons)[:_MOST_REASONS]]


def _ways(numbers: Sequence[str]) -> str:
    """How to take it: with the button, or by its number."""
    shown = ", ".join(numbers[:_MOST_NAMES])
    more = f" and {len(numbers) - _MOST_NAMES} more" if len(numbers) > _MOST_NAMES else ""
    if len(numbers) == 1:
        return f"**{shown}** · the button takes it, or write {code(f'/apply {shown}')} · {code(f'/reject {shown}')}"
    one = numbers[0]
    together = f"**{shown}**{more} · they are next to each other, so the button takes them together"
    return f"{together}; one by one with {code(f'/apply {one}')} · {code(f'/reject {one}')}"
