from __future__ import annotations

import pytest

from neotoma_hooks.emptying import HOLD, MOST_IN_A_ROW, REJECT, STOP, WAIT, verdict
from neotoma_hooks.errors import (
    KeyMismatch,
    LockTimeout,
    OutcomeUnknown,
    ReadRefused,
    StateError,
    StoreAway,
    StoreBusy,
    StoreError,
    TurnTaken,
    Unauthorised,
    UnknownTarget,
    WriteRefused,
)


@pytest.mark.parametrize(
    ("error", "in_a_row", "end"),
    [
        (StoreAway("away"), 1, STOP),
        (Unauthorised("no"), 1, STOP),
        (OutcomeUnknown("cut"), 1, HOLD),
        (OutcomeUnknown("cut"), MOST_IN_A_ROW - 1, HOLD),
        (OutcomeUnknown("cut"), MOST_IN_A_ROW, STOP),
        (StoreBusy("busy", 5.0), 1, WAIT),
        (StoreBusy("busy", 0.0), MOST_IN_A_ROW, WAIT),
        (StoreBusy("busy", 5.0), MOST_IN_A_ROW + 1, STOP),
        (StoreBusy("busy until after the courier's time", 61.0), 1, STOP),
        (StoreBusy("busy for an hour", 3600.0), 1, STOP),
        (ReadRefused("no"), 1, HOLD),
        (StoreError("no"), 100, HOLD),
        (StateError("cannot read"), 100, HOLD),
        (LockTimeout("taken"), 1, HOLD),
        *((kind("no"), 100, REJECT) for kind in (WriteRefused, KeyMismatch, TurnTaken, UnknownTarget)),
    ],
    ids=str,
)
def test_what_becomes_of_a_write(error: StoreError | StateError, in_a_row: int, end: str) -> None:
    """One rule for each outcome: nothing is given up that may go later, and no store is pressed that cannot answer."""
    assert verdict(error, in_a_row, seconds_left=60.0) == end


def test_no_store_is_waited_for_longer_than_its_limit_per_minute() -> None:
    """However much time is left."""
    assert verdict(StoreBusy("busy", 66.0), 1, seconds_left=1000.0) == STOP
