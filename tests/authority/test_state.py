"""Rows 15 and 22 of the threat table: what is remembered cannot be forged, and what is read is read one way."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py import config
from gitclaw_py.core import seal, state_json, strict_json
from gitclaw_py.core.identity import suggestion_id
from gitclaw_py.core.state import State, Verb, decided
from gitclaw_py.errors import ConfigError
from tests.conversations.talk import Talk
from tests.core.states import created, deleted, edit, state, states, without_ids, word

KEY, OTHER = "k" * 32, "o" * 32
PLACE = "1 refs/gitclaw/threads/1"
REQUEST = "/gitclaw rename\n\nreplace old with new in app.py\nwrite added.txt hello\nbecause added.txt it was missing"


def sample() -> State:
    held = created(2, stopped="no", secret="a rule", hidden="U+202E")  # noqa: S106 - it names a rule
    found = state(edit(1, 1, 2, reason="why"), held, deleted(3, requires=(2,)))
    return decided(found, word(Verb.APPLY, "1.1", commit="c" * 40))


def refused(document: Any) -> str:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    with pytest.raises(ConfigError) as error:
        state_json.load(data)
    assert error.value.code == "CONFIG_INVALID"
    assert error.value.next_step
    return error.value.what


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where every value of a document is that holds no other."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [leaf for key, inner in items for leaf in leaves(inner, (*path, key))]
    yield from found or [path]


def with_another(document: Any, path: tuple[str | int, ...]) -> Any:
    """The document with the value there changed to another of its kind."""
    changed = json.loads(json.dumps(document))
    where = changed
    for step in path[:-1]:
        where = where[step]
    old = where[path[-1]]
    where[path[-1]] = old + 1 if isinstance(old, int) else f"{'b' if old[:1] == 'a' else 'a'}{old[1:]}" if old else "x"
    return changed


def test_row_15_every_byte_of_a_sealed_state_counts() -> None:
    data = seal.sealed(state_json.dump(sample()), PLACE, seal.Keys(KEY))
    assert state_json.load(seal.opened(data, PLACE, seal.Keys(KEY))) == sample()
    for position in range(len(data)):
        flipped = bytearray(data)
        flipped[position] ^= 1
        with pytest.raises(ConfigError):
            seal.opened(bytes(flipped), PLACE, seal.Keys(KEY))


def test_row_15_a_changed_value_in_any_field_is_refused_with_the_key() -> None:
    document = json.loads(state_json.dump(sample()))
    every = [path for path in leaves(document) if path]
    assert len(every) > 40
    genuine = seal.sealed(state_json.dump(sample()), PLACE, seal.Keys(KEY))
    (mark,) = re.findall(rb'"seal": "([0-9a-f]{64})"', genuine)
    for path in every:
        forged = json.dumps(with_another(document, path)).encode()[:-1] + b',\n"seal": "%s"}\n' % mark
        with pytest.raises(ConfigError, match="changed by someone else"):
            seal.opened(forged, PLACE, seal.Keys(KEY))


WHAT_CHANGES = re.compile(r"suggestions\.\d+\.(path|old|new|hunks\.\d+\.parts|id)|proposals\.\d+\.base")


def test_row_15_without_a_key_too_no_field_of_what_lands_can_change_alone() -> None:
    document = json.loads(state_json.dump(sample()))
    of_the_change = [path for path in leaves(document) if WHAT_CHANGES.match(".".join(map(str, path)))]
    assert len(of_the_change) > 20
    for path in of_the_change:
        refused(with_another(document, path))


@given(states())
def test_row_15_ids_follow_from_the_change_and_not_from_the_number(before: State) -> None:
    for s in before.suggestions:
        same = suggestion_id("a" * 40, s)
        assert suggestion_id("a" * 40, s._replace(number=s.number + 7, reason="another")) == same
        assert suggestion_id("b" * 40, s) != same
        assert suggestion_id("a" * 40, s._replace(path=s.path + b"x")) != same


def test_row_15_pieces_cannot_be_shifted_between_fields() -> None:
    one, other = created(1, b"ab")._replace(old_path=b"c"), created(1, b"a")._replace(old_path=b"bc")
    assert suggestion_id("a" * 40, one) != suggestion_id("a" * 40, other)


@pytest.mark.parametrize("place", ["1 refs/gitclaw/threads/2", "2 refs/gitclaw/threads/1"])
def test_row_15_a_state_of_another_thread_or_repository_is_refused(place: str) -> None:
    data = seal.sealed(state_json.dump(sample()), PLACE, seal.Keys(KEY))
    with pytest.raises(ConfigError):
        seal.opened(data, place, seal.Keys(KEY))


def test_row_15_keys_are_changed_in_two_steps() -> None:
    data = state_json.dump(sample())
    old, unsealed = seal.sealed(data, PLACE, seal.Keys(OTHER)), data
    known = seal.keys(KEY, f"{OTHER} {seal.UNSEALED}")
    assert known is not None
    assert seal.opened(old, PLACE, known) == seal.opened(unsealed, PLACE, known) == data
    for document in (old, unsealed):
        with pytest.raises(ConfigError):
            seal.opened(document, PLACE, seal.keys(KEY, None))
    with pytest.raises(ConfigError):
        seal.opened(unsealed, PLACE, seal.keys(KEY, OTHER))
    assert seal.opened(old, PLACE, None) == data


@pytest.mark.parametrize(("current", "older"), [("k" * 31, None), (KEY, "short"), (seal.UNSEALED, None)])
def test_row_15_a_key_that_can_be_guessed_is_refused(current: str, older: str | None) -> None:
    with pytest.raises(ConfigError, match="shorter than 32"):
        seal.keys(current, older)


def moved_to(talk: Talk, change: Callable[[bytes], bytes]) -> None:
    """Have someone who may push put another document into the thread's state."""
    ref = f"refs/gitclaw/threads/{talk.number}"
    git = talk.repo.repository.git
    data = talk.repo.file(ref, "state.json")
    assert data is not None
    blob = git.git("hash-object", "-w", "--stdin", stdin=change(data)).decode().strip()
    tree = git.git("mktree", stdin=f"100644 blob {blob}\tstate.json\n".encode()).decode().strip()
    who = ("-c", "user.name=mallory", "-c", "user.email=mallory@example.invalid")
    new = git.git(*who, "commit-tree", "-m", "state", "-p", f"{git.ref(ref)}", tree).decode().strip()
    git.git("update-ref", ref, new)


