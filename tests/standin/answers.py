"""Answers in the forms the server has: JSON, its two error formats, and pages that are not JSON at all."""

from __future__ import annotations

import html
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Answer:
    """A status, further headers, and the body's bytes with their content type."""

    def __init__(self, status: int, body: bytes, content_type: str, headers: Mapping[str, str] | None = None) -> None:
        self.status = status
        self.body = body
        self.content_type = content_type
        self.headers = dict(headers or {})


class Refused(Exception):
    """The request is answered with an error."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


def as_json(payload: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """A JSON answer; text stays as it is but for lone surrogates, which are escaped as JavaScript does."""
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    try:
        body = text.encode()
    except UnicodeEncodeError:
        body = _LONE_SURROGATE.sub(lambda lone: f"\\u{ord(lone[0]):04x}", text).encode()
    return Answer(status, body, "application/json; charset=utf-8", headers)


def flat_error(status: int, code: str, message: str, details: Mapping[str, Any] | None = None) -> Answer:
    """`{error_code, message, details?, timestamp}`."""
    payload: dict[str, Any] = {"error_code": code, "message": message}
    if details is not None:
        payload["details"] = details
    return as_json({**payload, "timestamp": timestamp(time.time())}, status)


def nested_error(code: str, message: str, **more: Any) -> Answer:
    """`{error: {code, message, hint or issues}}`, always 400."""
    return as_json({"error": {"code": code, "message": message, **more}}, 400)


def invalid(*issues: Mapping[str, Any]) -> Refused:
    """What a body that does not fit the endpoint's shape is answered with."""
    found = {"issues": list(issues)}
    return Refused(flat_error(400, "VALIDATION_INVALID_FORMAT", "Invalid request payload.", found))


def wrong_type(expected: str, value: Any, *path: str | int) -> dict[str, Any]:
    """The issue of a value of the wrong type; `MISSING` for one that is not there."""
    received = _javascript_type(value)
    message = "Required" if received == "undefined" else f"Expected {expected}, received {received}"
    return {
        "code": "invalid_type",
        "expected": expected,
        "received": received,
        "path": list(path),
        "message": message,
    }


def not_one_of(options: Sequence[str], value: str, *path: str | int) -> dict[str, Any]:
    """The issue of a word that is none of the allowed ones (captures 75 and 166)."""
    words = " | ".join(f"'{option}'" for option in options)
    message = f"Invalid enum value. Expected {words}, received '{value}'"
    return {
        "received": value,
        "code": "invalid_enum_value",
        "options": list(options),
        "path": list(path),
        "message": message,
    }


def page(status: int, text: str) -> Answer:
    """An HTML page as Express makes it for what it cannot handle."""
    body = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n<body>\n'
        f"<pre>{html.escape(text)}</pre>\n</body>\n</html>\n"
    )
    return Answer(status, body.encode("utf-8", "replace"), "text/html; charset=utf-8")


def plain(status: int, text: str, headers: Mapping[str, str] | None = None) -> Answer:
    """Plain text."""
    return Answer(status, text.encode(), "text/plain; charset=utf-8", headers)


def timestamp(seconds: float) -> str:
    """Seconds since the epoch as the server writes them: ISO 8601 with milliseconds, UTC."""
    whole = int(seconds)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{int((seconds - whole) * 1000):03d}Z"


class _Missing:
    """Stands for a field that is not there; unlike null, which is."""


MISSING = _Missing()


def _javascript_type(value: Any) -> str:
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return "undefined" if value is MISSING else names.get(type(value), "null")
