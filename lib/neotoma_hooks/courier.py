"""Outbox → store, in order, checked; in a process of its own that ends by itself."""

from __future__ import annotations

import os
import sys
import time

from neotoma_hooks.delivery import deliver
from neotoma_hooks.errors import (
    LockTimeout,
    NeotomaHooksError,
    OutcomeUnknown,
    StateError,
    StoreAway,
    StoreBusy,
    StoreError,
    Unauthorised,
    WriteRefused,
)
from neotoma_hooks.second_try import handle_set_aside
from neotoma_hooks.state import files, set_aside
from neotoma_hooks.state.breaker import Breaker
from neotoma_hooks.state.lock import locked
from neotoma_hooks.state.outbox import Outbox
from neotoma_hooks.state.pending import pending_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from neotoma_hooks.paths import Paths
    from neotoma_hooks.settings import Settings
    from neotoma_hooks.state.outbox import Entry
    from neotoma_hooks.stores.base import Store

LONGEST_LIFE_SECONDS = 120.0
LONGEST_PATIENCE_SECONDS = 65.0
"""The longest a courier waits because a store asked it to; the rate limit of a Neotoma server is per minute."""

MOST_UNKNOWN_IN_A_ROW = 3
LATE_LOOK_UP_SECONDS = 10.0
UNAUTHORISED_PAUSE_SECONDS = 60.0


class Summary:
    """What a courier did: how many writes were `delivered`, `refused`, are still `waiting`; `stopped` says why it
    stopped before the outbox was empty ("" when it was). `is_busy` says that another courier was at work."""

    __slots__ = ("delivered", "is_busy", "refused", "repaired", "stopped", "waiting")

    def __init__(self) -> None:
        self.delivered = 0
        self.refused = 0
        self.repaired = 0
        self.waiting = 0
        self.stopped = ""
        self.is_busy = False


def start_courier(settings: Settings, paths: Paths) -> None:
    """Start a courier that outlives this process, unless one is at work or the store is known to be away.

    It has a session of its own and nothing on its three descriptors but /dev/null: Codex waits for whoever holds its
    pipe. Raises OSError, StateError.
    """
    if Breaker(paths.breaker_file, settings.store_name).is_open(time.time()):
        return
    try:
        with locked(paths.courier_lock, 0):
            pass
    except LockTimeout:
        return
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    code = "import sys; sys.path.insert(0, sys.argv[1]); from neotoma_hooks.courier import main; main()"
    arguments = [sys.executable, "-I", "-c", code, root]
    devnull = os.devnull
    opened = [
        (os.POSIX_SPAWN_OPEN, 0, devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, devnull, os.O_WRONLY, 0),
    ]
    os.posix_spawn(sys.executable, arguments, os.environ, file_actions=opened, setsid=True)


def main() -> None:
    """The courier's process: deliver what waits, write a log line, end."""
    from neotoma_hooks import hooklog
    from neotoma_hooks.paths import find_paths
    from neotoma_hooks.settings import read_settings

    os.umask(0o077)
    os.chdir("/")
    paths = find_paths(os.environ)
    started = time.monotonic()
    line: dict[str, object] = {"hook": "courier"}
    try:
        settings = read_settings(paths.settings_file, os.environ)
        summary = run(settings, paths)
        if summary.is_busy:
            return
        line["outcome"] = f"delivered {summary.delivered}, refused {summary.refused}, waiting {summary.waiting}"
        if summary.stopped:
            line["error"] = summary.stopped
    except NeotomaHooksError as error:
        line["error"] = str(error)
    line["ms"] = {"total": round((time.monotonic() - started) * 1000, 1)}
    hooklog.append(paths.log_file, line)


def _say_nothing(_key: str, _how: str) -> None:
    """Progress that nobody watches."""


def run(settings: Settings, paths: Paths, progress: Callable[[str, str], None] = _say_nothing) -> Summary:
    """Deliver all that waits, as the only courier.

    `progress` is told each write's turn key and what became of it. Ends when the outbox is empty, the store is away,
    or its time is over. Raises StateError, SettingsError.
    """
    from neotoma_hooks.stores.opening import open_store

    summary = Summary()
    outbox = Outbox(paths.outbox, paths.rejected)
    store = open_store(settings, paths)
    until = time.monotonic() + LONGEST_LIFE_SECONDS
    try:
        while True:
            try:
                with locked(paths.courier_lock, 0):
                    outbox.sweep()
                    for folder in (paths.state, paths.pending, paths.set_aside):
                        files.sweep(folder)
                    left = handle_set_aside(settings, paths)
                    left |= _empty(outbox, store, settings, paths, summary, until, progress)
            except LockTimeout:
                summary.is_busy = summary.delivered == 0
                break
            # A hook that left something while the lock was held has started no courier of its own
            if summary.stopped or left.issuperset([*outbox.names(), *set_aside.waiting(paths.set_aside)]):
                break
    finally:
        store.close()
    summary.waiting = len(outbox.names())
    return summary


