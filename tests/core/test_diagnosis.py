"""What doctor makes of what it has seen, where a test of the whole could not show it."""

from __future__ import annotations

from importlib import resources
from typing import Any

import pytest

from gitclaw_py.core import onboarding
from gitclaw_py.core.diagnosis import Finding, Machine, Seen, Site, Verdict, diagnose
from gitclaw_py.core.presets import PRESETS, Preset
from gitclaw_py.core.settings import DEFAULT, AgentSettings, Api, ModelSettings, Network, Settings, of_preset


def found(machine: Machine, settings: Settings | None = DEFAULT, site: Site | None = None) -> list[Finding]:
    return diagnose(Seen(machine, settings, "suggestions.json", None, site, "nobody asked"))


@pytest.mark.parametrize(
    ("version", "verdict"),
    [(None, Verdict.FAIL), ("2.33.9", Verdict.FAIL), ("2.34", Verdict.PASS), ("2.100.1", Verdict.PASS)],
)
def test_git(version: str | None, verdict: Verdict) -> None:
    assert found(Machine(version))[0].verdict is verdict


@pytest.mark.parametrize(("is_job", "verdict"), [(True, Verdict.FAIL), (False, Verdict.WARN)])
def test_what_is_missing_counts_where_the_agent_runs(*, is_job: bool, verdict: Verdict) -> None:
    settings = DEFAULT._replace(agent=of_preset("claude"))
    said = found(Machine("2.50", None, is_job=is_job, exposed="nothing keeps it apart"), settings)
    assert Finding(verdict, "nothing keeps it apart", "see Kept apart in gitclaw_py/docs/agents.md") in said
    assert [one.verdict for one in said if one.what == "claude is not installed here"] == [verdict]


def test_copilot_works_with_a_token_of_the_job_and_is_not_tried() -> None:
    settings = DEFAULT._replace(agent=of_preset("copilot"))
    said = found(Machine("2.50", "1.0.102", is_job=True), settings)
    assert "COPILOT_GITHUB_TOKEN is not set in this job" in [one.what for one in said]
    assert any("not tried on GitHub itself" in one.what for one in said)
    given = found(Machine("2.50", "1.0.102", frozenset({"COPILOT_GITHUB_TOKEN"}), is_job=True), settings)
    assert not [one for one in given if "COPILOT_GITHUB_TOKEN" in one.what]
    assert settings.agent.network is Network.OPEN


def test_what_a_token_may_not_know_is_said_and_no_failure() -> None:
    site = Site("octo/hello", "https://github.com/octo/hello", "main")
    said = found(Machine("2.50", "2.1"), DEFAULT._replace(agent=of_preset("claude")), site)
    unknown = [one.what for one in said if "not known" in one.what]
    assert len(unknown) == 4, unknown
    assert {one.verdict for one in said if one.what in unknown} == {Verdict.WARN}
    assert Verdict.FAIL not in {one.verdict for one in said}


TEMPLATE = resources.files("gitclaw_py").joinpath("templates/workflow.yml").read_text(encoding="utf-8")
LLM: dict[str, Any] = {"network": Network.PROXY, "model": ModelSettings(Api.OPENAI, "LLM", "https://llm.example")}


def installed(
    agent: str, *secrets: str, own: frozenset[str] | None = frozenset(), old: str = "", new: str = ""
) -> Site:
    """A repository with what init writes for an agent, with something else in it, and secrets."""
    text = onboarding.workflow(agent, onboarding.Source("octo/gitclaw", "a" * 40), TEMPLATE)
    assert old in text
    site = Site("octo/hello", "https://github.com/octo/hello", "main", secrets=frozenset(secrets), agent_secrets=own)
    return site._replace(workflows={onboarding.WORKFLOW: text.replace(old, new)}, actions_are_on=True)


def of(agent: AgentSettings, site: Site) -> dict[str, tuple[Verdict, str]]:
    said = found(Machine("2.50", "1"), DEFAULT._replace(agent=agent), site)
    return {one.what: (one.verdict, one.fix) for one in said}


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.name)
def test_what_init_writes_brings_each_agent_what_it_needs(preset: Preset) -> None:
    secrets = [preset.secret] if preset.secret else []
    said = of(of_preset(preset.name), installed(preset.name, *secrets))
    assert [what for what, (verdict, _) in said.items() if verdict is Verdict.FAIL] == []
    assert [f"the secret {name} is there" in said for name in secrets] == [True] * len(secrets)
    for name in secrets:
        missing = of(of_preset(preset.name), installed(preset.name))[f"there is no secret {name}"]
        assert missing == (Verdict.FAIL, "add it: https://github.com/octo/hello/settings/secrets/actions")


