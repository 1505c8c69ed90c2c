"""What is said about a pull request's life: it is there, up to date, merged, closed; and about stopping a run."""

from collections.abc import Sequence
from typing import NamedTuple

from gitclaw_py.core.replies.fitting import single
from gitclaw_py.core.replies.links import Links
from gitclaw_py.core.replies.markdown import clip, code, details, fence, link, mention, prose
from gitclaw_py.core.replies.wording import CI_PUSH, clipped_path, commit_link, footer, next_steps, note
from gitclaw_py.core.thread import PullRequest
from gitclaw_py.core.visible import visible

_MOST_FILES = 30
_LONGEST = 300


class To(NamedTuple):
    """Whom a reply is for: what it is marked with, and the login of who asked."""

    re: str
    requester: str

    @property
    def name(self) -> str:
        """The one who asked, so that they are notified."""
        return mention(self.requester)


def _named(pull: PullRequest) -> str:
    return link(f"pull request {pull.number}", pull.url)


def no_pull(to: To, verb: str) -> tuple[str, ...]:
    """There is no pull request that the command could be about."""
    blocks = [
        f"### Nothing changed: this issue has no pull request to {verb}",
        f"For {to.name}. {next_steps(['`/gitclaw pr` opens one with what is applied or pending here'])}.",
    ]
    return single("notice", to.re, blocks)


def is_a_pull(to: To) -> tuple[str, ...]:
    """The thread is a pull request itself."""
    blocks = [
        "### Nothing changed: this is a pull request already",
        f"For {to.name}. {next_steps(['`/apply all` adds what is pending to its branch'])}.",
    ]
    return single("notice", to.re, blocks)


def open_already(to: To, pull: PullRequest, *, pending: str = "") -> tuple[str, ...]:
    """There is one; ``pending`` are the numbers that are not in it yet."""
    more = f" {pending} pending: `/apply all` adds what fits." if pending else ""
    blocks = [
        f"### Open already: {_named(pull)}",
        f"{code(pull.head_branch)} → {code(pull.base_branch)}, for {to.name}.{more}",
    ]
    return single("pull", to.re, blocks)


def merged(to: To, pull: PullRequest, commit: str, links: Links, *, method: str, branch: str) -> tuple[str, ...]:
    """It was merged; ``branch`` says what became of the branch, in a sentence."""
    blocks = [
        f"### Merged {_named(pull)}",
        (
            f"{commit_link(commit, links)} on {code(pull.base_branch)} has it ({code(method)}), for {to.name},"
            f" from {commit_link(pull.head_oid, links)} on {code(pull.head_branch)}."
        ),
        branch,
    ]
    return single("pull", to.re, blocks, footer([], links))


def merged_before(to: To, pull: PullRequest, links: Links) -> tuple[str, ...]:
    """It was merged before, by whomever."""
    where = f"{commit_link(pull.merged_as, links)} on " if pull.merged_as else ""
    blocks = [
        f"### {_named(pull).replace('[pull', '[Pull')} is merged",
        f"{where}{code(pull.base_branch)} has it, {to.name}. Nothing was left to do.",
    ]
    return single("pull", to.re, blocks)


def not_open(to: To, pull: PullRequest, verb: str) -> tuple[str, ...]:
    """It is closed, and was not merged."""
    blocks = [
        f"### Nothing changed: {_named(pull)} is closed, so there is nothing to {verb}",
        f"For {to.name}. {next_steps(_ways_to_reopen(pull))}.",
    ]
    return single("notice", to.re, blocks)


def closed(to: To, pull: PullRequest, links: Links) -> tuple[str, ...]:
    """It was closed without merging; its branch stays."""
    blocks = [
        f"### Closed {_named(pull)}",
        f"It was not merged, for {to.name}. Its branch {code(pull.head_branch)} is kept.",
        f"{next_steps(_ways_to_reopen(pull))}.",
    ]
    return single("pull", to.re, blocks, footer([], links))


def _ways_to_reopen(pull: PullRequest) -> list[str]:
    ways = [f'"Reopen pull request" in {_named(pull)} opens it again']
    return (
        [*ways, "`/gitclaw pr` in its issue opens another"] if pull.head_branch.startswith("gitclaw/issue-") else ways
    )


