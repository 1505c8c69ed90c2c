"""What holds, and where it comes from."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.sandbox import Sandbox

Golden = Callable[[str, str], None]


def test_every_key_with_its_value_and_its_origin(repo: Sandbox, golden: Golden) -> None:
    document = {"defaultMode": "hybrid", "agent": {"preset": "claude", "timeout": 60}, "commit": {"signOff": True}}
    repo.write(".github/suggestions.json", json.dumps(document))
    golden("config", repo.gitclaw("config").out)
    keys = {one["key"]: one for one in repo.gitclaw("config", "--json").json["keys"]}
    assert keys["agent.timeout"] == {"key": "agent.timeout", "value": 60, "origin": ".github/suggestions.json"}
    assert keys["riskThreshold"]["origin"] == "default"
    assert keys["agent.command"]["origin"] == "preset claude"
    assert "claude -p" in keys["agent.command"]["value"][2]
    assert keys["agent.network"] == {"key": "agent.network", "value": "proxy", "origin": "preset claude"}
    assert keys["agent.model"]["value"] == {"kind": "anthropic", "key": "ANTHROPIC_API_KEY"}


def test_without_a_file_all_is_default(repo: Sandbox) -> None:
    said = repo.gitclaw("config", "--json").json
    assert said["file"] is None
    assert {one["origin"] for one in said["keys"]} == {"default"}


def test_what_is_broken_is_told(repo: Sandbox) -> None:
    repo.write("suggestions.json", '{"agent": {"presets": "claude"}}')
    said = repo.gitclaw("config", code=3).err
    assert "unknown key, agent.presets" in said
    assert "did you mean preset?" in said
