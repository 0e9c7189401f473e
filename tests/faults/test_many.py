"""Many processes on one home: sessions, hooks, couriers and commands at the same moment, on both stores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time

import pytest

from faults.sessions import CodexSession, Session, assert_all_whole, at_once, introduce, sessions_in
from neotoma_hooks.paths import find_paths
from neotoma_hooks.protocol.writes import Message
from neotoma_hooks.state.outbox import Entry, Outbox
from support.firing import log_lines, neotoma_hooks, start, stored_turns
from support.memory import Memory

COURIER = [sys.executable, "-I", "-c", "from neotoma_hooks.courier import main; main()"]


@pytest.mark.timeout(3600)
def test_sessions_side_by_side(memory: Memory, request: pytest.FixtureRequest) -> None:
    """No turn is lost, doubled or mixed with another session's, however many hooks are out of time."""
    count, turns = (50, 20) if request.config.getoption("full") else (12, 5)
    sessions = sessions_in(memory, count)
    at_once(sessions, turns)
    assert_all_whole(memory, sessions, turns)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("number", [0, 1], ids=["turn-ids", "no-turn-ids"])
def test_ten_hooks_with_the_same_event(memory: Memory, number: int) -> None:
    """One turn, as if each event had come once."""
    session = Session(number)
    introduce(memory, [session])
    for hook, event in (("prompt_submit", session.asks(1)), ("stop", session.says(1))):
        raw = json.dumps(event).encode()
        processes = [start(hook) for _ in range(10)]
        for process in processes:
            assert process.stdin is not None
            process.stdin.write(raw)
            process.stdin.flush()
        ends = [process.communicate(timeout=60) for process in processes]
        assert [process.returncode for process in processes] == [0] * 10
        assert [err for _, err in ends if err] == []
    assert_all_whole(memory, [session], 1)


@pytest.mark.timeout(300)
def test_couriers_at_once(memory: Memory) -> None:
    """One of them works, the others go: each write is sent once, in the order of its conversation."""
    paths = find_paths(os.environ)
    outbox = Outbox(paths.outbox, paths.rejected)
    contents = {f"c{conversation}": [f"{conversation} says {number}" for number in range(8)] for conversation in "xyz"}
    for number in range(8):
        for conversation, its in contents.items():
            message = Message(conversation, f"t{number}", "user", its[number], number + 1, "test")
            outbox.add(Entry(message, conversation, [], "", time.time_ns()))
    couriers = [subprocess.Popen(COURIER) for _ in range(5)]
    assert [courier.wait(timeout=120) for courier in couriers] == [0] * 5
    assert outbox.names() == []
    for conversation, its in contents.items():
        assert [turn["user"]["content"] for turn in stored_turns(conversation)] == its
    if memory.server is not None:
        sent = [json.loads(seen.body)["entities"][-1]["content"] for seen in memory.server.requests_to("/store")]
        assert len(sent) == 24
        assert all([one for one in sent if one in its] == its for its in contents.values())


@pytest.mark.timeout(300)
def test_flush_while_hooks_run(memory: Memory) -> None:
    """A person who flushes all the time disturbs nobody."""
    sessions = sessions_in(memory, 4)
    is_over = threading.Event()

    def flush() -> None:
        while not is_over.is_set():
            neotoma_hooks("flush", check=False)

    flushing = threading.Thread(target=flush)
    flushing.start()
    try:
        at_once(sessions, 4)
    finally:
        is_over.set()
        flushing.join()
    assert_all_whole(memory, sessions, 4)


@pytest.mark.timeout(300)
def test_two_agents_run_the_same_registration(memory: Memory) -> None:
    """Each session is its own agent's, whoever's name stands in the command."""
    sessions = [Session(0), CodexSession(1), Session(3), CodexSession(4)]
    introduce(memory, sessions)
    at_once(sessions, 3)
    assert_all_whole(memory, sessions, 3)
    told = {(line.get("conversation"), line["agent"]) for line in log_lines() if "conversation" in line}
    assert told == {(session.conversation, session.agent) for session in sessions}
