"""One lock file, one owner, through `filelock`.

While the lock is free it is taken with the very call that filelock makes on the same file, because importing filelock
costs more than all the rest of a hook; filelock itself is imported to wait. A test proves that both exclude each other.
The kernel frees the lock when its owner dies, so a lock is never stuck.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from neotoma_hooks.errors import LockTimeout, StateError
from neotoma_hooks.state.files import make_folder

try:
    import fcntl
except ImportError:  # not on Windows: there filelock does it all
    fcntl = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def locked(path: str, timeout: float) -> Iterator[None]:
    """Hold the lock at `path`, waiting at most `timeout` seconds for it.

    Raises LockTimeout when somebody else keeps it, StateError when the lock file cannot be had.
    """
    make_folder(os.path.dirname(path))
    descriptor = _taken_at_once(path)
    if descriptor is not None:
        try:
            yield
        finally:
            os.close(descriptor)
        return
    if timeout <= 0:
        raise LockTimeout(f"the lock {path} is taken")
    from filelock import FileLock, Timeout

    waiting = FileLock(path, mode=0o600)
    try:
        waiting.acquire(timeout=timeout, poll_interval=0.01)
    except Timeout as error:
        raise LockTimeout(f"the lock {path} was not free within {timeout:.1f} s") from error
    except OSError as error:
        raise StateError(f"cannot lock {path}: {error.strerror or error}") from error
    try:
        yield
    finally:
        waiting.release()


def _taken_at_once(path: str) -> int | None:
    """A descriptor that holds the lock until it is closed, or None when the lock is taken (or has to be waited for)."""
    if fcntl is None:
        return None
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError as error:
        raise StateError(f"cannot open the lock file {path}: {error.strerror or error}") from error
    is_held = False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # A file that was deleted meanwhile is made anew by the next one who comes: it excludes nobody
        is_held = os.fstat(descriptor).st_nlink > 0
        return descriptor if is_held else None
    except OSError:
        return None
    finally:
        if not is_held:
            os.close(descriptor)
