"""Short replies about a command itself, a run under way, and what went wrong."""

from collections.abc import Sequence
from typing import NamedTuple

from gitclaw_py.core.access import Level
from gitclaw_py.core.replies.fitting import ROOM, body, single, size
from gitclaw_py.core.replies.links import Links
from gitclaw_py.core.replies.markdown import (
    clip,
    code,
    details,
    fence,
    inline,
    link,
    mention,
    prose,
    quoted,
    table,
)
from gitclaw_py.core.replies.marker import Marker
from gitclaw_py.core.replies.said import in_span, uncommanding
from gitclaw_py.core.replies.under_way import WORKING, working
from gitclaw_py.core.replies.wording import CI_PULL, CI_PUSH, duration, footer, next_of, next_steps, note, what_of
from gitclaw_py.core.visible import visible
from gitclaw_py.errors import GitclawError, RefusedError, UsageError

__all__ = [
    "CI_PULL",
    "CI_PUSH",
    "WORKING",
    "answers_to",
    "asked_elsewhere",
    "denied",
    "failed",
    "finished",
    "fork_refused",
    "help",
    "in_summary",
    "misplaced",
    "not_carried_out",
    "pointed",
    "progress",
    "pull_opened",
    "pull_refused",
    "unknown",
    "unstored",
    "withheld",
]

_TITLE, _LONGEST_REQUEST = 80, 40_000
_LOG_LINES, _LOG_LINE = 40, 300
_STEPS = 20
_COMMANDS = (
    ("/gitclaw <request>", "ask a question or for changes"),
    ("/apply all", "put everything pending on the branch, as one commit"),
    ("/apply 1,3", "these only; also `/apply 2.1`, `/apply 1-3`, `/apply all except 4`"),
    ("/reject 4 <reason>", "turn one down; the agent is told why"),
    ("/refine 2 <what to change>", "get another version, under a new number"),
    ("/undo", "take back the last apply; also `/undo 3`"),
    ("/gitclaw pr", "open a pull request with what is applied or pending; also `/gitclaw pr draft`"),
    ("/gitclaw review", "get changes for the open review comments of the pull request"),
    ("/gitclaw update", "merge the base into the branch of the pull request"),
    ("/gitclaw merge", "merge the pull request; needs maintain access"),
    ("/gitclaw close", "close it without merging"),
    ("/gitclaw cancel", "stop the run that is under way; `/gitclaw retry` runs it again"),
    ("/gitclaw status", "see what became of every number"),
    ("/gitclaw show 2", "see one suggestion in full"),
    ("/gitclaw help", "read this"),
)


def help(*, re: str, level: Level, links: Links | None = None) -> tuple[str, ...]:  # noqa: A001 - the command's name
    """The commands, and which of them the reader may give."""
    rows = [[code(command), does] for command, does in _COMMANDS]
    lines = table(["Write", "To"], rows)
    more = f" {link('All commands and settings', links.docs)}" if links and links.docs else ""
    blocks = [
        "### Commands",
        "\n".join([lines[0], "|:--|:--|", *lines[2:]]),
        (
            f"A command starts its own line, outside quotes and code; edits of a comment are not read."
            f" All but the last three need write access; you have {_access(level)}.{more}"
        ),
    ]
    return single("help", re, blocks)


def unknown(word: str, meant: str, *, re: str) -> tuple[str, ...]:
    """A command that is close to one of ours."""
    blocks = [
        f"### Nothing changed: {code(clip(word, 100))} is not a command",
        (
            f"Did you mean {code(clip(meant, 100))}? Write it in a new comment; edits are not read."
            f" {code('/gitclaw help')} lists the commands."
        ),
    ]
    return single("notice", re, blocks)


def misplaced(hint: str, *, re: str) -> tuple[str, ...]:
    """A command in a place where it is not read as one."""
    blocks = ["### Nothing changed: the command was not read", inline(" ".join(visible(hint).split()))]
    return single("notice", re, blocks)


def not_carried_out(commands: Sequence[str]) -> str:
    """A sentence that names the commands after one that failed; empty when there were none."""
    named = ", ".join(code(clip(command, 100)) for command in commands)
    return f"Not carried out after that: {named}." if named else ""


