"""What becomes of each write that waits: one rule for each outcome."""

from __future__ import annotations

import time

from neotoma_hooks.delivery import deliver, known_of
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

LONGEST_PATIENCE_SECONDS = 65.0
"""The longest a courier waits because a store asked it to; the rate limit of a Neotoma server is per minute."""

MOST_IN_A_ROW = 3
"""So often may a store be busy, or leave an outcome unknown, without taking a write in between."""

LATE_LOOK_UP_SECONDS = 10.0
LOCK_SECONDS = 5.0
UNAUTHORISED_PAUSE_SECONDS = 60.0

# What becomes of a write
DONE = "done"
REJECT = "reject"  # moved aside with the reason; the next one may go
WAIT = "wait"  # as long as the store asks; it costs no attempt
HOLD = "hold"  # kept, with all later ones of its conversation; others may go
STOP = "stop"  # kept, with all others


def verdict(error: StoreError | StateError, in_a_row: int, seconds_left: float) -> str:
    """What becomes of a write that met this error, the `in_a_row`-th of its kind since the store last took one."""
    if isinstance(error, StoreBusy):
        is_too_long = error.retry_after > min(LONGEST_PATIENCE_SECONDS, seconds_left)
        return STOP if is_too_long or in_a_row > MOST_IN_A_ROW else WAIT
    if isinstance(error, OutcomeUnknown):
        return STOP if in_a_row >= MOST_IN_A_ROW else HOLD
    if isinstance(error, (StoreAway, Unauthorised)):
        return STOP
    return REJECT if isinstance(error, WriteRefused) else HOLD


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


class Emptying:
    """One courier's work on the outbox, which ends at `until` (on `time.monotonic`'s clock) at the latest.

    `progress` is told each write's turn key and what became of it.
    """

    __slots__ = (
        "_breaker",
        "_held",
        "_in_a_row",
        "_paths",
        "_progress",
        "_seen",
        "_settings",
        "_store",
        "_unread",
        "_until",
        "outbox",
        "summary",
    )

    def __init__(
        self, store: Store, settings: Settings, paths: Paths, until: float, progress: Callable[[str, str], None]
    ) -> None:
        self.outbox = Outbox(paths.outbox, paths.rejected)
        self.summary = Summary()
        self._store = store
        self._settings = settings
        self._paths = paths
        self._until = until
        self._progress = progress
        self._breaker = Breaker(paths.breaker_file, store.name)
        self._seen: set[str] = set()
        self._unread: set[str] = set()
        self._held: dict[str, str] = {}
        self._in_a_row: dict[type, int] = {}

    def empty(self) -> set[str]:
        """Deliver pass by pass until nothing is left that can be delivered now; returns the names of what is left.

        Raises StateError.
        """
        self._held.clear()
        is_second_chance = False
        while True:
            names = self.outbox.names()
            ends = set()
            for name in names:
                ends.add(self._one(name))
                if ends & {STOP, WAIT}:
                    break
            if STOP in ends:
                return set(names)
            if ends & {DONE, REJECT, WAIT}:
                continue
            if not self._held:
                return set(names)
            if is_second_chance:
                cause = list(self._held.values())[-1]
                self.summary.stopped = f"some writes may not be stored, and will be sent again: {cause}"
                return set(names)
            # A server that has just started may answer 500 once (unique constraint) and take the same write then
            is_second_chance = True
            self._held.clear()
            time.sleep(0.5)

    def _one(self, name: str) -> str:
        """Deliver one write, if it may go; returns what became of it, "" when it may not. Raises StateError."""
        if time.monotonic() > self._until:
            self.summary.stopped = "its time was over; the next hook starts another courier"
            return STOP
        try:
            entry = self.outbox.load(name)
        except StateError as error:
            if name not in self._unread:
                self._unread.add(name)
                self._progress(name, str(error))
            return ""
        if entry is None or entry.message.conversation_id in self._held:
            return ""
        try:
            self.summary.repaired += self._deliver(name, entry)
        except (StoreError, StateError) as error:
            return self._after(error, name, entry)
        self.outbox.remove(name)
        self._breaker.note_success()
        self._in_a_row.clear()
        self.summary.delivered += 1
        self._progress(entry.message.turn_key, "delivered")
        return DONE

    def _after(self, error: StoreError | StateError, name: str, entry: Entry) -> str:
        """Do with the write what the rule says. Raises StateError."""
        kind = type(error)
        self._in_a_row[kind] = self._in_a_row.get(kind, 0) + 1
        end = verdict(error, self._in_a_row[kind], self._until - time.monotonic())
        key, cause = entry.message.turn_key, str(error)
        wait = error.retry_after if isinstance(error, StoreBusy) else None
        if isinstance(error, OutcomeUnknown):
            # Whatever was tried or asked counts for the next courier too
            self.outbox.replace(name, entry)
        if end == STOP:
            pause = UNAUTHORISED_PAUSE_SECONDS if isinstance(error, Unauthorised) else wait
            self._breaker.note_failure(cause, time.time(), pause)
            self.summary.stopped = cause
        elif end == REJECT:
            self.outbox.reject(name, entry, cause)
            self.summary.refused += 1
            self._progress(key, f"refused: {cause}")
        elif end == HOLD:
            self._held[entry.message.conversation_id] = cause
            self._progress(key, cause)
        elif wait is not None:
            self._progress(key, f"waiting {wait:.0f} s, as the store asks")
            time.sleep(wait)
        return end

    def _deliver(self, name: str, entry: Entry) -> int:
        """Deliver one write and remember what the store says of its conversation; returns how many edges were
        repaired. Raises StoreError, StateError."""
        store, message = self._store, entry.message
        before, was_tried = message.turn_id, bool(entry.frozen_for)
        with pending_file(self._paths.pending, entry.conversation_id, LOCK_SECONDS) as file:
            known = known_of(file.conversation, message, store, self._seen)
        done = deliver(entry, store, known, self._settings.max_entities, lambda now: self.outbox.replace(name, now))
        brought = _late_look_ups(entry, store, self._settings) if entry.late else {}
        # What else was learnt before the store was emptied is to be asked about: by a write that knows of nothing
        its_id = None if done.is_anew else done.conversation_entity_id
        if was_tried or brought or its_id != known.conversation_entity_id or before != message.turn_id:
            with pending_file(self._paths.pending, entry.conversation_id, LOCK_SECONDS) as file:
                conversation = file.conversation
                if its_id is None:
                    conversation.entity_ids.pop(store.name, None)
                else:
                    conversation.entity_ids[store.name] = its_id
                for identifier, entities in brought.items():
                    conversation.note_late(identifier, entities)
                before = conversation.book.stored_as(message.turn_number, message.turn_id, message.role)
                if before:
                    # First of all: once the book has it, nobody would know what to look for
                    self.outbox.take_along(message, before)
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
