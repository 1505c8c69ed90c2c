"""What a plan of a review is: comments that say exactly what was proposed, and a reason for everything else."""

from enum import StrEnum
from typing import NamedTuple


class Reason(StrEnum):
    """Why a change is no comment with a button. It can be applied by its number all the same."""

    OUT_OF_DIFF = "out_of_diff"
    CROSS_HUNK = "cross_hunk"
    NO_ANCHOR = "no_anchor"
    EOF_NEWLINE_ADDED = "eof_newline_added"
    EOF_NEWLINE_REMOVED = "eof_newline_removed"
    CARRIAGE_RETURN = "carriage_return"
    INVISIBLE_CHARACTERS = "invisible_characters"
    NOT_TEXT = "not_text"
    BINARY = "binary"
    TOO_LARGE = "too_large"
    OVERLAP = "overlap"
    NO_OP = "no_op"
    NEW_FILE = "new_file"
    DELETED_FILE = "deleted_file"
    RENAMED = "renamed"
    MODE_ONLY = "mode_only"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    BLOCKED = "blocked"
    SENSITIVE = "sensitive"
    CONFLICT = "conflict"
    ALREADY_THERE = "already_there"
    SELF_CHECK = "self_check"


WORDS = {
    Reason.OUT_OF_DIFF: "these lines are not part of the pull request's diff",
    Reason.CROSS_HUNK: "it goes from one hunk of the pull request's diff into another",
    Reason.NO_ANCHOR: "there is no line that a comment could stand at",
    Reason.EOF_NEWLINE_ADDED: "it adds the newline at the end of the file",
    Reason.EOF_NEWLINE_REMOVED: "it removes the newline at the end of the file",
    Reason.CARRIAGE_RETURN: "the file has carriage returns, which a comment may lose",
    Reason.INVISIBLE_CHARACTERS: "there are characters in it that do not show",
    Reason.NOT_TEXT: "its bytes are not UTF-8",
    Reason.BINARY: "it is a binary file",
    Reason.TOO_LARGE: "it is too large for a comment",
    Reason.OVERLAP: "another suggestion is about the same lines",
    Reason.NO_OP: "it changes nothing",
    Reason.NEW_FILE: "it is a new file",
    Reason.DELETED_FILE: "it deletes the file",
    Reason.RENAMED: "it renames the file",
    Reason.MODE_ONLY: "it changes whether the file is executable",
    Reason.SYMLINK: "it is about a symbolic link",
    Reason.SUBMODULE: "it is about a submodule",
    Reason.BLOCKED: "nobody may apply it here",
    Reason.SENSITIVE: "it is only taken by its own number",
    Reason.CONFLICT: "the pull request has changed these lines since",
    Reason.ALREADY_THERE: "the pull request has it already",
    Reason.SELF_CHECK: "a comment would not give exactly the proposed text",
}
"""Each reason as the end of a sentence for people."""


class Comment(NamedTuple):
    """A review comment with one suggestion block, at lines of the head (from 1, RIGHT side).

    ``start_line`` is None for a single line. ``numbers`` is the shortest way to name what it takes, ``parts``
    names every smallest part, ``fingerprint`` is the same for the same change wherever its lines are.
    """

    path: bytes
    line: int
    start_line: int | None
    body: str
    numbers: tuple[str, ...]
    parts: tuple[str, ...]
    fingerprint: str
    side: str = "RIGHT"


class Fallback(NamedTuple):
    """A change that is shown as a diff under its number. ``line`` of the head, from 1; 0 where there is none."""

    number: str
    parts: tuple[str, ...]
    path: bytes
    reason: Reason
    line: int = 0


class Rest(NamedTuple):
    """What has no comment, to be told in a review.

    ``left`` would have one, but are too many for one review; ``refused`` are those that the forge did not take.
    """

    fallbacks: tuple[Fallback, ...] = ()
    left: tuple[Comment, ...] = ()
    refused: tuple[Comment, ...] = ()


class Plan(NamedTuple):
    """All that was to be planned, each part once; comments in the order of the files and their lines."""

    comments: tuple[Comment, ...] = ()
    fallbacks: tuple[Fallback, ...] = ()