def test_row_15_a_thread_whose_state_was_swapped_applies_nothing(talk: Talk) -> None:
    talk.environment["GITCLAW_STATE_KEY"] = KEY
    talk.say(REQUEST)
    head = talk.repo.branch("main")
    moved_to(talk, lambda data: data.replace(b"it was missing", b"it is harmless"))
    for text in ("/apply 1", "/gitclaw status"):
        (reply,) = talk.say(text)
        assert "changed by someone else" in reply
        assert KEY not in reply + talk.runs[-1].err + talk.runs[-1].out
    assert talk.repo.branch("main") == head


def test_row_15_a_sealed_thread_works_as_any_other(talk: Talk) -> None:
    talk.environment["GITCLAW_STATE_KEY"] = KEY
    talk.say(REQUEST)
    talk.environment |= {"GITCLAW_STATE_KEY": OTHER, "GITCLAW_STATE_KEY_OLD": KEY}
    assert "### Applied 1" in talk.say("/apply 1")[0]
    del talk.environment["GITCLAW_STATE_KEY_OLD"]
    assert "### Applied 2" in talk.say("/apply 2")[0]


def test_row_15_a_thread_without_a_seal_is_refused_once_there_is_a_key(talk: Talk) -> None:
    talk.say(REQUEST)
    talk.environment["GITCLAW_STATE_KEY"] = KEY
    assert "has no seal" in talk.say("/apply 1")[0]
    talk.environment["GITCLAW_STATE_KEY_OLD"] = seal.UNSEALED
    assert "### Applied 1" in talk.say("/apply 1")[0]


