from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from gitclaw_py import config
from gitclaw_py.core.modes import Mode
from gitclaw_py.core.risk import Risk
from gitclaw_py.core.settings import DEFAULT
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
