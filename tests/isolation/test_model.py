"""An agent's calls to its model: they arrive, with a key that the agent never has, and nothing else goes anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitclaw_py.core.settings import AgentSettings, Api, Isolation, ModelSettings, Network
from gitclaw_py.errors import BudgetError, ConfigError
from tests.isolation.conftest import Making
from tests.isolation.model_server import PIECES, Model, model
from tests.isolation.place import Outcome, Place, python

KEY = "sk-real-0123456789"
CLIENT = """
import glob, http.client, json, os, socket, sys
found = {}
url = os.environ["URL"].removeprefix("http://")
host, _, rest = url.partition("/")
word = os.environ["WORD"]

def call(method, path, headers=None, body=None):
    try:
        c = http.client.HTTPConnection(host, timeout=10)
        c.request(method, path, body, {"x-api-key": word, **(headers or {})})
        r = c.getresponse()
        return r.status, r.read().decode(), {k.lower(): v for k, v in r.getheaders()}
    except OSError as error:
        return str(error), "", {}
"""
CALLS = (
    CLIENT
    + """
found["call"] = call("POST", "/v1/messages?beta=true&to=x", {"Authorization": "Bearer mine", "Cookie": "a=b",
    "X-Forwarded-For": "x", "anthropic-version": "2023-06-01"}, json.dumps({"stream": True}))
found["chunked"] = call("POST", "/v1/messages", None, iter([b"one", b"two"]))
found["others"] = [call(m, p)[0] for m, p in (
    ("GET", "/v1/messages"), ("POST", "/v1/files"), ("POST", "/v1/messages/batches"), ("POST", "/v1/messages/../files"),
    ("POST", "http://192.0.2.1/v1/messages"), ("CONNECT", "192.0.2.1:443"), ("DELETE", "/v1/messages"))]
outside = []
for address in (("192.0.2.1", 443), ("127.0.0.1", int(os.environ["UPSTREAM"]))):
    try:
        socket.create_connection(address, 3)
        outside.append("reached")
    except OSError as error:
        outside.append(error.strerror)
found["outside"] = outside
looked, seen = 0, [name for name, value in os.environ.items() if "sk-" + "real" in value]
names = ("/proc/[0-9]*/environ", "/proc/[0-9]*/cmdline", "/tmp/**")
for name in (path for pattern in names for path in glob.glob(pattern, recursive=True)):
    try:
        looked += 1
        with open(name, "rb") as file:
            seen += [name] if b"sk-" + b"real" in file.read() else []
    except OSError:
        pass
found["seen"], found["looked"] = seen, looked
print(json.dumps(found))
"""
)


@pytest.fixture
def upstream() -> Iterator[Model]:
    with model() as server:
        yield server


def _settings(upstream: Model, kind: Api = Api.ANTHROPIC, **more: Any) -> AgentSettings:
    network = more.pop("network", Network.PROXY)
    return AgentSettings(network=network, model=ModelSettings(kind, "MODEL_KEY", upstream.url, **more))


def _asked(place: Place, upstream: Model, code: str, name: str = "ANTHROPIC") -> Outcome:
    (place.work / "ask.py").write_text(code, encoding="utf-8")
    url = "GOOGLE_GEMINI_BASE_URL" if name == "GEMINI" else f"{name}_BASE_URL"
    port = upstream.url.rpartition(":")[2]
    return place.run(f'URL="${url}" WORD="${name}_API_KEY" UPSTREAM={port} {python()} ask.py > "$GITCLAW_ANSWER"')


def test_rows_38_39_calls_go_through_and_nothing_else_does(made: Making, upstream: Model) -> None:
    place = made(_settings(upstream), MODEL_KEY=KEY)
    outcome = _asked(place, upstream, CALLS)
    assert outcome.ran.network == "network: its model only"
    said = json.loads(outcome.said)
    status, text, headers = said["call"]
    assert (status, headers["content-type"]) == (200, "text/event-stream")
    assert [json.loads(line[5:])["text"] for line in text.split("\n\n")[:-1]] == list(PIECES)
    assert "set-cookie" not in headers
    assert said["chunked"][0] == 200
    assert said["others"] == [403] * 7
    assert said["outside"][1] in ("Connection refused", "Permission denied")
    assert said["outside"][0] in ("Network is unreachable", "Permission denied")
    first, second = upstream.requests
    assert (first.path, first.headers["x-api-key"]) == ("/v1/messages?beta=true", KEY)
    assert not {"authorization", "cookie", "x-forwarded-for"} & first.headers.keys()
    assert first.headers["anthropic-version"] == "2023-06-01"
    assert (second.body, second.headers["x-api-key"]) == (b"onetwo", KEY)
    assert "cookie" not in second.headers
    assert KEY not in outcome.log
    assert said["seen"] == []
    assert said["looked"] > 3


ONE = (
    CLIENT
    + """
