"""One hook firing while it is handled: what it works with, and how far it has come."""

from __future__ import annotations

import time

from neotoma_hooks.state.outbox import Outbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from neotoma_hooks.paths import Paths
    from neotoma_hooks.settings import Settings
    from neotoma_hooks.stores.base import Store

RESERVED_SECONDS = 0.4
"""The part of a hook's time that look-ups and waiting must leave for making the message durable."""


class Firing:
    """One hook firing while it is handled.

    `deadline` is on `time.monotonic`'s clock. `line` becomes the hook log's line. `is_safe` says that the message of
    this event is durable (or that there is none), `queued` that a courier is wanted. `is_late` says that the courier
    handles an event that its hook could not. `context_limit` is how many characters the agent takes, `gives_once`
    whether it is told each thing once. `identifiers` are those of the prompt, `late` those of them whose look-up
    failed.
    """

    __slots__ = (
        "context_limit",
        "deadline",
        "gives_once",
        "harness",
        "identifiers",
        "is_late",
        "is_safe",
        "late",
        "line",
        "outbox",
        "paths",
        "queued",
        "settings",
        "store",
    )

    def __init__(
        self, settings: Settings, paths: Paths, store: Store, harness: str, deadline: float, *, is_late: bool
    ) -> None:
        self.settings = settings
        self.paths = paths
        self.store = store
        self.harness = harness
        self.deadline = deadline
        self.is_late = is_late
        self.context_limit = settings.context_characters
        self.gives_once = False
        self.identifiers: list[str] = []
        self.late: list[str] = []
        self.line: dict[str, Any] = {}
        self.outbox = Outbox(paths.outbox, paths.rejected)
        self.is_safe = False
        self.queued = False
        if not is_late:
            # In time for the message to go into the outbox instead
            store.hurry(deadline - RESERVED_SECONDS / 2)

    def lap(self, phase: str, started: float) -> float:
        """Note in the line how long a phase took, in milliseconds; returns the time now."""
        now = time.monotonic()
        self.line.setdefault("ms", {})[phase] = round((now - started) * 1000, 1)
        return now

    def lock_seconds(self) -> float:
        """How long a lock may be waited for now."""
        return max(0.05, self.deadline - time.monotonic() - RESERVED_SECONDS / 2)
