"""Which known word was meant by one that is nearly it."""

from __future__ import annotations

from collections.abc import Iterable

_SHORTEST = 4


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that ``word`` is, or is one slip of the hand away from; None when there is none.

    A slip is one letter too many, missing, wrong or swapped with its neighbour. Known words under four letters
    have no slips: too many others are as near.
    """
    known = tuple(known)
    if word in known:
        return word
    return next((other for other in known if len(other) >= _SHORTEST and _one_slip(word, other)), None)


def _one_slip(a: str, b: str) -> bool:
    if abs(len(a) - len(b)) > 1:
        return False
    at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    rest_a, rest_b = a[at:], b[at:]
    swapped = rest_a[:2] == rest_b[1::-1] and rest_a[2:] == rest_b[2:]
    return swapped or rest_a[1:] == rest_b[1:] or rest_a[1:] == rest_b or rest_a == rest_b[1:]
