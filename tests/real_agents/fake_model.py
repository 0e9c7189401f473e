"""A fake model on loopback that speaks the four APIs that coding agents call, and says what a test tells it to say.

A script is a list of steps, one for each request that offers tools; the last one repeats. A step is a mapping:
`{"text": "…"}`, `{"tool": "Bash", "input": {…}, "text": "…"}`, `{"status": 400}`, each with an optional `"delay"` in
seconds; a tool of a server's may have its `"namespace"` beside it (OpenAI Responses). Requests without tools (titles,
quota probes) get a short answer of their own.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class FakeModel:
    """The server; `requests` holds every body it was sent, in order, so a test can see what reached the model."""

    def __init__(self, script: list[dict[str, Any]], port: int = 0) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self._answered = 0
        model = self

        class Handler(_Handler):
            fake = model

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def next_step(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """What to say to this request."""
        with self._lock:
            self.requests.append({"path": path, "body": body})
            if not body.get("tools"):
                return {"text": "ok"}
            step = self.script[min(self._answered, len(self.script) - 1)]
            self._answered += 1
        time.sleep(step.get("delay", 0))
        return step


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: FakeModel

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the agent's own output is what matters."""

    def do_GET(self) -> None:
        self._send(200, "application/json", json.dumps({"data": [], "models": []}).encode())

    def do_HEAD(self) -> None:
        self._send(200, "application/json", b"")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        path = self.path.partition("?")[0]
        if path.endswith(("count_tokens", ":countTokens")):
            self._send(200, "application/json", json.dumps({"input_tokens": 1, "totalTokens": 1}).encode())
            return
        step = self.fake.next_step(path, body)
        if "status" in step:
            error = {
                "type": "error",
                "error": {"type": "invalid_request_error", "message": "fake", "code": step["status"]},
            }
            self._send(step["status"], "application/json", json.dumps(error).encode())
            return
        if path.endswith("/messages"):
            events, whole = anthropic(step), None if body.get("stream") else anthropic_whole(step)
        elif path.endswith("/responses"):
            events, whole = responses(step), None
        elif path.endswith("/chat/completions"):
            events, whole = chat(step), None if body.get("stream") else chat_whole(step)
        else:
            events, whole = gemini(step), None if path.endswith(":streamGenerateContent") else gemini_whole(step)
        if whole is not None:
            self._send(200, "application/json", json.dumps(whole).encode())
            return
        self._send(200, "text/event-stream", "".join(events).encode())

    def _send(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _event(data: dict[str, Any], name: str = "") -> str:
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"


def _new(kind: str) -> str:
    """An id like those of real models: no two are the same."""
    return f"{kind}_{time.time_ns():x}"


def anthropic(step: dict[str, Any]) -> Iterator[str]:
    """Anthropic Messages, streamed."""

    def event(type: str, **data: Any) -> str:
        return _event({"type": type, **data}, type)

    usage = {"input_tokens": 10, "output_tokens": 5}
    head = {"id": _new("msg"), "type": "message", "role": "assistant", "model": "fake", "content": []}
    yield event("message_start", message={**head, "stop_reason": None, "stop_sequence": None, "usage": usage})
    index = 0
    if step.get("text"):
        yield event("content_block_start", index=index, content_block={"type": "text", "text": ""})
        yield event("content_block_delta", index=index, delta={"type": "text_delta", "text": step["text"]})
        yield event("content_block_stop", index=index)
        index += 1
    if "tool" in step:
        block = {"type": "tool_use", "id": _new("toolu"), "name": step["tool"], "input": {}}
        yield event("content_block_start", index=index, content_block=block)
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step["input"])}
        yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    reason = "tool_use" if "tool" in step else "end_turn"
    yield event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage={"output_tokens": 5})
    yield event("message_stop")


def anthropic_whole(step: dict[str, Any]) -> dict[str, Any]:
    """Anthropic Messages in one piece."""
    return {
        "id": _new("msg"), "type": "message", "role": "assistant", "model": "fake", "stop_reason": "end_turn",
        "stop_sequence": None, "content": [{"type": "text", "text": step.get("text", "")}],
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }  # fmt: skip


def responses(step: dict[str, Any]) -> Iterator[str]:
    """OpenAI Responses, streamed."""

    def event(type: str, **data: Any) -> str:
        return _event({"type": type, **data}, type)

    response: dict[str, Any] = {"id": _new("resp"), "object": "response", "model": "fake", "output": []}
    yield event("response.created", response={**response, "status": "in_progress"})
    items: list[dict[str, Any]] = []
    if step.get("text"):
        part = {"type": "output_text", "text": step["text"], "annotations": []}
        items.append(
            {"type": "message", "id": _new("msg"), "role": "assistant", "status": "completed", "content": [part]}
        )
    if "tool" in step:
        call = {"type": "function_call", "id": _new("fc"), "call_id": _new("call"), "name": step["tool"]}
        space = {"namespace": step["namespace"]} if "namespace" in step else {}
        items.append({**call, **space, "arguments": json.dumps(step["input"]), "status": "completed"})
    for index, item in enumerate(items):
        yield event("response.output_item.added", output_index=index, item=item)
        if item["type"] == "message":
            text = {"item_id": item["id"], "output_index": index, "content_index": 0}
            yield event("response.output_text.delta", **text, delta=step["text"])
        yield event("response.output_item.done", output_index=index, item=item)
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15, **details}
    yield event("response.completed", response={**response, "status": "completed", "output": items, "usage": usage})


def _chat_calls(step: dict[str, Any]) -> list[dict[str, Any]]:
    if "tool" not in step:
        return []
    function = {"name": step["tool"], "arguments": json.dumps(step["input"])}
    return [{"index": 0, "id": _new("call"), "type": "function", "function": function}]


def chat(step: dict[str, Any]) -> Iterator[str]:
    """OpenAI Chat Completions, streamed."""
    head = {"id": _new("chatcmpl"), "object": "chat.completion.chunk", "created": 1, "model": "fake"}
    delta: dict[str, Any] = {"role": "assistant", "content": step.get("text", "")}
    calls = _chat_calls(step)
    if calls:
        delta["tool_calls"] = calls
    yield _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    reason = "tool_calls" if calls else "stop"
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    yield _event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage})
    yield "data: [DONE]\n\n"


def chat_whole(step: dict[str, Any]) -> dict[str, Any]:
    """OpenAI Chat Completions in one piece."""
    message = {"role": "assistant", "content": step.get("text", "")}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {
        "id": _new("chatcmpl"),
        "object": "chat.completion",
        "created": 1,
        "model": "fake",
        "choices": [choice],
        "usage": usage,
    }


def gemini_whole(step: dict[str, Any]) -> dict[str, Any]:
    """Gemini generateContent."""
    parts: list[dict[str, Any]] = [{"text": step["text"]}] if step.get("text") else []
    if "tool" in step:
        parts.append({"functionCall": {"name": step["tool"], "args": step["input"]}})
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake"}


def gemini(step: dict[str, Any]) -> Iterator[str]:
    """Gemini streamGenerateContent."""
    yield _event(gemini_whole(step))
