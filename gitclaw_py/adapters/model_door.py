"""The way of an agent to its model: a key proxy of ours for the time of a run, and what the agent is told of it.

The key goes to that process alone, through its standard input. What the agent gets in its place is worthless.
"""

import json
import os
import secrets
import select
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from gitclaw_py.core.settings import Api, ModelSettings
from gitclaw_py.errors import AgentError, BudgetError, ConfigError

_TOP = str(Path(__file__).resolve().parents[2])
_CODE = f"import sys; sys.path.append({_TOP!r}); from gitclaw_py.adapters.model_proxy import main; main()"
_PATIENCE = 20.0


class Door(NamedTuple):
    """Where the proxy listens: at a socket's path, or at a port of the loopback for who knows the ``word``.

    ``check`` raises ``BudgetError`` when what may be used is used up.
    """

    socket: Path | None = None
    port: int | None = None
    word: str = ""
    check: Callable[[], None] = lambda: None


@contextmanager
def door(model: ModelSettings | None, environment: Mapping[str, str], own: Path, *, relayed: bool) -> Iterator[Door]:
    """A key proxy that listens at a socket in ``own`` when it is ``relayed``; nothing without a model.

    Raises:
        ConfigError: ``CONFIG_INVALID``: the variable with the key is not set.
        AgentError: ``MODEL_UNAVAILABLE``: the proxy does not start.
    """
    if model is None:
        yield Door()
        return
    key = environment.get(model.key, "")
    if not key:
        what = f"{model.key}, which agent.model.key names, is not set here"
        raise ConfigError("CONFIG_INVALID", what, "give it to gitclaw, in a workflow from a secret, under env")
    path = own / "door" / "model.sock" if relayed else None
    if path is not None:
        path.parent.mkdir(mode=0o755, exist_ok=True)
    word = f"gitclaw-{secrets.token_hex(16)}"
    order = {**model._asdict(), "key": key, "word": word, "socket": str(path) if path else None}
    process = subprocess.Popen(
        [sys.executable, "-I", "-B", "-c", _CODE],
        cwd="/",
        env={"PATH": os.defpath, "LANG": "C.UTF-8"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        bufsize=0,
    )
    to_it, from_it = _ends(process)
    try:
        with suppress(BrokenPipeError):
            to_it.write(json.dumps(order).encode() + b"\n")
        port = _port(from_it)
        yield Door(path, port or None, word, lambda: _check(from_it, model))
    finally:
        to_it.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(1)
        process.kill()
        process.wait()
        from_it.close()


def variables(model: ModelSettings | None, port: int | None, word: str) -> dict[str, str]:
    """The environment variables by which agents find their model, as the tools of each kind read them."""
    if model is None or not word:
        return {}
    top = f"http://127.0.0.1:{port}"
    match model.kind:
        case Api.ANTHROPIC:
            return {"ANTHROPIC_BASE_URL": top, "ANTHROPIC_API_KEY": word}
        case Api.OPENAI:
            return {"OPENAI_BASE_URL": f"{top}/v1", "OPENAI_API_BASE": f"{top}/v1", "OPENAI_API_KEY": word}
        case Api.GEMINI:
            return {"GOOGLE_GEMINI_BASE_URL": top, "GEMINI_API_KEY": word}


def _ends(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise RuntimeError
    return process.stdin, process.stdout


def _port(told: IO[bytes]) -> int:
    if select.select([told], [], [], _PATIENCE)[0]:
        word, _, value = told.readline().decode().partition(" ")
        if word == "ready":
            return int(value)
    raise AgentError("MODEL_UNAVAILABLE", "The key proxy did not start", "give the command again; see the log")


def _check(told: IO[bytes], model: ModelSettings) -> None:
    if not select.select([told], [], [], 0)[0]:
        return
    word, _, what = told.readline().decode().strip().partition(" ")
    if word == "spent":
        most = f"{model.max_calls} calls" if what == "calls" else f"{model.max_bytes} bytes"
        key = "maxCalls" if what == "calls" else "maxBytes"
        raise BudgetError(
            "BUDGET_EXCEEDED",
            f"The agent used all {most} of its model and was stopped; nothing was proposed",
            f"ask for less at once; or raise agent.model.{key} in suggestions.json",
        )
    if not word:
        raise AgentError("MODEL_UNAVAILABLE", "The key proxy ended while the agent worked", "give the command again")
