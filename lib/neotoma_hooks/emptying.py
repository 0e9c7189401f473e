"""What becomes of each write that waits: one rule for each outcome."""

from __future__ import annotations

import time

from neotoma_hooks.delivery import deliver
from neotoma_hooks.errors import (
    OutcomeUnknown,
    StateError,
    StoreAway,
    StoreBusy,
    StoreError,
    Unauthorised,
    WriteRefused,
)
from neotoma_hooks.state.breaker import Breaker
from neotoma_hooks.state.pending import pending_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from neotoma_hooks.paths import Paths
    from neotoma_hooks.settings import Settings
    from neotoma_hooks.state.outbox import Entry, Outbox
    from neotoma_hooks.stores.base import Store

LONGEST_PATIENCE_SECONDS = 65.0
"""The longest a courier waits because a store asked it to; the rate limit of a Neotoma server is per minute."""

MOST_UNKNOWN_IN_A_ROW = 3
MOST_BUSY_IN_A_ROW = 3
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


def empty(
    outbox: Outbox,
    store: Store,
    settings: Settings,
    paths: Paths,
    summary: Summary,
    until: float,
    progress: Callable[[str, str], None],
) -> set[str]:
    """Deliver pass by pass until nothing is left that can be delivered now; returns the names of what is left.

    The rule for each outcome: stored or replayed, go on. Busy: wait as asked, a few times; it costs no attempt. Away:
    stop. Unknown: leave this conversation, and stop after several in a row. Unauthorised: keep, and stop asking this
    server. Refused or mismatch: move aside with the reason.
    """
    breaker = Breaker(paths.breaker_file, store.name)
    held: set[str] = set()
    unread: set[str] = set()
    unknown = busy_for = 0
    cause = ""
    tried_again = False
    while True:
        names = outbox.names()
        progressed = False
        for name in names:
            if time.monotonic() > until:
                summary.stopped = "its time was over; the next hook starts another courier"
                return set(names)
            if name in unread:
                continue
            try:
                entry = outbox.load(name)
            except StateError as error:
                unread.add(name)
                progress(name, str(error))
                continue
            if entry is None or entry.message.conversation_id in held:
                continue
            key = entry.message.turn_key
            try:
                summary.repaired += _deliver(name, entry, outbox, store, settings, paths)
            except StoreBusy as busy:
                busy_for += 1
                is_too_long = busy.retry_after > LONGEST_PATIENCE_SECONDS or time.monotonic() + busy.retry_after > until
                if is_too_long or busy_for > MOST_BUSY_IN_A_ROW:
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
                cause = str(error)
                progress(key, cause)
                if unknown >= MOST_UNKNOWN_IN_A_ROW:
                    breaker.note_failure(str(error), time.time())
                    summary.stopped = str(error)
                    return set(names)
                continue
            except StoreAway as error:
                breaker.note_failure(str(error), time.time())
                summary.stopped = str(error)
                return set(names)
            # That of one conversation's pending-turn file keeps no other from the store
            except (StoreError, StateError) as error:
                held.add(entry.message.conversation_id)
                cause = str(error)
                progress(key, cause)
                continue
            outbox.remove(name)
            breaker.note_success()
            unknown = busy_for = 0
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
                summary.stopped = f"some writes may not be stored, and will be sent again: {cause}"
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
