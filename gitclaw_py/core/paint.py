"""Text for a terminal: in its colours, and nothing in it that a terminal would obey."""

from collections.abc import Callable

Paint = Callable[[str, str], str]
"""From a style and a text to the text in that style."""

_STYLES = {"red": "31", "green": "32", "yellow": "33", "cyan": "36", "bold": "1", "dim": "2"}


def coloured(style: str, text: str) -> str:
    """For a terminal."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if text else text


def plain(style: str, text: str) -> str:  # noqa: ARG001 - the other side of ``coloured``
    """For a pipe."""
    return text


def safe(text: str) -> str:
    """Text from elsewhere, fit for a line of output."""
    from gitclaw_py.core.visible import visible  # every command has a terminal, and most say nothing of elsewhere

    return visible(" ".join(text.split()))
