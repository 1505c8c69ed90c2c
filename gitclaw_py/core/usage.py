"""What a run used of its model: tokens and money, as far as they are known."""

from collections.abc import Iterable
from typing import NamedTuple

_THOUSAND = 1000
_CENTS = 0.01


class Usage(NamedTuple):
    """Tokens read and written, all models and requests together, and US dollars; None where that is not known."""

    read: int | None = None
    written: int | None = None
    dollars: float | None = None


UNKNOWN = Usage()


def total(used: Iterable[Usage]) -> Usage:
    """Of several runs; what is not known of one is not known of all."""
    read, written, dollars = UNKNOWN
    columns = list(zip(*used, strict=True))
    if columns:
        read, written, dollars = (None if None in column else sum(column) for column in columns)
    return Usage(read, written, dollars)


def words(usage: Usage) -> str:
    """``12.3k tokens in, 840 out · $0.04``, with "unknown" for what is not known."""
    if usage == UNKNOWN:
        return "tokens and cost unknown"
    tokens = f"{_count(usage.read)} tokens in, {_count(usage.written)} out"
    if usage.read is None and usage.written is None:
        tokens = "tokens unknown"
    return f"{tokens} · {_money(usage.dollars)}"


def document(usage: Usage) -> dict[str, int | float | None]:
    """The same for a program; null for what is not known."""
    return {"input_tokens": usage.read, "output_tokens": usage.written, "cost_usd": usage.dollars}


def _count(tokens: int | None) -> str:
    if tokens is None:
        return "unknown"
    return f"{tokens / _THOUSAND:.1f}k" if tokens >= 10 * _THOUSAND else str(tokens)


def _money(dollars: float | None) -> str:
    if dollars is None:
        return "cost unknown"
    return f"${dollars:.2f}" if dollars >= _CENTS or not dollars else f"${dollars:.4f}"
