"""The stand-in as tests use it: start it, look at it, make it misbehave, stop it."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from standin.certificate import context_for, make_certificate
from standin.faults import delayed
from standin.http_face import Fault, Server
from standin.memory_file import MemoryFile
from standin.service import Recorded, Service, now


class Seen(NamedTuple):
    """An entity as the stand-in knows it: `fields` is its snapshot, `observations` how many sources spoke of it."""

    id: str
    type: str
    canonical_name: str
    fields: dict[str, Any]
    observations: int


class _Active:
    """A fault that is switched on: for paths that start with `path`, `left` more times (None: for good)."""

    def __init__(self, fault: Fault, path: str, left: int | None) -> None:
        self.fault = fault
        self.path = path
        self.left = left


class StandIn:
    """A server on a free port of 127.0.0.1 that behaves as the Neotoma that the captures were taken from.

    `port` 0 means any that is free. `token` is the one bearer that is accepted; without it every bearer is wrong, and
    none is fine. `requires_token` refuses requests without one. `rate_limited` allows 120 `/store` calls a minute.
    `data` is a file to remember in, over restarts; `log` one to append each request to, as JSON lines. `tls` speaks
    HTTPS with a self-signed certificate (`certificate` is its file, to trust), or with `pair`: certificate and key.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        token: str | None = None,
        requires_token: bool = False,
        rate_limited: bool = False,
        data: Path | str | None = None,
        log: Path | str | None = None,
        tls: bool = False,
        pair: tuple[Path, Path] | None = None,
    ) -> None:
        self.requests: list[Recorded] = []
        self.certificate: Path | None = None
        self._memory_file = MemoryFile(Path(data)) if data else None
        self.service = Service(
            token=token, requires_token=requires_token, rate_limited=rate_limited, memory_file=self._memory_file
        )
        self._log = Path(log) if log else None
        self._faults: list[_Active] = []
        self._lock = threading.Lock()
        self._port = port
        self._server: Server | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._context = None
        if tls or pair:
            if pair is None:
                self._folder = tempfile.TemporaryDirectory(prefix="standin-")
                pair = make_certificate(Path(self._folder.name))
            self.certificate = pair[0]
            self._context = context_for(*pair)

    @property
    def port(self) -> int:
        """The port it listens on, also while it is away."""
        return self._port

    @property
    def url(self) -> str:
        """The base URL, without a final slash."""
        return f"{'https' if self._context else 'http'}://127.0.0.1:{self._port}"

    @property
    def connections(self) -> int:
        """How many connections are open, or being worked off after their client has gone."""
        return self._server.connections if self._server is not None else 0

    def start(self) -> StandIn:
        """Begin to listen; on the same port as before, if it was stopped."""
        self._server = Server(self._port, self.service, self._record, self._context)
        self._port = int(self._server.server_address[1])
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="standin", daemon=True)
        thread.start()
        return self

    def stop(self) -> None:
        """Close the port and all connections; what is remembered stays. May be called twice."""
        if self._server is not None:
            self._server.close()
            self._server = None

    @contextmanager
    def away(self) -> Iterator[None]:
        """Refuse connections for a while: the port is closed inside the `with`, and open again after it."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    def misbehave(self, *faults: Fault, path: str = "/", times: int | None = None, delay: float = 0.0) -> None:
        """Answer the next `times` requests (None: all, until `behave`) to paths that start with `path` by these faults.

        Of several faults one is used after the other, each `times` times. Faults switched on earlier go first.
        `delay`, in seconds, alone delays right answers; together with faults it comes before each.
        """
        with self._lock:
            self._faults += [_Active(_after(delay, fault), path, times) for fault in faults]
            if not faults:
                self._faults.append(_Active(delayed(delay), path, times))

    def behave(self) -> None:
        """Switch all faults off."""
        with self._lock:
            self._faults.clear()

    def remember(self, type: str, name: str, **fields: Any) -> str:
        """Put an entity into the memory without a request; returns its id."""
        entity = {"entity_type": type, "name": name, **fields}
        body = {"entities": [entity], "idempotency_key": "seed-" + json.dumps(entity, sort_keys=True)}
        seed = Recorded("POST", "/store", self._own_headers(), json.dumps(body).encode(), now())
        was_limited, self.service.rate_limited = self.service.rate_limited, False
        answer = self.service.answer(seed)
        self.service.rate_limited = was_limited
        assert answer.status == 200, answer.body
        return str(json.loads(answer.body)["entities"][0]["entity_id"])

    def entities(self, type: str | None = None) -> list[Seen]:
        """All entities, or those of a type, in the order in which they came to be."""
        known = sorted(self.service.graph.entities.values(), key=lambda entity: entity.order)
        return [
            Seen(entity.id, entity.type, entity.canonical_name, dict(entity.snapshot), len(entity.observations))
            for entity in known
            if type in (None, entity.type)
        ]

    def edges(self, type: str | None = None) -> list[tuple[str, str, str]]:
        """All edges, or those of a type, as (type, source id, target id), in the order in which they came to be."""
        return [edge.as_tuple() for edge in list(self.service.graph.edges.values()) if type in (None, edge.type)]

    def requests_to(self, path: str) -> list[Recorded]:
        """The recorded requests to this path."""
        return [request for request in self.requests if request.path == path]

    def _own_headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.service.token}"} if self.service.token else {}

    def _record(self, request: Recorded) -> list[Fault]:
        """Note the request; the faults that befall it."""
        with self._lock:
            self.requests.append(request)
            if self._log is not None:
                text = request.body.decode("utf-8", "surrogateescape")
                line = {"at": request.at, "method": request.method, "path": request.path}
                with self._log.open("a", encoding="ascii") as log:
                    log.write(json.dumps({**line, "headers": request.headers, "body": text}) + "\n")
            for active in self._faults:
                if not request.path.startswith(active.path):
                    continue
                if active.left is not None:
                    active.left -= 1
                    if active.left <= 0:
                        self._faults.remove(active)
                return [active.fault]
        return []

    def __enter__(self) -> StandIn:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()
        if self._memory_file is not None:
            self._memory_file.close()
        if self._folder is not None:
            self._folder.cleanup()


def _after(delay: float, fault: Fault) -> Fault:
    if not delay:
        return fault
    return lambda exchange: fault(exchange) if exchange.wait(delay) else None
