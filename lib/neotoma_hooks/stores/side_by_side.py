"""Several requests at once, under one deadline."""

from __future__ import annotations

import threading
import time

from neotoma_hooks.errors import OutcomeUnknown, StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    T = TypeVar("T")


def side_by_side(
    ask: Callable[[str], T], wanted: Sequence[str], at_once: int, deadline: float
) -> dict[str, T | StoreError]:
    """What `ask` returned for each, or the StoreError that it raised; what is late is not in the result.

    At most `at_once` are under way at the same time. Comes back when all are done, or at the deadline (on
    `time.monotonic`'s clock); threads that are late then are daemons, which end with the process.
    """
    told: dict[str, T | StoreError] = {}
    waiting = iter(wanted)
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                one = next(waiting, None)
            if one is None or time.monotonic() >= deadline:
                return
            try:
                told[one] = ask(one)
            except StoreError as error:
                told[one] = error
            # A thread has nobody above it: what it lets through would be printed to the agent's terminal
            except Exception as error:  # noqa: BLE001
                told[one] = OutcomeUnknown(f"the request broke off: {type(error).__name__}")

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(len(wanted), at_once))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return dict(told)
