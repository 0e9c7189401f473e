"""From a request to an answer: who may ask, how often, and which endpoint answers."""

from __future__ import annotations

import json
import math
import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from standin import reading, relationships, retrieval, store
from standin.answers import Answer, Refused, as_json, flat_error, page, plain, timestamp
from standin.graph import Graph
from standin.memory_file import MemoryFile

VERSION = "0.22.0"
LARGEST_BODY = 10 * 1024 * 1024
RATE_LIMIT = 120
RATE_WINDOW_SECONDS = 60.0

_POSTS: dict[str, Callable[[Graph, Any, str], Answer]] = {
    "/store": store.store,
    "/create_relationship": relationships.create_relationship,
    "/create_relationships": relationships.create_relationships,
    "/list_relationships": relationships.list_relationships,
    "/retrieve_related_entities": relationships.retrieve_related_entities,
    "/retrieve_entity_by_identifier": retrieval.retrieve,
    "/entities/query": reading.query_entities,
    "/get_entity_snapshot": reading.get_entity_snapshot,
    "/list_observations": reading.list_observations,
    "/observations/query": reading.query_observations,
}
_GETS: tuple[tuple[re.Pattern[str], Callable[[Graph, str], Answer]], ...] = (
    (re.compile(r"/entities/([^/]+)\Z"), reading.get_entity),
    (re.compile(r"/entities/([^/]+)/relationships\Z"), relationships.relationships_of),
)
_CHANGING = frozenset({"/store", "/create_relationship", "/create_relationships"})


class Recorded:
    """A request as it came: `headers` by lower-case name, `body` the bytes, `at` in seconds since the epoch."""

    def __init__(self, method: str, path: str, headers: Mapping[str, str], body: bytes, at: float) -> None:
        self.method = method
        self.path = path
        self.headers = dict(headers)
        self.body = body
        self.at = at

    @property
    def json(self) -> Any:
        """The body, parsed. Raises ValueError."""
        return json.loads(self.body)

    def __repr__(self) -> str:
        return f"<{self.method} {self.path} {len(self.body)} bytes>"


class Service:
    """The endpoints over one graph, one request at a time.

    `token` is the bearer that is accepted; with None every bearer is wrong, as on a server with none set up.
    `requires_token` refuses requests without one, as a server does that is not on loopback. `rate_limited` counts
    `/store` calls. `memory_file` is where changes are written down and read from at the start.
    """

    def __init__(
        self,
        *,
        token: str | None = None,
        requires_token: bool = False,
        rate_limited: bool = False,
        memory_file: MemoryFile | None = None,
    ) -> None:
        self.graph = Graph()
        self.token = token
        self.requires_token = requires_token
        self.rate_limited = rate_limited
        self._calls: list[float] = []
        self._lock = threading.Lock()
        self._memory_file = memory_file
        if memory_file is not None:
            memory_file.replay(self._redo)

    def answer(self, request: Recorded) -> Answer:
        """The answer of a server in good health, changes included."""
        with self._lock:
            try:
                return self._answer(request)
            except Refused as refused:
                return refused.answer

    def _answer(self, request: Recorded) -> Answer:
        path = urlsplit(request.path).path.rstrip("/") or "/"
        if request.method == "GET" and path == "/health":
            return as_json({"ok": True, "version": VERSION})
        if len(request.body) > LARGEST_BODY:
            return page(413, "PayloadTooLargeError: request entity too large")
        self._authenticate(request)
        limits = self._count_call(request.at) if path == "/store" else {}
        if request.method == "GET":
            return self._get(path)
        endpoint = _POSTS.get(path)
        if request.method != "POST" or endpoint is None:
            return page(404, f"Cannot {request.method} {path}")
        answer = self._call(path, endpoint, _parsed(request.body), timestamp(request.at))
        answer.headers.update(limits)
        return answer

    def _call(self, path: str, endpoint: Callable[[Graph, Any, str], Answer], body: Any, at: str) -> Answer:
        try:
            if path != "/store" and not isinstance(body, dict):
                body = {}
            return endpoint(self.graph, body, at)
        except Refused as refused:
            return refused.answer
        finally:
            # A refused store changes something too: its key is burned
            if self._memory_file is not None and path in _CHANGING:
                self._memory_file.note(path, body, at)

    def _redo(self, path: str, body: Any, at: str) -> None:
        try:
            _POSTS[path](self.graph, body, at)
        except Refused:
            return

    def _get(self, path: str) -> Answer:
        for pattern, endpoint in _GETS:
            matched = pattern.match(path)
            if matched:
                return endpoint(self.graph, matched[1])
        return page(404, f"Cannot GET {path}")

    def _authenticate(self, request: Recorded) -> None:
        """No bearer is fine from loopback, a wrong one never is (captures 120-128). Raises Refused."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and token.strip():
            if token.strip() != self.token:
                raise Refused(flat_error(401, "AUTH_INVALID", "Unauthorized - invalid authentication token"))
        elif self.requires_token or "x-forwarded-for" in request.headers:
            raise Refused(flat_error(401, "AUTH_REQUIRED", "Missing Bearer token"))

    def _count_call(self, now: float) -> dict[str, str]:
        """Count a call of `/store`, replays and nonsense included. Raises Refused when there were too many."""
        headers = {"RateLimit-Policy": f"{RATE_LIMIT};w={RATE_WINDOW_SECONDS:.0f}", "RateLimit-Limit": str(RATE_LIMIT)}
        if not self.rate_limited:
            return headers
        if self._calls and now - self._calls[0] >= RATE_WINDOW_SECONDS:
            self._calls.clear()
        self._calls.append(now)
        if len(self._calls) > RATE_LIMIT:
            wait = math.ceil(self._calls[0] + RATE_WINDOW_SECONDS - now)
            text = "Too many requests, please try again later."
            raise Refused(plain(429, text, {**headers, "Retry-After": str(wait)}))
        return headers


def now() -> float:
    """Seconds since the epoch."""
    return time.time()


def _parsed(body: bytes) -> Any:
    """The body as JSON; an empty one is an empty object (capture 131), NaN is none (241). Raises Refused."""
    if not body.strip():
        return {}
    try:
        return json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Refused(page(400, f"SyntaxError: {error}")) from None


def _no_constant(name: str) -> None:
    raise ValueError(f"Unexpected token {name[0]!r}")
