"""The hook log: one JSON object a line for each firing, no message text, no token."""

from __future__ import annotations

import json
import os
import time

from neotoma_hooks.errors import StateError
from neotoma_hooks.state.files import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

LARGEST_BYTES = 5_000_000
KEPT_FILES = 3


def append(path: str, line: Mapping[str, Any]) -> None:
    """Add one line, stamped with the time (UTC). Raises StateError.

    One `write` in append mode keeps lines of hooks that run at once apart. A log at its limit is moved to `.1`, so
    there are never more than `KEPT_FILES` files.
    """
    now = time.time()
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"
    data = (json.dumps({"at": stamp, **line}) + "\n").encode("ascii")
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
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


def read(path: str) -> Iterator[dict[str, Any]]:
    """All lines that are kept, oldest first; what is no JSON object is passed over. Raises StateError."""
    for name in [*(f"{path}.{number}" for number in range(KEPT_FILES - 1, 0, -1)), path]:
        try:
            with open(name, "rb") as file:
                for raw in file:
                    try:
                        line = json.loads(raw)
                    except ValueError:
                        continue
                    if isinstance(line, dict):
                        yield line
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StateError(f"cannot read the hook log {name}: {error.strerror or error}") from error
