"""What a known agent printed, read: its answer, its reasons, what it used, and whether its model failed.

Several of them end with 0 without having done anything, so that an exit code says little; what they print says more,
and the files say most. Each reader takes all that was printed, standard output and error together, since a model's
failure stands in either.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from gitclaw_py.core.usage import UNKNOWN, Usage

Json = Any
_LONGEST = 500
"""Characters of a failure."""


class Failure(NamedTuple):
    """Why an agent could not go on, though no fault of its own: a code of ``errors.py``, and what was said of it."""

    code: str
    what: str


class Printed(NamedTuple):
    """What was read. ``answer`` is None where it said nothing to the person who asked; ``reasons`` are JSON."""

    answer: str | None = None
    reasons: str | None = None
    usage: Usage = UNKNOWN
    failure: Failure | None = None


def read(kind: str, text: str) -> Printed:
    """What an agent of that kind printed. A kind that is not known has printed nothing that can be read."""
    reader = READERS.get(kind)
    found = reader(text) if reader else Printed()
    if found.answer is None:
        return found
    answer, reasons = _parted(found.answer)
    return found._replace(answer=answer.strip() or None, reasons=reasons)


_REASONS = re.compile(
    r"^(?P<fence>`{3,}|~{3,})[ \t]*reasons[ \t]*\n(?P<json>.*?)\n(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL
)


def _parted(answer: str) -> tuple[str, str | None]:
    """The answer without the block of reasons at its end, and what stands in that block."""
    found = list(_REASONS.finditer(answer))
    if not found:
        return answer, None
    last = found[-1]
    return answer[: last.start()].rstrip() + "\n" + answer[last.end() :].lstrip(), last["json"]


def doing(line: str) -> str:
    """What a line of output says for people who wait: nothing, where it is meant for programs."""
    return "" if line.lstrip().startswith(("{", '"', "}")) else line


def _events(text: str) -> Iterator[Mapping[str, Json]]:
    """The JSON objects that stand on lines of their own, in order."""
    for line in text.split("\n"):
        if line.startswith("{"):
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(event, dict):
                yield event


def _at(document: Json, *path: str) -> Json:
    """What lies at a path of keys; None where the way ends."""
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def _text(document: Json, *path: str) -> str:
    found = _at(document, *path)
    return found if isinstance(found, str) else ""


def _number(document: Json, *path: str) -> int:
    found = _at(document, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def _money(document: Json, *path: str) -> float | None:
    """A price that is known: nought is what they say of models whose price they do not know."""
    found = _at(document, *path)
    return float(found) if isinstance(found, int | float) and found else None


def _unavailable(what: str) -> Failure:
    return Failure("MODEL_UNAVAILABLE", " ".join(what.split())[:_LONGEST] or "it did not say why")


def _beyond(what: str) -> Failure:
    return Failure("BUDGET_EXCEEDED", what)


def claude(text: str) -> Printed:
    """``claude -p --output-format stream-json``: the last event is its result.

    An error of the API has ``is_error`` beside the subtype ``success``.
    https://docs.anthropic.com/en/docs/claude-code/sdk/sdk-headless
    """
    result = next((event for event in reversed(list(_events(text))) if event.get("type") == "result"), None)
    if result is None:
        return Printed()
    read = sum(_number(result, "usage", f"{kind}input_tokens") for kind in ("", "cache_creation_", "cache_read_"))
    usage = Usage(read, _number(result, "usage", "output_tokens"), _money(result, "total_cost_usd"))
    said, subtype = _text(result, "result"), _text(result, "subtype")
    if subtype in ("error_max_turns", "error_max_budget_usd"):
        return Printed(None, None, usage, _beyond(f"it came to its own limit ({subtype.removeprefix('error_max_')})"))
    if result.get("is_error"):
        return Printed(None, None, usage, _unavailable(said or subtype))
    return Printed(said, None, usage)


def codex(text: str) -> Printed:
    """``codex exec --json``: the last message of the agent, and the usage of each turn.

    https://github.com/openai/codex/blob/main/docs/exec.md
    """
    answer, failure, read, written, counted = None, None, 0, 0, False
    for event in _events(text):
        match event.get("type"):
            case "item.completed" if _text(event, "item", "type") == "agent_message":
                answer = _text(event, "item", "text")
            case "turn.completed":
                read, written = (
                    read + _number(event, "usage", "input_tokens"),
                    written + _number(event, "usage", "output_tokens"),
                )
                failure, counted = None, True
            case "turn.failed":
                failure = _unavailable(_text(event, "error", "message"))
            case _:
                pass
    return Printed(None if failure else answer, None, Usage(read, written) if counted else UNKNOWN, failure)


def gemini(text: str) -> Printed:
    """``gemini --output-format stream-json``: messages in pieces, and a result with the sums.

    https://github.com/google-gemini/gemini-cli/blob/main/docs/cli/headless.md
    """
    said: list[str] = []
    result: Mapping[str, Json] = {}
    for event in _events(text):
        match event.get("type"):
            case "message" if event.get("role") == "assistant":
                said.append(_text(event, "content"))
            case "tool_use" | "tool_result":
                said.clear()
            case "result":
                result = event
            case _:
                pass
    if not result:
        return Printed(None, None, UNKNOWN, _unavailable(_error_line(text)) if _error_line(text) else None)
    usage = Usage(_number(result, "stats", "input_tokens"), _number(result, "stats", "output_tokens"))
    if result.get("status") == "error":
        return Printed(None, None, usage, _unavailable(_text(result, "error", "message")))
    return Printed("".join(said) or None, None, usage)


def opencode(text: str) -> Printed:
    """``opencode run --format json``: texts, and the tokens and the cost of each step.

    https://opencode.ai/docs/cli
    """
    said: list[str] = []
    read = written = 0
    dollars, counted, failure = 0.0, False, None
    for event in _events(text):
        match event.get("type"):
            case "text":
                said.append(_text(event, "part", "text"))
                failure = None
            case "tool_use":
                said.clear()
            case "step_finish":
                tokens = _at(event, "part", "tokens")
                read += _number(tokens, "input") + _number(tokens, "cache", "read") + _number(tokens, "cache", "write")
                written += _number(tokens, "output") + _number(tokens, "reasoning")
                dollars, counted = dollars + (_money(event, "part", "cost") or 0.0), True
            case "error":
                failure = _unavailable(_text(event, "error", "data", "message") or _text(event, "error", "name"))
            case _:
                pass
    usage = Usage(read, written, dollars or None) if counted else UNKNOWN
    return Printed(None if failure else "\n\n".join(said) or None, None, usage, failure)


def copilot(text: str) -> Printed:
    """``copilot --output-format json``: messages, errors of the session; behind them its usage file, in one line.

    It is billed in requests and credits, so that there is no price in money.

    https://docs.github.com/en/copilot/concepts/agents/about-copilot-cli
    """
    answer, failure, ended, usage = None, None, False, UNKNOWN
    for event in _events(text):
        match event.get("type"):
            case None if models := _at(event, "modelMetrics"):
                usage = _metered(models)
            case "assistant.message" if _text(event, "data", "content"):
                answer, failure = _text(event, "data", "content"), None
            case "session.error":
                failure = _unavailable(_text(event, "data", "message"))
            case "result":
                ended = True
            case _:
                pass
    if not ended and (line := _error_line(text)):
        failure = _unavailable(line)
    return Printed(None if failure else answer, None, usage, failure)


def _metered(models: Json) -> Usage:
    used = [_at(model, "usage") for model in models.values()] if isinstance(models, dict) else []
    read = sum(_number(one, f"{kind}Tokens") for one in used for kind in ("input", "cacheRead", "cacheWrite"))
    return Usage(read, sum(_number(one, "outputTokens") for one in used))


def _error_line(text: str) -> str:
    """The last line that says that it is an error."""
    lines = [line.strip() for line in text.split("\n") if re.match(r"\s*[\w.]*Error:", line)]
    return lines[-1] if lines else ""


def mini(text: str) -> Printed:
    """``mini -o FILE`` with the file printed behind it: the whole trajectory as one JSON document.

    https://mini-swe-agent.com/latest/usage/output_files
    """
    place = text.rfind("\n{\n")
    try:
        document = json.JSONDecoder().raw_decode(text, place + 1)[0] if place >= 0 else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        line = _error_line(text)
        return Printed(failure=_unavailable(line) if line else None)
    messages = document.get("messages")
    usages = [_at(one, "extra", "response", "usage") for one in (messages if isinstance(messages, list) else ())]
    usage = Usage(
        sum(_number(one, "prompt_tokens") for one in usages),
        sum(_number(one, "completion_tokens") for one in usages),
        _money(document, "info", "model_stats", "instance_cost"),
    )
    ended = _text(document, "info", "exit_status")
    if ended == "LimitsExceeded":
        return Printed(None, None, usage, _beyond("it came to its own limit of steps or cost"))
    if ended != "Submitted":
        last = messages[-1] if isinstance(messages, list) and messages else None
        return Printed(None, None, usage, _unavailable(_text(last, "extra", "exception_str") or ended))
    return Printed(_text(document, "info", "submission") or None, None, usage)


_TOKENS = re.compile(r"^> Tokens: (?P<read>[\d.,]+[kM]?) sent.*?(?P<written>[\d.,]+[kM]?) received\.", re.MULTILINE)
_SESSION = re.compile(r"\$(?P<dollars>[\d.]+) session")
_EDIT = re.compile(r"(?:^[^\s`]+\n)?^(?P<fence>`{3,})[^\n`]*\n.*?^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
_MODEL_ERROR = re.compile(r"^> (?P<what>litellm\.[^\n]*)", re.MULTILINE)
_STARTED = "# aider chat started at "


def aider(text: str) -> Printed:
    """``aider`` with its chat history printed behind what it said: its words as they are, notices marked with ``>``.

    https://aider.chat/docs/config/options.html
    """
    chat = text[text.rfind(_STARTED) :] if _STARTED in text else ""
    counts = list(_TOKENS.finditer(chat))
    spent = [float(found["dollars"]) for found in _SESSION.finditer(chat)]
    usage = UNKNOWN
    if counts:
        read, written = (sum(_rounded(found[name]) for found in counts) for name in ("read", "written"))
        usage = Usage(read, written, spent[-1] if spent else None)
    failures = [found["what"] for found in _MODEL_ERROR.finditer(chat)]
    if failures and not counts:
        return Printed(None, None, usage, _unavailable(failures[-1]))
    return Printed(_last_words(chat), None, usage)


def _last_words(chat: str) -> str | None:
    """What it said before the last count of tokens, without the files and the edits in it."""
    said: list[list[str]] = [[]]
    for line in chat.split("\n"):
        if line.startswith("> Tokens: "):
            said.append([])
        elif not line.startswith((">", "#### ", _STARTED)):
            said[-1].append(line)
    words = (_EDIT.sub("", "\n".join(lines)).strip() for lines in reversed(said))
    return next((text for text in words if text), None)


def _rounded(text: str) -> int:
    """``2.3k`` as a number: aider says no more."""
    factor = {"k": 1_000, "M": 1_000_000}.get(text[-1], 1)
    return round(float(text.rstrip("kM").replace(",", "")) * factor)


READERS: Mapping[str, Callable[[str], Printed]] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
    "copilot": copilot,
    "mini": mini,
    "aider": aider,
}
"""Who reads what an agent printed, by the name that ``presets`` gives its way of printing."""