def _empty(
    outbox: Outbox,
    store: Store,
    settings: Settings,
    paths: Paths,
    summary: Summary,
    until: float,
    progress: Callable[[str, str], None],
) -> set[str]:
    """Deliver pass by pass until nothing is left that can be delivered now; returns the names of what is left.

    The rule for each outcome: stored or replayed, go on. Busy: wait as asked, it costs no attempt. Away: stop. Unknown:
    leave this conversation, and stop after several in a row. Unauthorised: keep, and stop asking this server. Refused
    or mismatch: move aside with the reason.
    """
    breaker = Breaker(paths.breaker_file, store.name)
    held: set[str] = set()
    unknown = 0
    tried_again = False
    while True:
        names = outbox.names()
        progressed = False
        for name in names:
            if time.monotonic() > until:
                summary.stopped = "its time was over; the next hook starts another courier"
                return set(names)
            try:
                entry = outbox.load(name)
            except StateError:
                continue
            if entry is None or entry.message.conversation_id in held:
                continue
            key = entry.message.turn_key
            try:
                summary.repaired += _deliver(name, entry, outbox, store, settings, paths)
            except StoreBusy as busy:
                if busy.retry_after > LONGEST_PATIENCE_SECONDS or time.monotonic() + busy.retry_after > until:
                    breaker.note_failure(str(busy), time.time(), busy.retry_after)
                    summary.stopped = str(busy)
                    return set(names)
                progress(key, f"waiting {busy.retry_after:.0f} s, as the store asks")
                time.sleep(busy.retry_after)
                progressed = True
                break
            except Unauthorised as error:
                breaker.note_failure(str(error), time.time(), UNAUTHORISED_PAUSE_SECONDS)
                summary.stopped = str(error)
                return set(names)
            except WriteRefused as error:
                outbox.reject(name, entry, str(error))
                summary.refused += 1
                progress(key, f"refused: {error}")
                progressed = True
                continue
            except OutcomeUnknown as error:
                outbox.replace(name, entry)
                held.add(entry.message.conversation_id)
                unknown += 1
                progress(key, str(error))
                if unknown >= MOST_UNKNOWN_IN_A_ROW:
                    breaker.note_failure(str(error), time.time())
                    summary.stopped = str(error)
                    return set(names)
                continue
            except StoreAway as error:
                breaker.note_failure(str(error), time.time())
                summary.stopped = str(error)
                return set(names)
            except StoreError as error:
                held.add(entry.message.conversation_id)
                progress(key, str(error))
                continue
            outbox.remove(name)
            breaker.note_success()
            unknown = 0
            summary.delivered += 1
            progressed = True
            progress(key, "delivered")
        if not progressed:
            if held and not tried_again:
                # A server that has just started may answer 500 once (unique constraint) and take the same write then
                tried_again = True
                held.clear()
                time.sleep(0.5)
                continue
            if held:
                summary.stopped = "the store did not say whether it stored some writes; they will be sent again"
            return set(names)


def _deliver(name: str, entry: Entry, outbox: Outbox, store: Store, settings: Settings, paths: Paths) -> int:
    """Deliver one write and remember what the store says of its conversation; returns how many edges were repaired."""
    known = None
    if not entry.frozen_for:
        with pending_file(paths.pending, entry.conversation_id, 5.0) as file:
            known = file.conversation.entity_ids.get(store.name)
    done = deliver(entry, store, known, settings.max_entities, keep=lambda changed: outbox.replace(name, changed))
    brought = _late_look_ups(entry, store, settings) if entry.late else {}
    if known != done.conversation_entity_id or brought:
        with pending_file(paths.pending, entry.conversation_id, 5.0) as file:
            is_news = file.conversation.entity_ids.get(store.name) != done.conversation_entity_id
            file.conversation.entity_ids[store.name] = done.conversation_entity_id
            for identifier, entities in brought.items():
                file.conversation.note_late(identifier, entities)
            if is_news or brought:
                file.save()
    return done.repaired_edges


def _late_look_ups(entry: Entry, store: Store, settings: Settings) -> dict[str, list[dict[str, Any]]]:
    """What the look-ups bring that were too late for their prompt: folded identifier to entities, for the next
    prompt."""
    from neotoma_hooks.protocol.folding import fold
    from neotoma_hooks.protocol.kept_entity import kept
    from neotoma_hooks.retrieval import retrieve

    brought = {}
    for identifier in entry.late:
        found = retrieve(store, [identifier], time.monotonic() + LATE_LOOK_UP_SECONDS, settings.max_entities)
        if found.entities:
            brought[fold(identifier)] = [kept(entity) for entity in found.entities]
    return brought
