"""Which words of a command are numbers: ``1,3``, ``1 and 3``, ``1-3``, ``2.1``, ``2.1a``, ``3.mode``, ``all but 4``.

Nothing here knows whether there are such numbers: the gate reads commands before there is a state.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

DASHES = "\u2013\u2212-"
"""The hyphen, and what phones and word processors make of it: the en dash and the minus sign."""
SPACED = re.compile(rf"\s*[{DASHES}]\s*")
"""What stands between the two ends of a range."""
TERM = re.compile(
    r"(?P<number>[0-9]{1,9})(?:\.(?:(?P<group>[0-9]{1,9})(?P<letters>[a-z]{1,6})?|(?P<word>mode|rename)))?"
)
"""One number, of a suggestion or of a part of it."""


def with_reason(words: Sequence[str]) -> tuple[Sequence[str], str]:
    """The words that name numbers, and the rest, which says why: ``4 still used``, ``all except 2 not needed``.

    Without a reason, or before a colon, all words are numbers; else only the first is, and what a comma, ``and`` or
    ``except`` joins to it: ``4 3 times the same`` turns down 4. The colon is left out. A last word with blanks in it,
    as only a shell passes one, is the reason.
    """
    if len(words) > 1 and " " in words[-1].strip() and _is_selection(words[:-1]):
        return words[:-1], words[-1]
    colon = next((k for k, word in enumerate(words) if word.endswith(":")), None)
    if colon is not None and _is_selection(named := [*words[:colon], words[colon][:-1]]):
        return named, " ".join(words[colon + 1 :])
    if _is_selection(words):
        return words, ""
    cut = 1 if words[0] == "all" or _is_numbers(words[0]) else 0
    while cut and (step := _step(words, cut)):
        cut += step
    return words[:cut], " ".join(words[cut:])


def _is_selection(words: Sequence[str]) -> bool:
    return all(
        _is_numbers(word) or word in ("all", "except", *DASHES) or _is_joint(words, k) for k, word in enumerate(words)
    )


def _step(words: Sequence[str], at: int) -> int:
    """How many words from there on are joined to the one before."""
    if at < len(words) and words[at - 1].endswith(",") and _is_numbers(words[at]):
        return 1
    return 2 if _is_joint(words, at) else 0


def _is_joint(words: Sequence[str], at: int) -> bool:
    """Whether the word there joins the numbers around it: ``1 and 3``, ``all except 2``."""
    if not 0 < at < len(words) - 1 or not _is_numbers(words[at + 1]):
        return False
    before, word = words[at - 1], words[at]
    match word:
        case "and" | "&":
            return _is_numbers(before)
        case "but":
            return before == "all"
        case "except":
            return before == "all" or _is_numbers(before)
        case _:
            return word in DASHES


def _is_numbers(word: str) -> bool:
    pieces = [piece for piece in word.split(",") if piece]
    return bool(pieces) and all(map(_is_term_or_range, pieces))


def _is_term_or_range(piece: str) -> bool:
    return all(TERM.fullmatch(end) for end in SPACED.split(piece, 1))
