"""Events keep their order also where a hook could not handle one of them in time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from faults.killing import CALM
from neotoma_hooks import courier
from neotoma_hooks.errors import LockTimeout
from neotoma_hooks.paths import Paths, find_paths
from neotoma_hooks.settings import read_settings
from neotoma_hooks.state import files, set_aside
from neotoma_hooks.state.lock import locked
from neotoma_hooks.state.pending import pending_file
from support.firing import Fired, fire, hook_lines, log_lines, neotoma_hooks, prompt, reply, stored_turns
from support.memory import Memory

ASK = "What did Ada Lovelace say?"


@pytest.fixture
def paths(monkeypatch: pytest.MonkeyPatch) -> Paths:
    """Where files are; hooks have time, whatever else the machine does, unless a test takes it from them."""
    for name, value in CALM.items():
        monkeypatch.setenv(name, value)
    return find_paths(os.environ)


def fire_while_locked(paths: Paths, text: str) -> None:
    """The hook of a prompt waits for its conversation's lock until its time is over."""
    with pending_file(paths.pending, "c1", 5):
        fire("prompt_submit", prompt("c1", None, text), env={"NEOTOMA_HOOKS_PROMPT_SECONDS": "1"}).assert_harmless()
    # A look-up that was late as well would keep the next hook from asking
    files.remove(paths.breaker_file)


def assert_told(fired: Fired) -> None:
    """The agent got its context, unless the machine was so busy that the hook had no time for its settings even."""
    told = fired.assert_harmless().context
    assert "Ada Lovelace" in told or hook_lines()[-1].get("error") == "out of time"


def test_events_queue_behind_one_that_was_set_aside(memory: Memory, paths: Paths) -> None:
    """Without turn ids only their order tells which reply is whose; the agent gets its context all the same."""
    memory.remember("Ada Lovelace", "person")
    with locked(paths.courier_lock, 5):
        fire_while_locked(paths, ASK)
        fire("stop", reply("c1", None, "She said yes.")).assert_harmless()
        assert_told(fire("prompt_submit", prompt("c1", None, ASK)))
        fire("stop", reply("c1", None, "She said yes.")).assert_harmless()
        fire("prompt_submit", prompt("c2", None, "another conversation")).assert_harmless()
        assert len(set_aside.waiting(paths.set_aside)) == 4
    neotoma_hooks("flush")
    memory.settle()
    late = [(line["hook"], "outcome" in line) for line in log_lines() if line.get("late")]
    assert late == 2 * [("prompt_submit", True), ("stop", True)]
    told = [
        (turn["turn_number"], turn["user"]["content"], turn["assistant"]["content"], turn["status"])
        for turn in stored_turns("c1")
    ]
    assert told == [(number, ASK, "She said yes.", "answered") for number in (1, 2)]
    assert len(stored_turns("c2")) == 1
    assert set_aside.waiting(paths.set_aside) == []


def test_prompt_that_was_set_aside_told_the_agent_nothing(memory: Memory, paths: Paths) -> None:
    """What it brought up is told with the next prompt that names it."""
    memory.remember("Ada Lovelace", "person")
    with locked(paths.courier_lock, 5):
        fire_while_locked(paths, ASK)
    neotoma_hooks("flush")
    assert_told(fire("prompt_submit", prompt("c1", None, "And Ada Lovelace?")))


def test_hooks_that_have_no_time_at_all_lose_nothing(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their time is over before they have read the event: it is stored all the same, in order, with its edges."""
    memory.remember("Ada Lovelace", "person")
    monkeypatch.setenv("NEOTOMA_HOOKS_PROMPT_SECONDS", "0.2")
    monkeypatch.setenv("NEOTOMA_HOOKS_STOP_SECONDS", "0.2")
    for turn in range(4):
        fire("prompt_submit", prompt("c1", None, ASK)).assert_harmless()
        fire("stop", reply("c1", None, f"Ada Lovelace said {turn}.")).assert_harmless()
    memory.settle()
    told = [(turn["user"]["content"], turn["assistant"]["content"]) for turn in stored_turns()]
    assert told == [(ASK, f"Ada Lovelace said {turn}.") for turn in range(4)]
    assert all(len(turn[half]["refers_to"]) == 1 for turn in stored_turns() for half in ("user", "assistant"))


# The alarm strikes as soon as stdin was read
READER = """
import os, signal
from neotoma_hooks import hook, stdin

def read(descriptor, most, read=os.read):
    data = read(descriptor, most)
    signal.raise_signal(signal.SIGALRM)
    return data

def strike(*_):
    raise hook.OutOfTime

signal.signal(signal.SIGALRM, strike)
os.read = read
pieces = []
try:
    stdin.read_event(pieces)
except hook.OutOfTime:
    print(b"".join(pieces).decode(), end="")
"""


def test_what_was_read_is_not_lost_when_the_time_is_over() -> None:
    """A busy machine often wakes a hook from reading its event with the alarm."""
    done = subprocess.run(
        [sys.executable, "-c", READER], input=b'{"a": 1}', capture_output=True, timeout=60, check=True
    )
    assert done.stdout == b'{"a": 1}'


def test_settings_that_are_never_read_hold_nobody_up(paths: Paths) -> None:
    """The hook of an agent whose settings lie on a disk that hangs ends all the same."""
    os.makedirs(os.path.dirname(paths.settings_file))
    os.mkfifo(paths.settings_file)
    assert fire("stop", reply("c1", "t1", "hello")).assert_harmless().seconds < 20
    assert [line["error"].partition(";")[0] for line in hook_lines()] == ["out of time"]


def test_event_that_nobody_can_handle_keeps_none_from_the_store(
    memory: Memory, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of ours at one event: it is kept, and all else is delivered."""
    with locked(paths.courier_lock, 5):
        fire_while_locked(paths, "bad")
        fire("prompt_submit", prompt("c2", None, "good")).assert_harmless()

    def fail(*_: object, **__: object) -> None:
        raise RecursionError

    monkeypatch.setattr("neotoma_hooks.handling.handle", fail)
    summary = courier.run(read_settings(paths.settings_file, os.environ), paths)
    assert (summary.delivered, summary.stopped) == (1 if memory.is_server else 0, "")
    (name,) = set_aside.names(paths.set_aside)
    kept = set_aside.load(paths.set_aside, name)
    assert kept is not None
    assert not kept.again
    assert kept.reason.startswith("cannot be handled: RecursionError at ")
    assert [turn["user"]["content"] for turn in stored_turns()] == ["good"]


def leave(paths: Paths, conversation: str, text: str) -> Path:
    """Set a prompt aside, as a hook does that had no time for it; returns its file."""
    raw = json.dumps(prompt(conversation, None, text)).encode()
    event = set_aside.SetAside(
        raw, "prompt_submit", "claude-code", "no time", again=True, created=time.time_ns(), conversation=conversation
    )
    return Path(paths.set_aside, set_aside.keep(paths.set_aside, event))


def of_a_later_version(path: Path) -> None:
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "version": set_aside.VERSION + 1}))


