"""Many processes on one home: sessions, hooks, couriers and commands at the same moment, on both stores."""

from __future__ import annotations

import pytest

from faults.sessions import assert_all_whole, assert_nobody_stays, at_once, sessions_in
from support.firing import stored_turns
from support.memory import Memory


@pytest.mark.timeout(1800)
def test_sessions_side_by_side(memory: Memory, request: pytest.FixtureRequest) -> None:
    """No turn is lost, doubled or mixed with another session's, and nobody is left running."""
    count, turns = (50, 20) if request.config.getoption("full") else (12, 6)
    sessions = sessions_in(memory, count)
    at_once(sessions, turns)
    memory.settle()
    assert_all_whole(stored_turns(), sessions, turns)
    assert_nobody_stays()
