"""A model that follows a script: Anthropic's messages, OpenAI's chat and responses, and Gemini, streamed or not.

Only the standard library, only this machine. Which turn of the script is played follows from how many calls of tools
the history of a request has, so that a request that is sent again changes nothing. Requests that offer no tools, such
as for a title, are answered with "ok" where the script has tools.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

Json = Any
TOKENS = 10
"""What every answer is said to have read, and to have written."""


class Tool(NamedTuple):
    """One call of a tool."""

    name: str
    input: Mapping[str, Json]


class Turn(NamedTuple):
    """What the model says next: words, calls of tools, after so many seconds."""

    text: str = ""
    tools: tuple[Tool, ...] = ()
    sleep: float = 0.0


class Fault(NamedTuple):
    """An HTTP status that the first so many requests are answered with."""

    status: int
    times: int = 1_000_000


class ModelServer(ThreadingHTTPServer):
    """Serves ``script`` at ``url`` until the context ends; ``asked`` are the paths of the requests to the model."""

    daemon_threads = True

    def __init__(self, script: Sequence[Turn], fault: Fault | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.fault = fault
        self.asked: list[str] = []
        self.prompts: list[str] = []
        self.keys: list[str] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def turn(self, request: Json, done: int) -> Turn:
        if any(turn.tools for turn in self.script) and not _offers_tools(request):
            return Turn("ok")
        return self.script[min(done, len(self.script) - 1)]

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


def _offers_tools(request: Json) -> bool:
    items = request.get("input")
    return bool(request.get("tools")) or (isinstance(items, list) and any("tools" in item for item in items))


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._json({})

    def do_GET(self) -> None:
        model = {"id": "scripted", "object": "model", "type": "model", "display_name": "scripted", "owned_by": "local"}
        self._json({"object": "list", "data": [model], "has_more": False, "models": []})

    def do_POST(self) -> None:
        request = json.loads(self._body() or b"{}")
        path = urlsplit(self.path).path
        dialect = next((found for end, found in _DIALECTS.items() if end in path), None)
        if dialect is None:
            # Counting tokens, and whatever is not the model's.
            self._json({"input_tokens": TOKENS, "totalTokens": TOKENS})
            return
        with self.server.lock:
            self.server.asked.append(path)
            self.server.prompts.append(json.dumps(request, ensure_ascii=False))
            self.server.keys.append(_key(self.headers))
            fault = self.server.fault
            if fault and len(self.server.asked) <= fault.times:
                self._fail(fault.status)
                return
        turn = self.server.turn(request, dialect.done(request))
        time.sleep(turn.sleep)
        is_streamed = request.get("stream") or "stream" in path
        if is_streamed:
            self._stream(dialect.stream(request, turn))
        else:
            self._json(dialect.whole(request, turn))

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        data = b""
        while size := int(self.rfile.readline(), 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def _fail(self, status: int) -> None:
        error = {"type": "scripted_error", "message": f"scripted {status}", "code": status, "status": "SCRIPTED"}
        self._json({"type": "error", "error": error}, status)

    def _json(self, document: Json, status: int = 200) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: Iterable[tuple[str, Json]]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for name, data in events:
            head = f"event: {name}\n" if name else ""
            self.wfile.write(f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode())


def _key(headers: Message) -> str:
    given = headers.get("x-api-key") or headers.get("x-goog-api-key") or headers.get("Authorization") or ""
    return given.removeprefix("Bearer ")


class _Dialect:
    """How one kind of API counts the calls so far, and answers."""

    def done(self, request: Json) -> int:
        raise NotImplementedError

    def whole(self, request: Json, turn: Turn) -> Json:
        raise NotImplementedError

    def stream(self, request: Json, turn: Turn) -> Iterator[tuple[str, Json]]:
        raise NotImplementedError


class _Anthropic(_Dialect):
    def done(self, request: Json) -> int:
        contents = (m["content"] for m in request["messages"] if m["role"] == "assistant")
        return sum(isinstance(c, list) and any(block.get("type") == "tool_use" for block in c) for c in contents)

    def whole(self, request: Json, turn: Turn) -> Json:
        blocks: list[Json] = [{"type": "text", "text": turn.text}] if turn.text else []
        blocks += [
            {"type": "tool_use", "id": f"toolu_{time.monotonic_ns()}{k}", "name": tool.name, "input": dict(tool.input)}
            for k, tool in enumerate(turn.tools)
        ]
        return {
            "id": f"msg_{time.monotonic_ns()}",
            "type": "message",
            "role": "assistant",
            "model": request.get("model"),
            "content": blocks,
            "stop_reason": "tool_use" if turn.tools else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": TOKENS, "output_tokens": TOKENS},
        }

    def stream(self, request: Json, turn: Turn) -> Iterator[tuple[str, Json]]:
        message = self.whole(request, turn)
        yield _named({"type": "message_start", "message": {**message, "content": [], "stop_reason": None}})
        for k, block in enumerate(message["content"]):
            empty = {**block, "text": ""} if block["type"] == "text" else {**block, "input": {}}
            delta = (
                {"type": "text_delta", "text": block["text"]}
                if block["type"] == "text"
                else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            )
            yield _named({"type": "content_block_start", "index": k, "content_block": empty})
            yield _named({"type": "content_block_delta", "index": k, "delta": delta})
            yield _named({"type": "content_block_stop", "index": k})
        end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        yield _named({"type": "message_delta", "delta": end, "usage": {"output_tokens": TOKENS}})
        yield _named({"type": "message_stop"})


def _named(event: Json) -> tuple[str, Json]:
    return event["type"], event


class _Chat(_Dialect):
    def done(self, request: Json) -> int:
        return sum(m["role"] == "assistant" and bool(m.get("tool_calls")) for m in request["messages"])

    def whole(self, request: Json, turn: Turn) -> Json:
        message, end = self._message(turn)
        choice = {"index": 0, "message": message, "finish_reason": end}
        return {**_head(request, "chat.completion"), "choices": [choice], "usage": _CHAT_USAGE}

    def stream(self, request: Json, turn: Turn) -> Iterator[tuple[str, Json]]:
        head = _head(request, "chat.completion.chunk")
        message, end = self._message(turn)
        yield "", {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
        yield "", {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]}
        yield "", {**head, "choices": [], "usage": _CHAT_USAGE}
        yield "", "[DONE]"

    def _message(self, turn: Turn) -> tuple[Json, str]:
        calls = [
            {
                "index": k,
                "id": f"call_{time.monotonic_ns()}{k}",
                "type": "function",
                "function": {"name": tool.name, "arguments": json.dumps(tool.input)},
            }
            for k, tool in enumerate(turn.tools)
        ]
        message: Json = {"role": "assistant", "content": turn.text or (None if calls else "")}
        return {**message, **({"tool_calls": calls} if calls else {})}, "tool_calls" if calls else "stop"


_CHAT_USAGE = {"prompt_tokens": TOKENS, "completion_tokens": TOKENS, "total_tokens": 2 * TOKENS}


def _head(request: Json, kind: str) -> Json:
    return {"id": "chatcmpl-1", "created": int(time.time()), "model": request.get("model"), "object": kind}


class _Responses(_Dialect):
    def done(self, request: Json) -> int:
        items = request.get("input")
        kinds = [item.get("type") for item in items if isinstance(item, dict)] if isinstance(items, list) else []
        return sum(kind == "function_call_output" for kind in kinds)

    def whole(self, request: Json, turn: Turn) -> Json:
        items: list[Json] = []
        if turn.text:
            content = [{"type": "output_text", "text": turn.text, "annotations": []}]
            items.append(
                {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
            )
        for k, tool in enumerate(turn.tools):
            call = f"call_{time.monotonic_ns()}{k}"
            items.append(
                {
                    "type": "function_call",
                    "id": f"fc_{call}",
                    "call_id": call,
                    "name": tool.name,
                    "arguments": json.dumps(tool.input),
                    "status": "completed",
                }
            )
        usage = {"input_tokens": TOKENS, "output_tokens": TOKENS, "total_tokens": 2 * TOKENS}
        details: Json = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        return {
            "id": f"resp_{time.monotonic_ns()}",
            "object": "response",
            "created_at": int(time.time()),
            "model": request.get("model"),
            "status": "completed",
            "output": items,
            "error": None,
            "incomplete_details": None,
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
            "usage": {**usage, **details},
        }

    def stream(self, request: Json, turn: Turn) -> Iterator[tuple[str, Json]]:
        for number, event in enumerate(self._events(self.whole(request, turn))):
            yield event["type"], {**event, "sequence_number": number}

    def _events(self, response: Json) -> Iterator[Json]:
        begun = {**response, "status": "in_progress", "output": [], "usage": None}
        yield {"type": "response.created", "response": begun}
        for k, item in enumerate(response["output"]):
            yield {"type": "response.output_item.added", "output_index": k, "item": item}
            if item["type"] == "message":
                yield {
                    "type": "response.output_text.delta",
                    "item_id": item["id"],
                    "output_index": k,
                    "content_index": 0,
                    "delta": item["content"][0]["text"],
                }
            yield {"type": "response.output_item.done", "output_index": k, "item": item}
        yield {"type": "response.completed", "response": response}


class _Gemini(_Dialect):
    def done(self, request: Json) -> int:
        return sum(
            content.get("role") == "model" and any("functionCall" in part for part in content["parts"])
            for content in request["contents"]
        )

    def whole(self, request: Json, turn: Turn) -> Json:
        del request
        parts: list[Json] = [{"text": turn.text}] if turn.text else []
        parts += [{"functionCall": {"name": tool.name, "args": dict(tool.input)}} for tool in turn.tools]
        usage = {"promptTokenCount": TOKENS, "candidatesTokenCount": TOKENS, "totalTokenCount": 2 * TOKENS}
        content = {"role": "model", "parts": parts}
        return {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": usage,
            "modelVersion": "scripted",
            "responseId": "r1",
        }

    def stream(self, request: Json, turn: Turn) -> Iterator[tuple[str, Json]]:
        yield "", self.whole(request, turn)


_DIALECTS: Mapping[str, _Dialect] = {
    "/messages/count_tokens": None,  # type: ignore[dict-item]
    "/messages": _Anthropic(),
    "/chat/completions": _Chat(),
    "/responses": _Responses(),
    "enerateContent": _Gemini(),
}
"""Who answers a path that has this in it."""