@pytest.mark.parametrize(
    ("passes", "secrets", "what", "verdict"),
    [
        ("ANTHROPIC_API_KEY: ${{ secrets.ANTHROPIC_API_KEY }}", ["LLM"], "does not pass MODEL_KEY", Verdict.FAIL),
        ("MODEL_KEY: ${{ secrets.LLM }}", [], "there is no secret LLM", Verdict.FAIL),
        ("MODEL_KEY: ${{ secrets.llm }}", ["LLM"], "the secret llm is there", Verdict.PASS),
        ("# MODEL_KEY: ${{ secrets.LLM }}", ["LLM"], "does not pass MODEL_KEY", Verdict.FAIL),
    ],
)
def test_a_key_of_any_name_goes_through_one_secret(
    passes: str, secrets: list[str], what: str, verdict: Verdict
) -> None:
    agent = of_preset("codex")._replace(model=ModelSettings(Api.OPENAI, "MODEL_KEY", "https://llm.example"))
    old = "OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}"
    said = of(agent, installed("codex", *secrets, old=old, new=passes))
    assert [one for name, (one, _) in said.items() if what in name] == [verdict], said


def test_a_key_that_the_workflow_cannot_pass_is_told_with_the_way_it_can() -> None:
    site = installed("codex", "LLM", "OPENAI_API_KEY")
    verdict, fix = of(of_preset("codex")._replace(**LLM), site)[
        ".github/workflows/gitclaw.yml can pass no LLM, which agent.model.key names"
    ]
    assert verdict is Verdict.FAIL
    assert fix == (
        "let agent.model.key name MODEL_KEY, and add to secrets: of that file: MODEL_KEY: ${{ secrets.LLM }}"
    )


def test_a_secret_of_the_agents_environment_needs_no_caller() -> None:
    agent = of_preset("codex")._replace(model=ModelSettings(Api.OPENAI, "MODEL_KEY", "https://llm.example"))
    assert of(agent, installed("codex", own=frozenset(["MODEL_KEY"])))["the secret MODEL_KEY is there"]
    (unknown,) = [
        (what, verdict) for what, (verdict, _) in of(agent, installed("codex", own=None)).items() if "MODEL_KEY" in what
    ]
    told = "does not pass MODEL_KEY, and the secrets of the environment gitclaw-agent are not known"
    assert unknown == (f"{onboarding.WORKFLOW} {told}", Verdict.WARN)


def test_what_a_command_is_given_is_looked_at_too() -> None:
    agent = AgentSettings(("my-agent",), environment=("MY_API_KEY", "MY_MODEL", "OPENAI_API_KEY"))
    said = of(agent, installed("command", "OPENAI_API_KEY"))
    assert said[f"{onboarding.WORKFLOW} can pass no MY_API_KEY, which agent.environment names"][0] is Verdict.WARN
    assert said[f"{onboarding.WORKFLOW} does not pass OPENAI_API_KEY"][0] is Verdict.WARN
    assert not [what for what in said if "MY_MODEL" in what]


def test_copilot_needs_the_workflow_that_may_ask_it_or_a_secret() -> None:
    agent, path = of_preset("copilot"), onboarding.WORKFLOW
    assert not [what for what, (verdict, _) in of(agent, installed("copilot")).items() if verdict is Verdict.FAIL]
    without = of(agent, installed("copilot", old="      copilot-requests: write\n"))
    assert without[f"{path} does not give the bot all it needs"] == (
        Verdict.FAIL,
        "add to permissions: copilot-requests: write",
    )
    other = of(agent, installed("copilot", old="gitclaw-copilot.yml", new="gitclaw.yml"))
    verdict, fix = other[f"{path} gives copilot no token"]
    assert (verdict, "call gitclaw-copilot.yml there" in fix) == (Verdict.FAIL, True)
    names = ("ANTHROPIC_API_KEY", "COPILOT_GITHUB_TOKEN")
    missing = of(agent, installed("claude", old=names[0], new=names[1]))
    assert missing["there is no secret COPILOT_GITHUB_TOKEN"][0] is Verdict.FAIL
    given = of(agent, installed("claude", names[1], old=names[0], new=names[1]))
    assert given["the secret COPILOT_GITHUB_TOKEN is there"][0] is Verdict.PASS


def test_a_workflow_that_runs_gitclaw_itself_gives_the_key_to_that_step() -> None:
    text = "on: issue_comment\njobs:\n  a:\n    steps:\n      - run: gitclaw run\n        env:\n          X: y\n"
    site = installed("claude", "LLM")._replace(workflows={"x.yml": text})
    assert of(of_preset("codex")._replace(**LLM), site)["x.yml does not pass LLM"] == (
        Verdict.FAIL,
        "add to env: of its step: LLM: ${{ secrets.LLM }}",
    )
    site = site._replace(workflows={"x.yml": text.replace("X: y", "LLM: ${{ secrets.LLM }}")})
    assert "the secret LLM is there" in of(of_preset("codex")._replace(**LLM), site)