def unreadable(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("spoil", [of_a_later_version, unreadable])
def test_event_that_cannot_be_read_is_left(memory: Memory, paths: Paths, spoil: Callable[[Path], None]) -> None:
    """It waits for whoever can read it, however many others are set aside after it, and keeps none from the store."""
    path = leave(paths, "c1", "of another time")
    spoil(path)
    leave(paths, "c1", "hello")
    neotoma_hooks("flush")
    for number in range(set_aside.MOST_KEPT + 1):
        event = set_aside.SetAside(b"{", "stop", "", "not JSON", again=False, created=number)
        set_aside.keep(paths.set_aside, event)
    fire("prompt_submit", prompt("c1", None, "and this")).assert_harmless()
    neotoma_hooks("flush")
    assert path.exists()
    assert [turn["user"]["content"] for turn in stored_turns()] == ["hello", "and this"]
    assert str(path) in neotoma_hooks("doctor", check=False)


def test_event_that_fails_again_says_why(memory: Memory, paths: Paths) -> None:
    """Each try leaves a line with its cause (G7); the event waits on, and is handled once it can be."""
    leave(paths, "c1", "hello")
    waits = Path(paths.pending)
    waits.parent.mkdir(mode=0o700, exist_ok=True)
    waits.touch()
    for _ in range(2):
        neotoma_hooks("flush", check=False)
    lines = [line for line in log_lines() if line.get("late")]
    assert [(line["hook"], line["agent"], line["conversation"], line["outcome"]) for line in lines] == 2 * [
        ("prompt_submit", "claude-code", "c1", "set aside")
    ]
    assert all(paths.pending in line["error"] for line in lines)
    waits.unlink()
    neotoma_hooks("flush")
    assert [turn["user"]["content"] for turn in stored_turns()] == ["hello"]


def test_log_that_takes_no_line_keeps_nothing_from_the_store(memory: Memory, paths: Paths) -> None:
    """All events that were set aside are handled in one run, and what waits is delivered."""
    for number in range(3):
        leave(paths, f"c{number}", f"hello {number}")
    Path(paths.log_file).mkdir()
    neotoma_hooks("flush")
    assert [turn["user"]["content"] for turn in stored_turns()] == ["hello 0", "hello 1", "hello 2"]


def test_courier_begins_no_event_after_its_time(memory: Memory, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events that each take long hold the lock no longer than one of them may; the rest waits for the next courier."""
    for number in range(3):
        leave(paths, f"c{number}", "hello")
    begun: list[float] = []

    def slow(*_: object, **__: object) -> None:
        begun.append(time.monotonic())
        time.sleep(0.3)
        raise LockTimeout("the lock was not free")

    monkeypatch.setattr("neotoma_hooks.handling.handle", slow)
    monkeypatch.setattr(courier, "LONGEST_LIFE_SECONDS", 0.2)
    courier.run(read_settings(paths.settings_file, os.environ), paths)
    assert len(begun) == 1
    assert len(set_aside.waiting(paths.set_aside)) == 3


def test_write_that_cannot_be_read_keeps_no_courier_busy(memory: Memory, paths: Paths) -> None:
    """It stays where it is, and the others are delivered."""
    files.write_private(os.path.join(paths.outbox, "0-damaged.json"), b"{", durable=False)
    fire("prompt_submit", prompt("c1", "t1", "hello")).assert_harmless()
    started = time.monotonic()
    courier.run(read_settings(paths.settings_file, os.environ), paths)
    assert time.monotonic() - started < 30
    neotoma_hooks("flush", check=False)
    assert [turn["user"]["content"] for turn in stored_turns()] == ["hello"]
    assert os.listdir(paths.outbox) == ["0-damaged.json"]
