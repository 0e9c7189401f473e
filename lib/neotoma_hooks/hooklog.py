"""The hook log: one JSON object a line for each firing, no message text, no token."""

from __future__ import annotations

import json
import os

from neotoma_hooks.errors import StateError
from neotoma_hooks.stamps import time_stamp
from neotoma_hooks.state.files import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import IO, Any

LARGEST_BYTES = 5_000_000
KEPT_FILES = 3


def append(path: str, line: Mapping[str, Any]) -> None:
    """Add one line, stamped with the time (UTC). Raises StateError.

    One `write` in append mode keeps lines of hooks that run at once apart. A log at its limit is moved to `.1`, so
    there are never more than `KEPT_FILES` files.
    """
    data = (json.dumps({"at": time_stamp(), **line}) + "\n").encode("ascii")
    # A pipe in its place would be waited for until somebody reads it
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        try:
            descriptor = os.open(path, flags, 0o600)
        except FileNotFoundError:
            make_folder(os.path.dirname(path))
            descriptor = os.open(path, flags, 0o600)
        try:
            if os.fstat(descriptor).st_size > LARGEST_BYTES:
                _rotate(path, descriptor)
            os.write(descriptor, data)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise StateError(f"cannot write the hook log {path}: {error.strerror or error}") from error


def _rotate(path: str, descriptor: int) -> None:
    """Move the log aside, unless another hook does so now or has done so since `descriptor` was opened."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:  # on Windows a file that others have open is not moved at all
        pass
    except OSError:
        return
    try:
        if os.fstat(descriptor).st_ino != os.stat(path).st_ino:
            return
    except FileNotFoundError:
        return
    for number in range(KEPT_FILES - 1, 0, -1):
        older = f"{path}.{number - 1}" if number > 1 else path
        try:
            os.replace(older, f"{path}.{number}")
        except FileNotFoundError:
            continue


class Lines:
    """The lines of the log at `path`, each told once: `new` gives those that came since it was called last.

    A file stays open for longer than it is kept, so that nobody else gets its inode, by which it is known again under
    its next name; and so that the line is found which a hook writes into the very file that it has moved aside.
    """

    def __init__(self, path: str) -> None:
        self._names = [path, *(f"{path}.{number}" for number in range(1, KEPT_FILES))]
        self._open: dict[tuple[int, int], IO[bytes]] = {}

    def new(self) -> Iterator[dict[str, Any]]:
        """The new lines, oldest first; what is no JSON object is passed over.

        Raises StateError for a file that cannot be read, after the lines of the others.
        """
        refused = self._open_new()
        for file in self._open.values():
            try:
                yield from _objects_in(file)
            except OSError as error:
                refused = _refused(file.name, error)
        while len(self._open) > KEPT_FILES + 1:
            self._open.pop(next(iter(self._open))).close()
        if refused is not None:
            raise refused

    def close(self) -> None:
        """Close the files."""
        for file in self._open.values():
            file.close()
        self._open.clear()

    def _open_new(self) -> StateError | None:
        """Open the files that are not open yet, oldest first; what one of them refuses with is returned."""
        refused = None
        found: list[tuple[tuple[int, int], IO[bytes]]] = []
        # Newest first: a file that is moved on meanwhile is met twice rather than never
        for name in self._names:
            try:
                file: IO[bytes] = open(name, "rb", opener=_without_waiting)  # noqa: SIM115 - it stays open
            except FileNotFoundError:
                continue
            except OSError as error:
                refused = _refused(name, error)
                continue
            about = os.fstat(file.fileno())
            found.append(((about.st_dev, about.st_ino), file))
        for key, file in reversed(found):
            if self._open.setdefault(key, file) is not file:
                file.close()
        return refused


def _without_waiting(path: str, flags: int) -> int:
    """An opener for `open`, to which a pipe is no reason to wait until somebody writes."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _refused(name: str, cause: OSError) -> StateError:
    error = StateError(f"cannot read the hook log {name}: {cause.strerror or cause}")
    error.__cause__ = cause
    return error


def _objects_in(file: IO[bytes]) -> Iterator[dict[str, Any]]:
    """The objects from where the file was left; half a line is left for later. Raises OSError."""
    # Somebody has emptied it
    if os.fstat(file.fileno()).st_size < file.tell():
        file.seek(0)
    for raw in file:
        if not raw.endswith(b"\n"):
            file.seek(-len(raw), os.SEEK_CUR)
            return
        try:
            line = json.loads(raw)
        except (ValueError, RecursionError):
            continue
        if isinstance(line, dict):
            yield line


def read(path: str) -> Iterator[dict[str, Any]]:
    """All lines that are kept, as `Lines.new` gives them. Raises as it does."""
    lines = Lines(path)
    try:
        yield from lines.new()
    finally:
        lines.close()
