"""A memory that has grown: the cost of a turn stays what it was."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bench.cases import EIGHT, embedded
from neotoma_hooks.memory import Memory
from neotoma_hooks.paths import find_paths
from neotoma_hooks.state.set_aside import MOST_KEPT
from standin import StandIn
from support.firing import fire, neotoma_hooks, prompt, reply, stored_turns

FEW, MANY = 14, 400


def state_bytes() -> int:
    """All that is kept of conversations between two hooks."""
    return sum(path.stat().st_size for path in Path(find_paths(os.environ).pending).iterdir())


def test_ten_thousand_turns_and_a_hundred_thousand_entities(home: Path) -> None:
    """The next turn is number 10,001, finds its eight entities, and leaves no larger state behind than the first."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        embedded(100_000, turns=10_000)(home, stack)
    os.environ["NEOTOMA_HOOKS_HOME"] = str(home / "neotoma")
    fired = fire("prompt_submit", prompt("bench-0", "next", EIGHT)).assert_harmless()
    assert fired.context.count("\n- ") == 8
    fire("stop", reply("bench-0", "next", "Nothing in common.")).assert_harmless()
    (turn,) = [one for one in stored_turns("bench-0") if one["turn_id"] == "next"]
    assert len(turn["user"]["refers_to"]) == 8
    assert turn["turn_number"] == 10_000
    assert state_bytes() < 20_000
    # Every statement of a turn goes by an index, so its cost cannot grow with the tables
    with closing(sqlite3.connect(find_paths(os.environ).embedded_store)) as connection:
        assert connection.execute("SELECT count(*) FROM entities WHERE type = 'person'").fetchone()[0] == 8
        assert connection.execute("SELECT count(*) FROM messages").fetchone()[0] > 19_990


def test_state_does_not_grow_with_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many turns of one conversation the pending-turn file is as large as after few."""
    monkeypatch.setattr("os.fsync", lambda descriptor: None)
    memory = Memory("claude-code")
    sizes = {}
    for number in range(1, MANY + 1):
        memory.open_turn("c1", f"prompt {number} of Ada Lovelace", f"turn-{number:06d}")
        memory.close_turn("c1", f"reply {number:06d}", f"turn-{number:06d}")
        sizes[number] = state_bytes()
    assert sizes[MANY] < sizes[MANY // 2] * 1.05
    assert len(stored_turns("c1")) == MANY


def test_what_is_sent_does_not_grow_with_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Late turns cost the server as many requests, and as many bytes, as early ones."""
    with StandIn() as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        server.remember("person", "Ada Lovelace")
        costs = []
        for number in range(10, 10 + FEW):
            before = len(server.requests)
            fire("prompt_submit", prompt("c1", f"t{number}", "What did Ada Lovelace say?")).assert_harmless()
            neotoma_hooks("flush")
            fire("stop", reply("c1", f"t{number}", "Ada Lovelace said yes.")).assert_harmless()
            neotoma_hooks("flush")
            sent = [seen for seen in server.requests[before:] if seen.path != "/health"]
            stores = [seen for seen in sent if seen.path == "/store"]
            costs.append((len(sent), sum(len(seen.body) for seen in stores)))
    # The first turn brings the conversation along, and up to the tenth its number has one digit
    assert len(set(costs[9:])) == 1


def test_what_is_set_aside_and_logged_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Years of an agent that sends nonsense: both stay within their limits."""
    from neotoma_hooks import hooklog
    from neotoma_hooks.state import set_aside

    paths = find_paths(os.environ)
    monkeypatch.setattr("os.fsync", lambda descriptor: None)
    monkeypatch.setattr(hooklog, "LARGEST_BYTES", 50_000)
    for number in range(3 * MOST_KEPT):
        event = set_aside.SetAside(b"{" * 100, "stop", "codex", "not JSON", again=False, created=number)
        set_aside.keep(paths.set_aside, event)
        hooklog.append(paths.log_file, {"hook": "stop", "error": "x" * 1000})
    assert len(os.listdir(paths.set_aside)) == MOST_KEPT
    logs = list(Path(paths.state).glob("hooks.log*"))
    assert len(logs) == hooklog.KEPT_FILES
    assert sum(path.stat().st_size for path in logs) < (hooklog.KEPT_FILES + 1) * 50_000
    assert json.loads(Path(paths.log_file).read_text().splitlines()[-1])["hook"] == "stop"
