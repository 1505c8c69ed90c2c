"""What a run says in the summary of its job: how it ended, for whom and what, what it cost, and where to look.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#adding-a-job-summary
"""

from collections.abc import Sequence
from typing import NamedTuple

from gitclaw_py.core.bundle import Bundle, Worked
from gitclaw_py.core.replies.markdown import clip, code, link, prose, table
from gitclaw_py.core.replies.said import in_span
from gitclaw_py.core.replies.wording import duration, next_of, what_of
from gitclaw_py.core.usage import total, words
from gitclaw_py.errors import GitclawError

_MOST = 200
"""Rows and lines of it: GitHub takes 1 MiB of each step, and what does not fit is in the log."""
_LONGEST = 300


class Step(NamedTuple):
    """One command: who gave it, how it was written, whether it was carried out, and the exit code of it alone."""

    who: str
    command: str
    ok: bool
    code: int


def ignored(reason: str) -> str:
    """Nothing was started."""
    return _whole("nothing to do", [prose(reason, 300)])


def stopped(error: GitclawError) -> str:
    """Nothing was done, and nothing could be said."""
    return _whole("stopped", [f"{code(error.code)}: {what_of(error)}.", f"Next: {next_of(error)}."])


def handled(steps: Sequence[Step], lines: Sequence[str], links: Sequence[tuple[str, str]], agent: str | None) -> str:
    """What was carried out. ``lines`` are what else happened, ``links`` have a name and an address each."""
    done = sum(step.ok for step in steps)
    result = f"{done} of {len(steps)} done" if steps else "done" if lines else "nothing to do"
    rows = [(code(clip(step.who, 100)), code(clip(step.command, _LONGEST)), _ended(step)) for step in steps[:_MOST]]
    blocks = ["\n".join(table(["asked by", "command", "result"], rows))] if rows else []
    blocks += ["\n".join(f"- {in_span(each, _LONGEST)}" for each in lines[:_MOST])] if lines else []
    left = max(0, len(steps) - _MOST) + max(0, len(lines) - _MOST)
    blocks += [f"And {left} more, in the log."] if left else []
    blocks += [agent] if agent else []
    blocks += [" · ".join(link(name, url) for name, url in links if url)] if links else []
    return _whole(result, blocks)


def worked(bundle: Bundle) -> str:
    """What the agent did, which the next job publishes."""
    failed = sum(worked.failure is not None for worked in bundle.works)
    result = f"the agent failed {failed} of {len(bundle.works)} times" if failed else "the agent is done"
    rows = [(code(worked.re), _came_out(worked), duration(worked.seconds)) for worked in bundle.works[:_MOST]]
    blocks = ["\n".join(table(["request", "result", "time"], rows))] if rows else []
    told = f"Agent {code(bundle.agent)} · isolation {code(_isolation(bundle))} · {_spent(bundle)}"
    return _whole(result if rows else "nothing to do", [*blocks, told])


def agent_of(bundle: Bundle) -> str:
    """Which agent worked for how long, and what it cost."""
    seconds = sum(worked.seconds for worked in bundle.works)
    return f"Agent {code(bundle.agent)} · {duration(seconds)} · {_spent(bundle)}"


def _isolation(bundle: Bundle) -> str:
    return next((worked.isolation for worked in bundle.works if worked.isolation), "unknown")


def _spent(bundle: Bundle) -> str:
    """Of all runs together: what is not known of one is not known of the sum."""
    return words(total([worked.usage for worked in bundle.works]))


def _came_out(worked: Worked) -> str:
    if worked.failure is not None:
        return f"{code(worked.failure.code)}: {in_span(worked.failure.what, _LONGEST)}"
    return "ended with 0" if not worked.exit_code else f"ended with {worked.exit_code}"


def _ended(step: Step) -> str:
    return "done" if step.ok else f"not done (exit code {step.code})" if step.code else "not done"


def _whole(result: str, blocks: Sequence[str]) -> str:
    return "\n\n".join([f"### gitclaw: {result}", *blocks]) + "\n"