print(json.dumps([call("POST", path, None, "{}")[0] for path in sys.argv[1:] or PATHS]))
"""
)


@pytest.mark.parametrize(
    ("kind_of_api", "name", "paths", "header"),
    [
        (Api.ANTHROPIC, "ANTHROPIC", ["/v1/messages", "/v1/messages/count_tokens"], ("x-api-key", KEY)),
        (Api.OPENAI, "OPENAI", ["/v1/responses", "/v1/chat/completions"], ("authorization", f"Bearer {KEY}")),
        (
            Api.GEMINI,
            "GEMINI",
            ["/v1beta/models/g-2.5:generateContent", "/v1/models/g-2.5:streamGenerateContent?alt=sse&key=x"],
            ("x-goog-api-key", KEY),
        ),
    ],
)
def test_each_kind_has_its_calls(
    tmp_path: Path, upstream: Model, kind_of_api: Api, name: str, paths: list[str], header: tuple[str, str]
) -> None:
    settings = _settings(upstream, kind_of_api)._replace(isolation=Isolation.NONE)
    place = Place(tmp_path, settings, MODEL_KEY=KEY)
    others = ["/v1/files", "/v1beta/models/x:batchEmbedContents", "/v1/models/../x:generateContent"]
    outcome = _asked(place, upstream, ONE.replace("PATHS", json.dumps([*paths, *others])), name)
    assert json.loads(outcome.said) == [200, 200, 403, 403, 403]
    assert [request.path for request in upstream.requests] == [path.replace("&key=x", "") for path in paths]
    assert {request.headers[header[0]] for request in upstream.requests} == {header[1]}


@pytest.mark.parametrize(("more", "served"), [({"max_calls": 2}, 2), ({"max_bytes": 500}, 8)])
def test_a_budget_ends_the_run(made: Making, upstream: Model, more: dict[str, Any], served: int) -> None:
    place = made(_settings(upstream, **more), MODEL_KEY=KEY)
    code = ONE.replace("PATHS", '["/v1/messages"] * 20') + "\nimport time; time.sleep(20)\n"
    with pytest.raises(BudgetError) as caught:
        _asked(place, upstream, code)
    assert caught.value.code == "BUDGET_EXCEEDED"
    assert 1 <= len(upstream.requests) <= served


def test_row_42_it_follows_nobody_elsewhere(tmp_path: Path, upstream: Model) -> None:
    with model() as other:
        upstream.elsewhere = f"{other.url}/v1/messages"
        place = Place(tmp_path, _settings(upstream)._replace(isolation=Isolation.NONE), MODEL_KEY=KEY)
        code = CLIENT + 'print(json.dumps(call("POST", "/v1/messages", None, "{}")))'
        status, _, headers = json.loads(_asked(place, upstream, code).said)
        assert (status, "location" in headers) == (307, False)
        assert other.requests == []


def test_at_a_port_only_who_knows_the_word_is_served(tmp_path: Path, upstream: Model) -> None:
    place = Place(tmp_path, _settings(upstream)._replace(isolation=Isolation.NONE), MODEL_KEY=KEY)
    code = (
        CLIENT
        + 'right = word\nfor word in ("", "gitclaw-other", right): print(call("POST", "/v1/messages", None, "")[0])'
    )
    assert _asked(place, upstream, code).said.split() == ["403", "403", "200"]


def test_a_model_that_cannot_be_reached_is_said_to_the_agent(tmp_path: Path, upstream: Model) -> None:
    settings = _settings(upstream)
    assert settings.model is not None
    gone = settings._replace(isolation=Isolation.NONE, model=settings.model._replace(upstream="http://127.0.0.1:9"))
    code = CLIENT + 'print(json.dumps(call("POST", "/v1/messages", None, "{}")))'
    status, text, _ = json.loads(_asked(Place(tmp_path, gone, MODEL_KEY=KEY), upstream, code).said)
    assert (status, json.loads(text)["error"]["code"]) == (502, "MODEL_UNAVAILABLE")


def test_a_key_that_is_not_there_is_named(tmp_path: Path, upstream: Model) -> None:
    place = Place(tmp_path, _settings(upstream)._replace(isolation=Isolation.NONE))
    with pytest.raises(ConfigError, match="MODEL_KEY"):
        place.run("true")


def test_with_an_open_network_the_key_stays_outside_still(made: Making, upstream: Model) -> None:
    place = made(_settings(upstream, network=Network.OPEN), MODEL_KEY=KEY)
    outcome = _asked(place, upstream, CALLS)
    said = json.loads(outcome.said)
    assert said["call"][0] == 200
    assert said["outside"][1] == "reached"
    assert said["seen"] == []
    assert "[isolation: " in outcome.log
    assert "network: open]" in outcome.log
