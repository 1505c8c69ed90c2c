"""What a comment tells us to do: ``/apply 1,3``, ``/reject 4 not needed``, ``/gitclaw add a --json flag``.

A command starts a line of plain text. The text below it, up to the next command, belongs to it, as it was typed.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, assert_never

from gitclaw_py.core.command_lines import (
    CHANGE_VERBS,
    Apply,
    Change,
    Command,
    Help,
    Misplaced,
    Refine,
    Reject,
    Run,
    Show,
    Status,
    Undo,
    Unknown,
    is_exact,
    name_in,
    read_command,
)
from gitclaw_py.core.paragraphs import Place, TypedLine, lines_of, typed_lines

__all__ = [
    "CHANGE_VERBS",
    "LONGEST",
    "MOST",
    "Apply",
    "Change",
    "Command",
    "Help",
    "Misplaced",
    "Refine",
    "Reject",
    "Run",
    "Show",
    "Status",
    "Undo",
    "Unknown",
    "mentions_us",
    "read_commands",
    "read_loosely",
    "written",
]

LONGEST = 64 * 1024
"""Characters of a text that is read for commands: all that GitHub takes, https://github.com/dead-claudia/github-limits"""
MOST = 20
"""Commands in one comment; who writes more has pasted something."""
_CANDIDATE = re.compile(r"^[^\S\n]*(/[A-Za-z].*)", re.MULTILINE)
_TOO_MANY = f"A comment holds up to {MOST} commands, this one holds more; none of them was carried out"
_TOO_LONG = (
    "The comment has {:,} characters, and commands are read in comments of up to {:,}; write them in one of their own"
)
_INDENTED = "A command starts at the very beginning of its line, without spaces before it"
_HINTS = {
    Place.CONTINUED: "Leave an empty line above it: right below a quote or a list it is part of that",
    Place.HEADING: "Leave an empty line below it: the line of dashes made it a heading",
}


class _Start(NamedTuple):
    """Where a command begins and the line it is read from; with a hint it is not carried out."""

    number: int
    line: str
    hint: str = ""
    mentioned: bool = False


def mentions_us(text: str, mention: str | None = None) -> bool:
    """Whether it is worth parsing: some line starts like a command of ours, or the mention occurs."""
    lines = _CANDIDATE.finditer("\n".join(lines_of(text)))
    return any(name_in(line[1]) for line in lines) or _handle(mention).search(text) is not None


def read_commands(text: str, mention: str | None = None, longest: int = LONGEST) -> tuple[Command, ...]:
    """The commands of a comment, in order; none when it is not for us. Any text can be read.

    Args:
        text: the comment, in GitHub's Markdown.
        mention: a handle that addresses us anywhere in plain text, such as ``@my-bot``.
        longest: how many characters it may have; a longer one is for us or not, and is not read further.
    """
    if not mentions_us(text, mention):
        return ()
    if len(text) > longest:
        return (Misplaced("", _TOO_LONG.format(len(text), longest)),)
    lines = lines_of(text)
    starts = list(_starts(lines, _handle(mention)))
    if len(starts) > MOST:
        return (Misplaced(starts[MOST].line.strip(), _TOO_MANY),)
    ends = [*(start.number for start in starts[1:]), len(lines)]
    return tuple(_read(start, lines[start.number + 1 : end]) for start, end in zip(starts, ends, strict=False))


def read_loosely(text: str, mention: str | None = None, longest: int = LONGEST) -> tuple[Command, ...]:
    """What ``read_commands`` could find at most: every line that starts like a command, be it quoted or code.

    Each is read with all the text below it. No parser of Markdown is needed, and so nothing has to be installed first.
    """
    lines = lines_of(text[:longest])
    starts = (k for k, line in enumerate(lines) if name_in(line.lstrip()))
    slashed = (read_command(lines[k].lstrip(), "\n".join(lines[k + 1 :])) for k in starts)
    mentioned = (Run(text, mentioned=True),) if _handle(mention).search(text) else ()
    # A command without words is a tuple without items, and as such no truth.
    return (*(command for command in slashed if command is not None), *mentioned)


def written(command: Command) -> str:
    """The command as it would be typed; it reads as itself again."""
    text = ""
    match command:
        case Unknown(word, _) | Misplaced(word, _):
            return word
        case Run(text, _):
            line = "/gitclaw"
        case Change(verb, text):
            line = f"/gitclaw {verb}"
        case Reject(words, text) | Refine(words, text):
            line = " ".join([f"/{type(command).__name__.lower()}", *words])
        case Apply(words) | Undo(words):
            line = " ".join([f"/{type(command).__name__.lower()}", *words])
        case Show(words):
            line = " ".join(["/gitclaw show", *words])
        case Status() | Help():
            line = f"/gitclaw {type(command).__name__.lower()}"
        case _:
            assert_never(command)
    return f"{line}\n\n{text}" if text else line


def _read(start: _Start, below: Sequence[str]) -> Command:
    command = read_command(start.line, "\n".join(below))
    if start.hint or command is None:
        return Misplaced(start.line.strip(), start.hint)
    return command._replace(mentioned=True) if start.mentioned and isinstance(command, Run) else command


def _starts(lines: Sequence[str], handle: re.Pattern[str]) -> Iterator[_Start]:
    last: _Start | None = None
    for typed in typed_lines(lines):
        start = _slash(lines[typed.number], typed, last) or _mentioned(lines, typed, handle, last)
        if start is not None:
            yield (last := start)


def _slash(line: str, typed: TypedLine, last: _Start | None) -> _Start | None:
    """A command that starts with a slash, or a hint where one of ours would not be seen as one."""
    if not typed.text.lstrip().startswith("/"):
        return None
    if typed.place is not Place.PARAGRAPH:
        return _Start(typed.number, line, _HINTS[typed.place]) if is_exact(line) else None
    if line.startswith("/"):
        return _Start(typed.number, line) if name_in(line) else None
    text_of_last = last is not None and _keeps_text(last)
    return _Start(typed.number, line, _INDENTED) if is_exact(line.strip()) and not text_of_last else None


def _mentioned(lines: Sequence[str], typed: TypedLine, handle: re.Pattern[str], last: _Start | None) -> _Start | None:
    """A mention: as good as ``/gitclaw`` where it starts a line, else the whole paragraph is a request.

    In the text of another command it starts a request only at the beginning of a line.
    """
    found = handle.search(typed.text) if typed.place is Place.PARAGRAPH else None
    if found is None:
        return None
    kept = read_command(last.line, "text") if last is not None and _keeps_text(last) else None
    if found.start() == 0 and not isinstance(kept, Run):
        line = f"/gitclaw {lines[typed.number][found.end() :].lstrip(' :,')}"
        return _Start(typed.number, line, mentioned=True)
    if kept is not None:
        return None
    return _Start(max(typed.first - 1, last.number if last else -1), "/gitclaw", mentioned=True)


def _keeps_text(start: _Start) -> bool:
    return not start.hint and isinstance(read_command(start.line, "text"), Run | Reject | Refine | Change)


@lru_cache(maxsize=8)
def _handle(mention: str | None) -> re.Pattern[str]:
    """Finds the mention as a whole word: ``@my-bot``, not ``@my-bots``, ``@my-bot/team`` or ``me@my-bot.io``."""
    if not mention or not mention.strip():
        return re.compile(r"(?!)")
    return re.compile(rf"(?<![\w@/.+-]){re.escape(mention.strip())}(?![\w-]|[./@]\w)", re.IGNORECASE)
