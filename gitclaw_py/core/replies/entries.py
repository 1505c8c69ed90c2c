"""One suggestion as a folded entry of a comment: its patch hunk by hunk, shortened when there is no room."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gitclaw_py.core import by_hand
from gitclaw_py.core.policy import is_of_workflows
from gitclaw_py.core.replies.links import Links
from gitclaw_py.core.replies.markdown import code, details, fence, html_code, link, prose
from gitclaw_py.core.replies.patch import CONTEXT, NO_TEXT, Patch, Piece, patch
from gitclaw_py.core.replies.said import in_span
from gitclaw_py.core.replies.wording import PERSON, change, names, sentence
from gitclaw_py.core.state import State, Status, overall
from gitclaw_py.core.suggestions import Group, Kind, Suggestion, group_parts

FOLDED_ABOVE, FOLDED_TO = 60, 40
_MACHINE_MADE = re.compile(
    rb"(?:^|/)(?:[^/]*[.-]lock(?:\.json|\.yaml|b)?|[^/]*-lock\.(?:json|ya?ml)|go\.sum|npm-shrinkwrap\.json"
    rb"|[^/]*\.min\.(?:js|css)|[^/]*\.map|[^/]*\.snap|[^/]*_pb2?\.(?:py|go)|[^/]*\.pb\.go|[^/]*\.generated\.[^/]*)$"
    rb"|(?:^|/)(?:dist|vendor|node_modules|__generated__)/",
    re.IGNORECASE,
)


class Shape(NamedTuple):
    """How much of the diffs is shown."""

    context: int = CONTEXT
    folds: bool = False
    machine_made: bool = True


SHAPES = (Shape(), Shape(1), Shape(1, folds=True), Shape(1, folds=True, machine_made=False))
"""From everything to what is left when there is no room."""


class Scene(NamedTuple):
    """What an entry is shown in."""

    state: State
    found: dict[str, Status]
    links: Links
    reasons: bool


def is_machine_made(path: bytes) -> bool:
    """Whether a file is written by a program, so that its diff says little to a reader."""
    return bool(_MACHINE_MADE.search(path))


def entry(s: Suggestion, sides: tuple[bytes, bytes], scene: Scene, shape: Shape) -> str:
    """A suggestion, folded."""
    if s.secret:
        return details(title(s), f"Not shown, and not kept anywhere: it adds a secret ({prose(s.secret)}).")
    if not shape.machine_made and is_machine_made(s.path):
        return dropped(s, scene)
    made = patch(s, *sides, shape.context)
    return details(
        title(s), *by_person(s, scene), *notes(s, sides, scene, made), *_blocks(s, made, scene, folds=shape.folds)
    )


def by_person(s: Suggestion, scene: Scene) -> Iterator[str]:
    """Of a blocked change, the command by which a person takes it."""
    if s.blocked and (taken := by_hand.command(scene.state, s, scene.links.clone)):
        yield f"{sentence(PERSON)}. This takes it, at the top of a clone, for you to look at and commit:"
        yield fence([taken], "sh")


def title(s: Suggestion) -> str:
    """What is inside, as the HTML of a summary."""
    return f"{s.number} · {' → '.join(map(html_code, names(s)))} · {change(s)}"


def dropped(s: Suggestion, scene: Scene) -> str:
    """A suggestion of which the diff is left out, and where it can be read."""
    return details(title(s), f"{s.added + s.removed:,} changed lines are not shown here. {_ways(s, scene)}")


def where(s: Suggestion, scene: Scene) -> str:
    """Where to read a change in full."""
    proposal = scene.state.proposal(s.proposal)
    if s.new is None:
        return link("Read the deleted file", scene.links.blob(proposal.base, s.old_path))
    if proposal.apart and is_of_workflows(s.path, s.old_path):
        return link("Read the proposed file", scene.links.blob(proposal.apart, b"after/" + s.path))
    return link("Read the proposed file", scene.links.blob(proposal.commit, s.path))


def _ways(s: Suggestion, scene: Scene) -> str:
    return f"{where(s, scene)}, or write {code(f'/gitclaw show {s.number}')}."


def notes(s: Suggestion, sides: tuple[bytes, bytes], scene: Scene, made: Patch) -> Iterator[str]:
    """What the diff itself does not say."""
    if made.flaw == NO_TEXT:
        yield f"{_sizes(s, sides)} `git apply` needs the file itself. {where(s, scene)}."
    elif made.flaw:
        yield f"{made.flaw} `git apply` does not take it as shown."


def _sizes(s: Suggestion, sides: tuple[bytes, bytes]) -> str:
    old, new = (f"{len(data):,}" for data in sides)
    match s.kind:
        case Kind.CREATE:
            return f"No text to show: {new} bytes."
        case Kind.DELETE:
            return f"No text to show: {old} bytes."
        case Kind.BINARY:
            return f"No text to show: {old} → {new} bytes."
        case _:
            return "No text to show."


def _blocks(s: Suggestion, made: Patch, scene: Scene, *, folds: bool) -> Iterator[str]:
    if not made.pieces and not made.flaw:
        yield fence(made.header, "diff")
    for k, piece in enumerate(made.pieces):
        label = label_of(s, piece, scene)
        header = made.header if k == 0 else ()
        if folds and len(piece.lines) > FOLDED_ABOVE:
            shown = fence([*header, *piece.lines[:FOLDED_TO]], "diff")
            rest = len(piece.lines) - FOLDED_TO
            yield from (
                block for block in (label, shown, f"{rest:,} more lines are not shown. {_ways(s, scene)}") if block
            )
        else:
            yield from (block for block in (label, fence([*header, *piece.lines], "diff")) if block)


def label_of(s: Suggestion, piece: Piece, scene: Scene) -> str:
    """The number, place and reason of a shown hunk; empty for one that needs none."""
    group = next((g for g in s.groups if g.number == piece.group), None)
    if group is None:
        return ""
    parts = group_parts(s.number, group)
    status = overall(scene.found[name] for name in parts)
    own = "" if status is Status.PENDING else f", {status.value}"
    why = f": {in_span(group.reason)}" if scene.reasons and group.reason else ""
    if len(s.groups) == 1 and len(parts) == 1 and not (own or why):
        return ""
    smaller = f" ({parts[0]} to {parts[-1]})" if len(parts) > 1 else ""
    return f"**{s.number}.{group.number}**{smaller} {_place(group)}{own}{why}"


def _place(group: Group) -> str:
    """Which lines of the file as it was: ``line 3``, ``lines 3 to 5``, ``after line 3``."""
    first, last = group.hunks[0].start + 1, group.hunks[-1].end
    if last < first:
        return f"after line {last}" if last else "at the top"
    return f"line {first}" if first == last else f"lines {first} to {last}"
