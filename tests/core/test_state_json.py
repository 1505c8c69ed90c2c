from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.core.state import State, Status, open_parts
from gitclaw_py.core.state_json import dump, encoded, load
from gitclaw_py.errors import ConfigError
from tests.core.states import created, edit, state, states, without_ids

SCHEMA = json.loads((files("gitclaw_py") / "schemas" / "state.schema.json").read_bytes())


@given(states())
def test_what_is_written_is_read_again(before: State) -> None:
    assert load(dump(before)) == before


@given(states())
def test_the_document_fits_its_published_schema(before: State) -> None:
    jsonschema.validate(json.loads(dump(before)), SCHEMA)


@given(states())
def test_no_line_of_the_document_can_be_cut_by_what_is_in_it(before: State) -> None:
    text = dump(before).decode("ascii")
    assert text.splitlines() == text.split("\n")[:-1]


@given(st.binary(max_size=30))
def test_bytes_are_text_exactly_where_they_are_utf8(data: bytes) -> None:
    value = encoded(data)
    assert ("t" in value) == (data == data.decode("utf-8", "replace").encode())


def test_a_person_can_read_it() -> None:
    lines = dump(state(edit(1, 1, 2), created(2))).decode().split("\n")
    assert any('"path": {"t": "f.py"}' in line for line in lines)
    assert sum('"parts"' in line for line in lines) == 2


BROKEN = [
    ("{", "is not JSON"),
    ("[" * 100_000, "is not JSON"),
    ("[]", "state has no version"),
    ('{"version": 3}', "version 3 is not the one"),
    ('{"version": true}', "state.version is not a whole number"),
    ('{"version": 1, "thread": 3}', "state.thread is not a text"),
    ('{"version": 2, "thread": "x", "proposals": {}}', "state.proposals is not a list"),
]


@pytest.mark.parametrize(("text", "said"), BROKEN)
def test_a_broken_document_is_refused_with_the_place(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        load(text.encode())
    assert said in error.value.what
    assert error.value.code == "CONFIG_INVALID"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "melt"}, "state.suggestions[0].kind is none of create"),
        ({"path": {"t": 3}}, "state.suggestions[0].path is neither a text nor base64"),
        ({"path": {"b64": "%%"}}, "state.suggestions[0].path is neither a text nor base64"),
        ({"path": {"t": "a", "b64": "YQ=="}}, 'state.suggestions[0].path is not {"t": …} or {"b64": …}'),
        ({"path": "a"}, 'state.suggestions[0].path is not {"t": …} or {"b64": …}'),
        ({"path": 3}, "state.suggestions[0].path is neither"),
        ({"number": True}, "state.suggestions[0].number is not a whole number"),
        ({"added": -1}, "state.suggestions[0].added is negative"),
        ({"old": ["100644"]}, "state.suggestions[0].old does not have 2 items"),
        ({"old": ["040000", "1" * 40]}, "state.suggestions[0].old[0] is not the mode of a file"),
        ({"requires": [7]}, "state.suggestions names a number that is not there"),
        ({"number": 2}, "state.suggestions has a number twice"),
        ({"new": ["100644", "HEAD"]}, "state.suggestions[0].new[1] is not an object id"),
        ({"hunks": [{"number": 1, "parts": [[0, "1", {"t": ""}]]}]}, "hunks[0].parts[0][1] is not a whole number"),
    ],
)
def test_a_broken_suggestion_is_refused_with_the_place(change: dict[str, object], said: str) -> None:
    document = json.loads(dump(state(edit(1, 1), created(2))))
    document["suggestions"][0].update(change)
    with pytest.raises(ConfigError) as error:
        load(json.dumps(document).encode())
    assert said in error.value.what


@pytest.mark.parametrize("key", ["path", "old_path"])
@pytest.mark.parametrize(
    "name", ["../x", "/etc/x", "", ".git/config", "a/.GIT/hooks/x", "git~1/config", ".gitclaw/state/x"]
)
def test_a_path_that_nobody_may_write_is_read_as_blocked(key: str, name: str) -> None:
    """Also where it says itself that it is not, and when it was written again."""
    document = json.loads(dump(state(edit(1, 1), created(2))))
    document["suggestions"][0].update({key: {"t": name}, "blocked": ""})
    found = load(without_ids(json.dumps(document)).encode())
    assert found.suggestions[0].blocked
    assert load(dump(found)) == found
    assert open_parts(found, Status.PENDING) == ("2",)


def test_a_repository_inside_the_repository_is_read_as_blocked() -> None:
    document = json.loads(dump(state(created(1))))
    document["suggestions"][0].update(new=["160000", "1" * 40])
    assert load(without_ids(json.dumps(document)).encode()).suggestions[0].blocked
