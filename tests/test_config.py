from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from gitclaw_py import config
from gitclaw_py.core.modes import Mode
from gitclaw_py.core.risk import Risk
from gitclaw_py.core.settings import DEFAULT, AgentSettings, Api, Isolation, ModelSettings, Network, Usage
from gitclaw_py.errors import ConfigError

TOP = Path(__file__).resolve().parents[1]
PUBLISHED = json.loads((files("gitclaw_py") / "schemas" / "suggestions.schema.json").read_bytes())


def test_the_published_schema_is_the_one_that_holds() -> None:
    assert config.schema() == PUBLISHED
    jsonschema.Draft202012Validator.check_schema(PUBLISHED)


def test_this_repository_s_own_file_is_the_example() -> None:
    document = json.loads((TOP / "suggestions.json").read_bytes())
    jsonschema.validate(document, PUBLISHED)
    assert (TOP / document["$schema"]).is_file()
    assert config.read(TOP / "suggestions.json") == DEFAULT


def test_what_holds_without_a_file() -> None:
    assert (DEFAULT.default_mode, DEFAULT.risk_threshold) == (Mode.SUGGEST_ONLY, Risk.HIGH)
    assert DEFAULT.max_suggestions_per_comment == 15


@pytest.mark.parametrize(
    "document", [{"defaultMode": "x"}, {"unknown": 1}, {"riskThreshold": "x"}, {"showRationale": 1}]
)
def test_schema_and_reader_refuse_the_same(document: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "suggestions.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ConfigError):
        config.read(path)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, PUBLISHED)


MODEL = {"kind": "openai", "key": "KEY"}


def _agent(**keys: object) -> AgentSettings:
    return config.parse(json.dumps({"agent": keys}).encode(), "suggestions.json").agent


def test_an_agent_is_kept_apart_and_offline_unless_it_is_said() -> None:
    assert _agent() == DEFAULT.agent
    assert (DEFAULT.agent.isolation, DEFAULT.agent.network) == (Isolation.AUTO, Network.OFF)
    found = _agent(network="proxy", model=MODEL, limits={"memory": 64, "fileSize": 2}, git=True, readable=["~/.tool"])
    assert found.model == ModelSettings(Api.OPENAI, "KEY", "https://api.openai.com")
    assert found.limits == Usage(memory=64, file_size=2)
    assert (found.git, found.readable) == (True, ("~/.tool",))


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"network": "proxy"}, "needs a model"),
        ({"model": MODEL}, "needs network proxy"),
        ({"network": "open", "model": MODEL, "environment": ["KEY"]}, "leave it out of environment"),
        ({"network": "proxy", "model": {**MODEL, "upstream": "http://example.com"}}, "agent.model.upstream"),
        ({"network": "proxy", "model": {**MODEL, "upstream": "https://a@b.example"}}, "agent.model.upstream"),
        ({"network": "proxy", "model": {**MODEL, "maxCall": 1}}, "did you mean maxCalls?"),
        ({"limits": {"memroy": 1}}, "did you mean memory?"),
        ({"limits": {"memory": 1}}, "agent.limits.memory"),
        ({"isolation": "docker"}, "agent.isolation"),
        ({"readable": ["/"]}, "folders by their full paths"),
        ({"readable": ["/opt/../root"]}, "folders by their full paths"),
        ({"readable": ["tools"]}, "folders by their full paths"),
    ],
)
def test_what_would_undo_the_isolation_by_a_slip_is_refused(keys: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        _agent(**keys)
    assert said in f"{caught.value.what} {caught.value.next_step}"