def asked_elsewhere(request: str, *, who: str, key: str) -> tuple[str, str]:
    """Title and body of the issue for a request that came by a form, a chat or a script, and names no thread."""
    words = visible(" ".join(request.strip().removeprefix("/gitclaw").split()))
    blocks = [quoted(request, _LONGEST_REQUEST), f"Asked by {code(who)}."]
    return clip(words, _TITLE) or "A request", body(blocks, Marker("request", key))


def denied(*, re: str, requester: str, verb: str, needed: Level, has: Level, who: str | None = None) -> tuple[str, ...]:
    """The requester may not do that; ``who`` says who can, in a few words."""
    blocks = [
        f"### Nothing changed: {code(verb)} needs {needed.name.lower()} access",
        f"{mention(requester)}, you have {_access(has)} here. {prose(who) if who else _who(needed)}",
    ]
    return single("notice", re, blocks)


def _access(level: Level) -> str:
    return "no access that is known" if level is Level.NONE else f"{level.name.lower()} access"


def _who(needed: Level) -> str:
    return f"Anyone with {needed.name.lower()} access to this repository can give the same command."


def failed(
    error: GitclawError, *, re: str, requester: str, links: Links | None = None, log_tail: Sequence[str] = ()
) -> tuple[str, ...]:
    """Something a person has to know: what happened, what to do next, and the technical part folded."""
    blocks = [f"### {_happened(error)}", f"For {mention(requester)}. {next_steps([next_of(error)])}."]
    lines = [*error.details, *log_tail]
    if lines:
        blocks.append(details("Technical details", fence(_tail(lines), "text")))
    return single("error", re, blocks, footer([code(error.code)], links))


def _happened(error: GitclawError) -> str:
    """What happened; where a command was refused before anything was done, that nothing changed comes first."""
    what = what_of(error)
    if not isinstance(error, UsageError | RefusedError):
        return f"Failed: {what}"
    is_name = not what.partition(" ")[0][1:].islower()
    return f"Nothing changed: {what if is_name else what[:1].lower() + what[1:]}"


def _tail(lines: Sequence[str]) -> list[str]:
    shown = [uncommanding(clip(visible(line.rstrip()), _LOG_LINE)) for line in lines[-_LOG_LINES:]]
    left = len(lines) - len(shown)
    return [f"({left} lines before these)", *shown] if left else shown


def withheld(rules: Sequence[str], *, re: str, kind: str = "notice") -> tuple[str, ...]:
    """In the place of a reply that held a secret: what it looked like, never what it was."""
    blocks = [
        "### The reply is not shown: there was a secret in it",
        f"It looks like: {prose(', '.join(rules))}. {code('/gitclaw status')} has the numbers.",
        next_steps(["see where it comes from, and take it back where it was made"]) + ".",
    ]
    return single(kind, re, blocks, footer([code("SECRET_FOUND")], None))


class Step(NamedTuple):
    """A step of a run that is done or not: our words for it, and what the agent said last."""

    done: bool
    words: str
    said: str = ""


def progress(
    steps: Sequence[Step], *, re: str, requester: str, seconds: float, links: Links | None = None
) -> tuple[str, ...]:
    """What a run has done and does now; the comment is edited in place."""
    shown = steps[-_STEPS:]
    before = [f"- [x] {len(steps) - len(shown)} steps before"] if len(steps) > len(shown) else []
    lines = [
        f"- [{'x' if s.done else ' '}] {prose(s.words, 200)}" + (f" {in_span(s.said)}" if s.said else "") for s in shown
    ]
    since = f"Running for {duration(seconds)}"
    return single("progress", re, working(requester, [*before, *lines], since, links))


def finished(re: str, seconds: float | None, url: str | None, links: Links | None = None) -> tuple[str, ...]:
    """What a progress comment becomes when the run is over; ``url`` is where the result is.

    ``seconds`` is None where nobody knows how long the run took, because it was cut off.
    """
    took = "Finished" if seconds is None else f"Finished in {duration(seconds)}"
    where = f": {link('see the result', url)}" if url else ""
    log = f" · {link('run log', links.run)}" if links and links.run else ""
    return single("progress", re, [f"{took}{where}{log}"])