def test_row_15_the_state_of_another_thread_is_not_this_one_s(talk: Talk) -> None:
    talk.say(REQUEST)
    moved_to(talk, lambda data: data.replace(b'"thread": "1"', b'"thread": "2"'))
    assert "is of the thread 2" in talk.say("/apply 1")[0]


def test_a_state_of_the_first_version_is_read_and_written_as_the_present_one() -> None:
    old = without_ids(state_json.dump(sample()).decode()).encode()
    assert b'"id"' not in old
    assert state_json.load(old) == sample()
    assert b'"version": 2' in state_json.dump(state_json.load(old))
    refused(old.replace(b'"version": 1', b'"version": 2'))


WHOLE = json.loads(state_json.dump(sample()))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"version": 2, "version": 2}', 'the key "version" twice'),
        (b'{"version": NaN}', "the number NaN"),
        (b'{"version": -Infinity}', "the number -Infinity"),
        (b'{"a": "\\ud800"}', "half a character"),
        (b'{"\\udfff": 1}', "half a character"),
        (b"[" * 10_000, "not JSON"),
        (b'{"a":' * 10_000, "not JSON"),
        (b"\xff", "not JSON"),
        (b"1" + b"0" * 5_000, "not JSON"),
        (b'\xef\xbb\xbf{"version": 2}', "not JSON"),
        ({**WHOLE, "extra": 1}, 'unknown key, "extra"'),
        ({**WHOLE, "thread": 1}, "not a text"),
        ({**WHOLE, "proposals": [{**WHOLE["proposals"][0], "commit": "--upload-pack=x"}]}, "not an object id"),
        ({**WHOLE, "proposals": WHOLE["proposals"] * 2}, "proposals has a number twice"),
        ({**WHOLE, "proposals": []}, "names a proposal that is not there"),
        ({**WHOLE, "decisions": [{**WHOLE["decisions"][0], "branch": "a:refs/heads/b"}]}, "not the name of a branch"),
        ({**WHOLE, "decisions": [{**WHOLE["decisions"][0], "branch": "-x"}]}, "not the name of a branch"),
        ({**WHOLE, "decisions": [{**WHOLE["decisions"][0], "parts": ["x"]}]}, "not the name of a part"),
    ],
)
def test_row_22_what_could_be_read_in_two_ways_is_refused(text: Any, said: str) -> None:
    assert said in refused(text)


def test_row_22_a_document_is_measured_before_it_is_read() -> None:
    data = state_json.dump(sample())
    assert state_json.load(data, len(data)) == sample()
    with pytest.raises(ConfigError, match="more than"):
        state_json.load(data, len(data) - 1)


def test_row_22_every_object_takes_only_the_keys_it_has() -> None:
    def objects(value: Any) -> Iterator[dict[str, Any]]:
        if isinstance(value, dict):
            yield value
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from objects(inner)

    document = json.loads(json.dumps(WHOLE))
    for found in objects(document):
        found["surplus"] = 1
        assert "surplus" in refused(document) or "neither" in refused(document) or "is not {" in refused(document)
        del found["surplus"]
    state_json.load(json.dumps(document).encode())


@given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_row_22_any_bytes_are_a_value_or_one_error(data: bytes) -> None:
    with contextlib.suppress(strict_json.UnreadableError):
        strict_json.parse(data, 1_000)


OURS = ["GITCLAW_STATE_KEY", "GITCLAW_STATE_KEY_OLD", "GITHUB_TOKEN", "GH_TOKEN", "GITHUB_ENV", "ACTIONS_RUNTIME_TOKEN"]


@pytest.mark.parametrize("name", OURS)
def test_rows_09_15_20_no_agent_gets_what_is_ours(name: str) -> None:
    with pytest.raises(ConfigError, match="could forge it"):
        config.parse(json.dumps({"agent": {"environment": ["PATH", name]}}).encode(), "suggestions.json")
