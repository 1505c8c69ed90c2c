r"""Text as it is: what a terminal would obey or hide, and what looks like something else, is written out.

Hidden are Unicode's format, line and paragraph separator, control (but tab and newline), private and unassigned
characters, lone surrogates, variation selectors, tags, and the few letters and signs that show as nothing. Looking like
something else are the letters of another script inside a word of Latin ones. https://trojansource.codes/ and
https://www.unicode.org/reports/tr39/#Mixed_Script_Detection
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f]")
_BLANK = "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
"""What counts as a letter, a mark or a sign and shows as nothing."""
_ODD = r"[^\t -~]"
_SPACES = frozenset(("Zs",))
_ALIKE = (
    "\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff\u1c80-\u1c8f\u1d26-\u1d2b\u1f00-\u1fff\u2c80-\u2cff"
    "\u2de0-\u2dff\ua4d0-\ua4ff\ua640-\ua69f\uab65\uab70-\uabbf\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff"
)
"""Greek, Cyrillic, Armenian, Cherokee, Coptic and Lisu, full-width Latin and letters of mathematics."""
_FOREIGN = f"[{_ALIKE}]"
_WORD = r"\w+"
_LATIN = "[A-Za-z\u00c0-\u024f]"
# Most texts are ASCII: what is only looked for in others is compiled when the first of them comes.


def visible(text: str) -> str:
    r"""``text`` with every control and invisible character as an escape such as ``\x1b`` or ``\u{202E}``."""
    if text.isascii():
        return _CONTROL.sub(lambda found: _escape(found[0]), text)
    if text.isprintable() and not re.search(_BLANK, text):
        return text
    return re.sub(_ODD, lambda found: _escape(found[0]) if is_hidden(found[0]) else found[0], text)


def is_hidden(character: str) -> bool:
    """Whether a character shows as nothing, or acts on what stands around it."""
    if character.isprintable():
        return re.fullmatch(_BLANK, character) is not None
    return character != "\t" and unicodedata.category(character) not in _SPACES


def as_code(text: str) -> str:
    r"""``visible``, and letters of another script in a word of Latin ones are escapes too: ``p\u{0430}ypal``."""
    if text.isascii() or not re.search(_FOREIGN, text):
        return visible(text)
    return visible(re.sub(_WORD, lambda word: _spelled(word[0]), text))


def _spelled(word: str) -> str:
    return re.sub(_FOREIGN, lambda found: _escape(found[0]), word) if re.search(_LATIN, word) else word


def deceptive(text: str) -> Iterator[tuple[int, str]]:
    """What ``as_code`` would escape in a text of several lines: where it is, and the character; newlines are none."""
    if text.isascii() and not _CONTROL.search(text.replace("\n", "")):
        return
    odd = ((found.start(), found[0]) for found in re.finditer(_ODD, text))
    yield from ((at, character) for at, character in odd if character != "\n" and is_hidden(character))
    if not text.isascii() and re.search(_FOREIGN, text):
        for word in re.finditer(_WORD, text):
            if re.search(_LATIN, word[0]):
                yield from ((word.start() + found.start(), found[0]) for found in re.finditer(_FOREIGN, word[0]))


def inert(text: str) -> str:
    """Text for a commit's message, where a forge and its checks would act on it.

    It names nobody, refers to no issue (which "fixes" would close), has no address, and skips no check.
    https://docs.github.com/en/actions/how-tos/manage-workflow-runs/skip-workflow-runs
    """
    text = _TOLD.sub(lambda found: f"{found[0]} ", text)
    return re.sub(_SKIPS, r"(\1)", text) if "[" in text else text


_TOLD = re.compile(r"@(?=[A-Za-z0-9_])|#(?=[0-9])|(?i:gh-)(?=[0-9])|:(?=//)|(?i:\bskip-checks)(?=:)|\*\*(?=\*NO_CI)")
_SKIPS = r"\[((?i:skip|ci|no|actions)[ -](?i:skip|ci|actions))\]"


def harmless(text: str) -> str:
    """Lines for the log of a workflow, where they can command the runner nothing.

    The runner obeys lines that start with two colons, after any space, and its older form anywhere in a line.
    https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
    """
    return "\n".join(map(_uncommanding, map(visible, text.split("\n"))))


def _uncommanding(line: str) -> str:
    shown = line.replace("##[", "## [")
    return f"| {shown}" if shown.lstrip().startswith("::") else shown


def visible_bytes(data: bytes) -> str:
    r"""Bytes to read: UTF-8 as text, every other byte as an escape such as ``\xe9``."""
    return as_code(data.decode("utf-8", "backslashreplace"))


def visible_path(path: bytes) -> str:
    """A path on one line, tabs escaped too."""
    return visible_bytes(path).replace("\t", "\\t")


def code_point(character: str) -> str:
    """The name of a character in a sentence: ``U+202E``."""
    return f"U+{ord(character):04X}"


def _escape(character: str) -> str:
    code = ord(character)
    return rf"\x{code:02x}" if code < 0x80 else rf"\u{{{code:04X}}}"  # noqa: PLR2004 - the end of ASCII