def pull_opened(  # noqa: PLR0913 - a keyword for each thing that is said
    *,
    re: str,
    requester: str,
    pull: int,
    url: str,
    branch: str,
    base: str,
    draft: bool = False,
    why: str | None = None,
    links: Links | None = None,
    notes: Sequence[str] = (CI_PULL,),
) -> tuple[str, ...]:
    """A pull request was opened; ``why`` says why there is one, where a commit was asked for."""
    kind = "draft pull request" if draft else "pull request"
    blocks = [
        f"### Opened {link(f'{kind} {pull}', url)}",
        f"{code(branch)} → {code(base)}, for {mention(requester)}. Later commands of this thread add commits to it.",
        f"Why: {prose(why)}" if why else "",
        *map(note, notes),
    ]
    return single("pull", re, blocks, footer([], links))


def pull_refused(
    error: GitclawError, *, re: str, requester: str, branch: str, base: str, links: Links
) -> tuple[str, ...]:
    """The commits are on a branch, and no pull request could be opened for it."""
    by_hand = link("open it by hand", links.compare(base, branch))
    blocks = [
        "### The commit has no pull request yet",
        f"{mention(requester)}, the commit is on {code(branch)}. {what_of(error)}.",
        next_steps([by_hand, next_of(error)]) + ".",
    ]
    if error.details:
        blocks.append(details("Technical details", fence(_tail(error.details), "text")))
    return single("error", re, blocks, footer([code(error.code)], links))


def fork_refused(
    *, re: str, requester: str, patch: bytes, head_repository: str | None, links: Links | None = None
) -> tuple[str, ...]:
    """The branch of the pull request is in a fork that cannot be pushed to: here is the patch instead."""
    fork = code(head_repository) if head_repository else "The fork, which is gone,"
    text = _as_text(patch)
    blocks = [
        "### Nothing was pushed: the branch is in a fork",
        (
            f"{mention(requester)}, the token of this run may not push to {fork}. Nothing was decided: the numbers are"
            " pending still. Whoever can push there can apply this patch."
        ),
    ]
    if text is None or size(text) > ROOM - 3_000:
        said = "is too long for a comment" if text is not None else "has bytes that a comment cannot hold"
        log = f" It is in the {link('run log', links.run)}." if links and links.run else ""
        blocks.append(f"The patch {said} ({len(patch):,} bytes).{log}")
    else:
        blocks.append(f"Save this as {code('suggestions.patch')} and run {code('git apply suggestions.patch')}:")
        blocks.append(details("The patch", fence(text.removesuffix("\n").split("\n"), "diff")))
    return single("notice", re, blocks, footer([], links))


def unstored(error: GitclawError, bodies: Sequence[str], patches: Sequence[bytes]) -> str:
    """For the summary of a run whose token may only read: what was proposed, with nothing of it kept anywhere else.

    ``bodies`` are the comments that would have been posted, ``patches`` what each proposal changes.
    """
    blocks = [
        "### What was proposed could not be stored",
        (
            f"{what_of(error)}. So this page is all there is of it: the numbers below are in no"
            f" thread, and {code('/apply')} does not know them. Save a patch as {code('suggestions.patch')} and run"
            f" {code('git apply suggestions.patch')}."
        ),
    ]
    for number, patch in enumerate(patches, 1):
        text = _as_text(patch)
        name = "The patch" if len(patches) == 1 else f"Patch {number}"
        if text is None:
            blocks.append(f"{name} has bytes that a page cannot hold ({len(patch):,} bytes).")
        else:
            blocks.append(details(name, fence(text.removesuffix("\n").split("\n"), "diff")))
    return "\n\n".join([*blocks, *bodies])


def in_summary(links: Links | None) -> str:
    """A sentence that tells where something is that could not be stored."""
    run = links.run if links else None
    return f"What was proposed is in the {link('summary of the run', run) if run else 'summary of the run'}."


def pointed(answer: str, url: str, *, ok: bool) -> str:
    """The reply in a review's thread to a command that was answered in the conversation; ``answer`` is that answer."""
    heading = answer.partition("\n")[0].removeprefix("### ").rstrip(":")
    return f"{'Done' if ok else 'Not done'}: {heading}. {link('The answer', url)} is in the conversation."


def answers_to(url: str) -> str:
    """A sentence in an answer to something that was said elsewhere."""
    return f"In answer to {link('a reply in the review', url)}."


def _as_text(patch: bytes) -> str | None:
    try:
        text = patch.decode("utf-8")
    except UnicodeDecodeError:
        return None
    plain = text.replace("\n", " ")
    return text if visible(plain) == plain else None
