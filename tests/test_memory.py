"""The library face for agents written in Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from neotoma_hooks.errors import EventError, SettingsError
from neotoma_hooks.memory import Memory, with_memory
from neotoma_hooks.state.lock import locked
from support import memory as memories
from support.firing import ROOT, hook_lines, log_lines, stored_turns

ASK = "What did Ada Lovelace say?"


@pytest.fixture
def store(memory: memories.Memory) -> memories.Memory:
    """Both stores, with one person in it."""
    memory.remember("Ada Lovelace", "person")
    return memory


def told(conversation: str) -> list[tuple[str, str | None]]:
    turns = stored_turns(conversation)
    return [(turn["user"]["content"], turn["assistant"] and turn["assistant"]["content"]) for turn in turns]


def test_turn_is_opened_with_context_and_closed_with_the_reply(store: memories.Memory) -> None:
    """The same two halves as the hooks', with their edges and their lines in the hook log."""
    memory = Memory("my-agent")
    opened = memory.open_turn("c1", ASK)
    assert "Ada Lovelace (person" in opened.context
    assert [entity.name for entity in opened.entities] == ["Ada Lovelace"]
    memory.close_turn("c1", "Ada Lovelace said yes.", opened.turn_id)
    store.settle()
    (turn,) = stored_turns("c1")
    assert told("c1") == [(ASK, "Ada Lovelace said yes.")]
    assert [len(turn[half]["refers_to"]) for half in ("user", "assistant")] == [1, 1]
    lines = [(line["hook"], line["agent"], line["conversation"], line["turn"]) for line in hook_lines()]
    assert lines == [(half, "my-agent", "c1", opened.turn_id) for half in ("open_turn", "close_turn")]
    assert "Lovelace" not in str(log_lines())


def test_wrapped_function_gets_the_context_and_is_remembered(store: memories.Memory) -> None:
    """`with_memory` around a function that answers."""
    ask = with_memory(
        lambda prompt, context: f"{prompt} {'Ada Lovelace (person' in context}",
        conversation_id="c2",
        memory=Memory("my-agent"),
    )
    assert ask(ASK) == f"{ASK} True"
    store.settle()
    assert told("c2") == [(ASK, f"{ASK} True")]


def test_prompt_is_kept_when_the_function_fails() -> None:
    """The error goes through; the next turn closes this one as interrupted."""

    def fails(prompt: str, context: str) -> str:
        raise ValueError("no model")

    with pytest.raises(ValueError, match="no model"):
        with_memory(fails, conversation_id="c3", memory=Memory("my-agent"))("hello?")
    assert told("c3") == [("hello?", None)]


def test_threads_share_a_memory(store: memories.Memory) -> None:
    """Each has its turns and its context."""
    memory = Memory("my-agent")

    def talk(number: int) -> bool:
        opened = memory.open_turn(f"c{number}", ASK)
        memory.close_turn(f"c{number}", f"reply {number}", opened.turn_id)
        return "Ada Lovelace (person" in opened.context

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(talk, range(8)))
    store.settle()
    assert [told(f"c{number}") for number in range(8)] == [[(ASK, f"reply {number}")] for number in range(8)]


def test_switched_off() -> None:
    """Nothing is looked up, stored or logged."""
    memory = Memory("my-agent", {**os.environ, "NEOTOMA_HOOKS_DISABLE": "1"})
    opened = memory.open_turn("c1", ASK, "t1")
    memory.close_turn("c1", "yes", opened.turn_id)
    assert (opened.turn_id, opened.entities, opened.context) == ("t1", [], "")
    assert stored_turns() == []
    assert log_lines() == []


def test_conversation_without_an_id() -> None:
    """Is refused: all such conversations would be one."""
    with pytest.raises(EventError, match="conversation_id is empty"):
        Memory("my-agent").open_turn("", ASK)
    assert stored_turns() == []


def test_settings_that_cannot_be_used() -> None:
    """Are told when the memory is made, not at the first turn."""
    with pytest.raises(SettingsError, match="NEOTOMA_HOOKS_PROMPT_SECONDS"):
        Memory("my-agent", {**os.environ, "NEOTOMA_HOOKS_PROMPT_SECONDS": "soon"})


def test_courier_works_in_the_environment_that_was_given(store: memories.Memory, tmp_path: Path) -> None:
    """Not in the process's own, which may name another home."""
    home = str(tmp_path / "another home")
    memory = Memory("my-agent", {**os.environ, "NEOTOMA_HOOKS_HOME": home})
    memory.open_turn("c9", ASK, "t1")
    until = time.monotonic() + 30
    while os.path.isdir(memory.paths.outbox) and os.listdir(memory.paths.outbox) and time.monotonic() < until:
        time.sleep(0.05)
    with locked(memory.paths.courier_lock, 30):
        assert not os.path.isdir(memory.paths.outbox) or os.listdir(memory.paths.outbox) == []
    assert log_lines() == []


HOST = """
import os, subprocess, sys, time
sys.path.insert(0, sys.argv[1])
from neotoma_hooks.memory import Memory
memory = Memory("my-agent")
for number in range(3):
    memory.open_turn("c1", "text", f"t{number}")
until = time.monotonic() + 30
while True:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        break
    assert time.monotonic() < until, "a courier's process is left"
    time.sleep(0.05)
print("none left")
"""


def test_no_dead_process_is_left_in_the_host(store: memories.Memory) -> None:
    """A host that goes on for days would collect them."""
    done = subprocess.run(
        [sys.executable, "-c", HOST, str(ROOT / "lib")], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("none left\n", "")
    store.settle()
    assert json.dumps(told("c1")) == json.dumps([("text", None)] * 3)
