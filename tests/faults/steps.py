"""Every step of a process that changes a file of the home or uses the network, numbered; before one of them it dies."""

from __future__ import annotations

import itertools
import os
import select
import signal
import socket
import sqlite3
import sys
from collections.abc import Callable
from typing import Any

_ON_PATHS = frozenset(
    {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink", "os.chmod"}
    | {"os.listdir", "os.scandir", "os.utime", "sqlite3.connect"}
)
_ALWAYS = frozenset({"fcntl.flock", "fcntl.lockf", "socket.connect"})
ANSWER_SECONDS = 30


class Steps:
    """The steps of this process; before step `kill_at` (counted from 1; 0: never) it kills itself.

    Steps are those on paths under `home`, on descriptors opened there, on stdout and on sockets, and each SQLite
    statement. Each is named in a line written to the descriptor `report`. With `waits_for_answer` a process that dies
    before reading from a socket does so only once there is something to read: its request has taken effect.
    """

    def __init__(self, home: str, kill_at: int, report: int, *, waits_for_answer: bool) -> None:
        self.home = home
        self.kill_at = kill_at
        self.waits_for_answer = waits_for_answer
        self._report = report
        self._numbers = itertools.count(1)
        self._write = os.write
        self._open = os.open
        self._close = os.close
        self._descriptors = {1}

    def watch(self) -> None:
        """Count from now on, for the rest of this process's life."""
        # Not everything that changes a file is an audit event
        os.open, os.close = self._opening, self._closing
        os.write = self._on_descriptor("write", os.write)
        os.fsync = self._on_descriptor("fsync", os.fsync)
        sqlite3.connect = self._connecting(sqlite3.connect)  # type: ignore[assignment]
        # A courier at work beside the next steps would make their number another one each time; it has cases of its own
        os.posix_spawn = self._starting_nothing
        for name in ("send", "sendall", "recv", "recv_into"):
            setattr(socket.socket, name, self._on_socket(name, getattr(socket.socket, name)))
        sys.addaudithook(self._audit)

    def step(self, what: str, receiving: socket.socket | None = None) -> None:
        """Note one step; die, if it is the last."""
        number = next(self._numbers)
        self._write(self._report, f"{what}\n".encode("utf-8", "replace"))
        if number == self.kill_at:
            if receiving is not None and self.waits_for_answer:
                select.select([receiving], [], [], ANSWER_SECONDS)
            os.kill(os.getpid(), signal.SIGKILL)

    def _is_ours(self, path: object) -> bool:
        return isinstance(path, str) and path.startswith(self.home)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _ON_PATHS:
            if self._is_ours(arguments[0]):
                self.step(f"{event} {os.path.basename(arguments[0])}")
        elif event in _ALWAYS:
            self.step(event)

    def _opening(self, path: Any, *arguments: Any, **more: Any) -> int:
        descriptor = self._open(path, *arguments, **more)
        if self._is_ours(path):
            self._descriptors.add(descriptor)
        return descriptor

    def _closing(self, fd: int) -> None:
        self._descriptors.discard(fd)
        self._close(fd)

    def _connecting(self, connect: Callable[..., sqlite3.Connection]) -> Callable[..., sqlite3.Connection]:
        def stepping(*arguments: Any, **more: Any) -> sqlite3.Connection:
            connection = connect(*arguments, **more)
            connection.set_trace_callback(lambda statement: self.step(f"sqlite {statement.split()[0]}"))
            return connection

        return stepping

    def _starting_nothing(self, *_: Any, **__: Any) -> int:
        self.step("posix_spawn")
        return 0

    def _on_descriptor(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def stepping(descriptor: int, *arguments: Any) -> Any:
            if descriptor in self._descriptors:
                self.step(f"{name} to stdout" if descriptor == 1 else name)
            return call(descriptor, *arguments)

        return stepping

    def _on_socket(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def stepping(connection: socket.socket, *arguments: Any) -> Any:
            self.step(f"socket {name}", connection if name.startswith("recv") else None)
            return call(connection, *arguments)

        return stepping
