"""Every reply as a maintainer reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gitclaw_py.core.access import Level
from gitclaw_py.core.applying import NOT_THERE, PartFinding
from gitclaw_py.core.placing import Verdict
from gitclaw_py.core.replies import notices, proposals, verdicts
from gitclaw_py.core.replies.under_way import begun
from gitclaw_py.core.state import Decision, State, Verb, decided
from gitclaw_py.core.usage import Usage
from gitclaw_py.errors import AgentError, UsageError
from tests.core.replies.scenes import COMMIT, LANDED, LINKS, MANUAL, REPORT, RUN, Scene, many, report

Golden = Callable[[str, Sequence[str]], None]
ANSWER = """\
Adds `--json` to the report, thanks @team/core (see #12).

```py
print("hello")
```
- fixes #13 <img src=x>
"""


def found(*parts: str, verdict: Verdict = Verdict.APPLIED, path: bytes = b"src/report.py") -> list[PartFinding]:
    return [PartFinding(part, path, verdict) for part in parts]


def test_a_proposal(golden_reply: Golden) -> None:
    scene = report()
    warnings = ["vendor/nested/ is a repository without commits", "pipe is no file"]
    bodies = proposals.proposal(
        scene.state,
        1,
        scene.texts,
        LINKS,
        re="8821",
        requester="mona",
        answer=ANSWER,
        run=RUN._replace(usage=Usage(12_345, 840, 0.04)),
        warnings=warnings,
        conduct_note="The risk is above the threshold, so nothing was committed.",
    )
    golden_reply("proposal", bodies)


def test_a_proposal_without_reasons(golden_reply: Golden) -> None:
    scene = report()
    bodies = proposals.proposal(
        scene.state, 1, scene.texts, LINKS, re="8821", requester="mona", run=RUN, show_rationale=False
    )
    golden_reply("proposal-without-reasons", bodies)


def test_a_refined_proposal_says_what_it_replaces(golden_reply: Golden) -> None:
    golden_reply("refined", _refined_reply(_refined()))


def _refined() -> Scene:
    scene = report()
    new = MANUAL + b"And with `--json`.\n"
    scene.propose({b"docs/cli.md": (MANUAL, new)}, reasons=b'{"docs/cli.md": "The file stays where it is"}')
    scene.state = decided(scene.state, Decision(Verb.REPLACE, ("2.rename", "2.1"), "mona", 1, replaced_by=(8,)))
    return scene


def _refined_reply(scene: Scene) -> tuple[str, ...]:
    return proposals.proposal(scene.state, 2, scene.texts, LINKS, re="8830", requester="mona", run=RUN, repeated=[3, 5])


def test_more_suggestions_than_one_comment_shows(golden_reply: Golden) -> None:
    scene = many(5)
    bodies = proposals.proposal(scene.state, 1, scene.texts, LINKS, re="1", requester="mona", run=RUN, most=2)
    golden_reply("proposal-in-parts", bodies)


def test_an_answer(golden_reply: Golden) -> None:
    golden_reply("answer", proposals.answered(ANSWER, re="1", requester="mona", run=RUN, links=LINKS))
    golden_reply("no-answer", proposals.answered(None, re="1", requester="mona", run=RUN, links=LINKS))


def test_one_suggestion_in_full(golden_reply: Golden) -> None:
    scene = report()
    golden_reply("shown", proposals.shown(scene.state, scene.state.suggestions[5:6], scene.texts, re="1", links=LINKS))


def _landed(state: State) -> State:
    return decided(state, Decision(Verb.APPLY, ("5", "6.1", "6.2"), "mona", 1, commit=LANDED, branch="main"))


def test_applied(golden_reply: Golden) -> None:
    bodies = verdicts.applied(
        _landed(report().state),
        re="8840",
        requester="mona",
        branch="main",
        commit=LANDED,
        findings=found("5", path=b"src/formats.py") + found("6.1", "6.2"),
        skipped=[("7", "inside a git directory")],
        links=LINKS,
        thread=42,
        notes=[notices.CI_PUSH],
        verified=True,
    )
    golden_reply("applied", bodies)


def test_partly_applied(golden_reply: Golden) -> None:
    left = PartFinding("6.3", b"src/report.py", Verdict.CONFLICT, "the lines were changed since", 14, 12, (b"x\n",))
    bodies = verdicts.applied(
        _landed(report().state),
        re="8840",
        requester="mona",
        branch="gitclaw/42",
        commit=LANDED,
        findings=found("5", path=b"src/formats.py", verdict=Verdict.ALREADY) + found("6.1", "6.2"),
        left=[left],
        links=LINKS,
        thread=42,
        verified=False,
        pull=(57, LINKS.pull(57)),
    )
    golden_reply("applied-partly", bodies)


def test_taken_back(golden_reply: Golden) -> None:
    state = decided(_landed(report().state), Decision(Verb.UNDO, ("5", "6.1", "6.2"), "mona", 2, commit=COMMIT))
    bodies = verdicts.applied(
        state,
        re="8841",
        requester="mona",
        branch="main",
        commit=COMMIT,
        findings=found("5", path=b"src/formats.py") + found("6.1", "6.2"),
        kept=[("6.2", "was there before it was applied, and stays")],
        undo=True,
        links=LINKS,
        thread=42,
    )
    golden_reply("undone", bodies)


def test_stuck(golden_reply: Golden) -> None:
    lines = tuple(line + b"\n" for line in REPORT.split(b"\n")[9:16])
    findings = [
        PartFinding("6.3", b"src/report.py", Verdict.CONFLICT, "the lines were changed since", 13, 10, lines),
        PartFinding("3", b"src/legacy_fmt.py", Verdict.CONFLICT, NOT_THERE),
    ]
    bodies = verdicts.stuck(
        report().state,
        re="8842",
        requester="mona",
        branch="main",
        findings=findings,
        chosen=["3", "5", "6.3"],
        links=LINKS,
    )
    golden_reply("stuck", bodies)


def test_rejected(golden_reply: Golden) -> None:
    decision = Decision(Verb.REJECT, ("3",), "mona", 1, "still used by @hubot's plugin")
    state = decided(report().state, decision)
    bodies = verdicts.rejected(state, re="1", requester="mona", parts=["3"], reason=decision.reason, links=LINKS)
    golden_reply("rejected", bodies)


def test_nothing_to_do(golden_reply: Golden) -> None:
    state = report().state
    skipped = [("7", "inside a git directory")]
    golden_reply(
        "nothing-to-do", verdicts.nothing_to_do(state, re="1", requester="mona", skipped=skipped, verb="apply")
    )
    golden_reply("nothing-yet", verdicts.nothing_to_do(State("42"), re="1", requester="mona", verb="undo"))


def test_status(golden_reply: Golden) -> None:
    state = decided(_landed(_refined().state), Decision(Verb.REJECT, ("3",), "hubot", 1, "still used"))
    golden_reply("status", verdicts.status(state, re="1", links=LINKS, branch="main"))


def test_help(golden_reply: Golden) -> None:
    golden_reply("help", notices.help(re="1", level=Level.READ))


def test_words_that_are_no_command(golden_reply: Golden) -> None:
    hint = "`/apply 1` stands in the paragraph of a quotation. Leave an empty line before it."
    golden_reply("unknown", notices.unknown("/aply 1", "/apply 1", re="1"))
    golden_reply("misplaced", notices.misplaced(hint, re="1"))


def test_denied(golden_reply: Golden) -> None:
    bodies = notices.denied(re="1", requester="newcomer", verb="/apply", needed=Level.WRITE, has=Level.READ)
    golden_reply("denied", bodies)


def test_failed(golden_reply: Golden) -> None:
    said = ("Traceback (most recent call last):", '  File "x.py", line 1', "KeyError: 'x'")
    error = AgentError("AGENT_FAILED", "The agent ended with exit code 1", "all it said is in the run log", said)
    golden_reply("failed", notices.failed(error, re="1", requester="mona", links=LINKS))
    unknown = UsageError(
        "UNKNOWN_NUMBER",
        "There is no suggestion 9 in this thread",
        "the numbers here go from 1 to 7; gitclaw status lists them",
    )
    golden_reply("unknown-number", notices.failed(unknown, re="1", requester="mona", links=LINKS))


def test_progress(golden_reply: Golden) -> None:
    steps = [
        notices.Step(done=True, words="read the issue and 3 comments"),
        notices.Step(done=False, words="now:", said="editing `src/report.py` for @mona"),
    ]
    golden_reply("progress", notices.progress(steps, re="1", requester="mona", seconds=40, links=LINKS))
    golden_reply("finished", notices.finished("1", 112, LINKS.comment(42, 99), LINKS))


def test_begun(golden_reply: Golden) -> None:
    golden_reply("begun", (begun(re="1", requester="mona", links=LINKS),))


def test_a_pull_request(golden_reply: Golden) -> None:
    bodies = notices.pull_opened(
        re="1",
        requester="mona",
        pull=57,
        url=LINKS.pull(57),
        branch="gitclaw/42",
        base="main",
        why="main is protected: changes must be made through a pull request",
        links=LINKS,
    )
    golden_reply("pull-opened", bodies)


def test_a_fork(golden_reply: Golden) -> None:
    patch = b"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
    bodies = notices.fork_refused(re="1", requester="mona", patch=patch, head_repository="newcomer/hello", links=LINKS)
    golden_reply("fork", bodies)
