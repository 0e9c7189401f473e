"""A short memory of a store that was away, so that it is not asked again at every prompt."""

from __future__ import annotations

import json

from neotoma_hooks.errors import StateError
from neotoma_hooks.state import files

SHORTEST_PAUSE_SECONDS = 5.0
LONGEST_PAUSE_SECONDS = 60.0


class Breaker:
    """What is known of one store's last failure; reset by the first success.

    It only saves time, so nothing fails for its sake: a file that cannot be read counts as absent, and what cannot be
    written is known to this process alone.

    `cause` is one sentence, `failures` counts failures in a row, `pause_until` is when to ask again and `since` when
    the first of them was (both seconds since the epoch).
    """

    __slots__ = ("_path", "cause", "failures", "pause_until", "since", "store")

    def __init__(self, path: str, store: str) -> None:
        self._path = path
        self.store = store
        self.cause = ""
        self.failures = 0
        self.pause_until = 0.0
        self.since = 0.0
        try:
            kept = json.loads(files.read(path) or b"{}")
            if kept["store"] != store:
                return
            pause_until, since = float(kept["pause_until"]), float(kept["since"])
            self.cause, self.failures = str(kept["cause"]), int(kept["failures"])
            self.pause_until, self.since = pause_until, since
        except (StateError, ValueError, KeyError, TypeError):
            return

    def is_open(self, now: float) -> bool:
        """Whether the store should be left alone at `now`; a clock that was set back does not lengthen the pause."""
        return now < self.pause_until <= now + LONGEST_PAUSE_SECONDS

    def note_failure(self, cause: str, now: float, pause: float | None = None) -> None:
        """Remember a failure; the pause doubles with each in a row, or is `pause` seconds where the store named one."""
        self.failures += 1
        self.cause = cause
        self.since = self.since or now
        doubled = min(SHORTEST_PAUSE_SECONDS * 2 ** min(self.failures - 1, 8), LONGEST_PAUSE_SECONDS)
        self.pause_until = now + (doubled if pause is None else min(pause, LONGEST_PAUSE_SECONDS))
        kept = {
            "store": self.store,
            "cause": self.cause,
            "failures": self.failures,
            "pause_until": self.pause_until,
            "since": self.since,
        }
        self._write(json.dumps(kept).encode("ascii"))

    def note_success(self) -> None:
        """Forget earlier failures."""
        if self.failures:
            self.cause, self.failures = "", 0
            self.pause_until = self.since = 0.0
            try:
                files.remove(self._path)
            except StateError:
                self._write(b"")

    def _write(self, data: bytes) -> None:
        try:
            files.write_private(self._path, data, durable=False)
        except StateError:
            return
