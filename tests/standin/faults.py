"""Ways in which a server misbehaves, for `StandIn.misbehave`.

A fault is a function of an `Exchange`. Faults that are ready to use: `never_answer`, `drip`, `cut_before_commit`,
`cut_after_commit`, `half_a_body`, `replayed_empty`. Those that are made: `status`, `html_page`, `fewer_edges`,
`redirect`, `delayed`, `dripping`, `huge`, `deep_json`, `answer`, `raw`, `after_commit`. A refused connection is
`StandIn.away`.
"""

from __future__ import annotations

import json
import time
from email.utils import formatdate
from typing import Any

from standin.answers import Answer, as_json, flat_error, page, plain
from standin.http_face import Exchange, Fault, head_of
from standin.service import Recorded
from standin.store import replay_of_nothing


def never_answer(exchange: Exchange) -> None:
    """Take the request and stay silent for as long as the client waits; nothing takes effect."""
    exchange.wait(3600)


def cut_before_commit(exchange: Exchange) -> None:
    """Close the connection; nothing has taken effect."""
    exchange.cut()


def cut_after_commit(exchange: Exchange) -> None:
    """Let it take effect, then close the connection without a word."""
    exchange.answer()
    exchange.cut()


def half_a_body(exchange: Exchange) -> None:
    """Let it take effect, send the first half of the answer's body, and close."""
    answer = exchange.answer()
    exchange.send_raw(head_of(answer) + answer.body[: len(answer.body) // 2])
    exchange.cut()


def replayed_empty(exchange: Exchange) -> None:
    """Say "replayed" with no entities in it, as of a key that was burned; nothing takes effect."""
    exchange.send(as_json(replay_of_nothing()))


def status(code: int, retry_after: float | str | None = None) -> Fault:
    """Answer with this status, in the form the server has for it; nothing takes effect.

    `retry_after` goes into the header as it is: seconds, or a text such as `http_date(5)`.
    """
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    answer = _answer_for(code)
    answer.headers.update(headers)
    return lambda exchange: exchange.send(answer)


def html_page(code: int = 502) -> Fault:
    """Answer with an HTML page, as something between client and server does; nothing takes effect."""
    answer = page(code, "Bad Gateway")
    return lambda exchange: exchange.send(answer)


def fewer_edges(keep: int = 0) -> Fault:
    """Store, but only the first `keep` of the edges asked for."""

    def fault(exchange: Exchange) -> None:
        asked = exchange.request
        body = json.loads(asked.body)
        body["relationships"] = body.get("relationships", [])[:keep]
        exchange.request = Recorded(asked.method, asked.path, asked.headers, json.dumps(body).encode(), asked.at)
        exchange.send(exchange.answer())

    return fault


def redirect(to: str, code: int = 307) -> Fault:
    """Send the client elsewhere: `to` is a base URL, the path stays. Nothing takes effect."""

    def fault(exchange: Exchange) -> None:
        headers = {"Location": to.rstrip("/") + exchange.request.path}
        exchange.send(plain(code, "Moved", headers))

    return fault


def delayed(seconds: float) -> Fault:
    """Answer rightly, after a while."""

    def fault(exchange: Exchange) -> None:
        if exchange.wait(seconds):
            exchange.send(exchange.answer())

    return fault


def dripping(seconds: float) -> Fault:
    """Let it take effect, then send the answer one byte at a time, with so many seconds between two bytes."""

    def fault(exchange: Exchange) -> None:
        answer = exchange.answer()
        for byte in head_of(answer) + answer.body:
            exchange.send_raw(bytes([byte]))
            if not exchange.wait(seconds):
                return

    return fault


drip = dripping(1.0)


def huge(size: int = 1 << 30) -> Fault:
    """Answer with one JSON text of `size` bytes, made while it is sent; nothing takes effect."""

    def fault(exchange: Exchange) -> None:
        start, end = b'{"entities":[],"padding":"', b'"}'
        answer = Answer(200, b"", "application/json; charset=utf-8")
        exchange.send_raw(head_of(answer, size) + start)
        left = size - len(start) - len(end)
        block = b"x" * 65536
        while left > 0 and not exchange.is_cut:
            exchange.send_raw(block[:left])
            left -= min(left, len(block))
        exchange.send_raw(end)

    return fault


def deep_json(depth: int = 100_000) -> Fault:
    """Answer with JSON nested so deep that a parser may give up; nothing takes effect."""
    answer = Answer(200, b'{"entities":' + b"[" * depth + b"]" * depth + b"}", "application/json; charset=utf-8")
    return lambda exchange: exchange.send(answer)


def answer(payload: Any, code: int = 200) -> Fault:
    """Answer with this, as JSON; nothing takes effect."""
    made = as_json(payload, code)
    return lambda exchange: exchange.send(made)


def raw(data: bytes) -> Fault:
    """Send these bytes instead of an HTTP answer, and close; nothing takes effect."""

    def fault(exchange: Exchange) -> None:
        exchange.send_raw(data)
        exchange.cut()

    return fault


def after_commit(fault: Fault) -> Fault:
    """The same fault, but the request takes effect first: `after_commit(status(500))`."""

    def committed(exchange: Exchange) -> None:
        exchange.answer()
        fault(exchange)

    return committed


def http_date(seconds: float) -> str:
    """The time in so many seconds, as HTTP writes it."""
    return formatdate(time.time() + seconds, usegmt=True)


def _answer_for(code: int) -> Answer:
    """The form that a status comes in (API: flat JSON, plain text, or HTML)."""
    if code == 401:
        return flat_error(401, "AUTH_INVALID", "Unauthorized - invalid authentication token")
    if code == 403:
        return flat_error(403, "AUTH_FORBIDDEN", "Forbidden")
    if code == 429:
        return plain(429, "Too many requests, please try again later.")
    if code == 500:
        return flat_error(500, "DB_QUERY_FAILED", "UNIQUE constraint failed")
    return page(code, f"Error {code}")
