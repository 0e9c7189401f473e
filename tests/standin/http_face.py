"""The HTTP side: connections that are kept alive, requests that are recorded, answers that may go wrong."""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import threading
from collections.abc import Callable
from http.client import responses
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any

from standin.answers import Answer
from standin.service import Recorded, Service, now

Fault = Callable[["Exchange"], None]
"""What happens to a request instead of the right answer; see `faults`."""


class Exchange:
    """One request and the connection that its answer goes to."""

    def __init__(
        self, request: Recorded, service: Service, connection: socket.socket, is_over: threading.Event
    ) -> None:
        self.request = request
        self.is_cut = False
        self._service = service
        self._connection = connection
        self._is_over = is_over

    def answer(self) -> Answer:
        """Let the request take effect; the answer that is due for it."""
        return self._service.answer(self.request)

    def send(self, answer: Answer) -> None:
        """Send a whole answer and keep the connection."""
        self.send_raw(head_of(answer) + answer.body)

    def send_raw(self, data: bytes) -> None:
        """Send bytes as they are. A client that has gone away is no error."""
        try:
            self._connection.sendall(data)
        except OSError:
            self.is_cut = True

    def cut(self) -> None:
        """Close the connection, now."""
        self.is_cut = True
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def wait(self, seconds: float) -> bool:
        """Wait, but not for longer than client and server are there; False when one of them has gone."""
        until = now() + seconds
        while not self._is_over.is_set():
            left = until - now()
            if left <= 0:
                return True
            readable, _, _ = select.select([self._connection], [], [], min(left, 0.05))
            if readable and self._has_gone():
                break
        self.is_cut = True
        return False

    def _has_gone(self) -> bool:
        if isinstance(self._connection, ssl.SSLSocket):
            return True
        try:
            return not self._connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True


class Server(ThreadingHTTPServer):
    """Listens on loopback. `record` is told of each request and returns the faults that befall it."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 511

    def __init__(
        self, port: int, service: Service, record: Callable[[Recorded], list[Fault]], context: ssl.SSLContext | None
    ) -> None:
        self.service = service
        self.record = record
        self.is_over = threading.Event()
        self._open: set[socket.socket] = set()
        self._open_lock = threading.Lock()
        super().__init__(("127.0.0.1", port), Handler)
        if context is not None:
            # The handshake is left to the connection's own thread, so that a silent client holds up nobody
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    @property
    def connections(self) -> int:
        """How many connections there are that no thread has finished with."""
        with self._open_lock:
            return len(self._open)

    def close(self) -> None:
        """Stop listening and cut what is open: from now on a connection is refused."""
        self.is_over.set()
        self.shutdown()
        self.server_close()
        with self._open_lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def server_bind(self) -> None:
        """Bind without asking a name server who 127.0.0.1 is, as HTTPServer would."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remember the connection, so that it can be cut."""
        with self._open_lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget the connection."""
        with self._open_lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is what tests do."""


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def do_GET(self) -> None:
        """Answer, or do what the faults say."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Recorded(self.command, self.path, headers, body, now())
        exchange = Exchange(request, self.server.service, self.connection, self.server.is_over)
        for fault in self.server.record(request) or [lambda ordinary: ordinary.send(ordinary.answer())]:
            if not exchange.is_cut:
                fault(exchange)
        if exchange.is_cut:
            self.close_connection = True

    def do_POST(self) -> None:
        """The same."""
        self.do_GET()

    def do_PUT(self) -> None:
        """The same."""
        self.do_GET()

    def do_DELETE(self) -> None:
        """The same."""
        self.do_GET()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on stderr."""


def head_of(answer: Answer, length: int | None = None) -> bytes:
    """Status line and headers of an answer; `length` is what it claims its body to have."""
    lines = [
        f"HTTP/1.1 {answer.status} {responses.get(answer.status, '')}",
        f"Content-Type: {answer.content_type}",
        f"Content-Length: {len(answer.body) if length is None else length}",
        *(f"{name}: {value}" for name, value in answer.headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
