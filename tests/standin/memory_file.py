"""A file that a stand-in can be started from again: every request that changed something, one JSON line each."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any


class MemoryFile:
    """The file at `path`; nothing is written before `replay` has read what is there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    def replay(self, redo: Callable[[str, Any, str], None]) -> None:
        """Call `redo` with endpoint, body and time of each request, in order; then go on behind them.

        A last line that a killed process has cut is left out.
        """
        lines = self._path.read_bytes().splitlines(keepends=True) if self._path.exists() else []
        whole = [line for line in lines if line.endswith(b"\n")]
        for line in whole:
            done = json.loads(line)
            redo(done["path"], done["body"], done["at"])
        if len(whole) < len(lines):
            self._path.write_bytes(b"".join(whole))
        self._file = self._path.open("a", encoding="ascii")

    def note(self, path: str, body: Mapping[str, Any], at: str) -> None:
        """Write one request down, before it is answered."""
        assert self._file is not None, "replay first"
        self._file.write(json.dumps({"at": at, "path": path, "body": body}) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None
