"""What doctor makes of what it has seen, where a test of the whole could not show it."""

from __future__ import annotations

import pytest

from gitclaw_py.core.diagnosis import Finding, Machine, Seen, Site, Verdict, diagnose
from gitclaw_py.core.settings import DEFAULT, Network, Settings, of_preset


def found(machine: Machine, settings: Settings | None = DEFAULT, site: Site | None = None) -> list[Finding]:
    return diagnose(Seen(machine, settings, "suggestions.json", None, site, "nobody asked"))


@pytest.mark.parametrize(
    ("version", "verdict"),
    [(None, Verdict.FAIL), ("2.35.9", Verdict.FAIL), ("2.36", Verdict.PASS), ("2.100.1", Verdict.PASS)],
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
