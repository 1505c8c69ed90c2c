"""The summary of a job: result, table, cost, links; what people and agents typed is text in it."""

from __future__ import annotations

from gitclaw_py.core.bundle import Failure
from gitclaw_py.core.replies import summary
from gitclaw_py.core.replies.summary import Step
from gitclaw_py.errors import ConfigError
from gitclaw_py.hub.markdown import render
from tests.core.test_bundle import BUNDLE

LINKS = [("Thread", "https://example.invalid/1"), ("Answer", "")]


def test_it_says_how_it_ended_for_whom_what_it_cost_and_where_to_look() -> None:
    steps = [Step("mona", "/apply 1,3", ok=True, code=0), Step("mona", "/reject 9", ok=False, code=2)]
    agent = summary.agent_of(BUNDLE)
    assert summary.handled(steps, ["pushed the state"], LINKS, agent) == (
        "### gitclaw: 1 of 2 done\n\n"
        "| asked by | command | result |\n|--:|:--|:--|\n"
        "| `mona` | `/apply 1,3` | done |\n"
        "| `mona` | `/reject 9` | not done (exit code 2) |\n\n"
        "- `pushed the state`\n\n"
        "Agent `my-agent` · 2 s · tokens and cost unknown\n\n"
        "[Thread](https://example.invalid/1)\n"
    )


def test_it_says_what_the_agent_did() -> None:
    said = summary.worked(BUNDLE)
    assert said.startswith("### gitclaw: the agent failed 1 of 2 times\n")
    assert "| `12` | ended with 0 | 2 s |" in said
    assert "`AGENT_FAILED`: `it failed`" in said


def test_nothing_and_an_error_are_said_too() -> None:
    assert "nothing to do" in summary.ignored("Nothing starts at push")
    assert "`CONFIG_INVALID`: it is broken" in summary.stopped(ConfigError("CONFIG_INVALID", "it is broken", "mend it"))


def test_row_64_what_someone_typed_is_text() -> None:
    evil = "<img src=x onerror=y>|[a](javascript:b)\n# Head\n@mona"
    for said in (
        summary.handled([Step(evil, evil, ok=True, code=0)], [evil], [], None),
        summary.ignored(evil),
        summary.worked(BUNDLE._replace(works=(BUNDLE.works[1]._replace(re="1", failure=_failed(evil)),))),
    ):
        html = render(said)
        assert "&lt;img" in html
        assert not {"<img", "<h1", "<a "} & {part for part in ("<img", "<h1", "<a ") if part in html}


def test_no_span_is_cut_open_where_there_is_too_much() -> None:
    said = summary.handled([Step("mona", "/apply all", ok=True, code=0)] * 201, ["`x` " * 200] * 300, [], None)
    assert said.endswith("\n\nAnd 101 more, in the log.\n")
    assert len(said.encode()) < 900 * 1024
    assert render(said).count("<li>") == render(said).count("<li><code>") == 200


def _failed(what: str) -> Failure:
    return Failure("AGENT_FAILED", what, "try again")
