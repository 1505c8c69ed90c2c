"""What is wrong with a workflow, as far as its cost and its reach go; read as lines, as people read it."""

from __future__ import annotations

import re

_JOB = re.compile(r"^  (?P<name>[A-Za-z_][\w-]*):\s*(?:#.*)?$", re.MULTILINE)


def objections(text: str) -> list[str]:
    """Each in a few words, none for a workflow that is well."""
    found = []
    head, _, below = text.partition("\njobs:")
    jobs = _jobs(below)
    if not re.search(r"^permissions: *\{\}", head, re.MULTILINE):
        found.append("no permissions: {} at the top")
    found += [f"job {name} has no timeout-minutes" for name, job in jobs.items() if "timeout-minutes:" not in job]
    if not re.search(r"^concurrency:", head, re.MULTILINE):
        found.append("no concurrency")
    if "issue_comment" in head:
        found += _of_comments(head, next(iter(jobs.values()), ""))
    return found


def _jobs(text: str) -> dict[str, str]:
    pieces = _JOB.split("\n" + text)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def _of_comments(head: str, first: str) -> list[str]:
    """What the first job, on which the others wait, has to see before anything is started."""
    found = []
    listened = re.search(r"issue_comment:\s*(?:#.*\n\s*)?(?:\{\s*)?types:\s*\[([^\]]*)\]", head)
    if listened is None or listened[1].strip() != "created":
        found.append("listens to edited comments")
    condition = re.search(r"^    if:(.*(?:\n      .*)*)", first, re.MULTILINE)
    said = condition[1] if condition else ""
    if "startsWith(github.event.comment.body, '/" not in said:
        found.append("starts for every comment")
    if "user.type" not in said:
        found.append("starts for bots")
    if "issue.locked" in said:
        found.append("hears no admin in locked threads")
    return found
