"""Outbox → store, in order, checked; in a process of its own that ends by itself."""

from __future__ import annotations

import os
import sys
import time

from neotoma_hooks.alarm import OutOfTime, limit_time
from neotoma_hooks.errors import LockTimeout, described
from neotoma_hooks.state import files, set_aside
from neotoma_hooks.state.breaker import Breaker
from neotoma_hooks.state.lock import locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from neotoma_hooks.emptying import Summary
    from neotoma_hooks.paths import Paths
    from neotoma_hooks.settings import Settings

LONGEST_LIFE_SECONDS = 120.0
"""After which a courier begins nothing more."""

GRACE_SECONDS = 60
"""What a courier has on top, to end what it began."""

LAST_WORDS_SECONDS = 5.0
"""What it has for a line in the log, when that was not enough either."""


def start_courier(settings: Settings, paths: Paths, environ: Mapping[str, str]) -> int | None:
    """Start a courier that outlives this process, unless one is at work or the store is known to be away.

    `environ` is what it finds its settings and paths by. Returns its process id, None when none was started.

    It has a session of its own and nothing on its three descriptors but /dev/null: Codex waits for whoever holds its
    pipe. Raises OSError, StateError.
    """
    if Breaker(paths.breaker_file, settings.store_name).is_open(time.time()):
        return None
    try:
        with locked(paths.courier_lock, 0):
            pass
    except LockTimeout:
        return None
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    code = "import sys; sys.path.insert(0, sys.argv[1]); from neotoma_hooks.courier import main; main()"
    arguments = [sys.executable, "-I", "-c", code, root]
    devnull = os.devnull
    opened = [
        (os.POSIX_SPAWN_OPEN, 0, devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, devnull, os.O_WRONLY, 0),
    ]
    return os.posix_spawn(sys.executable, arguments, environ, file_actions=opened, setsid=True)


def main() -> None:
    """The courier's process: deliver what waits, write a log line, end."""
    from neotoma_hooks import hooklog
    from neotoma_hooks.paths import find_paths
    from neotoma_hooks.settings import read_settings
    from neotoma_hooks.stores.lean import do_without

    os.umask(0o077)
    os.chdir("/")
    do_without()
    paths = find_paths(os.environ)
    started = time.monotonic()
    line: dict[str, object] = {"hook": "courier"}
    try:
        # Whatever it is that never comes back, the next courier must find the lock free
        limit_time(started + LONGEST_LIFE_SECONDS + GRACE_SECONDS)
        settings = read_settings(paths.settings_file, os.environ)
        summary = run(settings, paths)
        if summary.is_busy:
            return
        line["outcome"] = f"delivered {summary.delivered}, refused {summary.refused}, waiting {summary.waiting}"
        if summary.stopped:
            line["error"] = summary.stopped
    except OutOfTime:
        line["error"] = "it was still at work long after its time, and was ended"
    except Exception as error:  # noqa: BLE001 - the one guard of this process: nobody would see how it ended
        line["error"] = described(error)
    line["ms"] = {"total": round((time.monotonic() - started) * 1000, 1)}
    limit_time(time.monotonic() + LAST_WORDS_SECONDS)
    hooklog.append(paths.log_file, line)


def _say_nothing(_key: str, _how: str) -> None:
    """Progress that nobody watches."""


def run(settings: Settings, paths: Paths, progress: Callable[[str, str], None] = _say_nothing) -> Summary:
    """Deliver all that waits, as the only courier.

    `progress` is told each write's turn key and what became of it. Ends when the outbox is empty, the store is away,
    or its time is over. Raises StateError, SettingsError.
    """
    from neotoma_hooks.emptying import Emptying
    from neotoma_hooks.second_try import handle_set_aside
    from neotoma_hooks.stores.opening import open_store

    store = open_store(settings, paths)
    until = time.monotonic() + LONGEST_LIFE_SECONDS
    work = Emptying(store, settings, paths, until, progress)
    summary = work.summary
    try:
        while True:
            try:
                with locked(paths.courier_lock, 0):
                    for folder in (paths.state, paths.pending, paths.set_aside, paths.outbox, paths.rejected):
                        files.sweep(folder)
                    left = handle_set_aside(settings, paths, store, until)
                    left |= work.empty()
            except LockTimeout:
                summary.is_busy = summary.delivered == 0
                break
            # A hook that left something while the lock was held has started no courier of its own
            if summary.stopped or left.issuperset([*work.outbox.names(), *set_aside.waiting(paths.set_aside)]):
                break
    finally:
        store.close()
    summary.waiting = len(work.outbox.names())
    return summary
