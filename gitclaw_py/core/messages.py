"""Messages: of the commits we make, with trailers that a program finds, and about what was left undone."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gitclaw_py.core.selection import compact
from gitclaw_py.core.state import State
from gitclaw_py.core.suggestions import Suggestion, with_parts
from gitclaw_py.core.visible import inert, visible, visible_path
from gitclaw_py.errors import ConflictError

STAYS = "was there before it was applied, and stays"
STAYS_IN_FILES = "was in your files before it was applied, and stays there"
_SUBJECT = 72
_MOST_LINES = 20


class Credit(NamedTuple):
    """What a commit says beside what it does: its first line, what it refers to, and trailers such as a co-author.

    With the ``title`` of a thread, the first line is a conventional one, made of the request that it answers, or of
    the title where it answers several.
    """

    subject: str | None = None
    title: str | None = None
    refers: str | None = None
    trailers: tuple[str, ...] = ()


def proposal_message(number: int, command: Sequence[str]) -> str:
    """The message of a proposal's own commit, which no branch holds."""
    return f"gitclaw: proposal {number}\n\n{' '.join(command)}\n"


def landing_message(state: State, parts: Sequence[str], *, undo: bool, credit: Credit) -> str:
    """The message of the commit that applies ``parts``, or takes them back."""
    numbers = compact(state, parts)
    touched = with_parts(state.suggestions, parts)
    first = credit.subject or _subject(numbers, touched, undo=undo)
    if credit.title is not None:
        from gitclaw_py.core import conventional  # only for what was asked for in a thread of the forge

        asked = _request(state, touched) or credit.title
        first = conventional.subject([s.path for s in touched], asked, numbers, undo=undo)
    lines = [first, ""]
    lines += [f"- {_described(s)}" for s in touched[:_MOST_LINES]]
    if len(touched) > _MOST_LINES:
        lines.append(f"- and {len(touched) - _MOST_LINES} more files")
    kind = "Gitclaw-Undone" if undo else "Gitclaw-Applied"
    if credit.refers:
        lines += ["", f"Refs {credit.refers}"]
    lines += ["", f"Gitclaw-Thread: {visible(state.thread)}", f"{kind}: {numbers}", *credit.trailers, ""]
    return "\n".join(lines)


def _request(state: State, touched: Sequence[Suggestion]) -> str:
    """What was asked for in words, when it was one thing: the last word of the command of a thread's proposals."""
    asked = {state.proposal(s.proposal).command[-1] for s in touched}
    return asked.pop() if len(asked) == 1 else ""


def _subject(numbers: str, touched: Sequence[Suggestion], *, undo: bool) -> str:
    verb = "Take back" if undo else "Apply"
    plural = "s" if "," in numbers else ""
    long = f"{verb} suggestion{plural} {numbers} in {_names(touched)}"
    short = f"{verb} suggestion{plural} {numbers}"
    return next((line for line in (long, short) if len(line) <= _SUBJECT), f"{verb} {len(touched)} suggestions")


def _names(touched: Iterable[Suggestion]) -> str:
    return ", ".join(inert(visible_path(s.path.rpartition(b"/")[2])) for s in touched)


def _described(s: Suggestion) -> str:
    path = visible_path(s.path)
    why = s.reason or next((g.reason for g in s.groups if g.reason), None)
    return inert(f"{path}: {why}" if why else path)


def left_by_crash(path: bytes) -> str:
    """A file could not be brought to where its branch is, after a command was cut off in between."""
    return f"the last command was cut off; {visible_path(path)} has edits of yours and was left as it is: see git diff"


def half_done(ref: str | None, cause: str) -> ConflictError:
    """The branch has moved, the files have not, or not all of them."""
    where = f"The commit is on {ref.removeprefix('refs/heads/')}, but your" if ref else "Your"
    return ConflictError(
        "STATE_CONFLICT",
        f"{where} files could not be brought there: {cause}",
        "see to that, then give any gitclaw command: it finishes this one first",
    )


def dropped(numbers: str, ref: str) -> str:
    """A command was cut off before its commit was on the branch, or the branch has lost it since."""
    branch = ref.removeprefix("refs/heads/")
    return f"the last command was cut off, and its commit is not on {branch}; not counted as decided: {numbers}"


def unfinished(cause: str) -> str:
    """A command was cut off, and cannot be finished yet."""
    return f"the last command was cut off and cannot be finished yet: {cause}"