def updated(to: To, pull: PullRequest, head: str | None, links: Links, *, notes: bool) -> tuple[str, ...]:
    """Its branch has its base; ``head`` is the commit of it, None where the forge has not shown one yet."""
    if head is None:
        blocks = [
            f"### GitHub brings {_named(pull)} up to date",
            f"It has agreed to merge {code(pull.base_branch)} into {code(pull.head_branch)}, for {to.name}.",
        ]
    else:
        blocks = [
            f"### Up to date: {_named(pull)}",
            f"{commit_link(head, links)} on {code(pull.head_branch)} merges {code(pull.base_branch)}, for {to.name}.",
        ]
    return single("pull", to.re, [*blocks, note(CI_PUSH) if notes else ""], footer([], links))


def up_to_date(to: To, pull: PullRequest) -> tuple[str, ...]:
    """Its branch had its base already."""
    blocks = [
        f"### {_named(pull).replace('[pull', '[Pull')} is up to date",
        f"{code(pull.head_branch)} has all of {code(pull.base_branch)} already, {to.name}.",
    ]
    return single("pull", to.re, blocks)


def declined(
    to: To, pull: PullRequest, verb: str, reasons: Sequence[str], steps: Sequence[str], words: str = ""
) -> tuple[str, ...]:
    """It was not merged or brought up to date: why, and what GitHub says of it in its own ``words``."""
    done = "merged" if verb == "merge" else "updated"
    blocks = [
        f"### Not {done}: {_named(pull)}",
        f"For {to.name}. {' '.join(reasons)}",
        f"{next_steps(steps)}." if steps else "",
    ]
    if words:
        blocks.append(
            details("What GitHub says", fence([clip(visible(line), _LONGEST) for line in _lines(words)], "text"))
        )
    return single("notice", to.re, blocks)


def _lines(words: str) -> list[str]:
    return [line for line in words.split("\n") if line.strip()][:10]


def conflicting(paths: Sequence[bytes], base: str, head: str) -> str:
    """A sentence on what does not go together; the forge does not name the files."""
    if not paths:
        return f"{code(base)} and {code(head)} changed the same places; GitHub does not say in which files."
    shown = ", ".join(code(clipped_path(path)) for path in paths[:_MOST_FILES])
    more = f" and {len(paths) - _MOST_FILES} more" if len(paths) > _MOST_FILES else ""
    return f"{code(base)} and {code(head)} both changed {shown}{more}, and the changes do not go together."


def unfinished(threads: int, checks: Sequence[tuple[str, str]]) -> list[str]:
    """What the settings want to be done before a merge: open review threads, and checks with how they are."""
    found = [f"{threads} review thread{'s are' if threads > 1 else ' is'} unresolved."] if threads else []
    if checks:
        shown = ", ".join(f"{code(name)} ({prose(how, 40)})" for name, how in checks[:_MOST_FILES])
        more = f" and {len(checks) - _MOST_FILES} more" if len(checks) > _MOST_FILES else ""
        found.append(f"Not passed: {shown}{more}.")
    return found


def cancelled(to: To, by: str, seconds: float | None, links: Links) -> tuple[str, ...]:
    """A run was stopped because someone with the right to it said so; None is before it began."""
    when = "before it began" if seconds is None else f"after {round(seconds)} s"
    blocks = [
        f"### Cancelled by {code(by)}",
        f"{to.name}, the run was stopped {when}; nothing was proposed and nothing changed.",
        f"{next_steps(['`/gitclaw retry` runs the same request again'])}.",
    ]
    return single("cancelled", to.re, blocks, footer([], links))


def nothing_runs(to: To) -> tuple[str, ...]:
    """There was no run to be stopped."""
    blocks = [
        "### Nothing changed: no run is under way in this thread",
        f"For {to.name}. What is done already is taken back with `/undo` or turned down with `/reject`.",
    ]
    return single("notice", to.re, blocks)


def nothing_to_retry(to: To) -> tuple[str, ...]:
    """No request of this thread can be run again."""
    blocks = [
        "### Nothing changed: there is no request in this thread to run again",
        f"For {to.name}. Requests that were edited or refused do not count. {next_steps(['`/gitclaw <request>`'])}.",
    ]
    return single("notice", to.re, blocks)


def nothing_to_review(to: To, pull: PullRequest, *, others: int) -> tuple[str, ...]:
    """No open review comment by people who may write; ``others`` are those by people who may not."""
    left = f" {others} by people without write access {'are' if others > 1 else 'is'} left out." if others else ""
    blocks = [
        f"### Nothing to do: {_named(pull)} has no open review comments",
        f"For {to.name}. Only unresolved comments by people with write access are taken up.{left}",
    ]
    return single("notice", to.re, blocks)
