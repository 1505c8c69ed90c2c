"""What reads something that others wrote: each as a strategy of inputs and what is done with one.

A target may say no with one of our own errors or values; anything else is a crash. More targets are more entries.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import strategies as st

from gitclaw_py.core import budget, bundle, seal, state_json
from gitclaw_py.core.commands import read_commands, written
from gitclaw_py.core.paths import objection
from gitclaw_py.core.reasons import read_reasons
from gitclaw_py.core.refnames import is_branch, is_oid
from gitclaw_py.core.replies import marker
from gitclaw_py.core.selection import resolve
from gitclaw_py.core.status import document
from gitclaw_py.core.trigger import Ignored, Rules, read_trigger
from gitclaw_py.errors import GitclawError
from tests.core.states import created, deleted, edit, state
from tests.core.test_bundle import BUNDLE

PAYLOADS = [path.read_bytes() for path in sorted((Path(__file__).parents[1] / "payloads").glob("*.json"))]
RULES = Rules(mention="@my-bot", bots=frozenset((7,)), apps=frozenset((8,)))
EVENTS = ("issue_comment", "issues", "pull_request", "workflow_dispatch", "repository_dispatch", "push", "")
STATE = state(edit(1, 1, 2), created(2), deleted(3))


class Target(NamedTuple):
    """What inputs look like, and what reads one."""

    inputs: st.SearchStrategy[Any]
    read: Callable[[Any], object]


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(st.characters(), max_size=20),
    st.sampled_from(["", "/apply 1", "@my-bot", "\ud800", "\x00", "../x", "a" * 3_000]),
    st.lists(st.none(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.none(), max_size=2),
)


@st.composite
def mutated(draw: st.DrawFn, documents: list[bytes]) -> bytes:
    """A document of ours with a few values changed, keys dropped or doubled, or bytes of it cut or turned."""
    data = draw(st.sampled_from(documents))
    if draw(st.integers(0, 3)) == 0:
        return _broken(draw, data)
    found = json.loads(data)
    for _ in range(draw(st.integers(0, 3))):
        _change(draw, found)
    return json.dumps(found).encode()


def _broken(draw: st.DrawFn, data: bytes) -> bytes:
    cut = draw(st.integers(0, len(data)))
    piece = draw(st.binary(max_size=8) | st.sampled_from([b'"a":1,"a":1', b"NaN", b"[" * 2_000, b'"\\ud800"', b"{}"]))
    return data[:cut] + piece + data[cut + draw(st.integers(0, 8)) :]


def _change(draw: st.DrawFn, found: Any) -> None:
    where = found
    for _ in range(draw(st.integers(0, 6))):
        inner = list(where.values()) if isinstance(where, dict) else where
        nested = [value for value in inner if isinstance(value, dict | list) and value]
        if not nested:
            break
        where = draw(st.sampled_from(nested))
    if not where:
        return
    key = draw(st.sampled_from(sorted(where) if isinstance(where, dict) else range(len(where))))
    if draw(st.booleans()):
        where[key] = draw(ODD)
    else:
        del where[key]


def _event(given: tuple[str, bytes]) -> None:
    found = read_trigger(*given, RULES)
    assert isinstance(found, Ignored) or found.actor.id > 0
    if isinstance(found, Ignored):
        assert "\n" not in found.reason


PIECES = ["/apply 1", "/reject 2 no", "/gitclaw do", "/aply", "@my-bot ", "> ", "- ", "```", "~~~", "<!--", "-->", "`"]
PIECES += ["<details>", "\n", "\n\n", "\r\n", "    ", "\t", "[a]: ", "|-|", "# ", "\u2028", "\ufeff", "\x00", "\ud800"]
COMMENTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=25).map("".join)


def _command(text: str) -> None:
    for command in read_commands(text, "@my-bot"):
        assert isinstance(written(command), str)
    marker.find(text)


def _state(data: bytes) -> None:
    with contextlib.suppress(GitclawError):
        found = state_json.load(seal.opened(data, "1 ref", None), 1 << 20)
        assert state_json.load(state_json.dump(found)) == found
        document(found)


def _budget(data: bytes) -> None:
    with contextlib.suppress(GitclawError):
        budget.load(data)


def _bundle(data: bytes) -> None:
    with contextlib.suppress(GitclawError):
        found = bundle.load(data, run="77")
        assert bundle.load(bundle.dump(found), run="77") == found


def _reasons(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        read_reasons(data)


def _words(words: list[str]) -> None:
    with contextlib.suppress(GitclawError):
        resolve(STATE, words)


def _path(path: bytes) -> None:
    said = objection(path)
    assert said is None or said
    parts = path.split(b"/")
    assert said or not {b"", b".", b"..", b".git"} & {part.lower() for part in parts}


WORDS = st.sampled_from(["1", "1-3", "2.1a", "all", "except", "and", "3.mode", "9" * 30, "-", "1," * 50, "@1a2b3c4"])
SEGMENTS = [b".git", b".GIT", b"git~1", b"..", b".", b"", b"a", b"\xff", b".g\xe2\x80\x8cit", b".git ", b"con", b"-x"]
PATHS = st.lists(st.sampled_from(SEGMENTS) | st.binary(max_size=4), min_size=1, max_size=5).map(b"/".join)
BUDGETS = [budget.dump([budget.Spent(1, 2, 3), budget.Spent(4, 5, 6)])]
STATES = [state_json.dump(STATE), seal.sealed(state_json.dump(STATE), "1 ref", seal.Keys("k" * 32))]
BUNDLES = [bundle.dump(BUNDLE)]
REASONS = [b'{"src/app.py": "one", "src/app.py:4-9": "two", "x:1": "three"}']


def _names(name: str) -> None:
    assert not (is_branch(name) and (name.startswith("-") or ":" in name or ".." in name or "\n" in name))
    assert not is_oid(name) or name.isalnum()


TARGETS = {
    "event": Target(st.tuples(st.sampled_from(EVENTS), mutated(PAYLOADS) | st.binary(max_size=40)), _event),
    "command": Target(COMMENTS, _command),
    "selection": Target(st.lists(WORDS | st.text(max_size=4), max_size=8), _words),
    "state": Target(mutated(STATES) | st.binary(max_size=40), _state),
    "budget": Target(mutated(BUDGETS) | st.binary(max_size=40), _budget),
    "bundle": Target(mutated(BUNDLES) | st.binary(max_size=40), _bundle),
    "reasons": Target(mutated(REASONS) | st.binary(max_size=40), _reasons),
    "path": Target(PATHS, _path),
    "name": Target(st.text(max_size=12) | st.sampled_from(["-x", "a:b", "a..b", "@{-1}", "a" * 40]), _names),
}
