"""The real workflow files, run: event in, jobs, comments and commits out."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conversations.talk import talking
from tests.workflow.act import Act, caller

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(not shutil.which("act"), reason="act is not installed: pip install --group workflow"),
]
AGENT = ["Decide", "Run the agent", "Publish what the agent did"]
ACT = ["Decide", "Carry out"]
RENAME = "/gitclaw rename\n\nreplace old with new in app.py\nbecause app.py old is old"


@pytest.fixture(scope="module")
def act(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Act]:
    """A repository whose workflow is the one that init writes."""
    folder = tmp_path_factory.mktemp("act")
    with talking(folder) as talk:
        yield Act(talk, folder, install="touch installed")


@pytest.fixture(autouse=True)
def issue(act: Act) -> None:
    """Each test talks in an issue of its own."""
    act.talk.open()


def test_a_request_and_an_apply(act: Act) -> None:
    ran, (proposal,) = act.say(RENAME)
    assert ran.code == 0, ran.out
    assert ran.jobs == AGENT
    assert "### Proposal 1: 1 suggestion" in proposal
    assert act.talk.reactions(act.talk.comments()[0].id) == ["eyes", "rocket"]
    before = act.talk.repo.branch("main")
    ran, (applied,) = act.say("/apply 1.1")
    assert ran.code == 0, ran.out
    assert ran.jobs == ACT
    assert "Applied 1.1" in applied
    assert act.talk.repo.branch("main") != before
    assert (act.talk.file("app.py") or b"").startswith(b"new = 1\n")
    assert "### gitclaw: 1 of 1 done" in ran.out


def test_a_comment_that_is_not_for_us_starts_no_job(act: Act) -> None:
    start = len(act.talk.hub.log)
    ran, said = act.say("thanks, see https://example.invalid/apply for more")
    assert (ran.code, ran.jobs, said) == (0, [], []), ran.out
    assert act.talk.requests(start) == ([], [])


def test_what_only_looks_like_a_command_ends_at_the_gate(act: Act) -> None:
    start = len(act.talk.hub.log)
    ran, said = act.say("look at\n/usr/bin/git")
    assert (ran.code, ran.jobs, said) == (0, ["Decide"], []), ran.out
    assert act.talk.requests(start) == ([], [])


def test_a_stranger_starts_no_agent_and_gets_an_answer(act: Act) -> None:
    stranger = act.talk.hub.account("rando")
    agents, before = len(act.talk.prompts()), act.talk.repo.branch("main")
    ran, (answer,) = act.say(RENAME, stranger)
    assert ran.code == 0, ran.out
    assert ran.jobs == ACT
    assert "needs write access" in answer
    assert len(act.talk.prompts()) == agents
    assert act.talk.repo.branch("main") == before


def test_an_agent_that_fails_is_told_and_the_job_is_red(act: Act) -> None:
    ran, (answer,) = act.say("/gitclaw break\n\nprint ::add-mask::rust\nprint ##[error]boo\nfail 3")
    assert ran.jobs == AGENT
    assert ran.code == 1, ran.out
    assert "ended with 3 and changed nothing" in answer
    assert act.talk.reactions(act.talk.comments()[0].id) == ["eyes", "confused"]
    # What the agent printed is in the log, and is no command there.
    assert "| | ::add-mask::rust" in ran.out
    assert "::error title=gitclaw::/gitclaw by mona was not carried out" in ran.out


WHOLE = """
name: gitclaw
on: issue_comment
jobs:
  all:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1
        with: {path: bot, persist-credentials: false}
      - id: gate
        uses: ./bot
        with: {job: gate}
      - id: run
        uses: ./bot
      - run: echo "outputs $KIND $THREAD $RESULT"
        env:
          KIND: ${{ steps.gate.outputs.kind }}
          THREAD: ${{ steps.gate.outputs.thread }}
          RESULT: ${{ steps.run.outputs.result }}
"""


def test_the_action_does_it_all_in_one_job(act: Act, tmp_path: Path) -> None:
    whole = Act(act.talk, tmp_path, workflow=WHOLE)
    ran, (proposal,) = whole.say(RENAME)
    assert ran.code == 0, ran.out
    assert "### Proposal 1" in proposal
    assert f"outputs agent {act.talk.number} done" in ran.out


def test_an_agent_job_that_dies_is_told(act: Act, tmp_path: Path) -> None:
    broken = Act(act.talk, tmp_path, install="exit 9")
    ran, (answer,) = broken.say(RENAME)
    assert ran.code == 1, ran.out
    assert ran.jobs == AGENT
    assert "ended before it could hand anything over" in answer
    # It is handled: the next one does not stumble over it.
    ran, (status,) = act.say("/gitclaw status")
    assert (ran.code, ran.jobs) == (0, ACT), ran.out
    assert "Failed" not in status


def tells_its_key(act: Act, variable: str) -> str:
    """What an agent that is given a variable finds in it, as a hash of it."""
    command = ["sh", "-c", f'printf %s "${variable}" | sha256sum >key.txt']
    agent = {"command": command, "isolation": "none", "environment": [variable]}
    act.talk.repo.push_files("main", {"suggestions.json": json.dumps({"agent": agent}).encode()}, act.talk.mona)
    act.talk.open()
    ran, said = act.say("/gitclaw which?")
    assert ran.jobs == AGENT, ran.out
    found = re.search(r"\b[0-9a-f]{64}\b", "".join(said))
    assert found, said
    return found[0]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_key_of_any_name_reaches_the_agents_job(act: Act, tmp_path: Path) -> None:
    passes = "ANTHROPIC_API_KEY: ${{ secrets.ANTHROPIC_API_KEY }}"
    assert passes in caller()
    other = Act(act.talk, tmp_path, workflow=caller().replace(passes, "MODEL_KEY: ${{ secrets.LLM }}"), install="true")
    other.secrets = {"LLM": "a-key-that-is-called-llm", "ANTHROPIC_API_KEY": "another"}
    assert tells_its_key(other, "MODEL_KEY") == sha256("a-key-that-is-called-llm")
    assert tells_its_key(other, "ANTHROPIC_API_KEY") == sha256(""), "nobody passed it"


def test_copilot_gets_the_token_of_its_job_unless_there_is_a_secret(act: Act, tmp_path: Path) -> None:
    other = Act(act.talk, tmp_path, workflow=caller("copilot"), install="true")
    assert tells_its_key(other, "COPILOT_GITHUB_TOKEN") == sha256(act.talk.token)
