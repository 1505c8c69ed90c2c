"""A file of thirty lines, and an agent that edits it in two places that are apart."""

from __future__ import annotations

TEXT = "".join(f"line {k}\n" for k in range(1, 31))
EDIT = "sed -i 's/^line 3$/LINE 3/; s/^line 20$/LINE 20/' a.txt"


def changed(*lines: int, text: str = TEXT) -> str:
    """The text with these lines in capitals."""
    for k in lines:
        text = text.replace(f"line {k}\n", f"LINE {k}\n")
    return text
